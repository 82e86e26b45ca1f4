"""The kernels that find threats and conflicts, set up for a k^m problem."""

from __future__ import annotations

from shoal.data.arrays import Codes, Offsets
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.search.cuts.conflicts import Conflicts
from shoal.kernels.search.cuts.threats import Threats
from shoal.privacy import PrivacyModel
from shoal.privacy.km import KmAnonymity
from shoal.problem import Prepared


def counter_of(problem: Prepared[PrivacyModel], engine: Engine, items: Transactions | None = None) -> Threats:
    """Finds threats and witnesses; ``items``: what is left of the rows, if not all is."""
    return Threats(*_arrays(problem, problem.items if items is None else items), threads=engine.threads)


def conflicts_of(problem: Prepared[PrivacyModel], engine: Engine) -> Conflicts:
    """Finds conflicts."""
    return Conflicts(*_arrays(problem, problem.items), threads=engine.threads)


def _arrays(problem: Prepared[PrivacyModel], items: Transactions) -> tuple[Offsets, Codes, Codes, Codes, int, int]:
    """What both need: rows, tree, k."""
    privacy, hierarchy = problem.privacy, problem.hierarchy
    assert isinstance(privacy, KmAnonymity)
    return items.indptr, items.items, hierarchy.parent, hierarchy.span, hierarchy.n_leaves, privacy.k
