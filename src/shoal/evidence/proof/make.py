"""Makes the proof of a release: the rare sets behind the threats that the search has used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms.base import Algorithm, ExactAlgorithm
from shoal.engines import Engine, current
from shoal.errors import OptionError
from shoal.evidence.proof.document import Proof, RareSet
from shoal.evidence.proof.rare_sets import RareSetFinder
from shoal.models.base import PrivacyModel
from shoal.models.km import Km
from shoal.recoding import GlobalCut
from shoal.recoding.solution import CutBound, CutSolution

if TYPE_CHECKING:
    from shoal.release.release import Release

PROVABLE = "A proof that others can check exists for the model km with the algorithms optimal and auto"


def refuse_unprovable(model: PrivacyModel, algorithm: Algorithm) -> None:
    """Raise an error, before any work, if there is no proof for releases of this kind."""
    if not isinstance(model, Km):
        raise OptionError(f"{PROVABLE}, not for the model {model.name}: leave out proof=.")
    if not isinstance(algorithm, ExactAlgorithm):
        raise OptionError(f"{PROVABLE}, not for {algorithm.name}: choose one of them, or leave out proof=.")


def proof_of(release: Release, engine: Engine | None = None) -> Proof:
    """Return what the lower bound of a release rests on, for others to check with :func:`check_proof`.

    The proof is about the cuts of the hierarchy that was searched. If siblings were grouped, that hierarchy has these
    groups. A bound for all other ways to group siblings is not part of the proof. The proof names rare sets of the
    original data: do not publish it.

    Parameters
    ----------
    release
        A release with the model k^m-anonymity and the algorithm ``optimal`` or ``auto``.
    engine
        Where the work runs, and who hears of its progress. Default: this process.

    Returns
    -------
    Proof
        It is proved that no cut loses less if ``proof.proven``. Otherwise it is a lower bound.

    Raises
    ------
    OptionError
        If there is no proof for releases of this kind.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> release = shoal.anonymize(data, k=2, m=2, hierarchy=tree, algorithm="optimal")
    >>> proof_of(release)
    Proof(7 nodes, 1 rare sets, bound 10)
    """
    problem, solution, model = release.problem, release.solution, release.problem.model
    refuse_unprovable(model, release.algorithm)
    cut = solution.recoding
    if not isinstance(solution, CutSolution) or solution.bound is None or not isinstance(cut, GlobalCut):
        raise OptionError(f"{PROVABLE}, but this release has none: leave out proof=.")
    assert isinstance(model, Km)
    rows, costs, weights = problem.items.gathered, problem.costs, problem.item_weights
    finder = RareSetFinder(rows, problem.hierarchy, model.k, model.m, engine or current())
    return Proof(
        labels=problem.hierarchy.labels,
        parents=_whole(problem.hierarchy.parent),
        k=model.k,
        m=model.m,
        persons=rows.persons is not None,
        loss=problem.loss.name,
        weights=None if weights is None else _whole(weights),
        costs=_whole(costs),
        scale=problem.scale,
        rare_sets=_rare_sets(finder, solution.bound, engine or current()),
        cut=_whole(cut.nodes),
        cut_cost=int(costs[cut.nodes].sum()),
        lower_bound=solution.bound.cost,
    )


def _rare_sets(finder: RareSetFinder, bound: CutBound, engine: Engine) -> tuple[RareSet, ...]:
    """Return the rare sets behind all threats, the smallest first."""
    found = set[tuple[int, ...]]()
    for at, threat in enumerate(bound.threats):
        engine.progress("finding rare sets", at / len(bound.threats))
        found.add(finder.behind(threat))
    return tuple(RareSet(nodes, finder.supports.support(nodes)) for nodes in sorted(found, key=lambda u: (len(u), u)))


def _whole(values: Sequence[int] | np.typing.NDArray[np.integer]) -> tuple[int, ...]:
    """Return an array as Python integers."""
    return tuple(map(int, values))
