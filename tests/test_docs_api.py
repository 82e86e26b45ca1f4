"""Every public name has a place on an API page, and a docstring that teaches.

The public names are those of the stubs: ``shoal`` and its families.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shoal.options import Spec

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "reference" / "api"
FAMILIES = (
    "shoal",
    "shoal.algorithms",
    "shoal.errors",
    "shoal.evidence",
    "shoal.hierarchies",
    "shoal.metrics",
    "shoal.models",
    "shoal.risk",
    "shoal.sklearn",
)
BUGS = {
    "shoal.errors.OutputError",
    "shoal.errors.PrivacyViolation",
    "shoal.errors.Untruthful",
}  # not to be shown at will
HELPERS = {"shoal.errors.did_you_mean", "shoal.errors.shorten"}  # for Shoal's own messages


def public_names() -> list[str]:
    """The names that a stub imports, that ``__all__`` lists, or that a single module defines."""
    found = []
    for family in FAMILIES:
        folder = ROOT / "src" / Path(*family.split("."))
        file = next(
            path
            for path in (folder / "__init__.pyi", folder / "__init__.py", folder.with_suffix(".py"))
            if path.exists()
        )
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if file.name == "__init__.pyi":
            names = [a.asname or a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names]
        elif file.name == "__init__.py":
            names = importlib.import_module(family).__all__
        else:
            names = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        found += [f"{family}.{name}" for name in names if not name.startswith("_")]
    return [name for name in found if name not in HELPERS]


def resolved(path: str) -> Any:
    """The object at a dotted path; its longest prefix that can be imported is the module."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise LookupError(path)


def public_object(name: str) -> Any:
    """What ``from family import name`` gives, also where a module has the same name."""
    family, _, last = name.rpartition(".")
    return getattr(importlib.import_module(family), last)


NAMES = public_names()
OBJECTS = {name: thing for name in NAMES if not isinstance(thing := public_object(name), ModuleType)}


def test_every_public_name_has_a_place() -> None:
    blocks = re.findall(r"^::: (\S+)", "\n".join(page.read_text("utf-8") for page in PAGES.glob("*.md")), re.MULTILINE)
    assert len(blocks) == len(set(blocks))
    shown = [resolved(path) for path in blocks]
    missing = [name for name, thing in OBJECTS.items() if not any(thing is one for one in shown)]
    assert not missing, f"Add '::: {missing[0]}' to a page of docs/reference/api."
    for family in FAMILIES[1:]:
        assert (PAGES / f"{family.rpartition('.')[2]}.md").exists()


def gaps(thing: Any) -> list[str]:
    """What the docstring of a public name lacks."""
    text = inspect.getdoc(thing) or ""
    lacking = [] if ">>>" in text else ["an example"]
    if not callable(thing) or inspect.isabstract(thing):
        return []  # a constant has no docstring of its own; docs/internals shows how to write a class below a base
    options = [option.name for option in thing.options()] if isinstance(thing, type) and issubclass(thing, Spec) else []
    if isinstance(thing, type) and issubclass(thing, Exception):
        return [] if f"shoal.errors.{thing.__name__}" in BUGS else lacking
    try:
        parameters = inspect.signature(thing).parameters.values()
    except ValueError:
        return lacking
    wanted = [one.name for one in parameters if not one.name.startswith("_") and one.name not in options]
    described = "Parameters\n---" in text or (isinstance(thing, type) and "Attributes\n---" in text)
    if wanted and not described:
        lacking.append("a section Parameters")
    names = described_parameters(text)
    options_follow = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    if described and (options_follow or not any(name.startswith("**") for name in names)):  # shoal.init: as shoal.read
        lacking += [f"the parameter {name}" for name in wanted if not re.search(rf"^(.*, )?\**{name}\b", text, re.M)]
        lacking += [] if options_follow else [f"no parameter {name}" for name in names - {*wanted, *options}]
    returns = not isinstance(thing, type) and inspect.signature(thing).return_annotation not in (None, "None")
    if returns and "Returns\n---" not in text:
        lacking.append("a section Returns")
    return lacking


def described_parameters(text: str) -> set[str]:
    """The names that the section Parameters describes."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^(\*?\*?\w[^:\n]*)", section[1], re.MULTILINE) if section else []
    return {name.strip() for head in heads for name in head.split(",")}


@pytest.mark.parametrize("name", sorted(OBJECTS))
def test_docstrings_of_public_names_teach(name: str) -> None:
    lacking = gaps(OBJECTS[name])
    assert not lacking, f"The docstring of {name} needs {', '.join(lacking)}."
