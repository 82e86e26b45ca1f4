"""The kernel that regroups siblings: simulated annealing over safe sibling groupings (siblings.md)."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, capped, kernels, still

SPARE = 600  # blocks that a grouping may have more than it starts with


class Regroup:
    """A search for a cheaper grouping, run piece by piece at falling temperatures.

    Units are the leaves of a tree of ``parent`` (leaves first, parents after their children, no single children); each
    stands for ``sizes`` items with so many ``occurrences``. The cost of a block is its occurrences times the
    ``penalty`` of its size. ``block_of`` is a safe grouping to start from: the block of each unit.

    >>> rows = np.array([0, 1, 2, 3, 4, 6]), np.array([0, 1, 2, 2, 0, 2], dtype=np.int32)
    >>> parent = np.array([3, 3, 3, -1], dtype=np.int32)
    >>> search = Regroup(
    ...     *rows, parent, np.array([2, 1, 3]), np.ones(3, dtype=np.int32), np.array([0, 0, 2, 3]),
    ...     np.zeros(3, dtype=np.int32), k=2, m=1, seed=0,
    ... )
    >>> search.run(1.0, work=10_000, moves=1_000)
    >>> search.cost, search.block_of.tolist()  # the unit that only one row holds must not be alone
    (6, [0, 0, 1])
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        occurrences: Counts,
        sizes: Codes,
        penalty: Counts,
        block_of: Codes,
        *,
        k: int,
        m: int,
        seed: int,
    ) -> None:
        self._search = kernels().Regroup(
            indptr, items, parent, occurrences, sizes, penalty, block_of, capped(k, indptr), m, SPARE, seed
        )

    def run(self, temperature: float, *, work: int, moves: int, tick: Tick = still) -> None:
        """Random moves, until so many were tried or so much work is done (roughly, labels of rows looked at)."""
        self._search.run(temperature, work, moves, tick)

    @property
    def cost(self) -> int:
        """The least cost so far, at the end of a run."""
        return int(self._search.cost())

    @property
    def block_of(self) -> Codes:
        """The block of each unit, for that cost; blocks are numbered by their first units."""
        found = np.frombuffer(self._search.block_of(), dtype=np.int32)
        _, first, of = np.unique(found, return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first)).astype(np.int32)[of]
