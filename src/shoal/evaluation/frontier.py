"""Measure what each choice of k and m costs: loss, items published unchanged, and the remaining risk.

``shoal frontier`` and :func:`shoal.frontier` are this. The searches share their work (:mod:`shoal.search.series`).
Every figure is that of a release that :func:`shoal.anonymize` has verified; nothing is published.

For a model about columns and sets, the bound on the loss of the columns (delta) is varied, too. The more the columns
keep, the more the sets lose.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import DataError, OptionError
from shoal.evaluation.choices import Choice, Frontier
from shoal.jobs.arguments import as_model, describe_data
from shoal.jobs.dataset_spec import OnRead
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import DRAWN, PrivacyModel
from shoal.problem import Prepared, Problem
from shoal.progress import engine_with
from shoal.recoding.solution import Optimality, Solution
from shoal.release.pipeline import make_release as make_release
from shoal.release.release import Release
from shoal.search import chains
from shoal.search.clock import Clock
from shoal.search.series import Pair, solve_all

K, M = (2, 3, 5, 10, 25), (1, 2, 3)
TIME_LIMIT = 600.0  # seconds for all searches; most need far less
ABOVE_LEAST = (0.0, 0.15, 0.3, 0.5, 1.0)  # bounds on the loss of the columns, between the least possible and 1


def frontier(
    data: Any,
    model: PrivacyModel | str | None = None,
    *,
    k: int | Sequence[int] = (),
    m: int | Sequence[int] = (),
    delta: Sequence[float] = (),
    siblings: str = "best",
    time_limit: float | Literal["none"] = TIME_LIMIT,
    loss: str = "ncp",
    seed: int = 0,
    workers: int = 0,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    on_read: OnRead = lambda data: data,
    **described: Any,
) -> Frontier:
    """Measure what each choice of k and m costs: loss, items published unchanged, and the remaining risk.

    Parameters
    ----------
    data
        The data, as in :func:`shoal.anonymize`. For a :class:`shoal.Problem`, its k and m are varied.
    model
        The model: ``"km"``, the default, or ``"k-km"``.
    k, m
        The values to try. Default: 2, 3, 5, 10, 25 and 1, 2, 3; for a model about columns its own k and m.
    delta
        For a model about columns: bounds on the loss of the columns. Default: five from the least possible on.
    siblings
        Groups of siblings that may be published together, as :class:`shoal.algorithms.Auto` takes them.
    time_limit
        Seconds for all searches; they may take a quarter longer, and longer still if the first safe results do. Where
        a search or a proof is cut short, the result depends on the machine and is not compared with that of AA.
    loss, seed
        For a data set: the loss that is minimised, and the seed.
    workers, progress, engine
        As in :func:`shoal.anonymize`.
    on_read
        A function that gets the data as read, and returns the data to go on with.
    **described
        What :func:`shoal.anonymize` takes about the data, such as ``hierarchy``, ``sets`` or ``id_column``.

    Returns
    -------
    Frontier
        All choices. If the user interrupts, those that are finished.

    Raises
    ------
    OptionError
        For values of k, m or delta that are out of range, and for models other than those above.
    Infeasible
        If there are fewer than k records with items.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> baskets = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> result = shoal.frontier(baskets, k=[2, 3], m=[1, 2], hierarchy=tree)
    >>> [(one.k, one.m, round(one.loss, 4), one.proven) for one in result.choices]
    [(2, 1, 0.0, True), (3, 1, 0.2273, True), (2, 2, 0.2273, True), (3, 2, 0.5, True)]
    """
    k, m = ((one,) if isinstance(one, int) else tuple(one) for one in (k, m))
    if not isinstance(data, Problem):
        spec, given = describe_data(data, **described), as_model(model)
        _check_model(given)
        _check_values(k, m, delta, given)
        measure = discovery.get("shoal.metrics", AdditiveLoss, loss)()
        data = spec.require_files().problem(given, measure, seed, on_read, publish=False)
    problem: Problem[PrivacyModel] = data
    guarantee = problem.model
    _check_model(guarantee)
    _check_values(k, m, delta, guarantee)
    if not problem.data.transactions.total_items:
        raise DataError(
            f"All records of {problem.data.origin.name} are empty: nothing can be lost, whatever you choose."
        )
    own = guarantee.values()
    pairs = [
        Pair(one, known)
        for known in sorted(set(m or ((own["m"],) if guarantee.relational else M)))
        for one in sorted(set(k or ((own["k"],) if guarantee.relational else K)))
    ]
    problems = {pair: replace(problem, model=guarantee.changed(k=pair.k, m=pair.m)) for pair in pairs}
    for one in problems.values():
        one.model.feasible(one.prepared.original)
    with engine_with(progress=progress, workers=workers, engine=engine) as running:
        if guarantee.relational:
            found, asked = _with_columns(problems, delta, running), len(pairs) * len(delta or ABOVE_LEAST)
        else:
            found, asked = _of_sets(problems, siblings, Clock.of(time_limit, strict=True), running), len(pairs)
        choices = list(_until_interrupted(found))
    kinds = {"best": "grouping of siblings", "none": "cut of the hierarchy"}
    return Frontier(
        choices=tuple(sorted(choices, key=lambda one: (one.m, one.k, one.delta or 0))),
        data=problem.data.origin.name,
        records=len(problem.data),
        measure=("weighted " if problem.weights else "") + problem.loss.name.upper(),
        kind="" if guarantee.relational else kinds.get(siblings, "cut of the refined hierarchy"),
        asked=asked,
        person="" if problem.prepared.persons is None else problem.prepared.persons.noun,
        persons=0 if problem.prepared.persons is None else problem.prepared.persons.count(),
    )


def _check_model(model: PrivacyModel) -> None:
    """Refuse a model under which what is safe for a larger k or m may not be safe for a smaller one."""
    demand = model.demand(Transactions.nothing(0))
    if demand is None or not demand.monotone:
        raise OptionError(f"frontier is for the models km and k-km, not for {model.name}: choose one of them.")


def _check_values(k: Sequence[int], m: Sequence[int], delta: Sequence[float], model: PrivacyModel) -> None:
    """Refuse values that are out of range."""
    for name, values, low in (("k", k, 2), ("m", m, 1)):
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise OptionError(f"frontier: {name} must be whole numbers from {low} on, got {value}.")
    for bound in delta:
        if not 0 <= bound <= 1:
            raise OptionError(f"frontier: delta= must be numbers from 0 to 1, got {bound:g}.")
    if delta and not model.relational:
        raise OptionError(
            f"frontier: delta= bounds the loss of columns, but {model.name} is about sets alone: choose model='k-km'."
        )


def _until_interrupted(choices: Iterator[Choice]) -> Iterator[Choice]:
    """Yield choices until the user interrupts. An interrupt before the first one is raised."""
    any_ = False
    try:
        for one in choices:
            yield one
            any_ = True
    except KeyboardInterrupt:
        if not any_:
            raise


@dataclass(frozen=True, eq=False)
class Found(Algorithm):
    """An algorithm that returns an earlier solution, for :func:`shoal.anonymize` to apply and verify."""

    name = "frontier"
    title = "Found before"
    paper = "ours"
    solves = (PrivacyModel,)
    needs_hierarchy = False

    solution: Solution

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Return the earlier solution."""
        return self.solution


