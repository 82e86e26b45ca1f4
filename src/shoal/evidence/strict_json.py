"""JSON of strangers, read strictly: what two readers could understand differently is an error."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from shoal.errors import DataError, shorten

DEEPEST = 32  # levels of lists and objects


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
        value = json.loads(text.decode("utf-8"), object_pairs_hook=_once(name), parse_constant=_no_constant(name))
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
        unique = dict(pairs)
        if len(unique) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise DataError(f"{name} has the key '{shorten(twice)}' twice: it was not written by Shoal.")
        return unique

    return made


def _no_constant(name: str) -> Any:
    """Return a function that refuses NaN and Infinity, which are no JSON."""

    def refused(text: str) -> NoReturn:
        raise DataError(f"{name} has the number {text}, which is no JSON: it was not written by Shoal.")

    return refused


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
