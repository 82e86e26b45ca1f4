"""The person column of a data set: it is read once and never published."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from shoal.data.columns import text_of
from shoal.data.dataset import Dataset
from shoal.data.persons import Persons, noun_of
from shoal.data.reading_notes import PersonColumn
from shoal.data.table import Table
from shoal.errors import DataError, did_you_mean, shorten

KINDS = {"person": "person", "record_id": "record id"}  # what a column is that an option names


def with_persons(data: Dataset, column: str) -> Dataset:
    """Return the data whose rows know their person, without the person column.

    The column may be one of several id columns of long data.

    >>> import pyarrow as pa
    >>> from shoal.data.transactions import Transactions
    >>> visits = Transactions.from_sets([["flu"], ["cold"], ["flu"]])
    >>> data = with_persons(Dataset(visits, Table(pa.table({"patient": [7, 3, 7]}))), "patient")
    >>> data.transactions.persons, data.table.names
    (Persons(3 rows of 2 patients), ())
    """
    known = data.transactions.persons
    if known is not None and known.column == column:
        return data
    ids, codes = encoded_ids(data, column)
    _refuse_missing(data, column, np.array([not text.strip() for text in ids], dtype=np.bool_)[codes])
    persons = Persons(codes.astype(np.int32), noun_of(column), column, tuple(ids))
    note = PersonColumn((column,), len(persons), len(ids), persons.most, persons.noun, persons.nouns)
    origin = replace(data.origin, notes=(*data.origin.notes, note))
    table = data.table and data.table.keep([name for name in data.table.names if name != column])
    return Dataset(data.transactions.of_persons(persons), table, origin)


def encoded_ids(data: Dataset, column: str, option: str = "person") -> tuple[list[str], Any]:
    """Return the different values of a column of ids as texts, and the index of each row's value.

    ``option``: the option that names the column, for messages.
    """
    import pyarrow as pa

    values = data.origin.layout.id_values(column)
    if data.table is not None and column in data.table.names:
        values = data.table.arrow.column(column)
    if values is None:
        raise _no_column(data, column, option)
    if pa.types.is_nested(values.type):
        raise DataError(
            f"Column '{shorten(column)}' of {data.origin.name} holds lists or structures ({shorten(values.type)}), so "
            f"it cannot be the {KINDS[option]} column ({option}=): name a column with one id for each record."
        )
    if isinstance(values.type, pa.BaseExtensionType):  # such as UUIDs
        values = pa.chunked_array([[None if value is None else str(value) for value in values.to_pylist()]])
    encoded = Table(pa.table({column: values})).values(column).dictionary_encode(null_encoding="encode")
    ids = ["" if value is None else text_of(value) for value in encoded.dictionary.to_pylist()]
    return ids, encoded.indices.to_numpy(zero_copy_only=False)


def _no_column(data: Dataset, column: str, option: str) -> DataError:
    """Return the error for a column of ids that does not exist, or that was left out."""
    names = () if data.table is None else data.table.names
    listed = ", ".join(f"'{shorten(name)}'" for name in names) or "none"
    why = data.origin.why_missing(column)
    if not why:
        near = did_you_mean(column, names)
        return DataError(
            f"{option}=: {data.origin.name} has no column '{shorten(column)}'{near}; other columns: {listed}."
        )
    reason = why.removesuffix(", so it is left out")
    return DataError(
        f"{reason}, so it cannot be the {KINDS[option]} column of {data.origin.name} ({option}=): every row of a "
        f"record needs the same value, and none may be blank. Correct the rows, or name another column; other columns: "
        f"{listed}."
    )


def _refuse_missing(data: Dataset, column: str, missing: Any) -> None:
    """Refuse records without a person: all of them would count as one person."""
    count = int(np.count_nonzero(missing))
    if not count:
        return
    first = int(np.argmax(missing))
    how_many = f"{count:,} such record{'' if count == 1 else 's'}"
    raise DataError(
        f"{data.origin.source}, {data.origin.place(first)}: the person column '{shorten(column)}' is empty "
        f"({how_many}), but every record needs a person: fill it in, or leave such records out with where=."
    )
