"""Measure what the main options of any privacy model cost: a release for each choice, with the default method.

:mod:`shoal.evaluation.frontier` does this for k and m with searches that share their work and prove their results. This
is for all other models, and usually for a sample of the records.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.errors import ShoalError
from shoal.jobs.choose_model import knowledge, strength
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.release.pipeline import make_release, refuse_unfit


@dataclass(frozen=True)
class Point:
    """What one choice costs. ``failure``: why there is no release."""

    strength: int
    knowledge: int | None  # None: the model has no such option
    loss: float | None
    unchanged: float | None
    worthless: bool = False
    proven: bool = False
    failure: str = ""


def sweep(
    problem: Problem[PrivacyModel],
    strengths: Sequence[int],
    known: Sequence[int],
    engine: Engine,
    *,
    seconds: float = 2.0,
    within: float = math.inf,
) -> Iterator[Point]:
    """Yield what each choice costs: first that of the model itself, if it is one of them, then in their order.

    Parameters
    ----------
    problem
        The data and the model, whose other options stay.
    strengths, known
        Values of the options that :func:`shoal.jobs.choose_model.strength` and ``knowledge`` find.
    engine
        Where the work is done.
    seconds
        The limit of each search, if the method has one.
    within
        The seconds after which no further choice is tried.

    Examples
    --------
    >>> import shoal
    >>> baskets = shoal.read([["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"]])
    >>> tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b", "c"]})
    >>> problem = shoal.Problem(baskets, tree, shoal.Lm(l=2, m=1, sensitive=("b",)))
    >>> [(one.strength, one.knowledge, one.loss) for one in sweep(problem, [2, 3], [1], Engine())]
    [(2, 1, 0.0), (3, 1, None)]
    """
    model = type(problem.model)
    first, second = strength(model), knowledge(model)
    if first is None:
        return
    method = discovery.get("shoal.algorithms", Algorithm, model.default_algorithm)()
    if any(one.name == "time_limit" for one in method.options()):
        method = method.changed(time_limit=seconds)
    began = time.monotonic()
    pairs = [(one, other) for other in (known if second is not None else (None,)) for one in strengths]
    values = problem.model.values()
    own = (values[first.name], None if second is None else values[second.name])
    pairs.sort(key=lambda pair: pair != own)
    for at, (one, other) in enumerate(pairs):
        changed = {first.name: one} if second is None or other is None else {first.name: one, second.name: other}
        named = " and ".join(f"{name} = {value}" for name, value in changed.items())
        if time.monotonic() - began > within:
            yield Point(one, other, None, None, failure=f"not tried within {within:g} seconds")
            continue
        engine.progress(f"trying {named}", at / len(pairs))
        yield _point(replace(problem, model=problem.model.changed(**changed)), method, one, other, engine)


def _point(
    problem: Problem[PrivacyModel], method: Algorithm, strength: int, knowledge: int | None, engine: Engine
) -> Point:
    """Make a release, and return what it costs."""
    try:
        refuse_unfit(problem, method)
        release = make_release(problem, method, replace(engine, progress=lambda stage, share: None))
    except ShoalError as error:
        return Point(strength, knowledge, None, None, failure=str(error))
    loss, _ = problem.model.primary_loss(release.losses, problem.loss.name)
    proof = release.optimality
    return Point(
        strength,
        knowledge,
        loss,
        release.usefulness.unchanged_share,
        worthless=release.worthless is not None,
        proven=proof is not None and proof.proven,
    )
