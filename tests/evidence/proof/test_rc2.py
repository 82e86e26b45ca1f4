"""The process of the second solver: bounds, time, and what happens if it fails."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
import time
from typing import Any

import pytest

from shoal.errors import OptionError
from shoal.evidence.proof import rc2


def hard(variables: int = 150) -> str:
    """A random problem that takes long."""
    draw = random.Random(1)
    clauses = [[-one for one in draw.sample(range(1, variables + 1), 3)] for _ in range(8 * variables)]
    hard = "".join(f"h {' '.join(map(str, clause))} 0\n" for clause in clauses)
    return hard + "".join(f"{draw.randint(1, 1000)} {one} 0\n" for one in range(1, variables + 1))


def silent(share: float) -> None:
    pass


def test_it_ends_when_the_bound_is_enough_or_time_is_over() -> None:
    began, shares = time.monotonic(), list[float]()
    found = rc2.minimum(hard(), 100, 60, shares.append)
    assert found.lower >= 100
    assert not found.optimal
    found = rc2.minimum(hard(), 10**9, 1.5, shares.append)
    assert 0 < found.lower < 10**9
    assert not found.optimal
    assert time.monotonic() - began < 20
    assert all(0 <= share <= 1 for share in shares)


def test_an_interrupt_ends_the_process() -> None:
    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rc2.minimum(hard(), 10**9, 60, interrupt)


def test_weights_are_whole_numbers_of_any_size() -> None:
    big = 2**60
    assert rc2.minimum(f"h -1 -2 0\n{big + 1} 1 0\n{big} 2 0\n", 2**62, 60, silent) == rc2.Bounded(big, True)


def test_a_process_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def started(problem: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"], stdout=subprocess.PIPE)

    monkeypatch.setattr(rc2, "_started", started)
    with pytest.raises(rc2.SolverFailed, match="ended with code 3"):
        rc2.minimum(hard(), 10**9, 60, silent)


def test_a_missing_solver_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"pip install 'shoal\[proof\]'"):
        rc2.require_solver()
