"""Report formats: one class each, here or announced in the entry-point group ``shoal.report``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from shoal import discovery
from shoal.errors import OptionError
from shoal.files import atomic_output
from shoal.report.story import Story


class ReportFormat(ABC):
    """A way to lay out a report."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]  # of its files, the usual one first

    @abstractmethod
    def render(self, story: Story) -> str:
        """The whole report."""


def format_of(path: Path) -> ReportFormat:
    """The format that the suffix of a file names."""
    known = discovery.find("shoal.report", ReportFormat).values()
    for one in known:
        if path.suffix.lower() in one.suffixes:
            return one()
    *most, last = (one.suffixes[0] for one in known)
    raise OptionError(f"A report is {', '.join(most)} or {last}, got '{path.name}': choose one of these suffixes.")


def write(story: Story, path: Path) -> None:
    """Write a report in the format that the suffix names. Whole or not at all.

    It quotes the raw data: a new file can be read by its owner alone.
    """
    text = format_of(path).render(story)
    with atomic_output(path, private=True) as file:
        file.write(text.encode())
