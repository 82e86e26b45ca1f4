"""Rows in memory: lists of sets or lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.data import Dataset, Origin
from shoal.data.arrow import numpy_of
from shoal.data.source_layout import SourceLayout
from shoal.errors import DataError
from shoal.io.coding import Coded, Encoder
from shoal.io.format import ReaderOptions


@dataclass(frozen=True)
class Rows(SourceLayout):
    """A list of sets, or of lists."""

    sets: bool = False


def read_rows(source: Iterable[Any], options: ReaderOptions) -> Dataset:
    """Read an iterable of sets, lists or other iterables of items."""
    rows = list(source)
    encoder = Encoder(multiset=options.multiset, drop_items=options.drop_items)
    encoder.add(Coded.of_rows([row_labels(row, f"Row {number}") for number, row in enumerate(rows, 1)]))
    transactions = encoder.transactions()
    options.tell_missing(encoder.dropped)
    layout = Rows(sets=bool(rows) and isinstance(rows[0], (set, frozenset)))
    return Dataset(transactions, None, Origin(layout=layout))


def row_labels(row: Any, where: str) -> list[str]:
    """Return the items of a row as labels."""
    if isinstance(row, (str, bytes, dict)) or not isinstance(row, Iterable):
        got = type(row).__name__
        raise DataError(f"{where} must be a list or set of items, got {got}: split it into items first.")
    labels = []
    for item in row:
        if isinstance(item, (bool, np.bool_)) or not isinstance(item, (str, int, np.integer)):
            raise DataError(f"{where}: items must be strings or integers, got {type(item).__name__}.")
        labels.append(str(item))
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        raise DataError(f"{where}: an item holds half a surrogate pair, which is not text.") from None
    return labels


def python_lists(lists: Any) -> list[list[str]]:
    """Return an Arrow array of lists of texts (without nulls) as Python lists. Equal texts share one object."""
    coded = lists.flatten().dictionary_encode()
    labels = coded.dictionary.to_pylist()
    items = [labels[code] for code in numpy_of(coded.indices).tolist()]
    starts = numpy_of(lists.offsets)
    return [items[first:end] for first, end in pairwise((starts - starts[0]).tolist())]
