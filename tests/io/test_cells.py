"""What separates the items of a cell: guessed from all cells, and chosen so that it can be guessed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from shoal import io
from shoal.data import Transactions
from shoal.errors import DataError
from shoal.io.cells import CellStatistics, check_items, fitting


def guess(*parts: list[str]) -> str:
    statistics = CellStatistics()
    for part in parts:
        statistics.add(pa.array(part, pa.large_string()))
    return statistics.guess("x", "data.csv")


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["a|b", "c"], "|"),
        (["a|b;c", "d, e"], "|"),
        (["a;b", "c d"], ";"),
        (["a, b", "c, d, e"], ", "),
        (["a, b", "c,d"], ","),
        (["a b", "c"], " "),
        (["a", "b"], "|"),
        (["", ""], "|"),
        (["a\tb"], "\t"),
        (["[a]|b", "c", "d"], "|"),
    ],
)
def test_guesses(cells: list[str], mark: str) -> None:
    assert guess(cells) == mark
    assert guess(*[[cell] for cell in cells]) == mark
    assert guess(*[[cell] for cell in reversed(cells)]) == mark


def test_what_is_unclear_is_asked_for() -> None:
    with pytest.raises(DataError, match=r"data\.csv: the items in column 'x' may be separated by ';' or ','"):
        guess(["a;b"], ["c,d"])
    with pytest.raises(DataError, match="look like lists in brackets: separate the items by a delimiter"):
        guess(["['a', 'b']", "{c}", "d"])


def test_a_guess_is_confirmed_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first block has spaces only: the file is read a second time."""
    monkeypatch.setattr("shoal.io.csv._BLOCK", 16)
    monkeypatch.setattr("shoal.io.source._PIECE", 16)
    (tmp_path / "x.csv").write_text("n,items\n" + "1,oat milk\n" * 3 + "2,oat milk;beer\n" * 3)
    data = io.read(tmp_path / "x.csv")
    assert data.transactions.labels == ("beer", "oat milk")
    assert data.origin.layout.item_delimiter == ";"  # type: ignore[attr-defined]
    assert data.table is not None
    assert len(data.table.arrow) == 6


@pytest.mark.parametrize(
    ("labels", "mark", "chosen", "remark"),
    [
        (["a", "b"], "|", "|", ""),
        (["a b", "c"], " ", "|", "now separated by '|': a published label contains a space"),
        (["a|b", "c"], "|", ";", "now separated by ';': a published label contains '|'"),
        (["(a,b)", "c"], ";", "|", "now separated by '|': labels such as (A,B) contain commas"),
        (["a|;,\t", "c"], "|", "/", "a reader of the file would not guess: pass item_delimiter='/'"),
    ],
)
def test_marks_that_fit(labels: list[str], mark: str, chosen: str, remark: str) -> None:
    rows = Transactions.from_sets([labels])
    fit, remarks = fitting(rows, mark, "x", "csv")
    assert fit == chosen
    assert remark in " ".join(remarks)
    assert bool(remarks) == bool(remark)


def test_labels_that_would_be_taken_apart() -> None:
    check_items(["a b", "c;d"], "|", "csv")
    for label, message in [("a|b", "contains '|', which separates"), ("a\r", "a carriage return"), (" ", "is blank")]:
        with pytest.raises(DataError, match=message.replace("|", r"\|")):
            check_items([label], "|", "csv")
