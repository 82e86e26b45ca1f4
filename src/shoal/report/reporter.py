"""What a release finds when it is asked to report: the story is told once, however many reports are written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from shoal.release.release import Release
from shoal.release.reporter import Reporter
from shoal.report import formats, headline, html, wording
from shoal.report.story import Story


@dataclass(frozen=True, eq=False)
class StoryReporter(Reporter):
    """Reports made from a story."""

    name = "story"
    story: Story

    @classmethod
    def of(cls, release: Release) -> Self:
        """For a release that was made from Python."""
        return cls(Story.of(release))

    def write(self, path: Path, *, explained: bool) -> None:
        """In the format that the suffix names."""
        formats.write(replace(self.story, explained=explained), path)

    def card(self) -> str:
        """The figures and the warnings."""
        return html.summary_html(self.story)

    def warnings(self) -> list[str]:
        """What a publisher must know."""
        return wording.warnings(self.story.release)

    def advice(self) -> str:
        """By running other ways."""
        return headline.remedy_line(self.story)
