"""Re-specialise: expand the nodes of a safe cut again wherever k^m-anonymity still holds (optimum.md, 2).

For k^m a failed expansion never needs to be tried again: whatever else is expanded meanwhile, some specialisation of
the set that was rare still occurs, in no more rows. So one pass is enough, and afterwards every node of the cut that
is not a leaf has a witness.

Cost: for m <= 2 look-ups in the threats of all pairs; for larger m also, for each node that these do not settle, the
counting of the sets of up to m labels in the rows that hold it.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from shoal.engines import Engine
from shoal.kernels.choice import Tick
from shoal.kernels.search.cuts.threats import Threats
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.search.expansion import Expansion, Threat
from shoal.search.threats import counter_of


def respecialise(
    tree: Expansion,
    counter: Threats,
    expanded: set[int],
    m: int,
    *,
    known: Sequence[Threat],
    tick: Tick,
) -> None:
    """Add to the expanded nodes of a safe cut until no more can be expanded; those that gain most are tried first.

    ``known`` threats settle most nodes without counting; those of all rare sets of up to two labels must be among them.
    Interrupted by the tick, the cut is safe as it is.
    """
    threats_of: dict[int, list[Threat]] = {}
    for threat in known:
        for node in threat:
            threats_of.setdefault(node, []).append(threat)
    open_ = [(-tree.gain[node], node) for node in tree.raised(expanded)]
    heapq.heapify(open_)
    while open_:
        _, node = heapq.heappop(open_)
        others = (all(other == node or other in expanded for other in threat) for threat in threats_of.get(node, ()))
        if any(others):
            continue
        if m > 2:
            tick(0.0)  # a short count does not tick
            if counter.witness(tree.raised(expanded), node, m, tick=tick) is not None:
                continue
        expanded.add(node)
        for child in tree.below[node]:
            heapq.heappush(open_, (-tree.gain[child], child))


def polished(problem: Prepared[ItemsetModel], cut: GlobalCut, engine: Engine) -> GlobalCut:
    """A safe cut, re-specialised."""
    tree, demand = Expansion(problem.hierarchy, problem.costs), problem.model.demand(problem.items)
    counter, tick = counter_of(problem.items, problem.hierarchy, demand.k, engine), engine.tick("polishing")
    known = counter.small(min(2, demand.known), tick=tick) if demand.known else []
    expanded = tree.expanded(cut)
    respecialise(tree, counter, expanded, demand.known, known=known, tick=tick)
    return tree.cut(expanded)
