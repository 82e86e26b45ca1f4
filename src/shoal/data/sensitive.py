"""Split records into what an attacker may know and what must stay secret."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs
from shoal.data.counts import named_by
from shoal.data.dataset import Dataset
from shoal.data.labels import canonical_order
from shoal.data.note import Note
from shoal.data.notes import SensitiveLookAlike, UnprotectedLookAlike
from shoal.data.transactions import Transactions
from shoal.errors import DataError


@dataclass(frozen=True, eq=False)
class Sensitive:
    """The sensitive values of each row, and what they were taken from."""

    values: Transactions  # counts do not matter: HIV*1 and HIV*2 are one value, HIV
    items: Transactions  # the values that are items; they are published in the sets, unchanged
    labels: frozenset[str]  # what was declared sensitive: items, and values of columns (``column=value``)
    columns: frozenset[str]  # the columns that were declared sensitive

    def take(self, rows: Counts) -> Sensitive:
        """Return the values of some of the rows, in the given order."""
        return Sensitive(self.values.take(rows), self.items.take(rows), self.labels, self.columns)

    @property
    def value_of(self) -> Codes:
        """Return the value that each sensitive item belongs to."""
        rank = {label: code for code, label in enumerate(self.values.labels)}
        names = [named_by(label, self.labels) or label for label in self.items.labels]
        return np.array([rank[name] for name in names], dtype=np.int32)

    def with_items(self, items: Transactions) -> Sensitive:
        """Return the same with other items and the values that follow from them. All sensitive values must be items."""
        return replace(self, values=_values(items, self.labels), items=items)


def split_sensitive_values(
    data: Dataset, sensitive: Sequence[str] = (), columns: Sequence[str] = ()
) -> tuple[Transactions, Sensitive]:
    """Return the rows without their sensitive items (same codes as before), and the sensitive values of each row.

    These are the sensitive items of a row, and its values in the sensitive columns, written ``column=value``. If
    ``sensitive`` names values of a column in that form, only those values count; otherwise all values of the column do.
    Nulls and empty texts do not count. Each element of a list is a value. An item covers its counts: ``HIV`` covers
    ``HIV*2``.

    >>> data = Dataset(Transactions.from_sets([["a", "HIV"], ["a", "b"]]))
    >>> known, hidden = split_sensitive_values(data, ["HIV"])
    >>> known.sets(), hidden.values.sets()
    ([frozenset({'a'}), frozenset({...})], [frozenset({'HIV'}), frozenset()])
    """
    rows = data.transactions
    declared = frozenset(sensitive)
    items = {label for label in declared if not any(label.startswith(f"{column}=") for column in columns)}
    labels = canonical_order(label for label in rows.labels if named_by(label, items) is not None)
    hidden = {label: code for code, label in enumerate(labels)}
    code_of = np.array([hidden.get(label, -1) for label in rows.labels], dtype=np.int32)
    known = rows.recode(np.where(code_of < 0, np.arange(len(code_of), dtype=np.int32), -1), rows.labels)
    theirs = rows.recode(code_of, labels)
    values = _values(theirs, items)
    for column in columns:
        values = merged(values, _column(data, column, declared))
    return (known if labels else rows), Sensitive(values, theirs, declared, frozenset(columns))


def _values(items: Transactions, declared: Collection[str]) -> Transactions:
    """Return the declared names of sensitive items, row by row."""
    names = [named_by(label, declared) or label for label in items.labels]
    if names == list(items.labels):
        return items
    labels = canonical_order(set(names))
    rank = {label: code for code, label in enumerate(labels)}
    return items.recode(np.array([rank[name] for name in names], dtype=np.int32), labels)


def merged(one: Transactions, other: Transactions) -> Transactions:
    """Return the union of the rows of two lists of equal length that share no label.

    The labels of the first come first.

    >>> merged(Transactions.from_sets([["a"], []]), Transactions.from_sets([["x"], ["y"]])).sets()
    [frozenset({...}), frozenset({'y'})]
    """
    if not other.total_items:
        return one
    both = (*one.labels, *other.labels)
    if len(set(both)) != len(both):
        raise DataError("Transactions: rows can be united only if they share no label.")
    most = one.total_items + other.total_items
    return one.derived("uniting rows", _Pair.union, _Pair(one, other), both, most)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two lists of rows of equal length, for work on parts of both."""

    one: Transactions
    other: Transactions

    def __len__(self) -> int:
        return len(self.one)

    @property
    def bounds(self) -> Sequence[int] | None:
        return self.one.bounds

    def part(self, start: int, stop: int) -> Self:
        return replace(self, one=self.one.part(start, stop), other=self.other.part(start, stop))

    def release(self) -> None:
        self.one.release()
        self.other.release()

    def union(self) -> tuple[Offsets, Codes]:
        """Unite each row of the first with that of the second."""
        rows = np.concatenate([np.repeat(np.arange(len(part)), part.sizes) for part in (self.one, self.other)])
        codes = np.concatenate([self.one.items, self.other.items + len(self.one.labels)])
        return csr_from_pairs(rows, codes, len(self.one))


def lookalikes(labels: Iterable[str], others: Iterable[str]) -> list[tuple[str, str]]:
    """Pair each label with others that differ from it only in case, spaces, or how a character is encoded.

    >>> lookalikes(["HIV", "flu"], ["hiv", "HIV", "cold"])
    [('HIV', 'hiv')]
    """
    same: dict[str, list[str]] = {}
    for other in others:
        same.setdefault(_plain(other), []).append(other)
    return [(label, other) for label in labels for other in same.get(_plain(label), ()) if other != label]


def spelling_notes(data: Dataset, hidden: Sensitive) -> list[Note]:
    """Return notes on sensitive values that look alike, and on other values that look like a sensitive one.

    >>> data = Dataset(Transactions.from_sets([["HIV"], ["hiv"]]))
    >>> spelling_notes(data, split_sensitive_values(data, ["HIV", "hiv"])[1])
    [SensitiveLookAlike(label='HIV', other='hiv')]
    """
    labels = hidden.values.labels
    order = {label: at for at, label in enumerate(labels)}
    notes: list[Note] = [
        SensitiveLookAlike(label, other) for label, other in lookalikes(labels, labels) if order[label] < order[other]
    ]
    for column in sorted(hidden.columns):
        others = [label for label in _column(data, column, frozenset()).labels if label not in order]
        notes += [UnprotectedLookAlike(label, other) for label, other in lookalikes(labels, others)]
    return notes


def _plain(label: str) -> str:
    """Return what a label looks like, without case, spaces and invisible characters."""
    seen = (mark for mark in unicodedata.normalize("NFKC", label) if unicodedata.category(mark) != "Cf")
    return "".join("".join(seen).casefold().split())


def _column(data: Dataset, column: str, declared: frozenset[str]) -> Transactions:
    """Return the sensitive values of a column, as rows of labels ``column=value``."""
    table = data.keep_columns([column]).table
    assert table is not None
    rows = [[f"{column}={text}" for text in _texts(value)] for value in table.arrow.column(column).to_pylist()]
    if any(label.startswith(f"{column}=") for label in declared):
        rows = [[label for label in row if label in declared] for row in rows]
    return Transactions.from_sets(rows)


def _texts(value: Any) -> list[str]:
    """Return a value as texts: none if it is missing, several if it is a list."""
    if isinstance(value, list | tuple | set):
        return [text for element in value for text in _texts(element)]
    if value is None or value != value:  # NaN
        return []
    text = str(value).strip()
    return [text] if text else []
