"""Re-identification risk: how many records somebody who knows a few items can pin down (metrics.md, "ours")."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal import kernels
from shoal.data.arrays import Counts
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine


@dataclass(frozen=True)
class Risk:
    """For each number of known items 1..m: how many records some such set pins down to fewer than k, and to one.

    >>> risk = Risk.of(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2)
    >>> risk.below_k, risk.unique, risk.share_below_k
    ((1, 1), (1, 1), (0.333..., 0.333...))
    """

    k: int
    rows: int
    below_k: tuple[int, ...]  # [i] records that some set of at most i + 1 known items pins down to fewer than k
    unique: tuple[int, ...]  # ... to exactly one

    @classmethod
    def of(cls, rows: Transactions, k: int, m: int, engine: Engine = LOCAL) -> Risk:
        """Examine every set of up to m items."""
        longest = max(1, int(rows.sizes.max(initial=0)))

        def at_most(smallest: Counts) -> tuple[int, ...]:
            up_to = np.cumsum(np.bincount(smallest, minlength=longest + 1)[1:])  # size 0: no such set
            return tuple(up_to[: min(m, longest)].tolist()) + (int(up_to[-1]),) * (m - longest)

        smallest = [
            kernels.smallest_rare(
                rows.indptr,
                rows.items,
                len(rows.labels),
                limit,
                min(m, longest),
                threads=engine.threads,
                tick=engine.tick("risk"),
            )
            for limit in (k, 2)
        ]
        return cls(k, len(rows), at_most(smallest[0]), at_most(smallest[1]))

    @property
    def share_below_k(self) -> tuple[float, ...]:
        """As shares of all records."""
        return tuple(count / max(1, self.rows) for count in self.below_k)

    @property
    def share_unique(self) -> tuple[float, ...]:
        """As shares of all records."""
        return tuple(count / max(1, self.rows) for count in self.unique)
