"""A dry run: read and check everything, describe the job, estimate its time and memory, and write nothing."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal import io
from shoal.algorithms.base import Algorithm
from shoal.data import Dataset
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.persons import Persons
from shoal.data.table import Role
from shoal.engines import LOCAL, Engine
from shoal.errors import ShoalError
from shoal.hierarchies.codebook import codebook_path
from shoal.hierarchies.default import was_built
from shoal.jobs.dataset_spec import OnRead
from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.release.pipeline import make_release, refuse_unfit
from shoal.release.release import peak_memory
from shoal.report.formatting import count_noun

BUDGET = 4.0  # seconds for all samples together
FIRST = 250  # rows of the first sample
_MOST_GROWTH = 2.0  # seconds grow at most with this power of the rows
_STEP = 4  # a sample of twice the rows is expected to take at most so many times as long


@dataclass(frozen=True)
class Sample:
    """A search on some of the rows."""

    rows: int
    seconds: float  # search, check and measures
    peak_bytes: int  # peak memory of the process so far
    cut_short: bool = False  # by the time limit that a sample has


@dataclass(frozen=True)
class Estimate:
    """About how long a run takes and how much memory it needs, with the samples behind the estimate."""

    seconds: float | None  # None: no sample could be searched
    at_most: float | None  # seconds, where the method has a time limit
    peak_bytes: int | None
    samples: tuple[Sample, ...]
    rows: int  # of the data

    def sentences(self) -> list[str]:
        """The estimate in words, and how it was made."""
        if self.seconds is None:
            return ["no estimate: a sample of the rows cannot be anonymized as asked"]
        said = [f"about {spoken(self.seconds)}"]
        if self.at_most is not None and self.seconds >= self.at_most:
            said = [f"up to {spoken(self.at_most)} (the time limit of the method)"]
        elif self.at_most is not None and self.samples[-1].cut_short:
            said = [f"between {spoken(self.seconds)} and {spoken(self.at_most)} (the time limit of the method)"]
        elif len(self.samples) == 1 and (least := self.samples[0].seconds) < self.seconds:  # its growth is not known
            said = [f"between {spoken(least)} and {spoken(self.seconds)}"]
        if self.peak_bytes is not None:
            word = "at least" if self.samples[-1].cut_short else "about"
            said += [f"{word} {max(1, round(self.peak_bytes / 2**20)):,} MB"]
        return said

    @property
    def basis(self) -> str:
        """How the estimate was made."""
        if not self.samples:
            return ""
        if self.samples[-1].rows == self.rows:
            return f"the search was tried on all {self.rows:,} rows"
        named = " and ".join(f"{sample.rows:,}" for sample in self.samples[-2:])
        return f"estimated from searches on samples of {named} rows"


@dataclass(frozen=True)
class DryRun:
    """What a job would do."""

    summary: str  # what was read
    model: PrivacyModel
    algorithm: Algorithm
    hierarchy: str  # in words
    writes: tuple[tuple[str, str], ...]  # what, and where
    estimate: Estimate
    persons: Persons | None = None  # whom the guarantee counts; None: records
    unchanged: tuple[str, ...] = ()  # other columns that the model does not protect

    def rows(self) -> list[tuple[str, str]]:
        """The facts, as pairs of a name and a value."""
        return [
            ("model", f"{self.model.name}: {self.model.describe(self.persons)}"),
            ("algorithm", self.algorithm.name),
            ("hierarchy", self.hierarchy),
            *((("published unchanged", ", ".join(self.unchanged)),) if self.unchanged else ()),
            *((f"would write: {what}", where) for what, where in self.writes),
            *zip(("time", "memory"), self.estimate.sentences(), strict=False),
            *((("basis", self.estimate.basis),) if self.estimate.samples else ()),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--dry-run --json`` prints."""
        estimate = self.estimate
        return {
            "read": self.summary,
            "model": {"name": self.model.name, **self.model.values()},
            "algorithm": {"name": self.algorithm.name, **self.algorithm.values()},
            "hierarchy": self.hierarchy,
            "published_unchanged": list(self.unchanged),
            "writes": [{"what": what, "where": where} for what, where in self.writes],
            "estimate": {
                "seconds": estimate.seconds,
                "at_most_seconds": estimate.at_most,
                "peak_memory_bytes": estimate.peak_bytes,
                "sample_rows": [sample.rows for sample in estimate.samples],
            },
        }


def dry_run(job: Job, engine: Engine = LOCAL, on_read: OnRead = lambda data: data, *, budget: float = BUDGET) -> DryRun:
    """Read and check everything that a job reads, estimate its time and memory, and write nothing.

    Parameters
    ----------
    job
        The job.
    engine
        The engine that searches the samples.
    on_read
        A function that gets the data as read.
    budget
        About how many seconds the samples may take together.

    Returns
    -------
    DryRun
        What was read, what would be done, what would be written, and an estimate.

    Raises
    ------
    ShoalError
        Whatever the run itself would refuse before its search.
    """
    job.check()
    problem = job.problem(on_read)
    refuse_unfit(problem, job.algorithm)
    estimate = estimated(problem, job.algorithm, engine, budget)
    writes = tuple(_writes(job, problem))
    return DryRun(
        io.summary(problem.data),
        job.model,
        job.algorithm,
        _hierarchy(problem),
        writes,
        estimate,
        problem.prepared.persons,
        tuple(_unchanged(problem)),
    )


def _unchanged(problem: Problem[PrivacyModel]) -> Iterator[str]:
    """Yield the other columns that would be published as they are."""
    prepared = problem.prepared
    table = prepared.data.table
    treated = {*prepared.model.columns, *prepared.quasi_identifiers}
    if table is not None:
        yield from (
            name for name in table.names if name not in treated and table.roles.get(name) is not Role.IDENTIFIER
        )


