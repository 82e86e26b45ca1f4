"""Run random problems for a while, in processes of their own: a crash or a hang of one is a finding, not the end."""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from fuzz import saved
from fuzz.problems.case import Case, Failure

CHUNK = 1000  # problems for each process, which then makes room for a new one
HANG = 120.0  # seconds that a problem may take


@dataclass
class Tally:
    """What happened so far."""

    problems: Counter[tuple[str, str]] = field(default_factory=Counter)  # by model and algorithm
    releases: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: Counter[tuple[str, str]] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)  # of those that went through the command line
    persons: Counter[str] = field(default_factory=Counter)  # by model, of those whose persons are given
    persons_released: int = 0
    refusals: Counter[str] = field(default_factory=Counter)  # by message
    failures: Counter[str] = field(default_factory=Counter)  # by kind
    files: list[Path] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)  # kinds of failures that a case was saved of
    elapsed: float = 0.0

    @property
    def count(self) -> int:
        """All problems."""
        return self.problems.total()


def run(seed: str, seconds: float, jobs: int, most: int = sys.maxsize, folder: Path = saved.FOLDER) -> Tally:
    """Run problems ``seed:0``, ``seed:1``, .. for some seconds, or so many of them."""
    from fuzz.problems import check, draw  # noqa: F401  (imported once, before processes are forked)

    tally, start = Tally(), time.monotonic()
    chunks = iter(range(0, most, CHUNK))
    workers: dict[Connection, _Worker] = {}
    while True:
        while len(workers) < jobs and time.monotonic() - start < seconds and (first := next(chunks, None)) is not None:
            worker = _Worker(seed, first, min(CHUNK, most - first), start + seconds, folder, frozenset(tally.kept))
            workers[worker.pipe] = worker
        if not workers:
            break
        for pipe in wait(list(workers), timeout=1.0):
            assert isinstance(pipe, Connection)
            if not _listen(workers[pipe], tally):
                workers.pop(pipe).end(tally, folder)
        for pipe, worker in list(workers.items()):
            if time.monotonic() - worker.since > HANG:
                worker.hangs = True
                worker.process.kill()
                workers.pop(pipe).end(tally, folder)
    tally.elapsed = time.monotonic() - start
    return tally


class _Worker:
    """A process that runs a chunk of problems, and what it is at."""

    def __init__(self, seed: str, first: int, count: int, end: float, folder: Path, kept: frozenset[str]) -> None:
        fork = multiprocessing.get_context("fork")
        self.pipe, theirs = fork.Pipe(duplex=False)
        self.process = fork.Process(target=_chunk, args=(theirs, seed, first, count, end, folder, kept))
        self.process.start()
        theirs.close()
        self.since, self.at, self.hangs, self.done = time.monotonic(), "", False, False

    def end(self, tally: Tally, folder: Path) -> None:
        """Look how it ended."""
        self.process.join(10)
        if self.done or not self.at:
            return
        from fuzz.problems.draw import draw

        kind = "hang" if self.hangs else f"process died ({self.process.exitcode})"
        case = draw(self.at)
        tally.failures[kind] += 1
        path = saved.save("problems", kind, case.as_json(), case.key, folder)
        tally.files.append(path)
        say(f"FAILURE {kind} at {self.at} ({case.model}, {case.algorithm}): saved as {path}")


def _listen(worker: _Worker, tally: Tally) -> bool:
    """Take one message; False: there will be no more."""
    try:
        kind, *rest = worker.pipe.recv()
    except EOFError:
        return False
    worker.since = time.monotonic()
    if kind == "at":
        worker.at = rest[0]
    elif kind == "done":
        worker.done = True
    elif kind == "kept":
        tally.kept.add(rest[0])
        tally.files.append(rest[1])
        say(rest[2])
    else:
        pair, released, refusal, form, persons, failures, seconds = rest
        tally.problems[pair] += 1
        tally.releases[pair] += released
        tally.seconds[pair] += seconds
        tally.refusals.update([refusal] if refusal else [])
        tally.formats.update([form] if form else [])
        tally.persons.update([pair[0]] if persons else [])
        tally.persons_released += persons and released
        tally.failures.update(failures)
    return True


def _chunk(
    pipe: Connection, seed: str, first: int, count: int, end: float, folder: Path, known: frozenset[str]
) -> None:
    """In the process: run problems, tell of each before and after."""
    from fuzz.problems.check import check
    from fuzz.problems.draw import draw

    warnings.simplefilter("ignore")
    os.environ["COLUMNS"] = "200"
    kept = set(known)
    for at in range(first, first + count):
        if time.monotonic() > end:
            break
        name = f"{seed}:{at}"
        pipe.send(("at", name))
        began, case = time.perf_counter(), draw(name)
        result = check(case)
        spent = time.perf_counter() - began
        kinds = [failure.kind for failure in result.failures]
        pair = (case.model, case.algorithm)
        persons = case.persons is not None
        pipe.send(("result", pair, result.released, result.refusal, case.format, persons, kinds, spent))
        for failure in result.failures:
            if failure.kind not in kept:
                kept.add(failure.kind)
                path = keep(case, failure, folder)
                message = f"FAILURE at {name} ({case.model}, {case.algorithm}): {failure}; saved as {path}"
                pipe.send(("kept", failure.kind, path, message))
    pipe.send(("done",))


def keep(case: Case, failure: Failure, folder: Path = saved.FOLDER) -> Path:
    """Make a failing case small, and save it."""
    from fuzz.problems.shrink import shrink

    small = shrink(case, lambda one: failure.kind in kinds_of(one))
    return saved.save("problems", failure.kind, small.as_json(), small.key, folder)


def kinds_of(case: Case) -> set[str]:
    """What is wrong with a case."""
    from fuzz.problems.check import check

    return {one.kind for one in check(case).failures}


def replay(values: dict[str, Any]) -> list[Failure]:
    """Run a saved case again."""
    from fuzz.problems.check import check

    warnings.simplefilter("ignore")
    return check(Case.from_json(values)).failures


def say(text: str) -> None:
    """A line that is seen at once."""
    print(text, flush=True)
