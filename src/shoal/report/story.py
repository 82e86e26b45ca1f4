"""Story: a release with everything its reports need, computed once for all formats and the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.caching import cached_property
from shoal.engines import LOCAL, Engine
from shoal.metrics.patterns import Patterns
from shoal.models.base import Witness
from shoal.release.release import Release
from shoal.report import explanations, patterns, remedies
from shoal.report.explanations import Explanation
from shoal.report.officer.context import Context
from shoal.report.remedies import PythonCall, Remedy, Spelling


@dataclass(frozen=True, eq=False)
class Findings:
    """What reports need beyond the release: why groups are needed, and what loses less. Computed when first used."""

    release: Release
    engine: Engine = LOCAL
    tries: bool = True  # whether remedies may be tried

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Why each group is needed. It names rare sets of the raw data: do not publish it."""
        return explanations.of_release(self.release, self.engine)

    @cached_property
    def patterns(self) -> Patterns | None:
        """What analysts still find. It names frequent sets of the raw data: do not publish it."""
        return patterns.of_release(self.release, self.engine)

    @cached_property
    def tried(self) -> tuple[Remedy, ...]:
        """The remedies that were run."""
        return remedies.find(self.release, self.engine) if self.tries else ()

    @property
    def better(self) -> tuple[Remedy, ...]:
        """The remedies that lose less."""
        return remedies.better(self.release, self.tried)

    @cached_property
    def witness(self) -> Witness | None:
        """The rarest set of labels that forced a broad label or the removal of items, or None."""
        return remedies.witness(self.release, self.explanations)


@dataclass(frozen=True, eq=False)
class Story:
    """A release, what is found out about it, and how calls are spelled."""

    release: Release
    findings: Findings
    spelling: Spelling  # of calls: as a command line, or in Python
    explained: bool = True  # whether reports name the sets of the raw data that forced groups
    thresholds: tuple[float, ...] = ()  # of risk, that the publisher chose
    context: Context | None = None  # what only people know
    compared_with: tuple[str, ...] | None = None  # earlier releases of its series; None: it is in no series

    @classmethod
    def of(
        cls,
        release: Release,
        spelling: Spelling | None = None,
        engine: Engine = LOCAL,
        *,
        explained: bool = True,
        thresholds: tuple[float, ...] = (),
        context: Context | None = None,
        compared_with: tuple[str, ...] | None = None,
        suggests: bool = True,
    ) -> Story:
        """Return the story of a release, by default with calls in Python.

        ``suggests``: whether it may suggest other calls of :func:`shoal.anonymize`.
        """
        spelling = spelling or PythonCall(release.problem.model)
        return cls(
            release, Findings(release, engine, suggests), spelling, explained, thresholds, context, compared_with
        )

    def of_written(self, release: Release) -> Story:
        """Return the same story for the release after it was written."""
        return replace(self, release=release)

    def spelled(self, remedy: Remedy) -> str:
        """Return the call that runs a remedy."""
        return self.spelling.spelled(remedy.algorithm, remedy.model_options)

    def messages(self, texts: list[str]) -> list[str]:
        """Return messages with their arguments spelled as in the calls."""
        return [self.spelling.message(text) for text in texts]