def _hierarchy(problem: Problem[PrivacyModel]) -> str:
    """Describe the hierarchy of the items."""
    tree = problem.hierarchy
    if not problem.model.covers_sets or not len(problem.data.transactions.labels):
        return "none: the model is about columns alone"
    if tree.name == NO_HIERARCHY:
        return "none: all items are siblings"
    return f"{tree.name} ({count_noun(tree.n_leaves, 'item')}, {count_noun(len(tree) - tree.n_leaves, 'group')})"


def _writes(job: Job, problem: Problem[PrivacyModel]) -> list[tuple[str, str]]:
    """Return what the job would write."""
    files = [("release", "standard output" if job.to_stdout else job.output_name)]
    grouped = getattr(job.algorithm, "siblings", "none") != "none" or was_built(problem.data)
    if job.codebook not in (None, False):
        files.append(("code book", str(codebook_path(job.output) if job.codebook is True else job.codebook)))
    elif job.codebook is None and grouped and not job.to_stdout:
        files.append(("code book, if readers need it", str(codebook_path(job.output))))
    if job.proof is not None:
        files.append(("proof, not to be published", str(job.proof)))
    if job.persons_out is not None:
        files.append(("persons, not to be published", str(job.persons_out)))
    if job.certificate is not None:
        files.append(("certificate", str(job.certificate)))
    kinds = {"report": job.reports, "public report": job.public_reports}
    return [*files, *((kind, str(path)) for kind, paths in kinds.items() for path in paths)]


def estimated(problem: Problem[PrivacyModel], algorithm: Algorithm, engine: Engine, budget: float) -> Estimate:
    """Search growing samples of the rows as long as the budget lasts, and extrapolate to all rows."""
    rows, started = len(problem.data), time.perf_counter()
    limit = getattr(algorithm, "time_limit", None)
    limit = limit if isinstance(limit, int | float) else None
    order = np.random.default_rng([problem.seed, 3]).permutation(rows)
    samples: list[Sample] = []
    size = min(FIRST, rows)
    while True:
        left = budget - (time.perf_counter() - started)
        part = replace(problem, data=_part(problem.data, order[:size]))
        quick = algorithm if limit is None else algorithm.changed(time_limit=max(0.5, min(limit, left)))
        try:
            sample = _searched(part, quick, engine, size)
            if not samples and sample.seconds < budget / 3:  # the first search of a process also loads the solver
                sample = _searched(part, quick, engine, size)
            samples.append(sample)
        except ShoalError:  # too few rows for the model: a larger sample may do
            if size == rows:
                break
        left = budget - (time.perf_counter() - started)
        last = samples[-1].seconds if samples else 0.0
        if size == rows or left <= 0 or _STEP * last > left or (samples and samples[-1].cut_short):
            break
        size = min(2 * size, rows)
    return extrapolated(samples, rows, limit)


def _part(data: Dataset, rows: Any) -> Dataset:
    """Return some of the rows, in their order. Notes about all rows hold for these."""
    part = data.take(np.sort(rows))
    return replace(part, origin=replace(data.origin, notes=()))


def _searched(problem: Problem[PrivacyModel], algorithm: Algorithm, engine: Engine, rows: int) -> Sample:
    """Run one search, as the job would."""
    started = time.perf_counter()
    release = make_release(problem, algorithm, replace(engine, progress=lambda stage, share: None))
    proof = release.optimality
    cut_short = proof is not None and proof.ended == "time limit"
    return Sample(rows, time.perf_counter() - started, peak_memory() or 0, cut_short)


def extrapolated(samples: Sequence[Sample], rows: int, limit: float | None) -> Estimate:
    """Extrapolate from samples to all rows: seconds by a power law through the last two samples, memory linearly.

    Seconds grow at least linearly, because small samples take longer than their share. A method with a time limit
    often uses all of it, so its seconds may not grow at all.

    >>> samples = [Sample(1000, 1.0, 2**20), Sample(2000, 2.0, 2 * 2**20)]
    >>> found = extrapolated(samples, 8000, None)
    >>> found.seconds, found.peak_bytes // 2**20
    (8.0, 8)
    """
    if not samples:
        return Estimate(None, None, None, (), rows)
    last, before = samples[-1], samples[-2] if len(samples) > 1 else None
    power, slope = 1.0, 0.0
    if before is not None:
        growth = math.log(max(last.seconds, 1e-9) / max(before.seconds, 1e-9)) / math.log(last.rows / before.rows)
        power = min(max(growth, 1.0 if limit is None else 0.0), _MOST_GROWTH)
        slope = (last.peak_bytes - before.peak_bytes) / (last.rows - before.rows)
    seconds = last.seconds * (rows / last.rows) ** (0 if last.cut_short else power)
    at_most = None if limit is None else limit + 2
    if at_most is not None:
        seconds = min(seconds, at_most)
    peak = round(last.peak_bytes + max(slope, 0.0) * (rows - last.rows)) if last.peak_bytes else None
    return Estimate(seconds, at_most, peak, tuple(samples), rows)


def spoken(seconds: float) -> str:
    """Return a time in round numbers.

    >>> [spoken(value) for value in (0.2, 7.4, 48, 130, 5400)]
    ['1 second', '7 seconds', '50 seconds', '2 minutes', '1.5 hours']
    """
    if seconds < 90:
        whole = max(1, round(seconds) if seconds < 10 else round(seconds / 10) * 10)
        return f"{whole} second{'' if whole == 1 else 's'}"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"
