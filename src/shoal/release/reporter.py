"""Reporter: what can tell people about a release. It is declared here and implemented in :mod:`shoal.report`.

So a release can be asked for its report, and nothing here imports the report: it is found by its name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from shoal.release.release import Release


class Reporter(ABC):
    """Tells people about one release."""

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def of(cls, release: Release) -> Self:
        """The reporter of a release."""

    @abstractmethod
    def write(self, path: Path, *, explained: bool) -> None:
        """Write a report in the format that the suffix names; ``explained``: with the rare sets that forced groups."""

    @abstractmethod
    def card(self) -> str:
        """A summary in HTML, for notebooks."""

    @abstractmethod
    def warnings(self) -> list[str]:
        """The notes of the release in words."""

    @abstractmethod
    def advice(self) -> str:
        """What would lose less, in one line."""
