"""Chooses a bound on the loss of the columns that suits the data, and tells what other bounds would cost.

No bound below the loss of the first clusters can be met. That loss depends on the data: 0.10 with five columns of
26,854 patients, 0.55 with seven columns of 801 households. So by default, the columns may lose as much as the first
clusters, plus a share of the rest.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from shoal.data.notes import ChosenDelta, DeltaCost
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding import Recoding
from shoal.search.block_clusters import FirstClusters, MergedClusters, block_bounds, mean_loss
from shoal.search.blocks import in_blocks
from shoal.search.clusters import Clusters
from shoal.search.set_generalizer import SetGeneralizer

SHARE = 0.15  # of the range between the loss of the first clusters and the largest loss
NEIGHBOURS = (SHARE / 2, SHARE * 2)
SAMPLED = 2  # number of blocks that other bounds are tried on

Lost = tuple[int, int]  # the loss of sets, and what it is a share of


def relative(blocks: Sequence[FirstClusters], share: float = SHARE) -> float:
    """Return a bound between the loss of the first clusters and the largest possible loss."""
    least = float(mean_loss(blocks))
    return math.ceil((least + share * max(0.0, blocks[0].worst - least)) * 1e4) / 1e4


def chosen(
    first: Sequence[FirstClusters],
    merged: Sequence[MergedClusters],
    sets: Recoding,
    generalizer: Callable[[Prepared[ItemsetModel]], SetGeneralizer],
    clusters: Callable[[FirstClusters, Engine], Clusters],
    engine: Engine,
) -> ChosenDelta:
    """Return a note about the chosen bound, and what lower and higher bounds would cost.

    For these bounds the sets are generalized quickly, and only in some of the blocks. Their losses are given in
    proportion to the loss that was found.
    """
    delta, others = relative(first), [relative(first, share) for share in NEIGHBOURS]
    bounds = {other: block_bounds(other, first) for other in others if other != delta}
    total, scale = generalizer(first[0].block.whole).lost(sets)
    lost = total / scale

    def tried(at: int, one: Engine) -> tuple[Lost, dict[float, tuple[MergedClusters, Lost]]]:
        """Return the loss of the sets of a block as they are, and what other bounds lead to."""
        block, results = first[at].block, {}
        quick = generalizer(block.problem).quick
        roughly = quick.lost(quick.recoding(merged[at].members, one))
        for other, bound in bounds.items() if roughly[0] else ():
            with contextlib.suppress(Infeasible):  # other clusters may have too many of a sensitive value
                near = clusters(first[at], one)
                near.merge_within_bound(bound[at])
                found = MergedClusters(block, near.members(), Fraction(near.loss))
                results[other] = found, quick.lost(quick.recoding(found.members, one))
        return roughly, results

    sampled = range(0, len(first), -(-len(first) // SAMPLED))
    tries = in_blocks(engine, "comparing bounds", tried, sampled)
    roughly = _share([roughly for roughly, _ in tries])

    def neighbours() -> Iterator[DeltaCost]:
        for other in bounds:
            found = [results[other] for _, results in tries if other in results]
            if roughly and len(found) == len(tries):
                more = mean_loss([near for near, _ in found]) - mean_loss([merged[at] for at in sampled])
                share = _share([sets for _, sets in found])
                yield DeltaCost(other, float(mean_loss(merged) + more), min(1.0, lost * share / roughly))

    return ChosenDelta(DeltaCost(delta, float(mean_loss(merged)), lost), float(mean_loss(first)), tuple(neighbours()))


def _share(lost: Sequence[Lost]) -> float:
    """Return the loss of several blocks together."""
    return sum(total for total, _ in lost) / sum(scale for _, scale in lost)
