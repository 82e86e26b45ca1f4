"""Columns of Arrow tables are told apart by their names."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import io
from shoal.errors import DataError

LISTS, NUMBERS = pa.array([["a"], ["b"]]), pa.array([1, 2])


@pytest.mark.parametrize("names", [("x", "x", "items"), ("items", "x", "items")])
def test_a_name_that_is_there_twice(tmp_path: Path, names: tuple[str, ...]) -> None:
    table = pa.table([LISTS if name == "items" else NUMBERS for name in names], names=list(names))
    pq.write_table(table, tmp_path / "x.parquet")
    with pa.OSFile(str(tmp_path / "x.feather"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as target:
        target.write_table(table)
    twice = max(names, key=names.count)
    for name in ("x.parquet", "x.feather"):
        with pytest.raises(DataError, match=f"{name}: column '{twice}' occurs twice: rename one"):
            io.read(tmp_path / name)
    with pytest.raises(DataError, match=f"The Table: column '{twice}' occurs twice"):
        io.read(table)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_a_column_without_a_name_is_called_by_its_place(tmp_path: Path, suffix: str) -> None:
    table = pa.table([NUMBERS, LISTS], names=["", "items"])
    if suffix == "parquet":
        pq.write_table(table, tmp_path / "x.parquet")
    else:
        with pa.OSFile(str(tmp_path / "x.feather"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as target:
            target.write_table(table)
    data = io.read(tmp_path / f"x.{suffix}")
    assert data.table is not None
    assert data.table.names == ("(column 1)",)
