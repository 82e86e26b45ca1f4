"""Recoding by sets of items, without a hierarchy (Poulis et al. 2013): ``(A,B,C)`` means "one or more of these"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import Codes, Counts, csr_from_pairs, frozen, row_ids
from shoal.data.labels import set_label
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import DataError, shorten
from shoal.published import Published
from shoal.recoding.base import Recoding, RecodingSummary


@dataclass(frozen=True, eq=False)
class LocalSets(Recoding):
    """Local recoding: the rows are split into chunks, and each chunk has its own sets of items.

    >>> rows = Transactions.from_sets([["a", "c"], ["b"], ["a"]], ["a", "b", "c"])
    >>> sets = (np.array([0, 0, 2]), np.array([0, -1, -1]))
    >>> [sorted(row) for row in LocalSets(sets, np.array([0, 0, 1])).apply(rows).rows.sets()]
    [['(a,b)', 'c'], ['(a,b)'], ['a']]
    """

    first_of: tuple[Codes, ...]  # for each chunk, the smallest item of the set of each item; -1: none
    chunk_of: Counts  # the chunk of each row

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        object.__setattr__(self, "first_of", tuple(frozen(part, np.int32) for part in self.first_of))
        object.__setattr__(self, "chunk_of", frozen(self.chunk_of, np.int64))

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"LocalSets({len(self.first_of):,} chunks of {len(self.chunk_of):,} rows)"

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether items are generalized without the hierarchy: always."""
        return True

    def _sets(self, n_items: int) -> tuple[list[tuple[int, ...]], Counts]:
        """Return the different sets, in order, and the set of each item of each chunk."""
        sets_of: list[dict[int, list[int]]] = []
        for part in self.first_of:
            members: dict[int, list[int]] = {}
            for item in np.flatnonzero(part >= 0).tolist():
                members.setdefault(int(part[item]), []).append(item)
            sets_of.append(members)
        different = sorted({tuple(items) for members in sets_of for items in members.values()})
        number = {items: at for at, items in enumerate(different)}
        label_of = np.full((len(sets_of), n_items), -1, dtype=np.int64)
        for chunk, members in enumerate(sets_of):
            for items in members.values():
                label_of[chunk, items] = number[tuple(items)]
        return different, label_of

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its set in the chunk of its row."""
        different, label_of = self._sets(len(items.labels))
        rows = row_ids(items.indptr)
        codes = label_of[self.chunk_of[rows], items.items]
        assert codes.min(initial=0) >= 0, "every item of a chunk is in one of its sets"
        labels = tuple(set_label([items.labels[item] for item in members]) for members in different)
        taken = {*items.labels, *(hidden.labels if hidden else ())}
        for label, members in zip(labels, different, strict=True):
            if len(members) > 1 and label in taken:
                raise DataError(
                    f"An item has the name '{shorten(label)}', which is also the label of a published set: rename "
                    f"the item, or generalize by a hierarchy (within='aa')."
                )
        indptr = np.concatenate([[0], np.cumsum([len(members) for members in different], dtype=np.int64)])
        covered = np.array([item for members in different for item in members], dtype=np.int32)
        published = Transactions(*csr_from_pairs(rows, codes, len(items)), labels)
        return Published(published, indptr, covered, items.labels, hidden)

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the sets."""
        different, _ = self._sets(len(self.first_of[0]))
        return RecodingSummary(
            "local sets",
            chunks=len(self.first_of),
            rows_of_chunks=tuple(np.bincount(self.chunk_of, minlength=len(self.first_of)).tolist()),
            labels=len(different),
            groups=sum(len(members) > 1 for members in different),
        )
