"""Makes releases: solve, apply, verify, and only then return published data.

Nothing is published without a check. If the verifier disagrees with the algorithm, this is a bug in Shoal, and nothing
is published.
"""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from shoal import discovery, kernels
from shoal._version import __version__
from shoal.algorithms.base import Algorithm
from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.engines import LOCAL, Engine, release_batches
from shoal.errors import LossTooHigh, OptionError, Untruthful
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared, Problem
from shoal.problem.persons import refuse_linking
from shoal.published import Published
from shoal.recoding.solution import Solution
from shoal.release import clashes, dates
from shoal.release.release import Release, peak_memory
from shoal.release.risks import RiskFigures
from shoal.search import chains
from shoal.search.memory import refuse_too_many
from shoal.search.thinning import thinned_problem

LOG = logging.getLogger("shoal")  # stages and their seconds; never anything from the data


def make_release(
    problem: Problem[PrivacyModel],
    algorithm: Algorithm | None = None,
    engine: Engine = LOCAL,
    *,
    max_loss: float | None = None,
) -> Release:
    """Turn a problem into a verified release; without an algorithm, by the default one of the privacy model.

    ``max_loss``: raise :class:`~shoal.errors.LossTooHigh` if the loss that is minimised is above this (0 to 1).

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = shoal.read([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> problem = shoal.Problem(data, h, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.AA())
    >>> [sorted(row) for row in release.published.rows.sets()]
    [['A', 'b1', 'b2'], ['A', 'b1'], ['A', 'b1', 'b2'], ['A', 'b2']]
    >>> release.verdict.holds, round(release.losses["ncp"] * 11, 12)
    (True, 2.5)
    """
    algorithm = _suited(problem, algorithm)
    check_max_loss(max_loss, algorithm, "max_loss")
    refuse_unfit(problem, algorithm)
    prepared = problem.prepared
    timings, cpu = dict[str, float](), dict[str, float]()
    with _timed(timings, cpu, "solve"):
        solution = chains.solved(prepared, lambda part: _solved(part, algorithm, engine))
        if solution.hierarchy is not None:
            prepared = prepared.on(solution.hierarchy)
    with _timed(timings, cpu, "apply"):
        published = solution.recoding.apply(prepared.items, prepared.sensitive_part).of_persons(prepared.persons)
        clashes.refuse_after(prepared, published)
    with _timed(timings, cpu, "verify"):
        seen = _read_back(prepared, published)
        release_batches()  # of the columns as texts
        verdict = prepared.model.verify(seen, engine)
        del seen
    if not verdict.holds:
        raise algorithm.failure(prepared, verdict)
    compared = Comparison(prepared.original, published)
    if algorithm.truthful:
        _check_truth(compared, algorithm)
    with _timed(timings, cpu, "measure"):
        losses = measure_all(compared, prepared.item_weights)
    risks = RiskFigures(prepared.original, published, prepared.model)
    release = Release(prepared, algorithm, solution, compared, verdict, losses, timings, {}, risks, cpu)
    release = replace(release, provenance=_provenance(release, engine))
    LOG.info("%s by %s: %d records, loss %.6f", prepared.model.short, algorithm.name, len(prepared.items), release.loss)
    if max_loss is not None:
        require_loss(release, max_loss, f"max_loss={max_loss:g}", release.reporter.advice)
    return release


def _solved(problem: Prepared[PrivacyModel], algorithm: Algorithm, engine: Engine) -> Solution:
    """Run the search on what it needs of the rows. Refuse to start if that does not fit into memory."""
    keeps = algorithm.keeps_rows(problem, engine)
    needed = thinned_problem(problem, engine) if keeps and not algorithm.needs_all_rows else problem
    if keeps:
        refuse_too_many(algorithm.items_at_once(needed, engine), engine, f"Algorithm {algorithm.name}")
        needed = needed.gathered
    return algorithm.solve(needed, engine)


def refuse_unfit(problem: Problem[PrivacyModel], algorithm: Algorithm) -> None:
    """Refuse, before any search, what cannot be published or has no solution."""
    _suited(problem, algorithm)
    prepared = problem.prepared
    refuse_linking(prepared)
    problem.refuse_identifying()
    clashes.refuse_before(prepared, groups=algorithm.generalizes)
    algorithm.feasible(prepared)


def _suited(problem: Problem[PrivacyModel], algorithm: Algorithm | None) -> Algorithm:
    """Return the algorithm, by default that of the model. Raise an error if it does not solve the model."""
    if algorithm is None and isinstance(problem, Problem):
        algorithm = discovery.get("shoal.algorithms", Algorithm, problem.model.default_algorithm)()
    wanted: tuple[tuple[object, type, str], ...] = (
        (problem, Problem, "Problem(..)"),
        (algorithm, Algorithm, "AA()"),
    )
    for got, kind, example in wanted:
        if not isinstance(got, kind):
            raise OptionError(f"anonymize: wanted a {kind.__name__} such as shoal.{example}, got {type(got).__name__}.")
    assert algorithm is not None
    if not isinstance(problem.model, algorithm.solves):
        names = ", ".join(model.name for model in algorithm.solves)
        others = ", ".join(
            other.name
            for other in discovery.find("shoal.algorithms", Algorithm).values()
            if isinstance(problem.model, other.solves)
        )
        raise OptionError(
            f"Algorithm {algorithm.name} does not solve the model {problem.model.name}: it solves {names}; "
            f"{problem.model.name} is solved by {others}."
        )
    return algorithm


