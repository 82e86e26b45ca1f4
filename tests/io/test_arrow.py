"""Parquet and Feather files: what Arrow itself does not look at."""

from __future__ import annotations

import contextlib
import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import io as shoal
from shoal.errors import DataError, ShoalError
from tests.conftest import Shell


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (pa.array([0, 3, 4], pa.int32()), pa.array([0, 3, 40_000_000], pa.int32())),  # rows beyond the items
        (pa.array([0, 2, 4, 6, 8], pa.int32()), pa.array([0, 2, -4, 6, 8], pa.int32())),  # texts before the first
        (b"aabbccdd", b"aabb\xff\xfedd"),  # no text
    ],
    ids=["rows", "texts", "characters"],
)
def test_a_damaged_feather_file_is_refused(shell: Shell, old: object, new: object) -> None:
    table = pa.table({"items": [["aa", "bb", "cc"], ["dd"]]})
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    content, right, wrong = file.getvalue(), _raw(old), _raw(new)
    assert content.count(right) == 1
    shell.write("d.feather", content)
    assert shell("verify", "d.feather", "--k", "2")[0] == 1
    shell.write("d.feather", content.replace(right, wrong))
    assert "d.feather is not a feather file" in shell.fails("verify", "d.feather", "--k", "2")


def test_a_name_that_is_no_text(shell: Shell) -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"items": [["aa"], ["bb"]]}), file)
    shell.write("d.parquet", file.getvalue().replace(b"items", b"it\xe9ms"))
    assert "d.parquet is not a parquet file" in shell.fails("verify", "d.parquet", "--k", "2")


def _raw(part: object) -> bytes:
    return part if isinstance(part, bytes) else part.buffers()[1].to_pybytes()  # type: ignore[attr-defined]


def _written(table: pa.Table, suffix: str) -> bytes:
    file = io.BytesIO()
    if suffix == "parquet":
        pq.write_table(table, file)
    else:
        with (pa.ipc.new_file if suffix == "feather" else pa.ipc.new_stream)(file, table.schema) as writer:
            writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_a_file_that_was_cut_is_refused(tmp_path: Path, suffix: str) -> None:
    content = _written(pa.table({"items": [["a", "b"], ["c"]] * 50, "n": range(100)}), suffix)
    path = tmp_path / f"x.{suffix}"
    for size in (0, 1, 3, 8, 100, len(content) // 2, len(content) - 9, len(content) - 1):
        path.write_bytes(content[:size])
        if suffix == "arrow" and size == len(content) - 1:
            continue  # the end of a stream may be missing
        with pytest.raises(DataError, match=rf"x\.{suffix} (is not a |is empty|holds no records)") as caught:
            shoal.read(path)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["parquet", "feather", "arrow"])
def test_any_changed_byte_is_read_or_refused(tmp_path: Path, suffix: str) -> None:
    content = _written(pa.table({"items": [["a", "bb"], []], "t": ["x", None]}), suffix)
    path, draw = tmp_path / f"x.{suffix}", random.Random(1)
    for _ in range(150):
        changed = bytearray(content)
        changed[draw.randrange(len(content))] = draw.randrange(256)
        path.write_bytes(changed)
        with contextlib.suppress(ShoalError):
            shoal.read(path)


@pytest.mark.parametrize("suffix", ["parquet", "feather"])
def test_metadata_of_the_input_are_not_published(tmp_path: Path, suffix: str) -> None:
    field = pa.field("n", pa.int64(), metadata={"a": "secret"})
    schema = pa.schema([field, ("items", pa.list_(pa.string()))], metadata={"b": "secret"})
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(_written(pa.table([[1], [["a"]]], schema=schema), suffix))
    shoal.write(shoal.read(path), tmp_path / f"y.{suffix}")
    assert b"secret" in path.read_bytes()
    assert b"secret" not in (tmp_path / f"y.{suffix}").read_bytes()


def test_texts_are_split_if_told(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": ["x|y", None], "b": pa.array(["u v", "w"]).dictionary_encode(), "n": [1, 2]}), path)
    assert shoal.read(path, sets="a", item_delimiter="|").transactions.sets() == [{"x", "y"}, set()]
    assert shoal.read(path, sets="b", item_delimiter=" ").transactions.sets() == [{"u", "v"}, {"w"}]
    for options, message in [
        ({"sets": "a"}, "column 'a' must hold lists of items, got strings: pass item_delimiter= to split them"),
        ({"item_delimiter": "|"}, r"x\.parquet has 2 columns of strings \('a', 'b', 'n'\): pass sets="),
        ({"sets": "n", "item_delimiter": "|"}, "column 'n' must hold lists of items, got int64: make it a list"),
        ({}, r"x\.parquet has no list column .*pass id_column= and item_column="),
    ]:
        with pytest.raises(DataError, match=message):
            shoal.read(path, **options)
