"""Tmerge (Poulis et al. 2013, s.4): merge clusters until the loss of their sets is within a bound."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice

from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.options import format_value
from shoal.search.clusters import Clusters
from shoal.search.set_generalizer import STEPS, SetGeneralizer


def merge_until_bound(
    clusters: Clusters, within: SetGeneralizer, delta: float, engine: Engine, *, nearest: bool = False
) -> list[Counts]:
    """Merge clusters until UL is within the bound, and return the first such state.

    If there is none, raise an error; or with ``nearest``, return the state with the least UL. The order of merges does
    not depend on UL (except with the exact distance), so many unions are generalized at once.
    """
    tick, start = engine.tick("merging clusters"), len(clusters)
    rows = dict(clusters.rows)
    sums = dict(zip(rows, engine.map("generalizing sets", within.loss, list(rows.values())), strict=True))
    total = sum(sums.values())
    best, at = total, dict(rows)
    merges, most = clusters.merges(), math.floor(Fraction(str(delta)) * clusters.n * STEPS)
    while total > most:
        ahead = list(islice(merges, 1 if clusters.within is not None else 8 * engine.threads))
        if not ahead and nearest:
            return [at[number] for number in sorted(at)]
        if not ahead:
            raise Infeasible(_unreached(clusters, delta, best / clusters.n / STEPS, len(at)))
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
    return [rows[number] for number in sorted(rows)]


def _unreached(clusters: Clusters, delta: float, best: float, at: int) -> str:
    """Return a message: why a bound on UL cannot be met, and what the user can do."""
    m = clusters.problem.model.values()["m"]
    less = "a smaller k" if m == 1 else "a smaller k or m"
    allowed = math.ceil(best * 1e4) / 1e4
    return (
        f"UL of the sets cannot be lowered to delta={format_value(delta)} by merging clusters: the best is {best:.4f}, "
        f"with {at:,} cluster{'' if at == 1 else 's'}. Allow delta={allowed:g}, or choose {less}, another within= "
        f"(sets-ul, aa, optimal), or a finer hierarchy of the items."
    )
