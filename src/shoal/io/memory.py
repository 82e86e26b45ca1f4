"""Sets in memory: lists of sets or lists, and a release as the same kind of thing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from shoal.data import Dataset, Origin, Transactions
from shoal.data.source_layout import SourceLayout
from shoal.errors import DataError
from shoal.io.coding import Coded, Encoder
from shoal.io.format import ReaderOptions


class InMemoryLayout(SourceLayout, ABC):
    """What sort of object the data came as."""

    sets_only: ClassVar[bool] = True  # it can hold no columns beside the sets

    @abstractmethod
    def rebuild(self, dataset: Dataset) -> Any:
        """The data as that sort of object."""


@dataclass(frozen=True)
class Rows(InMemoryLayout):
    """A list of sets, or of lists."""

    sets: bool = False

    def rebuild(self, dataset: Dataset) -> Any:
        """Lists hold labels in canonical order."""
        return dataset.transactions.sets() if self.sets else label_lists(dataset)


def label_lists(dataset: Dataset) -> list[list[str]]:
    """The rows as lists of labels."""
    labels = dataset.transactions.labels
    return [[labels[code] for code in row.tolist()] for row in dataset.transactions]


def read_rows(rows: Iterable[Any], options: ReaderOptions) -> Dataset:
    """From an iterable of sets, lists or other iterables of items."""
    rows = list(rows)
    labels = [_row(row, number) for number, row in enumerate(rows, 1)]
    if not labels:
        raise DataError("The data hold no records: give at least one set.")
    layout = Rows(sets=isinstance(rows[0], (set, frozenset)))
    return Dataset(encoded(Coded.of_rows(labels), options), None, Origin(layout=layout))


def encoded(rows: Coded, options: ReaderOptions) -> Transactions:
    """Code the rows as the user wants them."""
    encoder = Encoder(multiset=options.multiset, drop_items=options.drop_items)
    encoder.add(rows)
    rows_of_codes = encoder.transactions()
    options.tell_missing(encoder.dropped)
    return rows_of_codes


def coded_objects(rows: Iterable[Any]) -> Coded:
    """Rows of any iterables; None and NaN represent an empty set."""
    return Coded.of_rows([[] if is_missing(row) else _row(row, number) for number, row in enumerate(rows, 1)])


def split_objects(texts: Iterable[Any], delimiter: str) -> Coded:
    """Rows that are texts with a delimiter between the items."""
    rows = []
    for number, text in enumerate(texts, 1):
        if not is_missing(text) and not isinstance(text, str):
            raise DataError(f"Row {number} must be text to be split at item_delimiter, got {type(text).__name__}.")
        rows.append([] if is_missing(text) else text.split(delimiter))
    return coded_objects(rows)


def is_missing(value: Any) -> bool:
    """None, NaN, and the missing values of pandas."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def _row(row: Any, number: int) -> list[str]:
    """One row as labels."""
    if isinstance(row, (str, bytes, dict)) or not isinstance(row, Iterable):
        got = type(row).__name__
        raise DataError(f"Row {number} must be a list or set of items, got {got}: split it into items first.")
    labels = []
    for item in row:
        if isinstance(item, (bool, np.bool_)) or not isinstance(item, (str, int, np.integer)):
            raise DataError(f"Row {number}: items must be strings or integers, got {type(item).__name__}.")
        labels.append(str(item))
    try:
        "".join(labels).encode()
    except UnicodeEncodeError:
        raise DataError(f"Row {number}: an item holds half a surrogate pair, which is no text.") from None
    return labels
