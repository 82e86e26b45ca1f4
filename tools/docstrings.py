"""Lets mkdocstrings show docstrings that were written for ``help()``: an extension of griffe, named in mkdocs.yml.

Options of models and algorithms are declared once (:mod:`shoal.options`). The pages take their defaults and their
texts from there.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:py:)?(?:class|func|meth|mod|attr|data|exc):`~?([^`]+)`")
HEADING = re.compile(r"^\s*-{3,}\s*$")


class Docstrings(griffe.Extension):  # type: ignore[misc]
    """Turn the reStructuredText of our docstrings into Markdown."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **kwargs: Any) -> None:
        """Show the default of each option, and describe the options below the docstring."""
        declared = [member for member in cls.members.values() if member.is_attribute and not member.is_alias]
        real = None
        if any("option(" in str(member.value) for member in declared):
            real = getattr(importlib.import_module(cls.module.path), cls.name, None)
        if dataclasses.is_dataclass(real) and hasattr(real, "options"):
            for field in dataclasses.fields(real):
                if field.name in cls.members:
                    cls.members[field.name].value = repr(field.default)
            if cls.docstring and "Parameters\n---" not in cls.docstring.value:
                cls.docstring.value = with_options(cls.docstring.value, real.options())


def with_options(text: str, options: list[Any]) -> str:
    """Add a section Parameters that describes the options, before any other section."""
    head, rest = _split_at_sections(text)
    section = "\n".join(f"{option.name}\n    {option.help[:1].upper()}{option.help[1:]}." for option in options)
    return f"{head.rstrip()}\n\nParameters\n----------\n{section}\n" + (f"\n{rest}" if rest else "")


def as_markdown(text: str) -> str:
    """Replace roles by code, close literal blocks' colons, and fence the examples outside an Examples section."""
    text = ROLE.sub(r"`\1`", text)
    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    head, rest = _split_at_sections(text)
    return _fenced(head) + (f"\n{rest}" if rest else "")


def _split_at_sections(text: str) -> tuple[str, str]:
    """Split before the first underlined heading: numpydoc's parser takes care of what follows."""
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], start=1):
        if HEADING.match(line) and lines[number - 1].strip():
            return "\n".join(lines[: number - 1]), "\n".join(lines[number - 1 :])
    return text, ""


def _fenced(text: str) -> str:
    """Put each run of ``>>>`` lines and their output into a code block."""
    result: list[str] = []
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith(">>>") and not inside:
            result += ["", "```pycon"]
            inside = True
        elif inside and not line.strip():
            result.append("```")
            inside = False
        result.append(line)
    return "\n".join([*result, "```"] if inside else result)