Problems = dict[Pair, Problem[PrivacyModel]]


def _of_sets(problems: Problems, siblings: str, clock: Clock, engine: Engine) -> Iterator[Choice]:
    """Yield all pairs of k and m as they are finished."""
    searched: Any = {pair: chains.shortened(problem.prepared) for pair, problem in problems.items()}
    began = time.perf_counter()
    for pair, solution in solve_all(searched, siblings, engine, clock):
        release = make_release(problems[pair], Found(solution), engine)
        seconds, began = time.perf_counter() - began, time.perf_counter()
        yield _choice(pair, None, release, seconds, engine)


def _with_columns(problems: Problems, deltas: Sequence[float], engine: Engine) -> Iterator[Choice]:
    """Yield all pairs with all bounds on the columns, from strict to weak: no choice is worse than a stricter one."""
    done: list[tuple[Choice, Solution]] = []
    for pair in sorted(problems, key=lambda pair: (pair.m, pair.k), reverse=True):
        for delta, release, seconds in _merged(problems[pair], deltas, engine):
            choice, solution = _choice(pair, delta, release, seconds, engine), release.solution
            stricter = [(one, other) for one, other in done if one.covers(choice) and one.loss < choice.loss]
            if stricter:
                solution = min(stricter, key=lambda one: one[0].loss)[1]
                choice = _choice(pair, delta, make_release(problems[pair], Found(solution), engine), seconds, engine)
            done.append((choice, solution))
            yield choice


