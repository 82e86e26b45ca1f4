"""How many items can still be read in a release, and whether it is nearly worthless.

A label is *broad* if it covers all items, or at least 5 items and more than half of all items: either of those in the
hierarchy, or of those that occur in the data. (Among 2 to 8 items, a label over half of them is normal.)

A release is *nearly worthless* if

- more than half of its items are published under broad labels (a global cut can have only one), or
- more than half of its items were removed or are published under broad labels, or
- more than half of the records that had items are published without any.

"Items" are items of records: an item in three records counts three times. Sensitive values and other columns do not
count. They are published anyway, and the headline says that it does not cover them. Methods that add items are judged
by the items that they delete. Models that do not change the sets are not judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.data.transactions import Transactions
from shoal.metrics.coverage import Covered
from shoal.published import Published

Worthless = Literal["one label", "removed", "emptied"]
FEW = 5  # items that a label must cover to be broad, unless it covers all items


@dataclass(frozen=True)
class Usefulness:
    """Counts of what became of the items of records.

    >>> from shoal.data.hierarchy import Hierarchy
    >>> from shoal.metrics.comparison import Comparison
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> before = Published.plain(h.encode(Transactions.from_sets([["a1", "b1"], ["a2"], ["b1"]])))
    >>> after = Published.resolve(Transactions.from_sets([["A", "b1"], ["A"], ["b1"]]), h)
    >>> usefulness = Comparison(before, after).usefulness
    >>> usefulness.unchanged, usefulness.always_unchanged, usefulness.median_items, usefulness.worthless
    (2, 1, 1, None)
    >>> worst = Published.resolve(Transactions.from_sets([["ALL"], ["ALL"], ["ALL"]]), h)
    >>> Comparison(before, worst).usefulness.worthless
    'one label'
    """

    items: int  # of all records, before
    unchanged: int  # how many of them are published unchanged
    different_items: int  # that occur in the data
    always_unchanged: int  # how many of them are published unchanged wherever they occur
    median_items: int | None  # number of items behind the label of an item (1 if unchanged); None: no item is published
    removed: int  # items of records that no label covers
    hidden: int  # items of records under broad labels
    broad: tuple[tuple[str, int], ...]  # the broad labels, and how many items each covers; the most frequent first
    domain: int  # number of all items
    records: int  # that had items
    emptied: int  # how many of them are published without items

    @classmethod
    def of(cls, original: Transactions, published: Published, covered: Covered) -> Usefulness:
        """Count. ``covered`` compares these rows."""
        sizes, shown = covered.sizes, covered.number(covered.sizes > 0)
        broad = _broad(original, published)
        order = sorted(np.flatnonzero(broad).tolist(), key=lambda code: (-int(published.rows.supports[code]), code))
        different = np.unique(covered.items)
        return cls(
            items=covered.total,
            unchanged=covered.number(sizes == 1),
            different_items=len(different),
            always_unchanged=len(np.setdiff1d(different, covered.items[sizes != 1])),
            median_items=_median(covered) if shown else None,
            removed=covered.number(sizes == 0),
            hidden=shown - _covered(original, published, ~broad) if order else 0,
            broad=tuple((published.rows.labels[code], int(published.cover_sizes[code])) for code in order),
            domain=published.n_items,
            records=original.non_empty,
            emptied=covered.emptied,
        )

    @property
    def unchanged_share(self) -> float:
        """The share of the items of records that are published as themselves."""
        return self.unchanged / self.items if self.items else 1.0

    @property
    def worthless(self) -> Worthless | None:
        """Why the release is nearly worthless, or None."""
        if 2 * self.emptied > self.records:
            return "emptied"
        if 2 * self.hidden > self.items:
            return "one label"
        return "removed" if 2 * (self.hidden + self.removed) > self.items else None


def _broad(original: Transactions, published: Published) -> npt.NDArray[np.bool_]:
    """Return for each label whether it is used and broad."""
    occurs = original.supports > 0
    ends = np.concatenate([[0], np.cumsum(occurs[published.cover_items])])[published.cover_indptr]
    broad = (published.cover_sizes == published.n_items) & (published.n_items > 1)
    for covered, total in ((published.cover_sizes, published.n_items), (np.diff(ends), np.count_nonzero(occurs))):
        broad |= (covered >= FEW) & (2 * covered > total)
    used: npt.NDArray[np.bool_] = broad & (published.rows.supports > 0)
    return used


def _covered(original: Transactions, published: Published, labels: npt.NDArray[np.bool_]) -> int:
    """Count the items of records that some of the labels cover."""
    codes = np.flatnonzero(labels)
    if not len(codes):
        return 0
    code_of = np.full(len(labels), -1, dtype=np.int32)
    code_of[codes] = np.arange(len(codes))
    rows = published.rows.recode(code_of, [published.rows.labels[code] for code in codes])
    covers = [published.cover(int(code)) for code in codes]
    ends = np.concatenate([[0], np.cumsum([len(cover) for cover in covers])])
    part = replace(published, rows=rows, cover_indptr=ends, cover_items=np.concatenate(covers))
    covered = Covered.of(original, part)
    return covered.number(covered.sizes > 0)


def _median(covered: Covered) -> int:
    """Return the median number of items behind the label of an item: the lower one of two."""
    order = np.argsort(covered.sizes, kind="stable")
    order = order[covered.sizes[order] > 0]
    up_to = np.cumsum(covered.counts[order])
    return int(covered.sizes[order][np.searchsorted(up_to, (int(up_to[-1]) - 1) // 2, side="right")])
