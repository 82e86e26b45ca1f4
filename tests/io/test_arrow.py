"""Parquet and Feather files: what Arrow itself does not look at."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
