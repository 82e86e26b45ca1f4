"""Find models, measures, algorithms and report formats in Shoal's packages and in third-party entry points.

To add one, write a file in its package. Or name the class in an entry point of an installed distribution: the group is
``shoal.models``, ``shoal.metrics``, ``shoal.algorithms`` or ``shoal.report``, and ``shoal.io`` for file formats.
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
    """Map names to all concrete subclasses of ``base`` in the package and its entry points."""
    return {name: cls for name, cls in _classes(package).items() if issubclass(cls, base)}


@functools.cache
def _classes(package: str) -> dict[str, Any]:
    """Map names to all concrete classes of the package and its entry points."""
    own: dict[str, Any] = {}
    home = importlib.import_module(package)
    for module_info in sorted(pkgutil.iter_modules(home.__path__), key=lambda info: info.name):
        own |= _classes_in(f"{package}.{module_info.name}")
    return {**own, **announced(package, own)}


@functools.cache
def _announcements(path: tuple[str, ...]) -> Any:  # its type depends on the version of Python
    """Return all entry points of the distributions on the path. Reading them takes milliseconds, so it is cached."""
    return entry_points()


def announced(group: str, known: Collection[str]) -> dict[str, Any]:
    """Load the entry points of a group.

    An entry point must have the name of its class, and not the name of a built-in part.
    """
    points = _announcements(tuple(sys.path)).select(group=group)
    for point in points:
        if point.name in known:
            raise OptionError(f"The entry point {group}:{point.name} has the name of a part of Shoal: rename it.")
    return {point.name: _same_name(group, point.name, point.load()) for point in points}


def _same_name(group: str, name: str, cls: Any) -> Any:
    """Return the class of an entry point, or raise an error if the class has another name."""
    attribute = "format" if group == "shoal.io" else "name"
    own = getattr(cls, attribute, None)
    if own != name:
        raise OptionError(
            f"The entry point {group}:{name} leads to {cls.__qualname__}, whose {attribute} is {own!r}: both must be "
            f"the same, so rename one of them."
        )
    return cls


def _classes_in(module: str) -> dict[str, Any]:
    """Map names to the concrete classes that a module defines."""
    members = inspect.getmembers(importlib.import_module(module), inspect.isclass)
    own = [cls for _, cls in members if cls.__module__ == module and not inspect.isabstract(cls)]
    return {name: cls for cls in own if isinstance(name := getattr(cls, "name", None), str)}


def get(package: str, base: type[T], name: str) -> type[T]:
    """Return the class with that name, or raise an error that lists the known names.

    Most classes are in a module with the same name. Then no other module is imported.
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
