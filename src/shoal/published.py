"""Published: what readers of a release see. Every label knows the set of original items that it covers.

So every verifier and every measure works the same for all recodings, and for files made by other tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, Offsets, frozen
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import set_members
from shoal.data.persons import Persons
from shoal.data.relational import Relational, first_rows, numbered
from shoal.data.sensitive import Sensitive, merged
from shoal.data.transactions import Transactions
from shoal.errors import DataError, did_you_mean, shorten

if TYPE_CHECKING:
    from shoal.hierarchies.codebook import CodeBook


@dataclass(frozen=True, eq=False)
class Grouping:
    """Rows that were changed together. Groups are numbered by their first rows, which reveals nothing about the search.

    >>> Grouping.numbered(np.array([7, -1, 3, 7]), 2).of.tolist()
    [0, -1, 1, 0]
    """

    of: Counts  # the group of each row: 0, 1, ..; -1 if the row was not changed
    least: int  # the smallest allowed number of rows of a group
    names: tuple[str, ...] = ()  # the names of the groups in the file, if it has any

    def __post_init__(self) -> None:
        """Freeze."""
        object.__setattr__(self, "of", frozen(self.of, np.int64))

    @classmethod
    def numbered(cls, marks: Counts, least: int) -> Grouping:
        """Number the groups. Rows with equal marks form a group. Rows with negative marks are in none."""
        groups, first, codes = np.unique(marks, return_index=True, return_inverse=True)
        rank = np.full(len(groups), -1, dtype=np.int64)
        real = np.flatnonzero(groups >= 0)
        rank[real[np.argsort(first[real])]] = np.arange(len(real))
        return cls(rank[codes], least)

    @classmethod
    def of_equal_rows(cls, rows: Transactions, counted: npt.NDArray[np.bool_]) -> Grouping:
        """Group equal rows, as every reader can.

        Only rows that count are grouped. ``least`` is the smallest group size.
        """
        bounds, text = (4 * rows.indptr).tolist(), rows.items.tobytes()
        seen: dict[bytes, int] = {}
        marks = [
            seen.setdefault(text[start:stop], len(seen)) if counts else -1
            for start, stop, counts in zip(bounds, bounds[1:], counted.tolist(), strict=False)
        ]
        groups = cls.numbered(np.array(marks, dtype=np.int64), 1)
        return cls(groups.of, int(groups.sizes.min(initial=len(rows))))

    @classmethod
    def of_column(cls, data: Dataset, column: str, least: int) -> Grouping:
        """Group rows with equal values in a column. Missing and blank values are in no group."""
        import pyarrow as pa
        import pyarrow.compute as pc

        table = data.keep_columns([column]).table
        assert table is not None
        values = table.arrow.column(column)
        if pa.types.is_nested(values.type):
            raise DataError(f"Column '{column}' of {data.origin.name} must hold plain values, not lists or structures.")
        if pa.types.is_floating(values.type):
            values = pc.if_else(pc.is_nan(values), None, values)
        encoded = values.combine_chunks().dictionary_encode()
        texts = list(map(str, encoded.dictionary.to_pylist()))  # in the order of their first rows
        names = [text for text in texts if text.strip()]
        blank = np.array([not text.strip() for text in texts] + [True])  # the last entry is for nulls
        number = np.where(blank, -1, np.cumsum(~blank) - 1)
        return cls(number[encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)], least, tuple(names))

    @classmethod
    def of_columns(cls, data: Dataset, columns: Sequence[str], least: int) -> Grouping:
        """Group rows with equal values in all of these columns, as every reader can. Missing is a value, too."""
        table = data.keep_columns(columns).table
        assert table is not None
        coded = [table.distinct(name) for name in columns]
        group_of = numbered(codes for _, codes in coded)
        first = first_rows(group_of)
        texts = [[("" if text is None else shorten(text)) for text in values] for values, _ in coded]
        shown = [[own[code] for code in codes[first].tolist()] for own, (_, codes) in zip(texts, coded, strict=True)]
        names = [", ".join(map("{}={}".format, columns, row)) for row in zip(*shown, strict=True)]
        return cls(group_of, least, tuple(names))

    @property
    def sizes(self) -> Counts:
        """Return the number of rows of each group."""
        return np.bincount(self.of[self.of >= 0]).astype(np.int64)

    def __len__(self) -> int:
        """Return the number of groups."""
        return int(self.of.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Published:
    """Rows of labels. Label u covers the original items ``cover_items[cover_indptr[u]:cover_indptr[u + 1]]``.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> p = Published.resolve(Transactions.from_sets([["A", "b1"], ["A"]]), h)
    >>> [(label, p.cover(code).tolist()) for code, label in enumerate(p.rows.labels)]
    [('A', [0, 1]), ('b1', [2])]
    """

    rows: Transactions
    cover_indptr: Offsets
    cover_items: Codes
    items: tuple[str, ...]  # the labels of the original items, which covers refer to
    sensitive: Sensitive | None = None  # the sensitive values, for models that handle them separately
    grouping: Grouping | None = None  # the rows that were changed together, for recodings of groups
    relational: Relational | None = None  # the quasi-identifying columns, for models that protect them
    classes: Grouping | None = None  # rows with equal quasi-identifiers, as a reader of the file sees them

    def __post_init__(self) -> None:
        """Validate and freeze."""
        object.__setattr__(self, "cover_indptr", frozen(self.cover_indptr, np.int64))
        object.__setattr__(self, "cover_items", frozen(self.cover_items, np.int32))
        if self.sensitive is not None and len(self.sensitive.values) != len(self.rows):
            got = len(self.sensitive.values)
            raise DataError(f"Published: {len(self.rows)} rows but sensitive values for {got} rows.")
        if self.grouping is not None and len(self.grouping.of) != len(self.rows):
            raise DataError(f"Published: {len(self.rows)} rows but groups for {len(self.grouping.of)} rows.")
        for part in (self.relational, self.classes and self.classes.of):
            if part is not None and len(part) != len(self.rows):
                raise DataError(f"Published: {len(self.rows)} rows but quasi-identifiers for {len(part)} rows.")
        if len(self.cover_indptr) != len(self.rows.labels) + 1 or self.cover_indptr[-1] != len(self.cover_items):
            raise DataError("Published: every label needs a cover.")
        if bool(np.any(np.diff(self.cover_indptr) < 1)):
            raise DataError("Published: every label must cover at least one item.")
        if self.cover_items.min(initial=0) < 0 or self.cover_items.max(initial=-1) >= self.n_items:
            raise DataError(f"Published: covered items must lie in 0..{self.n_items - 1}.")

    def __repr__(self) -> str:
        """Describe the size."""
        return f"Published({len(self.rows):,} rows, {len(self.rows.labels):,} labels over {self.n_items:,} items)"

    @classmethod
    def plain(cls, rows: Transactions, sensitive: Sensitive | None = None) -> Published:
        """Build it from rows whose labels cover only themselves: a file without a hierarchy."""
        n = len(rows.labels)
        return cls(rows, np.arange(n + 1), np.arange(n, dtype=np.int32), rows.labels, sensitive)

    @classmethod
    def from_nodes(
        cls, rows: Transactions, nodes: Sequence[int] | Codes, hierarchy: Hierarchy, hidden: Sensitive | None = None
    ) -> Published:
        """Build it from rows in which label u is the hierarchy node ``nodes[u]``."""
        first, stop = hierarchy.span[np.asarray(nodes, dtype=np.int64)].T.astype(np.int64)
        sizes = stop - first
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        items = np.arange(indptr[-1]) - np.repeat(indptr[:-1] - first, sizes)
        return cls(rows, indptr, items, hierarchy.items, hidden)

    @classmethod
    def resolve(
        cls,
        rows: Transactions,
        hierarchy: Hierarchy,
        where: Callable[[int], str] | None = None,
        codebook: CodeBook | None = None,
    ) -> Published:
        """Build it from rows whose labels are items, groups of the hierarchy or the code book, or sets ``(A,B,C)``.

        ``where`` returns the place of the first use of a label, for the message.
        """
        covers: list[Codes] = []
        for code, label in enumerate(rows.labels):
            parts = _parts(label, hierarchy, codebook)
            if not parts:
                raise DataError(_unknown(label, hierarchy, codebook, f" ({where(code)})" if where else ""))
            covers.append(np.unique(np.concatenate(parts)))
        indptr = np.concatenate([[0], np.cumsum([len(cover) for cover in covers], dtype=np.int64)])
        items = np.concatenate([*covers, np.zeros(0, dtype=np.int32)])
        return cls(rows, indptr, items, hierarchy.items)

    def of_persons(self, persons: Persons | None) -> Published:
        """Return the same with the persons behind the rows."""
        return replace(self, rows=self.rows.of_persons(persons))

    @property
    def as_written(self) -> Transactions:
        """Return the rows as readers get them: with the sensitive items."""
        return self.rows if self.sensitive is None else merged(self.rows, self.sensitive.items)

    @property
    def n_items(self) -> int:
        """Return the number of original items."""
        return len(self.items)

    def cover(self, label: int) -> Codes:
        """Return the original items that a label covers."""
        return self.cover_items[self.cover_indptr[label] : self.cover_indptr[label + 1]]

    @cached_property
    def cover_sizes(self) -> Counts:
        """Return the number of items that each label covers."""
        return np.diff(self.cover_indptr)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    @property
    def bounds(self) -> Sequence[int] | None:
        """The parts of the rows, if they are on several machines."""
        return self.rows.bounds

    def part(self, start: int, stop: int) -> Published:
        """Return rows ``start`` to ``stop`` without persons, sensitive values, columns and groups."""
        part = object.__new__(Published)  # valid, because the whole is
        others = dict.fromkeys(("sensitive", "grouping", "relational", "classes"))
        vars(part).update(vars(self), **others, rows=self.rows.part(start, stop))
        return part

    def release(self) -> None:
        """Let go of the memory of rows that are in a file."""
        self.rows.release()

    @cached_property
    def exclusive(self) -> bool:
        """Whether no item is covered by two labels (domain exclusiveness)."""
        return len(np.unique(self.cover_items)) == len(self.cover_items)

    @property
    def generalized(self) -> bool:
        """Whether some row holds a label that represents several items."""
        return bool(np.any(self.cover_sizes[self.rows.supports > 0] > 1))

    def covering(self) -> Iterator[Codes]:
        """Iterate over arrays of labels, one label for each item.

        The first array holds the smallest label that covers each item (-1: none), the second the second smallest, and
        so on.
        """
        labels = np.repeat(np.arange(len(self.rows.labels)), self.cover_sizes)
        order = np.lexsort((labels, self.cover_sizes[labels], self.cover_items))
        items, labels = self.cover_items[order], labels[order]
        rank = np.arange(len(items)) - np.searchsorted(items, items)
        for turn in range(int(rank.max(initial=-1)) + 1):
            best = np.full(self.n_items, -1, dtype=np.int32)
            best[items[rank == turn]] = labels[rank == turn]
            yield best


def _parts(label: str, hierarchy: Hierarchy, codebook: CodeBook | None) -> list[Codes]:
    """Return the items that a published label represents, in parts. The list is empty if the label is unknown."""
    whole = _cover(label, hierarchy, codebook)
    if whole is not None:
        return [whole]
    covers = [_cover(part, hierarchy, codebook) for part in set_members(label)]
    known = [cover for cover in covers if cover is not None]
    return known if len(known) == len(covers) else []


def _cover(label: str, hierarchy: Hierarchy, codebook: CodeBook | None) -> Codes | None:
    """Return the items of a label, from the hierarchy or the code book. Raise if both know it and disagree."""
    node = hierarchy.code_of.get(label)
    own = None if node is None else np.arange(*hierarchy.span[node], dtype=np.int32)
    if codebook is None or label not in codebook:
        return own
    items = codebook.items_of(label)
    for item in items:
        if not 0 <= hierarchy.code_of.get(item, -1) < hierarchy.n_leaves:
            raise DataError(
                f"{codebook.place(label)}: '{shorten(label)}' represents '{shorten(item)}', which is not an item of "
                f"the hierarchy {hierarchy.name}{did_you_mean(item, hierarchy.items)}: give the hierarchy that the "
                f"code book was made with."
            )
    codes = np.unique(np.array([hierarchy.code_of[item] for item in items], dtype=np.int32))
    if own is not None and not np.array_equal(own, codes):
        raise DataError(
            f"{codebook.place(label)}: '{shorten(label)}' represents other items in the code book ({len(codes):,}) "
            f"than in the hierarchy {hierarchy.name} ({len(own):,}): give the code book and the hierarchy of the same "
            f"release."
        )
    return codes


def _unknown(label: str, hierarchy: Hierarchy, codebook: CodeBook | None, place: str) -> str:
    """Return the message for a label that neither the hierarchy nor the code book knows."""
    if codebook is None:
        return (
            f"Published label '{shorten(label)}'{place} is neither an item nor a group of the hierarchy "
            f"{hierarchy.name}{did_you_mean(label, hierarchy.labels)}: give the hierarchy that the release was made "
            f"with, or its code book with codebook=."
        )
    near = did_you_mean(label, (*codebook.labels, *hierarchy.labels))
    return (
        f"Published label '{shorten(label)}'{place} is neither in the code book {codebook.name} nor in the hierarchy "
        f"{hierarchy.name}{near}: give the code book and the hierarchy of the same release."
    )
