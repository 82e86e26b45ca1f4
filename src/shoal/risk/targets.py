"""The records that are attacked: all of them, or a sample of very many."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Counts
from shoal.risk.facts import Facts
from shoal.risk.sets import Sets
from shoal.risk.tally import Tally

MOST = 200_000  # records that are all looked at


@dataclass(frozen=True, eq=False)
class Targets:
    """Different records, and how many records are like each. Of a sample: how often each was drawn."""

    records: Counts
    times: Counts
    draws: int = 0  # 0: these are all records

    @classmethod
    def all_of(cls, facts: Facts) -> Targets:
        """Return all records. Those with the same items and columns are one."""
        rows = facts.of_rows(np.arange(len(facts)), columns=facts.class_of is not None)
        text, bounds = rows.items.tobytes(), (4 * rows.indptr).tolist()
        first: dict[bytes, int] = {}
        like = [first.setdefault(text[start:stop], at) for at, (start, stop) in enumerate(pairwise(bounds))]
        return cls(*np.unique(np.array(like, dtype=np.int64), return_counts=True))

    @classmethod
    def drawn(cls, facts: Facts, draws: int, rng: np.random.Generator) -> Targets:
        """Draw records, each as often as chance has it."""
        return cls(*np.unique(rng.integers(0, len(facts), draws), return_counts=True), draws)

    def __len__(self) -> int:
        """Return the number of different records."""
        return len(self.records)

    def rows(self, facts: Facts) -> Sets:
        """Return the items of the records."""
        return facts.of_rows(self.records)

    def tally(self, low: Counts, high: Counts | None = None) -> Tally:
        """Return the tally of the crowds of these records."""
        return Tally.of(low, high, self.times, draws=self.draws)
