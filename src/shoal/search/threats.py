"""The kernel that finds threats and witnesses, set up for a problem."""

from __future__ import annotations

from shoal import kernels
from shoal.engines import Engine
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem


def counter_of(problem: Problem, engine: Engine) -> kernels.Threats:
    """The counting kernel for a k^m problem."""
    privacy, hierarchy, items = problem.privacy, problem.hierarchy, problem.items
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
