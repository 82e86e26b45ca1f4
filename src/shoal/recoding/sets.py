"""Recoding by sets of items, without a hierarchy (Poulis et al. 2013): ``(A,B,C)`` means "one or more of these"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, frozen, row_ids
from shoal.data.labels import set_label
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import DataError, shorten
from shoal.published import Published
from shoal.recoding import chunks
from shoal.recoding.base import Recoding, RecodingSummary

ChunkSets = tuple[Codes, Codes]  # the items of a chunk, and the smallest item of the set of each


def present(first_of: Codes) -> ChunkSets:
    """Return the items that occur in a chunk, given the smallest item of the set of every item; -1: none.

    >>> [part.tolist() for part in present(np.array([0, -1, 0]))]
    [[0, 2], [0, 0]]
    """
    items = np.flatnonzero(first_of >= 0).astype(np.int32)
    return items, first_of[items]


@dataclass(frozen=True, eq=False)
class LocalSets(Recoding):
    """Local recoding: the rows are split into chunks, and each chunk has its own sets of items.

    >>> rows = Transactions.from_sets([["a", "c"], ["b"], ["a"]], ["a", "b", "c"])
    >>> chunks = [present(np.array([0, 0, 2])), present(np.array([0, -1, -1]))]
    >>> [sorted(row) for row in LocalSets.of_chunks(chunks, np.array([0, 0, 1])).apply(rows).rows.sets()]
    [['(a,b)', 'c'], ['(a,b)'], ['a']]
    """

    indptr: Offsets  # chunk c has the items from indptr[c] to indptr[c + 1]
    items: Codes  # the items of each chunk, ascending
    first: Codes  # the smallest item of the set of each
    chunk_of: Counts  # the chunk of each row

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name, dtype in (("indptr", np.int64), ("items", np.int32), ("first", np.int32), ("chunk_of", np.int64)):
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))

    @classmethod
    def of_chunks(cls, sets: Sequence[ChunkSets], chunk_of: Counts) -> LocalSets:
        """Build it from the items of each chunk and the smallest item of the set of each (:func:`present`)."""
        indptr = np.cumsum([0, *(len(items) for items, _ in sets)])
        items, first = (np.concatenate(side) for side in zip(*sets, strict=True))
        return cls(indptr, items, first, chunk_of)

    @property
    def _chunks(self) -> int:
        """The number of chunks."""
        return len(self.indptr) - 1

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        return f"LocalSets({self._chunks:,} chunks of {len(self.chunk_of):,} rows)"

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether items are generalized without the hierarchy: always."""
        return True

    def _sets(self) -> tuple[list[tuple[int, ...]], Codes]:
        """Return the different sets, in order, and the set of each item of each chunk."""
        order = np.lexsort((self.items, self.first, row_ids(self.indptr)))  # the members of a set, one after the other
        firsts = np.diff(self.first[order], prepend=-1) != 0
        firsts[self.indptr[:-1][np.diff(self.indptr) > 0]] = True  # the first item of a chunk begins a set
        starts = np.flatnonzero(firsts)
        text, bounds = self.items[order].tobytes(), (4 * np.append(starts, len(order))).tolist()
        members = [text[start:stop] for start, stop in pairwise(bounds)]
        different = {one: tuple(np.frombuffer(one, np.int32).tolist()) for one in dict.fromkeys(members)}
        number = {one: at for at, one in enumerate(sorted(different, key=different.__getitem__))}
        label_of = np.empty(len(order), dtype=np.int32)
        label_of[order] = np.repeat([number[one] for one in members], np.diff(starts, append=len(order)))
        return [different[one] for one in number], label_of

    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Replace every item by its set in the chunk of its row."""
        different, label_of = self._sets()
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
        published = chunks.recoded(items, self.chunk_of, self._code_of(label_of, len(items.labels)), labels)
        return Published(published, indptr, covered, items.labels, hidden)

    def _code_of(self, label_of: Codes, width: int) -> chunks.CodeOf:
        """Return the function that finds the set of each item of each chunk, or -1."""
        keys = row_ids(self.indptr) * width + self.items  # ascending

        def code_of(own: Counts, items: Codes) -> Codes:
            wanted = own * np.int64(width) + items
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            codes: Codes = np.where(keys[at] == wanted, label_of[at], -1) if len(keys) else np.full(len(items), -1)
            return codes

        return code_of

    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the sets."""
        different, _ = self._sets()
        return RecodingSummary(
            "local sets",
            chunks=self._chunks,
            rows_of_chunks=tuple(np.bincount(self.chunk_of, minlength=self._chunks).tolist()),
            labels=len(different),
            groups=sum(len(members) > 1 for members in different),
        )
