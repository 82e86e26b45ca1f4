"""Algorithms that go wrong, for the lab: importable, so that its processes find them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.models.km import Km
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import Solution


class _Wrong(Algorithm):
    title = paper = "none"
    solves = (Km,)


@dataclass(frozen=True)
class Crashes(_Wrong):
    name = "crashes"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        os.kill(os.getpid(), signal.SIGSEGV)
        raise AssertionError


@dataclass(frozen=True)
class Raises(_Wrong):
    name = "raises"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        raise ZeroDivisionError("first line\nsecond line")


@dataclass(frozen=True)
class Hangs(_Wrong):
    name = "hangs"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        time.sleep(3600)
        raise AssertionError


@dataclass(frozen=True)
class Lies(_Wrong):
    name = "lies"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        return Solution(GlobalCut.raising(problem.hierarchy, []))  # everything as it is


@dataclass(frozen=True)
class Talks(_Wrong):
    name = "talks"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        os.write(1, b"something on stdout\n")
        return Solution(GlobalCut.raising(problem.hierarchy, [len(problem.hierarchy) - 1]))  # all to the root
