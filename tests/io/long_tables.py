"""Long tables in every tabular format, and the slow way to group them."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from shoal.data import Dataset

Row = dict[str, Any]


def text_of(value: Any) -> str:
    """A value as it stands in a text file; the same for a value that came back from any format."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | datetime):
        return value.isoformat().replace("T", " ")
    return str(value)


def write_delimited(rows: list[Row], path: Path, delimiter: str) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out, delimiter=delimiter)
        writer.writerow(rows[0])
        writer.writerows([text_of(value) for value in row.values()] for row in rows)
    return path


def write_json(rows: list[Row], path: Path) -> Path:
    lines = [
        {
            name: None if text_of(value) == "" and value != "" else value if type(value) is int else text_of(value)
            for name, value in row.items()
        }
        for row in rows
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def write_parquet(rows: list[Row], path: Path) -> Path:
    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path, row_group_size=7)
    return path


def write_feather(rows: list[Row], path: Path) -> Path:
    pyarrow.feather.write_feather(pa.Table.from_pylist(rows), path, chunksize=3)
    return path


def relation(rows: list[Row], _: Path) -> Any:
    table = pa.Table.from_pylist(rows)
    return duckdb.connect().from_arrow(table)


FORMATS: dict[str, Callable[[list[Row], Path], Any]] = {
    "csv": lambda rows, folder: write_delimited(rows, folder / "long.csv", ","),
    "tsv": lambda rows, folder: write_delimited(rows, folder / "long.tsv", "\t"),
    "jsonl": lambda rows, folder: write_json(rows, folder / "long.jsonl"),
    "parquet": lambda rows, folder: write_parquet(rows, folder / "long.parquet"),
    "feather": lambda rows, folder: write_feather(rows, folder / "long.feather"),
    "arrow": lambda rows, _: pa.Table.from_pylist(rows),
    "pandas": lambda rows, _: pa.Table.from_pylist(rows).to_pandas(),
    "polars": lambda rows, _: pl.from_arrow(pa.Table.from_pylist(rows)),
    "duckdb": relation,
}


@contextmanager
def batches_of(rows: int, bytes_at_once: int = 1 << 22) -> Iterator[None]:
    """Read so many rows at a time, or bytes of a CSV file."""
    with ExitStack() as stack:
        stack.enter_context(patch("shoal.io.arrow._ROWS", rows))
        stack.enter_context(patch("shoal.io.jsonl._BATCH", rows))
        stack.enter_context(patch("shoal.io.csv._BLOCK", bytes_at_once))
        stack.enter_context(patch("shoal.io.source._PIECE", bytes_at_once))
        yield


def grouped(rows: list[Row], ids: tuple[str, ...], item: str) -> dict[tuple[Any, ...], list[Row]]:
    """The rows of each id, in the order of the ids."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in ids), []).append(row)
    return dict(sorted(groups.items()))


def expected(rows: list[Row], ids: tuple[str, ...], item: str) -> tuple[list[frozenset[str]], dict[str, list[str]]]:
    """The sets of all records, and the columns that are constant within each of them, as texts."""
    groups = list(grouped(rows, ids, item).values())
    sets = [frozenset(text_of(row[item]) for row in group if text_of(row[item]).strip()) for group in groups]
    names = [name for name in rows[0] if name not in (*ids, item)]
    constant = [name for name in names if all(len({text_of(row[name]) for row in group}) == 1 for group in groups)]
    return sets, {name: [text_of(group[0][name]) for group in groups] for name in constant}


def columns_of(data: Dataset) -> dict[str, list[str]]:
    """The columns beside the sets, as texts."""
    if data.table is None:
        return {}
    return {name: list(map(text_of, data.table.arrow.column(name).to_pylist())) for name in data.table.names}
