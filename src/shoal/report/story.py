"""Story: a release with what is looked up for its report, once for all formats and for the command line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from shoal.engines import LOCAL, Engine
from shoal.models.base import Witness
from shoal.release.release import Release
from shoal.report import explanations, remedies
from shoal.report.explanations import Explanation
from shoal.report.remedies import PythonCall, Remedy, Spelling


@dataclass(frozen=True, eq=False)
class Findings:
    """What is looked up about a release when it is first asked for: why its groups are needed, and what loses less."""

    release: Release
    engine: Engine = LOCAL

    @cached_property
    def explanations(self) -> list[Explanation]:
        """Why each group is needed, where that can be told; names sets of the raw data below k: not to be published."""
        return explanations.of_release(self.release)

    @cached_property
    def tried(self) -> tuple[Remedy, ...]:
        """Other ways to publish the same data, run."""
        return remedies.find(self.release, self.engine)

    @property
    def better(self) -> tuple[Remedy, ...]:
        """Those of them that lose less."""
        return remedies.better(self.release, self.tried)

    @cached_property
    def witness(self) -> Witness | None:
        """The rarest set of labels that forced a broad label, or the removal of items; None: it is not known."""
        return remedies.witness(self.release, self.explanations)


@dataclass(frozen=True, eq=False)
class Story:
    """What a report is made from."""

    release: Release
    findings: Findings
    spelling: Spelling  # how to call another way: as a command line, or in Python
    explained: bool = True  # whether it names the sets of the raw data that forced groups

    @classmethod
    def of(
        cls, release: Release, spelling: Spelling | None = None, engine: Engine = LOCAL, *, explained: bool = True
    ) -> Story:
        """The story of a release; without a spelling, in Python."""
        spelling = spelling or PythonCall(release.problem.model)
        return cls(release, Findings(release, engine), spelling, explained)

    def of_written(self, release: Release) -> Story:
        """The same story of the same release after it was written."""
        return replace(self, release=release)

    def spelled(self, remedy: Remedy) -> str:
        """How to call another way."""
        return self.spelling.spelled(remedy.algorithm, remedy.model_options)
