"""Stands in for the kernels: every call goes to the compiled one and to its Python twin, and both must say the same."""

from __future__ import annotations

import copy
from collections import Counter
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

# Parts of results that tell how much a kernel did: compiled ones take short cuts. None: the whole result.
WORK: dict[str, tuple[int, ...] | None] = {
    "repair_diversity": (1,),
    "repair_negative": (1,),
    "Suppression.run": (4, 6),
    "MergeChains.around": (1, 2),
    "MergeClauses.broken": (5,),
    "Flow.grow": None,  # the twin knows no limit of work
    "Threats.lifting_seconds": None,
}


class Differ(AssertionError):
    """The compiled kernel and its twin disagree."""


class Both:
    """A module, or an object of a kernel, and its twin."""

    def __init__(self, native: Any, twin: Any, calls: Counter[str], name: str = "") -> None:
        self.__dict__.update(_native=native, _twin=twin, _calls=calls, _name=name)

    def __getattr__(self, name: str) -> Any:
        """A function or class of both; a value must be the same."""
        native, twin = getattr(self._native, name), getattr(self._twin, name)
        if callable(native):
            return self._called(f"{self._name}{name}", native, twin)
        self._same(f"{self._name}{name}", native, twin)
        return native

    def _called(self, name: str, native: Any, twin: Any) -> Any:
        def call(*given: Any, **named: Any) -> Any:
            self._calls[name] += 1
            theirs = (
                [_copied(one, "_twin") for one in given],
                {key: _copied(one, "_twin") for key, one in named.items()},
            )
            mine = [_own(one) for one in given], {key: _own(one) for key, one in named.items()}
            found, error = _result(native, mine)
            wanted, other = _result(twin, theirs)
            if type(error) is not type(other):
                raise Differ(f"{name}: {error!r} and {other!r}")
            if error is not None:
                raise error
            if isinstance(native, type) or _is_object(found):
                return Both(found, wanted, self._calls, f"{name}.")
            self._same(name, found, wanted)
            return found

        return call

    def _same(self, name: str, found: Any, wanted: Any) -> None:
        if name in WORK:
            found, wanted = (_without(WORK[name], one) for one in (found, wanted))
        if not same(found, wanted):
            raise Differ(f"{name}: {str(found)[:200]} and {str(wanted)[:200]}")


def _without(places: tuple[int, ...] | None, result: Any) -> Any:
    return None if places is None else [part for at, part in enumerate(result) if at not in places]


def _result(function: Any, parts: tuple[list[Any], dict[str, Any]]) -> tuple[Any, Exception | None]:
    try:
        return function(*parts[0], **parts[1]), None
    except Exception as error:
        return None, error


def _own(value: Any) -> Any:
    return value._native if isinstance(value, Both) else value


def _copied(value: Any, side: str) -> Any:
    """A value for the twin: arrays are copied, as a kernel may write into them."""
    if isinstance(value, Both):
        return getattr(value, side)
    return copy.copy(value) if isinstance(value, np.ndarray | list) else value


def _is_object(value: Any) -> bool:
    """Whether a result is an object of a kernel, with methods of its own."""
    return type(value).__module__.endswith("_native")


def same(found: Any, wanted: Any) -> bool:
    """Whether two results are equal; numbers with a point up to rounding."""
    if isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(found, np.ndarray) or isinstance(wanted, np.ndarray):
        return bool(np.array_equal(np.asarray(found), np.asarray(wanted)))
    if isinstance(found, float) and isinstance(wanted, float):
        return found == wanted or abs(found - wanted) <= 1e-9 * max(abs(found), abs(wanted))
    return bool(found == wanted)


def install(native: ModuleType, calls: Counter[str]) -> None:
    """Put both in the place of the kernels."""
    from shoal.kernels import choice

    choice.native = Both(native, SimpleNamespace(**choice.twins()), calls)
