"""Reporter: the interface of a release to its reports, implemented in :mod:`shoal.report`.

A release finds its reporter by name. So this package does not import the reports.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

if TYPE_CHECKING:
    from shoal.release.release import Release


class Reporter(ABC):
    """Writes reports on one release."""

    name: ClassVar[str]

    @classmethod
    @abstractmethod
    def of(cls, release: Release) -> Self:
        """Return the reporter of a release."""

    @abstractmethod
    def write(
        self, path: Path, *, explained: bool, public: bool, thresholds: Sequence[str | float], context: Any
    ) -> None:
        """Write a report; its suffix sets the format. ``explained``: with the rare sets that forced groups."""

    @abstractmethod
    def card(self) -> str:
        """Return a summary in HTML for notebooks."""

    @abstractmethod
    def warnings(self) -> list[str]:
        """Return all notes as sentences."""

    @abstractmethod
    def advice(self) -> str:
        """Return one line on what would lose less."""
