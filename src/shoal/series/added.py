"""Added: a release that was added to a series."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.jobs.job import Job
from shoal.release.pipeline import LOG
from shoal.report import Story
from shoal.series.check import SeriesCheck
from shoal.series.wording import notes_of

if TYPE_CHECKING:
    from shoal.series.series import Series


@dataclass(frozen=True)
class Added:
    """A release that was added to a series.

    Parameters
    ----------
    series : Series
        The series with it.
    story : Story
        The figures of the release.
    job : Job
        What was read and written.
    found : SeriesCheck or None
        What can be learned together with earlier releases. None: it is the first.
    left_out : int
        How many records are not in it, because they were published before.
    """

    series: Series
    story: Story
    job: Job
    found: SeriesCheck | None = None
    left_out: int = 0

    @property
    def notes(self) -> list[str]:
        """What its publisher must know about it and the earlier releases."""
        return notes_of(self.found, self.left_out)

    def log(self) -> None:
        """Log the notes of the release and of the series, as :func:`shoal.anonymize` does."""
        for sentence in (*self.story.release.notes, *self.notes):
            LOG.warning(sentence)
