"""Tmerge (Poulis et al. 2013, s.4): merge clusters until the loss of their sets is within a bound.

UL is a mean over the records. So in several blocks, each is merged until its own UL is within the bound. If one block
cannot get there, others are merged further to make up for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.models.base import ItemsetModel
from shoal.options import format_value
from shoal.search.blocks import in_blocks
from shoal.search.clusters import Clusters
from shoal.search.set_generalizer import STEPS, SetGeneralizer


@dataclass(frozen=True, eq=False)
class State:
    """Clusters with the loss of their sets."""

    members: list[Counts]
    total: int  # UL of all records, in steps


def merge_until_bound(clusters: Clusters, within: SetGeneralizer, delta: float, engine: Engine) -> State:
    """Merge clusters until UL is within the bound, and return the first such state, or else that with the least UL.

    The order of merges does not depend on UL (except with the exact distance), so many unions are generalized at once.
    """
    tick, start = engine.tick("merging clusters"), len(clusters)
    rows = dict(clusters.rows)
    sums = dict(zip(rows, engine.map("generalizing sets", within.loss, list(rows.values())), strict=True))
    total = sum(sums.values())
    best, at = total, dict(rows)
    merges, most = clusters.merges(), _most(delta, clusters.n)
    while total > most:
        ahead = list(islice(merges, 1 if clusters.within is not None else 8 * engine.threads))
        if not ahead:
            return State([at[number] for number in sorted(at)], best)
        losses = engine.map("generalizing sets", within.loss, [merge.rows for merge in ahead])
        for merge, loss in zip(ahead, losses, strict=True):
            del rows[merge.gone], sums[merge.gone]
            rows[merge.number], sums[merge.number] = merge.rows, loss
            total = sum(sums.values())
            if total < best:
                best, at = total, dict(rows)
            if total <= most:
                break
        tick((start - len(rows)) / start)
    return State([rows[number] for number in sorted(rows)], total)


def merge_blocks_until_bound(
    blocks: int,
    merged: Callable[[int, float, Engine], State],
    delta: float,
    rows: int,
    engine: Engine,
) -> tuple[list[State], bool]:
    """Merge the clusters of each block until UL of all rows is within the bound. Return the states, and whether it is.

    ``merged(at, delta, engine)``: merges the clusters of one block until a bound is met.
    """
    most, stage = _most(delta, rows), "merging clusters"
    states = in_blocks(engine, stage, lambda at, one: merged(at, delta, one), range(blocks))
    if (total := sum(state.total for state in states)) <= most or blocks == 1:
        return states, total <= most
    lowest = in_blocks(engine, stage, lambda at, one: merged(at, 0.0, one), range(blocks))
    gains = [state.total - low.total for state, low in zip(states, lowest, strict=True)]
    for at in sorted(range(blocks), key=lambda at: -gains[at]):
        states[at] = lowest[at]
        total -= gains[at]
        if total <= most:
            return states, True
    return states, False


def unreached(model: ItemsetModel, delta: float, states: Sequence[State], rows: int) -> Infeasible:
    """Return the error that a bound on UL cannot be met, which says what the user can do."""
    best, clusters = sum(state.total for state in states) / rows / STEPS, sum(len(state.members) for state in states)
    less = "a smaller k" if model.values()["m"] == 1 else "a smaller k or m"
    allowed = math.ceil(best * 1e4) / 1e4
    larger = "" if len(states) == 1 else ", a larger block_rows= (clusters of two blocks are not merged)"
    return Infeasible(
        f"UL of the sets cannot be lowered to delta={format_value(delta)} by merging clusters: the best is {best:.4f}, "
        f"with {clusters:,} cluster{'' if clusters == 1 else 's'}. Allow delta={allowed:g}, or choose {less}, another "
        f"within= (sets-ul, aa, optimal){larger}, or a finer hierarchy of the items."
    )


def _most(delta: float, rows: int) -> int:
    """Return the largest UL within a bound, in steps."""
    return math.floor(Fraction(str(delta)) * rows * STEPS)
