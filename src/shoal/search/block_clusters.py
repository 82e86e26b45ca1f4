"""The clusters of all blocks, and how a bound on the loss of all records is divided among the blocks.

Some blocks lose more than others from the start. So a block may lose what its first clusters lose, plus a share of the
rest that is the same in all blocks. The mean of these bounds over the records is the bound for all records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shoal.data.arrays import Counts
from shoal.models.base import ItemsetModel
from shoal.search.blocks import Block

DIGITS = 10**9  # bounds of blocks are rounded down to this part


@dataclass(frozen=True, eq=False)
class FirstClusters:
    """The first clusters of a block, before they are merged."""

    block: Block[ItemsetModel]
    members: list[Counts]  # rows of the block
    parted: bool  # whether persons may have records in several clusters
    loss: Fraction  # Rum
    worst: float  # the largest possible Rum
    statistics: dict[str, float]


@dataclass(frozen=True, eq=False)
class MergedClusters:
    """The clusters of a block after they were merged."""

    block: Block[ItemsetModel]
    members: list[Counts]  # rows of the block
    loss: Fraction  # Rum
    set_aside: int = 0


def mean_loss(blocks: Sequence[FirstClusters | MergedClusters]) -> Fraction:
    """Return the loss of all records of some blocks."""
    rows = [len(one.block.rows) for one in blocks]
    return sum((count * one.loss for count, one in zip(rows, blocks, strict=True)), Fraction(0)) / sum(rows)


def block_bounds(delta: float, blocks: Sequence[FirstClusters]) -> list[float]:
    """Return a bound for each block. If all are met, the mean is at most delta, or what the first clusters lose.

    >>> import numpy as np
    >>> def first(rows: int, loss: float) -> FirstClusters:
    ...     return FirstClusters(Block(None, np.arange(rows), of=2), [], False, Fraction(loss), 1.0, {})
    >>> block_bounds(0.625, [first(10, 0.5), first(30, 0.25)]), block_bounds(0.4, [first(10, 0.5)])
    ([0.727272727, 0.59090909], [0.4])
    """
    if len(blocks) == 1:
        return [delta]
    least, worst = mean_loss(blocks), Fraction(blocks[0].worst)
    share = (Fraction(str(delta)) - least) / (worst - least) if worst > least else Fraction(0)
    share = min(max(share, Fraction(0)), Fraction(1))
    bounds = (one.loss + share * max(Fraction(0), worst - one.loss) for one in blocks)
    return [math.floor(bound * DIGITS) / DIGITS for bound in bounds]


def all_statistics(blocks: Sequence[FirstClusters]) -> dict[str, float]:
    """Return the statistics of all blocks together."""
    names = blocks[0].statistics
    return {"blocks": len(blocks), **{name: sum(one.statistics[name] for one in blocks) for name in names}}


def all_members(blocks: Sequence[FirstClusters | MergedClusters]) -> list[Counts]:
    """Return the clusters of all blocks, as rows of all data."""
    return [one.block.rows[rows] for one in blocks for rows in one.members]
