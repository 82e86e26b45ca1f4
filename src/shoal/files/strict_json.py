"""JSON of strangers, read strictly: what two readers could understand differently is an error."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, NoReturn

from shoal.errors import DataError, shorten

DEEPEST = 32  # levels of lists and objects
DIGITS = 400  # of a whole number; exact costs in proofs may be long


def loads(text: bytes, name: str) -> Any:
    """Return the value of a JSON text in UTF-8. Duplicate keys, NaN and very deep nesting are errors.

    Examples
    --------
    >>> loads(b'{"a": [1, 2.5]}', "c.json")
    {'a': [1, 2.5]}
    >>> loads(b'{"a": 1, "a": 2}', "c.json")
    Traceback (most recent call last):
    shoal.errors.DataError: c.json has the key 'a' twice: ...
    """
    try:
        value = json.loads(
            text.decode("utf-8"),
            object_pairs_hook=_once(name),
            parse_constant=_no_constant(name),
            parse_float=_finite(name),
            parse_int=_short(name),
        )
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DataError(f"{name} has half of a character (a lone surrogate): it was not written by Shoal.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{name} is not UTF-8 text (byte {error.start + 1}): it is damaged, or another file.") from None
    except json.JSONDecodeError as error:
        raise DataError(
            f"{name}, line {error.lineno}, column {error.colno}: this is not JSON ({error.msg}): it is damaged, or "
            f"another file."
        ) from None
    except RecursionError:
        value = None
        deep = True
    else:
        deep = _depth(value) > DEEPEST
    if deep:
        raise DataError(f"{name} is nested more than {DEEPEST} levels deep: this is not a file of Shoal.")
    return value


def _once(name: str) -> Any:
    """Return a function that makes an object, and refuses a key that stands there twice."""

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        unique: dict[str, Any] = {}
        for key, value in pairs:
            if key in unique:
                raise DataError(f"{name} has the key '{shorten(key)}' twice: it was not written by Shoal.")
            unique[key] = value
        return unique

    return made


def _no_constant(name: str) -> Any:
    """Return a function that refuses NaN and Infinity, which are no JSON."""

    def refused(text: str) -> NoReturn:
        raise DataError(f"{name} has the number {text}, which is no JSON: it was not written by Shoal.")

    return refused


def _finite(name: str) -> Callable[[str], float]:
    """Return a function that reads a number, and refuses one that is too large for other readers."""

    def read(text: str) -> float:
        value = float(text)
        if not math.isfinite(value):
            raise DataError(f"{name} has the number {shorten(text)}, which is too large: it was not written by Shoal.")
        return value

    return read


def _short(name: str) -> Callable[[str], int]:
    """Return a function that reads a whole number, and refuses one of very many digits."""

    def read(text: str) -> int:
        if len(text) > DIGITS:
            raise DataError(f"{name} has a number of {len(text):,} digits: it was not written by Shoal.")
        return int(text)

    return read


def _depth(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    level, depth = [value], 0
    while depth <= DEEPEST and (level := [inner for one in level for inner in _inside(one)]):
        depth += 1
    return depth


def _inside(value: Any) -> list[Any]:
    """Return the values of a list or an object."""
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def dumps(value: Any) -> bytes:
    """Return a value as compact JSON in UTF-8, in the order of its keys.

    >>> dumps({"b": 1, "a": "ä"})
    b'{"b":1,"a":"\\xc3\\xa4"}'
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
