"""Break lines of help at the width of the terminal, and never inside an option."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import Any

import click

NARROWEST = 30  # characters of a line, however narrow the terminal is
_DASH = "\ue000"  # represents a dash while lines are broken: no text has this character


class Formatter(click.HelpFormatter):
    """Formats help without a line break inside an option such as ``--help-all``."""

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        if more.get("width") is None and (columns := shutil.get_terminal_size().columns) < self.width:
            self.width = max(NARROWEST, columns - 2)  # click takes 50 characters, however narrow the terminal is

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace("-", _DASH))

    def write_dl(self, rows: Iterable[tuple[str, str]], *words: Any, **more: Any) -> None:
        """Write a list of terms and texts."""
        super().write_dl([(term, text.replace("-", _DASH)) for term, text in rows], *words, **more)

    def getvalue(self) -> str:
        """Return all text written."""
        return super().getvalue().replace(_DASH, "-")


class HelpContext(click.Context):
    """The context of a command, with our formatter."""

    formatter_class = Formatter
