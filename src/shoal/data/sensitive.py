"""Records taken apart: what an adversary may know of each, and what must not be learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.data.arrays import csr_from_pairs
from shoal.data.dataset import Dataset
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions


def take_apart(
    data: Dataset, sensitive: Sequence[str] = (), columns: Sequence[str] = ()
) -> tuple[Transactions, Transactions]:
    """The rows without their sensitive items (same codes as before), and each row's sensitive values.

    Those are its sensitive items, and its values in the sensitive columns, written ``column=value``. If ``sensitive``
    names values of such a column, only these of its values count; if it names none, all do. Nothing (null, empty text)
    is not a value.

    >>> data = Dataset(Transactions.from_sets([["a", "HIV"], ["a", "b"]]))
    >>> known, values = take_apart(data, ["HIV"])
    >>> known.sets(), values.sets()
    ([frozenset({'a'}), frozenset({...})], [frozenset({'HIV'}), frozenset()])
    """
    rows = data.transactions
    labels = [label for label in canonical_order(set(sensitive)) if label in set(rows.labels)]
    hidden = {label: code for code, label in enumerate(labels)}
    code_of = np.array([hidden.get(label, -1) for label in rows.labels], dtype=np.int32)
    known = rows.recode(np.where(code_of < 0, np.arange(len(code_of), dtype=np.int32), -1), rows.labels)
    values = rows.recode(code_of, labels)
    for column in columns:
        values = merged(values, _column(data, column, set(sensitive)))
    return (known if labels else rows), values


def column_values(data: Dataset, column: str) -> list[str | None]:
    """The values of a column beside the sets, as text; none where there is none."""
    table = data.keep_columns([column]).table
    assert table is not None
    return [_text(value) for value in table.arrow.column(column).to_pylist()]


def merged(one: Transactions, other: Transactions) -> Transactions:
    """The union of the rows of two lists of equal length that share no label; the labels of the first come first.

    >>> merged(Transactions.from_sets([["a"], []]), Transactions.from_sets([["x"], ["y"]])).sets()
    [frozenset({...}), frozenset({'y'})]
    """
    if not len(other.items):
        return one
    rows = np.concatenate([np.repeat(np.arange(len(part)), part.sizes) for part in (one, other)])
    codes = np.concatenate([one.items, other.items + len(one.labels)])
    return Transactions(*csr_from_pairs(rows, codes, len(one)), (*one.labels, *other.labels))


def _column(data: Dataset, column: str, named: set[str]) -> Transactions:
    """The sensitive values of a column, as rows of at most one label."""
    values = column_values(data, column)
    present = {value for value in values if value}
    counted = named & present or present
    return Transactions.from_sets([[f"{column}={value}"] if value and value in counted else [] for value in values])


def _text(value: Any) -> str | None:
    """A value as text; none for what is missing."""
    if value is None or value != value:  # NaN
        return None
    return str(value).strip() or None
