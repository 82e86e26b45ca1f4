"""Algorithms: one file each (or a small family), named as its paper names it. They turn a Problem into a Recoding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from shoal.engines import Engine
from shoal.options import Spec
from shoal.privacy import PrivacyModel
from shoal.problem import Problem
from shoal.recoding import Recoding


class Algorithm(Spec, ABC):
    """A method that finds a recoding which satisfies a privacy model."""

    title: ClassVar[str]
    paper: ClassVar[str]
    solves: ClassVar[tuple[type[PrivacyModel], ...]]

    @abstractmethod
    def solve(self, problem: Problem, engine: Engine) -> Recoding:
        """Find the recoding. Only :func:`shoal.anonymize` applies and publishes it."""
