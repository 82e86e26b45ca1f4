"""Comparison of original and published data. What several measures and reports need is computed once."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts
from shoal.metrics.change import Change
from shoal.metrics.coverage import Covered
from shoal.metrics.usefulness import Usefulness
from shoal.published import Published


@dataclass(frozen=True, eq=False)
class Outcome:
    """Counts of what became of the items of the original records.

    >>> import numpy as np
    >>> from shoal.data.transactions import Transactions
    >>> before = Transactions.from_sets([["a", "b"], ["b"]])
    >>> after = Published(before.recode(np.array([0, -1]), ["a"]), np.array([0, 1]), np.array([0]), before.labels)
    >>> outcome = Comparison(Published.plain(before), after).outcome
    >>> outcome.items, outcome.unchanged, outcome.suppressed, outcome.suppressed_items.tolist(), outcome.emptied
    (3, 1, 2, [1], 1)
    """

    items: int  # of all original records
    unchanged: int  # how many of them are published unchanged
    suppressed_items: Codes  # items that some record lost
    suppressed_counts: Counts  # how many records lost each
    emptied: int  # records that lost all their items

    @property
    def suppressed(self) -> int:
        """How many items no label of their record covers."""
        return int(self.suppressed_counts.sum())


@dataclass(frozen=True, eq=False)
class Comparison:
    """Original and published data side by side, with rows in the same order. Measures are functions of it.

    Parameters
    ----------
    original, published : Published
        The data before and after.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> data = Published.plain(Transactions.from_sets([["a", "b"], ["b"]]))
    >>> Comparison(data, data).usefulness.unchanged_share
    1.0
    """

    original: Published
    published: Published

    @cached_property
    def covered(self) -> Covered:
        """How many items of the original records are covered by labels of which size."""
        return Covered.of(self.original.rows, self.published)

    @cached_property
    def change(self) -> Change | None:
        """The items that were added and deleted, or None if labels represent several items."""
        return Change.of(self.original, self.published)

    @property
    def change_in_groups(self) -> Change | None:
        """The same for rows that were changed in groups, otherwise None."""
        return None if self.published.grouping is None else self.change

    @cached_property
    def outcome(self) -> Outcome:
        """What became of the items of the original records."""
        covered = self.covered
        gone = covered.sizes == 0
        unchanged = covered.number(covered.sizes == 1)
        return Outcome(covered.total, unchanged, covered.items[gone], covered.counts[gone], covered.emptied)

    @cached_property
    def usefulness(self) -> Usefulness:
        """How many items can still be read."""
        return Usefulness.of(self.original.rows, self.published, self.covered)
