"""However a file is cut into pieces, blocks and batches, the data are the same.

Covers: io/text.py, io/format.py, io/source.py.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal import io
from shoal.data import Dataset, Table, Transactions
from shoal.io.source import SourceFile
from shoal.io.text import TextPieces, with_texts

DRAW = random.Random(1)
LABELS = ["1", "2", "10", "Käse", "oat milk", "a,b", 'say "x"', "→", "\U0001f600"]
ROWS = [sorted(DRAW.sample(LABELS, DRAW.randrange(4))) for _ in range(60)]
TEXTS = [DRAW.choice(["", "007", "x, y", 'a "b"', "Zürich", "two\nlines"]) for _ in ROWS]
SUFFIX = {"fimi": ".dat", "basket": ".basket", "arrow stream": ".arrow"}
FORMATS = [*io.FORMATS, "arrow stream"]


def small(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """So many bytes at a time, or rows."""
    monkeypatch.setattr("shoal.io.source._PIECE", size)
    monkeypatch.setattr("shoal.io.csv._BLOCK", max(size, 300))  # no record may be longer
    monkeypatch.setattr("shoal.io.jsonl._BATCH", size)
    monkeypatch.setattr("shoal.io.arrow._ROWS", size)
    monkeypatch.setattr("shoal.io.coding.BATCH_ROWS", size)


def dataset(format: str) -> Dataset:
    """All that a format can hold."""
    rows = [[label.replace(" ", "_") for label in row] for row in ROWS] if format == "fimi" else ROWS
    table = pa.table({"n": pa.array(range(len(rows))), "text": TEXTS})
    return Dataset(Transactions.from_sets(rows), None if format in ("fimi", "basket") else Table(table))


def write(format: str, folder: Path) -> tuple[Path, dict[str, Any]]:
    """A file, and how to read it."""
    path, data = folder / ("x" + SUFFIX.get(format, f".{format}")), dataset(format)
    if format == "arrow stream":
        table = pa.table({"items": ROWS, "n": range(len(ROWS)), "text": TEXTS})
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, 7)
        return path, {"sets": "items"}
    io.write(data, path)
    return path, io.options_to_read(data, path)


@pytest.mark.filterwarnings("ignore:Items in column")
@pytest.mark.parametrize("end", ["", pytest.param(".gz", marks=pytest.mark.slow)])
@pytest.mark.parametrize("format", FORMATS)
def test_pieces_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, end: str) -> None:
    path, options = write(format, tmp_path)
    if end:
        import gzip

        packed = path.with_name(path.name + end)
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    whole = io.read(path, **options)
    assert whole.transactions.sets() == dataset(format).transactions.sets()
    out = tmp_path / f"whole{''.join(path.suffixes)}"
    io.write(whole, out)
    for size in (1, 2, 7, 64, 1000):
        small(monkeypatch, size)
        data = io.read(path, **options)
        assert data.transactions.labels == whole.transactions.labels
        assert data.transactions.items.tolist() == whole.transactions.items.tolist()
        assert data.transactions.indptr.tolist() == whole.transactions.indptr.tolist()
        assert (data.table and data.table.arrow) == (whole.table and whole.table.arrow)
        assert [data.origin.place(row) for row in (0, 59)] == [whole.origin.place(row) for row in (0, 59)]
        assert data.origin.sha256 == whole.origin.sha256
        again = tmp_path / f"parts{''.join(path.suffixes)}"
        io.write(data, again)
        back = io.read(again, **options)
        assert back.transactions.sets() == whole.transactions.sets()
        if format not in ("parquet", "feather", "arrow stream"):  # which are written in groups of rows
            assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("size", [3, 4, 5, 7, 1000])
def test_text_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, mark: bytes) -> None:
    monkeypatch.setattr("shoal.io.source._PIECE", size)
    text = "a\r\nKäse\r\r\n\n→\U0001f600\r"
    (tmp_path / "x").write_bytes(mark + text.encode())
    pieces = TextPieces(SourceFile(tmp_path / "x"))
    assert pieces.bom == bool(mark)
    if size == 5:
        assert pieces.extend()
    parts = list(pieces)
    assert b"".join(parts).decode() == "a\nKäse\n\n\n→\U0001f600\n"
    assert [part.decode() for part in parts]  # no character is cut


def test_lists_that_are_a_part_of_others() -> None:
    lists = pa.array([["a"], ["b", "c"], [], ["b"]])
    renamed = with_texts(lists.slice(1), lambda labels: [label.upper() for label in labels])
    assert renamed.to_pylist() == [["B", "C"], [], ["B"]]