def check_max_loss(limit: float | None, algorithm: Algorithm, name: str) -> None:
    """Raise an error if the limit is no share, or if the algorithm has no loss to limit."""
    if limit is None:
        return
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
        raise OptionError(f"{name} must be a number from 0 to 1, got {limit}.")
    if not algorithm.truthful:
        raise OptionError(
            f"{name} is for methods that publish no false statements: {algorithm.name} adds or moves items, which no "
            f"loss counts. Leave it out."
        )


def require_loss(release: Release, limit: float, option: str, advice: Callable[[], str]) -> None:
    """Raise an error if the loss of a release is above the limit. ``advice`` says what loses less."""
    if release.loss <= limit:
        return
    raise LossTooHigh(
        f"The release would lose {release.loss:.6f} ({release.loss_name}), more than {option} allows: nothing was "
        f"written. {advice()}"
    )


def _check_truth(compared: Comparison, algorithm: Algorithm) -> None:
    """Raise an error if a published value does not cover the original one, or an item was lost without suppression."""
    before, after = compared.original.relational, compared.published.relational
    values = after is None or before is None or after.covers(before).all()
    if not values or (not algorithm.suppresses and not compared.covered.sizes.all()):
        what = "items" if values else "values of columns"
        raise Untruthful(
            f"Algorithm {algorithm.name} returned a recoding whose {what} do not cover the original ones: nothing was "
            f"published; this is a bug in Shoal, please report it."
        )


def _read_back(problem: Prepared[PrivacyModel], published: Published) -> Published:
    """Return what a reader of the written file gets, so that the verifier sees exactly this."""
    written = problem.model.to_dataset(problem.data, published)
    read = written.as_read()
    if read is written and published.sensitive is None and published.relational is None:
        return published
    return problem.model.as_published(read).of_persons(problem.persons)


def measure_all(compared: Comparison, weights: Counts | None = None) -> dict[str, float]:
    """Return the values of all measures, and weighted losses if weights are given."""
    losses: dict[str, float] = {}
    measures = [measure() for measure in discovery.find("shoal.metrics", Measure).values()]
    for measure in measures:
        losses.update(measure.of(compared))
    if weights is not None:
        for measure in measures:
            losses.update(measure.weighted(compared, weights))
    return losses


def _provenance(release: Release, engine: Engine) -> dict[str, Any]:
    """Return what is needed to repeat the release and to recognize its files."""
    problem = release.problem
    owner, groups = problem.hierarchy.refines or problem.hierarchy, problem.hierarchy.groups_from
    return {
        "shoal": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "ortools": _version("ortools"),
        "kernels": kernels.KIND,
        "created": f"{dates.now():%Y-%m-%d %H:%M} UTC",
        "seed": problem.seed,
        "model": {"name": problem.model.name, **problem.model.values()},
        "algorithm": {"name": release.algorithm.name, **release.algorithm.values()},
        "loss": problem.loss.name,
        "weights": problem.weights and {"name": problem.weights.name, "sha256": problem.weights.sha256},
        "unknown_items": problem.unknown_items,
        "columns": _columns(problem),
        "persons": None if problem.persons is None else {"column": problem.persons.column, "file": None},
        "input": {
            "name": problem.data.origin.name,
            "sha256": problem.data.origin.sha256 or problem.data.transactions.sha256,
            "joined": [{"name": one.file, "sha256": one.sha256} for one in problem.data.origin.joined],
            "dropped_items": list(problem.data.origin.dropped),
        },
        "hierarchy": {"name": owner.name, "sha256": owner.sha256},
        "applied": None if release.algorithm.repeats is None else release.algorithm.repeats.source,
        "siblings": groups and {"name": groups[0], "sha256": groups[1]},  # the file with the groups of siblings
        "output": None,  # filled in when the release is saved, like the next
        "codebook": None,
        "search": release.solution.statistics,
        "timings": release.timings,
        "memory_limit_bytes": engine.memory_limit,
        "peak_memory_bytes": peak_memory(),
    }


def _columns(problem: Prepared[PrivacyModel]) -> dict[str, Any] | None:
    """Return the role and the type of each other column."""
    if problem.data.table is None or not problem.data.table.roles:
        return None
    columns: dict[str, Any] = {name: {"role": role.value} for name, role in problem.data.table.roles.items()}
    if problem.relational is not None:
        for attribute, weight in zip(problem.relational.attributes, problem.relational.weights, strict=True):
            spec = problem.quasi_identifiers[attribute.name]
            tree = spec.hierarchy.name if isinstance(spec.hierarchy, Hierarchy) else spec.hierarchy
            columns[attribute.name] |= {
                "type": attribute.kind,
                "hierarchy": None if tree is None else str(tree),
                "missing": list(spec.missing),
                "weight": float(weight),
            }
    return columns


@cache
def _version(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@contextmanager
def _timed(timings: dict[str, float], cpu: dict[str, float], name: str) -> Iterator[None]:
    """Record the seconds that a block takes, by the clock and on all processors."""
    start, used = time.perf_counter(), time.process_time()
    yield
    LOG.info("%s: %.2f s", name, time.perf_counter() - start)
    timings[name], cpu[name] = round(time.perf_counter() - start, 6), round(time.process_time() - used, 6)
