"""Original data beside published data: what several measures and reports ask for is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.metrics.change import Change
from shoal.metrics.coverage import covered_sizes
from shoal.metrics.usefulness import Usefulness
from shoal.published import Published


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of the original occurrences, in counts.

    >>> from shoal.data.transactions import Transactions
    >>> before = Transactions.from_sets([["a", "b"], ["b"]])
    >>> after = Published(before.recode(np.array([0, -1]), ["a"]), np.array([0, 1]), np.array([0]), before.labels)
    >>> outcome = Comparison(Published.plain(before), after).outcome
    >>> outcome.items, outcome.unchanged, outcome.suppressed, outcome.suppressed_items.tolist(), outcome.emptied
    (3, 1, 2, [1], 1)
    """

    items: int  # of all original records
    unchanged: int  # of these: published as themselves
    suppressed_items: Codes  # that some record lost
    suppressed_counts: Counts  # how many
    emptied: int  # records that lost all they had

    @property
    def suppressed(self) -> int:
        """Occurrences that no label of their record covers."""
        return int(self.suppressed_counts.sum())


@dataclass(frozen=True, eq=False)
class Comparison:
    """What measures are given: the original rows and the published ones, in the same order."""

    original: Published
    published: Published

    @cached_property
    def covered_sizes(self) -> Counts:
        """For each original occurrence, the size of the smallest label of its row that covers it; 0: none."""
        return covered_sizes(self.original.rows, self.published)

    @cached_property
    def change(self) -> Change | None:
        """Which items were added and deleted; None: labels represent several items, so nobody can tell."""
        return Change.of(self.original, self.published)

    @property
    def change_in_groups(self) -> Change | None:
        """The same for rows that were changed in groups; None for others."""
        return None if self.published.grouping is None else self.change

    @cached_property
    def outcome(self) -> Outcome:
        """What became of the original occurrences."""
        original, sizes = self.original.rows, self.covered_sizes
        items, counts = np.unique(original.items[sizes == 0], return_counts=True)
        emptied = (original.sizes > 0) & (self.published.rows.sizes == 0)
        return Outcome(len(sizes), int((sizes == 1).sum()), items, counts, int(emptied.sum()))

    @cached_property
    def usefulness(self) -> Usefulness:
        """How much of the items can still be read."""
        return Usefulness.of(self.original.rows, self.published, self.covered_sizes)
