"""The smallest crowd that some items of a record leave: the worst choice for the record.

Known items only narrow a crowd down. So the worst crowd for n items is at least that of the whole record, and at most
the worst one for n - 1 items. A record whose worst crowd is that of the whole record needs no more counting. Where a
record has too many sets to count, these two bounds are what is known.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.risk.facts import Facts
from shoal.risk.sets import Sets, every_set, numbers_of_sets

MOST_SETS = 20_000  # of a record that are counted
BLOCK = 1 << 19  # sets that are made at a time


class WorstCrowds:
    """The smallest crowds of some records among others, for more and more known items.

    >>> from shoal.data.transactions import Transactions
    >>> facts = Facts(Transactions.from_sets([["a", "b", "c"], ["a", "b"], ["a", "c"], ["b", "c"]]))
    >>> worst = WorstCrowds(facts, facts.of_rows(np.arange(4)), Engine())
    >>> [[size.tolist() for size in worst.knowing(number, Engine())] for number in (1, 2, 3)]
    [[[3, 3, 3, 3], ...], [[2, 2, 2, 2], ...], [[1, 2, 2, 2], ...]]
    """

    def __init__(
        self,
        facts: Facts,
        rows: Sets,
        engine: Engine,
        always: Counts | None = None,
        start: tuple[int, Counts] | None = None,
    ) -> None:
        """Count the whole records.

        ``always``: a label that is always known of each record, the class of its columns. ``start``: a number of known
        items, and the smallest crowds for it.
        """
        self._facts, self._rows = facts, rows
        self._always = np.full(len(rows), -1, dtype=np.int64) if always is None else always
        self.whole = facts.crowds(rows.adding(self._always), engine)
        if start is None:
            start = 0, facts.crowds(Sets.empty(len(rows)).adding(self._always), engine)
        self.number, self._least = start[0], start[1].copy()

    def sets_to_count(self, number: int) -> int:
        """Return how many sets of one more item than before are to be counted, at most."""
        return int(self._numbers(number)[self._open(number)].sum())

    def knowing(self, number: int, engine: Engine) -> tuple[Counts, Counts]:
        """Return for each record the least and the largest size that its smallest crowd can have."""
        low = self._least.copy()
        while self.number < number:
            self.number += 1
            low = self._one_more(self.number, engine)
        return low, self._least.copy()

    def _one_more(self, number: int, engine: Engine) -> Counts:
        """Count the sets of this size, and return what the smallest crowds are at least."""
        some = np.flatnonzero(self._open(number))
        block = np.cumsum(self._numbers(number)[some]) // BLOCK
        starts = np.flatnonzero(np.diff(block, prepend=-1)).tolist()
        for start, stop in pairwise([*starts, len(some)]):
            these = some[start:stop]
            sets, owners = every_set(self._rows.take(these), number)
            crowds = self._facts.crowds(sets.adding(self._always[these][owners]), engine)
            np.minimum.at(self._least, these[owners], crowds)
        short = self._rows.sizes <= number
        self._least[short] = self.whole[short]
        return np.where(self._skipped(number), self.whole, self._least)

    def _numbers(self, number: int) -> Counts:
        """Return the number of sets of each record."""
        return numbers_of_sets(self._rows.sizes, number)

    def _open(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which records have sets that can narrow them down further, and are counted."""
        return self._longer(number) & (self._numbers(number) <= MOST_SETS)

    def _skipped(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which records have such sets, but too many."""
        return self._longer(number) & (self._numbers(number) > MOST_SETS)

    def _longer(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which records are not narrowed down to the crowd of the whole record, and have more items."""
        return (self._least > self.whole) & (self._rows.sizes > number)
