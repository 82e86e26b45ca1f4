"""The second solver: RC2 of ``python-sat``, an exact MaxSAT solver, in a process of its own.

It counts in whole numbers and shares nothing with CP-SAT, which the search uses. RC2 raises a lower bound, core by
core, until it meets an optimum. So it can be stopped as soon as the bound is high enough. A process of its own can be
ended at any time.

The process gets the problem as text, in the format of the MaxSAT evaluations. It writes one JSON object a line: lower
bounds, and the optimum at the end.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shoal.errors import OptionError

# Small cores, used to the full: the defaults do not end on hard problems, and are no faster on others.
OPTIONS = {"solver": "g4", "adapt": True, "exhaust": True, "minz": True}
WAIT = 0.1  # seconds between looks at the clock


@dataclass(frozen=True)
class Bounded:
    """What the solver found about the least weight of violated soft clauses."""

    lower: int  # no assignment violates less
    optimal: bool  # whether some assignment violates no more


class SolverFailed(Exception):
    """The process ended without an answer."""


def require_solver() -> None:
    """Raise an error if the solver is not installed."""
    if importlib.util.find_spec("pysat") is None:
        raise OptionError(
            "The check of a proof needs a second solver, which is not installed: run pip install 'shoal[proof]'. Or "
            "write the problem for a solver of your own with opb= or wcnf=, and leave out the solver with solver=False."
        )


def minimum(wcnf: str, enough: int, seconds: float, tick: Callable[[float], None]) -> Bounded:
    """Return the best lower bound found in some seconds. The solver ends early if the bound is ``enough``.

    ``tick`` gets the share of ``enough`` that is reached.

    >>> minimum("h -1 -2 0\\n3 1 0\\n5 2 0\\n", 3, 60, lambda share: None)
    Bounded(lower=3, optimal=...)
    >>> minimum("h -1 -2 0\\n3 1 0\\n5 2 0\\n", 100, 60, lambda share: None)
    Bounded(lower=3, optimal=True)
    """
    require_solver()
    end, best = time.monotonic() + seconds, Bounded(0, False)
    with tempfile.TemporaryFile() as problem:
        problem.write(wcnf.encode())
        problem.seek(0)
        process = _started(problem)
    answers: list[Bounded] = []
    reader = threading.Thread(target=_read, args=(process, answers), daemon=True)
    reader.start()
    try:
        while not best.optimal and best.lower < enough and time.monotonic() < end:
            ended = not reader.is_alive()
            best = answers[-1] if answers else best
            if ended and not best.optimal and best.lower < enough:
                raise SolverFailed(f"the solver ended with code {process.wait()}")
            tick(min(1.0, best.lower / max(1, enough)))
            reader.join(WAIT)
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stdout is not None
        process.stdout.close()
    return best


def _started(problem: Any) -> subprocess.Popen[bytes]:
    """Start the process."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal.evidence.proof.rc2"],
        stdin=problem,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the one who waits
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},  # finds what we find
    )


def _read(process: subprocess.Popen[bytes], answers: list[Bounded]) -> None:
    """Collect what the process tells, until it ends."""
    assert process.stdout is not None
    for line in process.stdout:
        with contextlib.suppress(json.JSONDecodeError):  # a line that was cut off when the process ended
            answers.append(Bounded(**json.loads(line)))


def _solve(wcnf: str) -> None:
    """Solve a problem, and write bounds to standard output as they are found."""
    from pysat.examples.rc2 import RC2
    from pysat.formula import WCNF

    class Reporting(RC2):  # type: ignore[misc]
        def process_core(self) -> None:
            super().process_core()
            _tell(self.cost, optimal=False)

    formula = WCNF(from_string=wcnf)
    with Reporting(formula, **OPTIONS) as solver:
        if solver.compute() is not None:
            _tell(solver.cost, optimal=True)


def _tell(lower: int, *, optimal: bool) -> None:
    sys.stdout.write(json.dumps({"lower": int(lower), "optimal": optimal}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _solve(sys.stdin.read())
