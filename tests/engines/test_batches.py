"""Record batches in memory and in files without a name: the same table, and clear errors."""

from __future__ import annotations

import gc
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import batches
from shoal.engines.batches import CollectedBatches, release_batches
from shoal.errors import OutputError

ROW = st.tuples(
    st.none() | st.integers(-5, 5),
    st.none() | st.text(max_size=3),
    st.none() | st.sampled_from(["x", "y", "z"]),
    st.none() | st.lists(st.text(max_size=2), max_size=2),
)
KINDS = (pa.int64(), pa.string(), pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.large_string()))


def _batch(rows: list[Any]) -> Any:
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(KINDS)]
    return pa.record_batch(columns, names=list("abcd"))


@given(parts=st.lists(st.lists(ROW, max_size=5)), memory=st.sampled_from([16, 5_000, 10**6]))
def test_batches_become_one_table(parts: list[list[Any]], memory: int) -> None:
    """Every batch has its own dictionary."""
    made = [_batch(rows) for rows in parts]
    columns = CollectedBatches(_batch([]).schema, memory)
    columns.extend(made)
    table = columns.table()
    assert table.schema == _batch([]).schema
    expected = [row for rows in parts for row in rows]
    for _ in range(2):  # columns can be read again after their memory was let go
        assert list(zip(*(column.to_pylist() for column in table.columns), strict=True)) == expected
        release_batches()


def test_slices_are_written_alone(tmp_path: Path) -> None:
    whole = pa.record_batch({"a": pa.array([f"text {at}" for at in range(1_000)])})
    columns = CollectedBatches(whole.schema, 64, tmp_path)
    columns.extend([whole.slice(10, 5), whole.slice(990)])
    assert columns.table().column("a").to_pylist() == [f"text {at}" for at in (*range(10, 15), *range(990, 1_000))]


def test_the_file_has_no_name_and_ends_with_the_table(tmp_path: Path) -> None:
    columns = CollectedBatches(_batch([]).schema, 16, tmp_path)
    columns.append(_batch([(1, "a", "x", ["q"])] * 1_000))
    assert list(tmp_path.iterdir()) == []
    table = columns.table()
    assert list(tmp_path.iterdir()) == []
    gc.collect()
    assert len(batches._MAPPED) == 1
    column = table.column("a")
    del table, columns
    gc.collect()
    assert column.to_pylist() == [1] * 1_000  # it keeps the file
    del column
    gc.collect()
    assert not batches._MAPPED


def test_small_tables_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "open_scratch", lambda folder: pytest.fail("a file for a few rows"))
    made = _batch([(1, "a", "x", [])])
    columns = CollectedBatches(made.schema, 10**6)
    columns.append(made)
    assert columns.table().column("a").chunk(0).buffers()[1].address == made.column(0).buffers()[1].address


def test_memory_is_let_go(tmp_path: Path) -> None:
    columns = CollectedBatches(pa.schema([("a", pa.int64())]), 16, tmp_path)
    columns.append(pa.record_batch({"a": pa.array(range(4 << 20))}))
    table = columns.table()
    gc.collect()
    assert table.column("a").to_numpy().sum() == sum(range(4 << 20))
    before = _resident()
    release_batches()
    assert _resident() < before - (16 << 20)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


COMMAND = (
    "anonymize d.csv --no-sets --model k --k 2 -o out.csv --memory 16M --work-dir work --quasi-identifiers a,b --quiet"
)


def _data(folder: Path) -> None:
    (folder / "work").mkdir()
    lines = (f"{at % 50},value{at % 7}" for at in range(60_000))
    (folder / "d.csv").write_text("\n".join(["a,b", *lines]), encoding="ascii")


def _run(folder: Path, limit: int | None) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", "shoal.cli", *COMMAND.split()]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, preexec_fn=limited)


def test_a_full_disk_while_columns_are_read_is_a_clear_error(tmp_path: Path) -> None:
    """A limit on the size of files is met in the same place as a full disk."""
    _data(tmp_path)
    done = _run(tmp_path, 100_000)
    assert done.returncode == 2
    assert "The work folder work has no space left" in done.stderr
    assert "--work-dir" in done.stderr
    assert list((tmp_path / "work").iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv", "work"]


def test_a_work_folder_that_is_missing_is_a_clear_error(tmp_path: Path) -> None:
    _data(tmp_path)
    (tmp_path / "work").rmdir()
    done = _run(tmp_path, None)
    assert done.returncode == 2
    assert "work" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    columns = CollectedBatches(_batch([]).schema, 16, tmp_path / "file")
    with pytest.raises(OutputError, match="work_dir="):
        columns.append(_batch([(1, "a", "x", [])]))