def _merged(
    problem: Problem[PrivacyModel], deltas: Sequence[float], engine: Engine
) -> Iterator[tuple[float, Release, float]]:
    """Yield the release for each bound on the columns with its seconds, the strictest first."""
    method = discovery.get("shoal.algorithms", Algorithm, problem.model.default_algorithm)()

    def run(delta: float) -> tuple[float, Release, float]:
        began = time.perf_counter()
        release = make_release(problem, method.changed(delta=delta), engine)
        return delta, release, time.perf_counter() - began

    if deltas:
        yield from map(run, sorted(set(deltas)))
        return
    widest = run(1.0)  # it tells what is possible
    least = widest[1].solution.statistics["least_rum"]
    yield from (widest if delta == 1.0 else run(delta) for delta in _bounds_from(least))


def _bounds_from(least: float) -> list[float]:
    """Return bounds on the loss of the columns, from the smallest possible one to 1.

    >>> _bounds_from(0.2)
    [0.2, 0.32, 0.44, 0.6, 1.0]
    """
    low = min(1.0, math.ceil(least * 1e4) / 1e4)
    return list(dict.fromkeys(round(low + part * (1 - low), 4) for part in ABOVE_LEAST))


def _choice(pair: Pair, delta: float | None, release: Release, seconds: float, engine: Engine) -> Choice:
    """Return the figures of a verified release."""
    optimality = release.optimality
    proven, bound = (False, None) if optimality is None else _proof(optimality)
    risk: Any = release.problem.model.changed(m=DRAWN).risk(release.published, engine)
    return Choice(
        k=pair.k,
        m=pair.m,
        delta=delta,
        loss=release.loss,
        columns_loss=release.losses.get("relational_ncp"),
        unchanged=release.usefulness.unchanged_share,
        labels=sum(bool(support) for support in release.published.rows.supports.tolist()),
        proven=proven,
        lower_bound=bound,
        highest_chance=risk.prosecutor[min(pair.m, DRAWN) - 1],
        average_chance=risk.average[-1],
        found=risk.share_unique[-1],
        worthless=release.worthless is not None,
        checked=release.verdict.checked,
        ended="" if optimality is None else _ended(optimality, proven=proven),
        seconds=round(seconds, 3),
    )


def _ended(optimality: Optimality, *, proven: bool) -> str:
    """Return how the search ended. A proof about the refined tree says nothing about other groupings."""
    if proven:
        return "proven"
    return "not proved" if optimality.proven else optimality.ended


def _proof(optimality: Optimality) -> tuple[bool, float]:
    """Return whether it is proved that no recoding of this kind loses less, and the lower bound."""
    if optimality.groupings_bound is None:
        return optimality.proven, optimality.lower_bound
    return optimality.best_grouping, optimality.groupings_bound
