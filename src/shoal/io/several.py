"""Several columns of sets. They are read as a table without sets, extracted from it, and put back to be written.

So a format only needs to know how a column of its tables holds sets. The items of all columns form one universe.
:class:`~shoal.data.tags.Tags` keep them distinct: ``diagnoses.flu``, ``drugs.aspirin``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from shoal.caching import cached_property
from shoal.data import Dataset, Table, Transactions, canonical_order
from shoal.data.arrays import csr_from_pairs, row_ids
from shoal.data.source_layout import MARKS, SourceLayout
from shoal.data.tags import Tags, joint_label
from shoal.errors import DataError, OptionError
from shoal.io.cells import fitting
from shoal.io.coding import Encoder
from shoal.io.format import Format, ReaderOptions, check_delimiter
from shoal.io.layout import Plain, SetColumn, arrow_table, set_cells, set_position
from shoal.io.messages import listed, no_column, shorten, shown

__all__ = ["MultiSetLayout", "gather", "joint_label"]


@dataclass(frozen=True, eq=False)
class MultiSetLayout(SourceLayout):
    """The layout of data with several columns of sets."""

    layout: Plain  # the layout of the table without sets
    columns: tuple[SetColumn, ...]
    order: tuple[str, ...]  # the names of all columns, in their original order

    @property
    def set_columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def tags(self) -> Tags:
        """Return the tags of the columns."""
        return Tags(self.set_columns)

    @property
    def marks(self) -> str:
        """Return the separators of items in all columns. A frame may be written to a text file later."""
        marks = (column.item_delimiter for column in self.columns if column.item_delimiter is not None)
        return (self.layout.marks or MARKS) + "".join(mark.strip(" ") or " " for mark in marks)

    @property
    def has_index(self) -> bool:
        """Whether the rows of a frame have an index."""
        return self.layout.has_index

    def reordered(self) -> Self:
        """Return the layout without the places of records and without the index of a frame."""
        return replace(self, layout=self.layout.reordered())

    def place(self, row: int) -> str:
        """Return where a row (counted from 0) is."""
        return self.layout.place(row)

    def as_read(self, label: str) -> str:
        """Return a label as a reader of the written columns gets it."""
        return self.tags.as_read(label)

    def spread(
        self, dataset: Dataset, target: Format, item_delimiter: str | Sequence[str | None] | None = None
    ) -> tuple[Dataset, dict[str, Any], list[str]]:
        """Return the data as a table without sets for a format, the options to read it, and remarks."""
        import pyarrow as pa

        given = delimiters(item_delimiter, len(self.columns))
        rows_of, remarks = _rows_by_column(dataset.transactions, self.tags)
        table = arrow_table(dataset)
        arrays, schema = list(table.columns), table.schema
        marks: dict[str, str | None] = {}
        for column in sorted(self.columns, key=lambda column: self.order.index(column.name)):
            if column.name in schema.names:
                raise DataError(
                    f"Column '{shorten(column.name)}' exists already among the other columns: rename or drop it."
                )
            rows, mark = rows_of[column.name], given[self.columns.index(column)]
            if mark is not None:
                check_delimiter("item_delimiter=", mark)
            elif not target.lists:
                mark, more = fitting(rows, column.item_delimiter or "|", column.name, target.format)
                remarks += more
            marks[column.name] = mark
            kind = (column.list_type or pa.list_(pa.string())) if mark is None else pa.string()
            at = set_position(self.order[: self.order.index(column.name)], schema.names)
            arrays.insert(at, set_cells(rows, mark, kind, target.format))
            schema = schema.insert(at, pa.field(column.name, kind))
        others = Table(table) if dataset.table is None else dataset.table
        whole = replace(others, arrow=pa.table(arrays, schema=schema))
        flat = Dataset(Transactions.nothing(len(dataset)), whole, replace(dataset.origin, layout=self.layout))
        options: dict[str, Any] = {"sets": self.set_columns}
        used = tuple(marks[name] for name in self.set_columns)
        if any(mark is not None for mark in used):
            options["item_delimiter"] = used[0] if len(set(used)) == 1 else used
        return flat, options, remarks


def delimiters(given: str | Sequence[str | None] | None, columns: int) -> tuple[str | None, ...]:
    """Return the item delimiter of each column, given one for all or one for each."""
    if given is None or isinstance(given, str):
        return (given,) * columns
    if len(given) != columns:
        raise OptionError(
            f"item_delimiter= must be one text, or one for each of the {columns} columns of sets, got {len(given)}."
        )
    return tuple(given)


def gather(
    whole: Dataset, columns: Sequence[str], item_delimiter: str | Sequence[str | None] | None, options: ReaderOptions
) -> Dataset:
    """Extract columns of sets from a table that was read without sets."""
    layout, table = whole.origin.layout, arrow_table(whole)
    assert isinstance(layout, Plain)
    for name in columns:
        if name not in table.column_names:
            raise no_column(name, table.column_names, options.source)
    tags = Tags(tuple(columns))
    parts: list[tuple[Transactions, list[str]]] = []
    how: list[SetColumn] = []
    there: set[str] = set()
    for name, mark in zip(columns, delimiters(item_delimiter, len(columns)), strict=True):
        if mark is not None:
            check_delimiter("item_delimiter=", mark)
        coded, column = layout.sets_in(table, name, options.source, mark)
        own = {label.removeprefix(f"{name}.") for label in options.drop_items}
        if options.drop_items:
            there.update(coded.labels, (f"{name}.{text}" for text in coded.labels))
        encoder = Encoder(multiset=options.multiset, drop_items=own.union(options.drop_items))
        encoder.add(coded)
        rows = encoder.transactions()
        labels = [tags.label(name, text) for text in rows.labels]
        for text, label in zip(rows.labels, labels, strict=True):
            if tags.place(label) != (name, text):
                another, item = tags.place(label)
                raise DataError(
                    f"Item {shown(text)} in column '{shorten(name)}' of {options.source} would get the label "
                    f"{shown(label)}, which means {shown(item)} in column '{shorten(another)}': rename it."
                )
        parts.append((rows, labels))
        how.append(column)
    options.tell_missing(there)
    others = table.drop_columns(list(columns))
    return Dataset(
        _together(parts, len(whole)),
        Table(others) if others.column_names else None,
        replace(whole.origin, layout=MultiSetLayout(layout, tuple(how), tuple(table.column_names))),
    )


def _together(parts: list[tuple[Transactions, list[str]]], rows: int) -> Transactions:
    """Merge the rows of all columns, with these labels."""
    order = canonical_order({label for _, labels in parts for label in labels})
    rank = {label: code for code, label in enumerate(order)}
    codes = [np.array([rank[label] for label in labels], dtype=np.int64)[part.items] for part, labels in parts]
    row = [row_ids(part.indptr) for part, _ in parts]
    return Transactions(*csr_from_pairs(np.concatenate(row), np.concatenate(codes), rows), tuple(order))


def _rows_by_column(rows: Transactions, tags: Tags) -> tuple[dict[str, Transactions], list[str]]:
    """Return the rows of each column, with its items in canonical order, and remarks.

    There is a remark on labels that will be read as others.
    """
    places = {label: tags.place(label) for label in rows.in_use().labels}
    remarks = []
    first: dict[tuple[str, str], str] = {}
    for label, (column, text) in places.items():
        if (other := first.setdefault((column, text), label)) != label:
            raise DataError(
                f"Labels {shown(other)} and {shown(label)} would both be written as {shown(text)} in column "
                f"'{shorten(column)}': rename one of them."
            )
    lost = [label for label, place in places.items() if tags.label(*place) != label]
    if lost:
        remarks.append(
            f"Label {shown(lost[0])} belongs to none of the columns {listed(tags.columns)}: it is written to "
            f"'{shorten(places[lost[0]][0])}', and will be read as an item of that column. The label for any item of "
            f"these columns is {shown(tags.joint)}."
        )
    rows_of = {}
    for column in tags.columns:
        order = canonical_order({text for owner, text in places.values() if owner == column})
        code = {(column, text): at for at, text in enumerate(order)}
        code_of = [code.get(places[label], -1) if label in places else -1 for label in rows.labels]
        rows_of[column] = rows.recode(np.array(code_of, dtype=np.int32), order)
    return rows_of, remarks
