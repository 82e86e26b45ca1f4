"""Creates the kernels that find threats and conflicts."""

from __future__ import annotations

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.choice import Tick, no_progress
from shoal.kernels.search.cuts.conflicts import Conflicts
from shoal.kernels.search.cuts.threats import Threats


def counter_of(
    items: Transactions, hierarchy: Hierarchy, k: int, engine: Engine, *, tick: Tick = no_progress
) -> Threats:
    """Return the kernel that finds threats and witnesses."""
    tree = (hierarchy.parent, hierarchy.span, hierarchy.n_leaves)
    return Threats(items.indptr, items.items, *tree, k, persons=items.repeaters, threads=engine.threads, tick=tick)


def conflicts_of(
    items: Transactions, hierarchy: Hierarchy, k: int, engine: Engine, *, tick: Tick = no_progress
) -> Conflicts:
    """Return the kernel that finds conflicts."""
    tree = (hierarchy.parent, hierarchy.span, hierarchy.n_leaves)
    return Conflicts(items.indptr, items.items, *tree, k, persons=items.repeaters, threads=engine.threads, tick=tick)
