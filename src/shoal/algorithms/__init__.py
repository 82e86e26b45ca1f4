"""Algorithms: one file each (or a small family), named as its paper names it. They turn a Problem into a Solution."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shoal.engines import Engine
from shoal.options import Spec, option
from shoal.privacy import PrivacyModel
from shoal.problem import Problem
from shoal.recoding import GlobalCut
from shoal.search.polish import polished
from shoal.solution import Solution


class Algorithm(Spec, ABC):
    """A method that finds a recoding which satisfies a privacy model."""

    title: ClassVar[str]
    paper: ClassVar[str]
    solves: ClassVar[tuple[type[PrivacyModel], ...]]

    @abstractmethod
    def solve(self, problem: Problem, engine: Engine) -> Solution:
        """Find the recoding. Only :func:`shoal.anonymize` applies and publishes it."""


@dataclass(frozen=True)
class CutAlgorithm(Algorithm):
    """An algorithm whose recoding is a global cut: it can be polished."""

    polish: bool = option(False, help="split groups of the found cut again wherever the guarantee still holds")

    @abstractmethod
    def search(self, problem: Problem, engine: Engine) -> GlobalCut:
        """Find the cut."""

    def solve(self, problem: Problem, engine: Engine) -> Solution:
        """The cut, re-specialised if asked for."""
        cut = self.search(problem, engine)
        return Solution(polished(problem, cut, engine) if self.polish else cut)
