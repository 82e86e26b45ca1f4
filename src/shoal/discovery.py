"""Finds what is in the open packages (privacy, metrics, algorithms, report) and in third-party entry points.

A new model, measure, algorithm or report format is one new file in its package, or a class named in the entry-point
group ``shoal.models``, ``shoal.metrics``, ``shoal.algorithms`` or ``shoal.report`` of an installed distribution;
``shoal.io`` is the group of file formats.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Collection
from importlib.metadata import entry_points
from typing import Any, TypeVar

from shoal.errors import OptionError, did_you_mean

T = TypeVar("T")


def find(package: str, base: type[T]) -> dict[str, type[T]]:
    """Name -> concrete class, of every subclass of ``base`` defined in the package or announced for it."""
    return {name: cls for name, cls in _classes(package).items() if issubclass(cls, base)}


@functools.cache
def _classes(package: str) -> dict[str, Any]:
    """Every concrete class with a name of its own."""
    own: dict[str, Any] = {}
    home = importlib.import_module(package)
    for module_info in sorted(pkgutil.iter_modules(home.__path__), key=lambda info: info.name):
        own |= _classes_in(f"{package}.{module_info.name}")
    return {**own, **announced(package, own)}


@functools.cache
def _announcements(path: tuple[str, ...]) -> Any:  # its type depends on the version of Python
    """All entry points of the distributions on the path: to read them takes milliseconds."""
    return entry_points()


def announced(group: str, known: Collection[str]) -> dict[str, Any]:
    """What installed distributions name as entry points of a group; nothing may be called like a known part."""
    points = _announcements(tuple(sys.path)).select(group=group)
    for point in points:
        if point.name in known:
            raise OptionError(f"The entry point {group}:{point.name} would replace a part of Shoal: rename it.")
    return {point.name: point.load() for point in points}


def _classes_in(module: str) -> dict[str, Any]:
    """Those that a module defines."""
    members = inspect.getmembers(importlib.import_module(module), inspect.isclass)
    own = [cls for _, cls in members if cls.__module__ == module and not inspect.isabstract(cls)]
    return {name: cls for cls in own if isinstance(name := getattr(cls, "name", None), str)}


def get(package: str, base: type[T], name: str) -> type[T]:
    """The class of that name, or an error that lists the names.

    Most are in a module of their own name: then no other is imported.
    """
    file = name.replace("-", "_")
    if file.isidentifier() and importlib.util.find_spec(f"{package}.{file}") is not None:
        cls = _classes_in(f"{package}.{file}").get(name)
        if cls is not None and issubclass(cls, base):
            return cls  # type: ignore[no-any-return]
    known: dict[str, type[T]] = find(package, base)
    if name not in known:
        what = {"models": "model", "metrics": "loss"}.get(package.rpartition(".")[2], "algorithm")
        raise OptionError(f"Unknown {what} '{name}'{did_you_mean(name, known)}: known are {', '.join(known)}.")
    return known[name]
