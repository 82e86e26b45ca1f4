"""Several columns of sets whose labels could not be told apart: refused, when read and when written."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal import io
from shoal.data import Transactions
from shoal.errors import DataError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('A,B\n,"(A.x,B.y)"\n', r"Item '\(A.x,B.y\)' in column 'B' of .*x\.csv would get the label '\(A.x,B.y\)'"),
        ('A,B\n"(A.x,A.y)",p\n', r"Item '\(A.x,A.y\)' .* which means '\(x,y\)' in column 'A': rename it"),
    ],
)
def test_an_item_that_would_be_read_as_another_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.csv").write_text(content)
    with pytest.raises(DataError, match=message):
        io.read(tmp_path / "x.csv", sets=("A", "B"), item_delimiter="|")


@pytest.mark.parametrize("name", ["y.csv", "y.jsonl", "y.parquet"])
def test_labels_are_never_merged_on_writing(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.csv").write_text("A,B\nfoo,p\nx,p\n")
    data = io.read(tmp_path / "x.csv", sets=("A", "B"), item_delimiter="|")
    merged = data.with_transactions(Transactions.from_sets([["A.foo", "B.p"], ["foo", "B.p"]]))
    with pytest.raises(DataError, match=r"'A\.foo' and 'foo' would both be written as 'foo' in column 'A': rename one"):
        io.write(merged, tmp_path / name)
    assert not (tmp_path / name).exists()


def test_what_a_reader_gets(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("A,B\nfoo,p\nx,p\n")
    data = io.read(tmp_path / "x.csv", sets=("A", "B"), item_delimiter="|")
    assert data.as_read() is data
    other = data.with_transactions(Transactions.from_sets([["A.foo", "B.p"], ["foo", "B. ", "A.y"]]))
    assert other.as_read().transactions.sets() == [{"A.foo", "B.p"}, {"A.foo", "A.y"}]
