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
                [_copied(argument, "_twin") for argument in given],
                {key: _copied(argument, "_twin") for key, argument in named.items()},
            )
            mine = [_own(argument) for argument in given], {key: _own(argument) for key, argument in named.items()}
            result, error = _result(native, mine)
            expected, other = _result(twin, theirs)
            if type(error) is not type(other):
                raise Differ(f"{name}: {error!r} and {other!r}")
            if error is not None:
                raise error
            if isinstance(native, type) or _is_object(result):
                return Both(result, expected, self._calls, f"{name}.")
            self._same(name, result, expected)
            return result

        return call

    def _same(self, name: str, result: Any, expected: Any) -> None:
        if name in WORK:
            result, expected = (_without(WORK[name], one) for one in (result, expected))
        if not same(result, expected):
            raise Differ(f"{name}: {str(result)[:200]} and {str(expected)[:200]}")


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


def same(result: Any, expected: Any) -> bool:
    """Whether two results are equal; numbers with a point up to rounding."""
    if isinstance(result, list | tuple) and isinstance(expected, list | tuple):
        return len(result) == len(expected) and all(map(same, result, expected))
    if isinstance(result, np.ndarray) or isinstance(expected, np.ndarray):
        return bool(np.array_equal(np.asarray(result), np.asarray(expected)))
    if isinstance(result, float) and isinstance(expected, float):
        return result == expected or abs(result - expected) <= 1e-9 * max(abs(result), abs(expected))
    return bool(result == expected)


def install(native: ModuleType, calls: Counter[str]) -> None:
    """Put both in the place of the kernels."""
    from shoal.kernels import choice

    choice.native = Both(native, SimpleNamespace(**choice.twins()), calls)
