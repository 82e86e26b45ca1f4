"""Expand the nodes of a safe cut again wherever k^m-anonymity still holds.

For k^m-anonymity, a failed expansion never needs to be tried again: whatever else is expanded, some specialisation of
the rare set still occurs, in no more rows. So one pass is enough. Afterwards every node of the cut that is not a leaf
has a witness: a set that would be rare if the node were expanded.

Cost: for m <= 2, look-ups in the threats of all pairs. For larger m, also a count of the sets of up to m labels in the
rows of each node that these threats do not decide.
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
    """Expand nodes of a safe cut until no more can be expanded. Nodes that gain most are tried first.

    ``known`` threats decide most nodes without counting. They must include those of all rare sets of up to two labels.
    If the tick interrupts the work, the cut is safe as it is.
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
            tick(0.0)  # a short count reports no progress
            if counter.witness(tree.raised(expanded), node, m, tick=tick) is not None:
                continue
        expanded.add(node)
        for child in tree.below[node]:
            heapq.heappush(open_, (-tree.gain[child], child))


def polished(problem: Prepared[ItemsetModel], cut: GlobalCut, engine: Engine) -> GlobalCut:
    """Expand the nodes of a safe cut wherever the guarantee still holds."""
    tree, demand = Expansion(problem.hierarchy, problem.costs), problem.model.demand(problem.items)
    tick = engine.tick("polishing")
    counter = counter_of(problem.items, problem.hierarchy, demand.k, engine, tick=tick)
    known = counter.small(min(2, demand.known), tick=tick) if demand.known else []
    expanded = tree.expanded(cut)
    respecialise(tree, counter, expanded, demand.known, known=known, tick=tick)
    return tree.cut(expanded)
