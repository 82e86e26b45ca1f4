"""Report formats: one class each, here or in a package with the entry-point group ``shoal.report``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar

from shoal import discovery
from shoal.errors import OptionError
from shoal.files import atomic_output
from shoal.report.officer import public
from shoal.report.officer.public import PublicFacts
from shoal.report.story import Story


class ReportFormat(ABC):
    """A format of reports, such as HTML."""

    name: ClassVar[str]
    suffixes: ClassVar[tuple[str, ...]]  # of its files, the most common first

    @abstractmethod
    def render(self, story: Story) -> str:
        """Return the whole report as text."""

    def render_public(self, facts: PublicFacts) -> str:
        """Return the public report as text. It must be made of these facts alone."""
        raise OptionError(f"There is no public report as {self.name}: write one as .html, .json or .md.")


def format_of(path: Path) -> ReportFormat:
    """Return the format for the suffix of a file."""
    known = discovery.find("shoal.report", ReportFormat).values()
    for one in known:
        if path.suffix.lower() in one.suffixes:
            return one()
    *most, last = (one.suffixes[0] for one in known)
    raise OptionError(f"A report is {', '.join(most)} or {last}, got '{path.name}': choose one of these suffixes.")


def write(story: Story, path: Path) -> None:
    """Write a report, completely or not at all. The suffix of the file sets the format.

    Reports quote the raw data, so only the owner can read a new file.
    """
    text = format_of(path).render(story)
    with atomic_output(path, private=True) as file:
        file.write(text.encode())


def write_public(story: Story, path: Path) -> None:
    """Write a public report, completely or not at all. It is made of facts that may be published."""
    text = format_of(path).render_public(public.gather(story))
    with atomic_output(path) as file:
        file.write(text.encode())
