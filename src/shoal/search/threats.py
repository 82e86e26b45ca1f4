"""The kernel that finds threats and witnesses, set up for a problem."""

from __future__ import annotations

from shoal import kernels
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem


def counter_of(problem: Problem, engine: Engine, items: Transactions | None = None) -> kernels.Threats:
    """The counting kernel for a k^m problem; ``items``: what is left of its rows, if not all is."""
    privacy, hierarchy, items = problem.privacy, problem.hierarchy, problem.items if items is None else items
    assert isinstance(privacy, KmAnonymity)
    return kernels.Threats(
        items.indptr,
        items.items,
        hierarchy.parent,
        hierarchy.span,
        hierarchy.n_leaves,
        privacy.k,
        threads=engine.threads,
    )
