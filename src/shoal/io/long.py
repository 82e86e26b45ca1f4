"""Long CSV: one ``id,item`` pair a line. A row is all items of an id; ids keep the order of their first appearance.

An id with an empty item and no other is an empty row. The id is the column beside the sets.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data import Dataset
from shoal.data.arrow import arrow_numbers, arrow_texts, numpy_of
from shoal.errors import DataError, did_you_mean
from shoal.files import FileBytes
from shoal.io import formulas
from shoal.io.coding import Batch, Ragged
from shoal.io.csv import header_line, quoted_columns
from shoal.io.grid import Grid, HeadedLayout, guess_delimiter
from shoal.io.layout import ReaderOptions
from shoal.io.messages import listed, shorten
from shoal.io.text import Text, check_label, glued, quote


@dataclass(frozen=True, kw_only=True, eq=False)
class Long(HeadedLayout):
    """Pairs of an id and an item."""

    format: ClassVar[str] = "long"
    about: ClassVar[str] = "a CSV of id, item pairs, one a line (.csv)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    delimiter: str = ","
    id_column: str = "id"
    item_column: str = "item"
    item_first: bool = False
    parsed: Any = None  # pyarrow.Table of the ids as read
    raw: Any = None  # the same as they stand in the file; None: nothing is quoted

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Group the items by id."""
        text = Text.of(file)
        name = str(file.path)
        grid = Grid.of(text, options.delimiter or guess_delimiter(text, name), name, options)
        at_id, at_item = _positions(grid.names, options, name)
        coded = grid.column(at_id).dictionary_encode()
        row = numpy_of(coded.indices)
        first = np.flatnonzero(np.diff(np.maximum.accumulate(row), prepend=-1))  # ids are numbered as they come
        values = grid.column(at_item)
        if bool(np.any(row[1:] < row[:-1])):  # the items of an id stand apart
            values = values.take(np.argsort(row, kind="stable"))
        items = Ragged(values, np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(first)))]))
        layout = cls(
            header=grid.header,
            escaped_formulas=bool(options.escaped_formulas),
            delimiter=grid.delimiter,
            id_column=grid.names[at_id],
            item_column=grid.names[at_item],
            item_first=at_item < at_id,
            parsed=grid.table([at_id]).take(arrow_numbers(first)),
            raw=grid.table([at_id], raw=True).take(arrow_numbers(first)) if grid.records.raw is not None else None,
            **text.style,
        )
        return layout.dataset(file, options.encode(items), layout.parsed)

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """The id is called as the column that holds it; if none is left, no name of the input's is written.

        Not that of the items either: if a record passed for the header, it is one of its items.
        """
        names = () if dataset.table is None else dataset.table.names
        if len(names) > 1 or "id_column" in given:
            return self, []
        neutral = {"id_column": "id", "item_column": "item"} if self.header else {}
        layout = self.with_options({"id_column": names[0]} if names else neutral)
        return layout.with_header(layout._names)

    def columns(self, table: Any) -> Any:
        """The ids, and nothing else."""
        import pyarrow.compute as pc

        if len(table.column_names) > 1:
            raise DataError(
                f"Format long holds one id and the items, but the data have the columns "
                f"{listed(table.column_names)}: "
                f"write csv, jsonl, parquet or feather, or keep one of them (--columns id)."
            )
        if self.id_column == self.item_column:
            raise DataError(f"Column '{shorten(self.id_column)}' is there already: leave it out (--columns none).")
        ids = quoted_columns(table, self)
        if ids.column_names and len(pc.unique(ids.column(0))) != ids.num_rows:
            raise DataError(
                f"Column '{shorten(ids.column_names[0])}' holds the same id more than once, so format long would merge "
                f"rows: leave it out (--columns none) and rows are numbered."
            )
        return ids

    def head(self, columns: Any) -> list[str]:
        """The two names."""
        return [header_line(self._names, self)] if self.header else []

    @property
    def _names(self) -> list[str]:
        """In the order of the columns."""
        return [self.item_column, self.id_column] if self.item_first else [self.id_column, self.item_column]

    def lines(self, batch: Batch) -> list[str]:
        """A pair for each item; an empty row is an id with an empty item."""
        import pyarrow as pa

        for label in batch.labels:
            check_label(label, "\r\0", self.format, "jsonl or parquet")
        if batch.columns is None or not batch.columns.column_names:
            ids = arrow_numbers(np.arange(batch.first + 1, batch.first + len(batch) + 1)).cast(pa.large_string())
        else:
            ids = batch.columns.column(0).combine_chunks()
        sizes = np.diff(batch.indptr)
        codes = np.insert(batch.codes, batch.indptr[:-1][sizes == 0], len(batch.labels))
        texts = arrow_texts([*batch.labels, ""])
        texts = quote(formulas.escaped(texts) if self.escaped_formulas else texts, self.delimiter)
        row_of = np.repeat(np.arange(len(batch)), np.maximum(sizes, 1))
        pair = [ids.take(arrow_numbers(row_of)), texts.take(arrow_numbers(codes))]
        if self.item_first:
            pair.reverse()
        lines: list[str] = glued(pair, self.delimiter).to_pylist()
        return lines

    def place(self, row: int) -> str:
        """The id tells the row."""
        return (
            f"row {row + 1}"
            if self.parsed is None
            else f"{self.id_column} {shorten(self.parsed.column(0)[row].as_py())}"
        )


def _positions(names: list[str], options: ReaderOptions, name: str) -> tuple[int, int]:
    """Where id and item stand; by default they are the first and the second column."""
    for wanted in (options.id_column, options.item_column):
        if wanted is not None and wanted not in names:
            raise DataError(f"{name} has no column '{wanted}'{did_you_mean(wanted, names)}: it has {listed(names)}.")
    if len(names) != 2:
        raise DataError(
            f"{name}: format long needs exactly two columns, an id and an item, got {len(names)} ({listed(names)}): "
            f"take the others out, since they may differ from item to item of one id."
        )
    if options.id_column is None and options.item_column is None:
        return 0, 1
    at_id = 1 - names.index(options.item_column) if options.item_column is not None else 0
    if options.id_column is not None:
        at_id = names.index(options.id_column)
    if names[1 - at_id] != (options.item_column or names[1 - at_id]):
        raise DataError(f"{name}: --id-column and --item-column must differ, got '{options.id_column}' twice.")
    return at_id, 1 - at_id
