"""The reporter that a release uses. It computes the story once for all reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from shoal.release.release import Release
from shoal.release.reporter import Reporter
from shoal.report import formats, headline, html, wording
from shoal.report.officer.context import Context
from shoal.report.story import Story
from shoal.risk import threshold


@dataclass(frozen=True, eq=False)
class StoryReporter(Reporter):
    """Writes reports from a story."""

    name = "story"
    story: Story

    @classmethod
    def of(cls, release: Release) -> Self:
        """Return the reporter of a release that was made in Python."""
        return cls(Story.of(release))

    def write(
        self, path: Path, *, explained: bool, public: bool, thresholds: Sequence[str | float], context: Any
    ) -> None:
        """Write a report. The suffix of the file sets the format."""
        known = Context.load(context) if isinstance(context, str | Path) else context
        limits = tuple(map(threshold, thresholds))
        story = replace(self.story, explained=explained, thresholds=limits, context=known)
        (formats.write_public if public else formats.write)(story, path)

    def card(self) -> str:
        """Return the notebook card as HTML."""
        return html.summary_html(self.story)

    def warnings(self) -> list[str]:
        """Return all notes as sentences."""
        return wording.warnings(self.story.release)

    def advice(self) -> str:
        """Run remedies, and return one line on the best."""
        return headline.remedy_line(self.story)
