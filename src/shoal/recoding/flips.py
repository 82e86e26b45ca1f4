"""Recoding by groups of rows: items are added, deleted, or shuffled within each group."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from shoal.data import notes
from shoal.data.arrays import Codes, Counts, counted, csr_from_pairs, frozen, row_ids
from shoal.data.note import Note
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.metrics.change import Change
from shoal.published import Grouping, Published
from shoal.recoding.base import Recoding, RecodingSummary


@dataclass(frozen=True, eq=False)
class Flips(Recoding):
    """Items are added and deleted so that the rows of a group become the same (Wang et al. 2014, procedure Flipped).

    All rows of a group get the items that more than half of them have. In an exact tie, the seed row of the group
    decides; without a seed row, the item is deleted. Sensitive items are only added: each row of a group gets all
    sensitive items of the group. Rows in no group are not changed.

    >>> rows = Transactions.from_sets([["a", "b"], ["a"], ["b", "c"], ["c"]])
    >>> published = Flips(Grouping(np.array([0, 0, 0, -1]), 3), np.array([0])).apply(rows)
    >>> [sorted(row) for row in published.rows.sets()]
    [['a', 'b'], ['a', 'b'], ['a', 'b'], ['c']]
    """

    grouping: Grouping
    seeds: Counts  # the row of each group that decides ties; -1: none

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        object.__setattr__(self, "seeds", frozen(self.seeds, np.int64))
        if len(self.seeds) != len(self.grouping):
            raise DataError(f"Flips: got {len(self.seeds)} seeds for {len(self.grouping)} groups.")

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"Flips({len(self.grouping):,} groups of {np.count_nonzero(self.grouping.of >= 0):,} rows)"

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Make the rows of each group the same."""
        rows = self._common(items, *self._majority(items))
        if hidden is not None:
            hidden = hidden.with_items(self._common(hidden.items, *_shared(hidden.items, self.grouping)[:2]))
        return replace(Published.plain(rows, hidden), grouping=self.grouping)

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the groups."""
        return _summary("flips", self.grouping)

    def falsehoods(self, change: Change) -> list[Note]:
        """Return notes about items that were added and deleted, and about false sensitive items."""
        added, deleted, sensitive = len(change.added.items), len(change.deleted.items), change.sensitive_additions
        if not added and not deleted:
            return []
        given = _given(change, self.grouping) if sensitive else []
        facts = [*given, *_facts(change, self.grouping)]
        return [notes.ItemsChanged(added, sensitive, deleted), *facts, notes.ChangedDataMislead()]

    def _majority(self, items: Transactions) -> tuple[Counts, Codes]:
        """Return the items that each group publishes, as pairs of group and item."""
        groups, codes, counts = _shared(items, self.grouping)
        twice, sizes = 2 * counts, self.grouping.sizes[groups]
        tied = np.flatnonzero((twice == sizes) & (self.seeds[groups] >= 0))
        kept = twice > sizes
        if len(tied):
            width = max(1, len(items.labels))
            held = row_ids(items.indptr) * width + items.items  # ascending
            wanted = self.seeds[groups[tied]] * width + codes[tied]
            at = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
            kept[tied] = held[at] == wanted
        return groups[kept], codes[kept]

    def _common(self, rows: Transactions, groups: Counts, codes: Codes) -> Transactions:
        """Replace each row that is in a group by the items of its group."""
        common = Transactions(*csr_from_pairs(groups, codes, len(self.grouping)), rows.labels)
        of = self.grouping.of
        return rows.followed_by(common).take(np.where(of < 0, np.arange(len(rows)), len(rows) + of))


@dataclass(frozen=True, eq=False)
class Reshuffled(Recoding):
    """The sensitive items are shuffled within each group of rows. All other items are not changed.

    Which rows get a sensitive item depends on the seed and on how many rows of the group had it, but not on which rows.
    So the shuffle cannot be reversed, even with the seed.

    >>> from shoal.data import Dataset
    >>> from shoal.data.sensitive import split_sensitive_values
    >>> data = Dataset(Transactions.from_sets([["a", "HIV"], ["b"], ["c", "HIV"]]))
    >>> known, hidden = split_sensitive_values(data, ["HIV"])
    >>> published = Reshuffled(Grouping(np.array([0, 0, 1]), 1), seed=0).apply(known.in_use(), hidden)
    >>> [sorted(row) for row in published.as_written.sets()]
    [['a'], ['HIV', 'b'], ['HIV', 'c']]
    """

    grouping: Grouping
    seed: int = 0

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"Reshuffled({len(self.grouping):,} groups of {np.count_nonzero(self.grouping.of >= 0):,} rows)"

    @property
    def reshuffles(self) -> bool:
        """Whether sensitive items may be published with other records: always."""
        return True

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Shuffle the sensitive items of each group among its rows."""
        if hidden is not None:
            order = np.argsort(self.grouping.of, kind="stable")
            starts = np.searchsorted(self.grouping.of[order], np.arange(len(self.grouping) + 1))
            rng = random.Random(self.seed)
            rows, codes = [], []
            for group, held in _values_to_shuffle(hidden, self.grouping):
                members = order[starts[group] : starts[group + 1]].tolist()
                for row, values in zip(rng.sample(members, len(held)), held, strict=True):
                    rows += [row] * len(values)
                    codes += values
            ungrouped = np.flatnonzero(self.grouping.of[row_ids(hidden.items.indptr)] < 0)
            row_of = np.concatenate([np.array(rows, dtype=np.int64), row_ids(hidden.items.indptr)[ungrouped]])
            item_of = np.concatenate([np.array(codes, dtype=np.int32), hidden.items.items[ungrouped]])
            hidden = hidden.with_items(Transactions(*csr_from_pairs(row_of, item_of, len(items)), hidden.items.labels))
        return replace(Published.plain(items, hidden), grouping=self.grouping)

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the groups."""
        return _summary("shuffled within groups", self.grouping)

    def falsehoods(self, change: Change) -> list[Note]:
        """Return notes: sensitive items are true of groups, not of records."""
        if not np.any(change.before[change.n_qid :]):
            return []
        return [notes.SensitiveItemsShuffled(), notes.ShuffledItemsMislead(), notes.GroupsTellHolders()]


def _given(change: Change, grouping: Grouping) -> list[Note]:
    """Return notes about records that are published with sensitive items that they do not have."""
    holders, given = change.with_sensitive(change.was), change.with_sensitive(change.added)
    before = int(change.before[change.n_qid :].sum())
    after = before + change.sensitive_additions - change.sensitive_deletions
    found: list[Note] = [notes.SensitiveItemsGiven(len(given)), notes.SensitiveItemsInflated(before, after)]
    published, rows = len(np.union1d(holders, given)), len(grouping.of)
    if 2 * published > rows:
        found.append(notes.TooManySensitive(published, rows, len(holders), grouping.least))
    return found


def _facts(change: Change, grouping: Grouping) -> list[Note]:
    """Return notes about groups in which every record has the same sensitive item."""
    hidden = change.was.items >= change.n_qid
    groups, items = grouping.of[change.was.rows[hidden]], change.was.items[hidden]
    width = max(1, len(change.labels))
    pairs, holders = counted(groups[groups >= 0] * width + items[groups >= 0])
    of = pairs // width
    certain = np.unique(of[holders == grouping.sizes[of]])
    return [notes.GroupsOfHolders(len(certain), int(grouping.sizes[certain].sum()))] if len(certain) else []


def _summary(kind: str, grouping: Grouping) -> RecodingSummary:
    """Return figures about groups."""
    sizes = grouping.sizes
    return RecodingSummary(
        kind, groups=len(sizes), rows_in_groups=int(sizes.sum()), largest_group=int(sizes.max(initial=0))
    )


def _values_to_shuffle(hidden: Sensitive, grouping: Grouping) -> Iterator[tuple[int, list[list[int]]]]:
    """Yield, for each value of each group, the group and the items of that value, in an order that reveals nothing.

    With counts, an item such as HIV*2 is one of the items of the value HIV. Each row gets a value at most once.
    """
    items, rows = hidden.items, row_ids(hidden.items.indptr)
    groups, values = grouping.of[rows], hidden.value_of[items.items]
    order = np.lexsort((items.items, rows, values, groups))
    order = order[groups[order] >= 0]
    for (group, _), some in groupby(order.tolist(), key=lambda at: (int(groups[at]), int(values[at]))):
        hands = [[int(items.items[at]) for at in hand] for _, hand in groupby(some, key=rows.__getitem__)]
        yield group, sorted(hands)


def _shared(rows: Transactions, grouping: Grouping) -> tuple[Counts, Codes, Counts]:
    """Return the group, the item and the number of rows with it, for each item of each group."""
    width = max(1, len(rows.labels))
    groups = grouping.of[row_ids(rows.indptr)]
    inside = groups >= 0
    pairs, counts = counted(groups[inside] * width + rows.items[inside])
    of, codes = np.divmod(pairs, width)
    return of, codes.astype(np.int32), counts
