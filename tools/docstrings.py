"""Lets mkdocstrings show docstrings that were written for ``help()``: an extension of griffe, named in mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:py:)?(?:class|func|meth|mod|attr|data|exc):`~?([^`]+)`")
HEADING = re.compile(r"^\s*-{3,}\s*$")


class Docstrings(griffe.Extension):  # type: ignore[misc,unused-ignore]  # griffe is there to build the site alone
    """Turn the reStructuredText of our docstrings into Markdown."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of each module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """Replace roles by code, close literal blocks' colons, and fence the examples outside an Examples section."""
    text = ROLE.sub(r"`\1`", text)
    text = re.sub(r"::$", ":", text, flags=re.MULTILINE)
    head, heading, rest = _split_at_sections(text)
    return _fenced(head) + heading + rest


def _split_at_sections(text: str) -> tuple[str, str, str]:
    """Split before the first underlined heading: numpydoc's parser takes care of what follows."""
    lines = text.split("\n")
    for number, line in enumerate(lines[1:], start=1):
        if HEADING.match(line) and lines[number - 1].strip():
            return "\n".join(lines[: number - 1]), "\n", "\n".join(lines[number - 1 :])
    return text, "", ""


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
