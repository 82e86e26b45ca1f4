"""Real files: the shapes that the data's own documentation states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from shoal import io
from shoal.errors import DataError
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"no real data at {DATA}: set SHOAL_DATA")

SHAPES = [
    ("bms-webview-1/transactions.dat", "fimi", 59_602, 497, 267, 2.51),
    ("bms-webview-2/transactions.dat", "fimi", 77_512, 3_340, 161, 4.62),
    ("t10i4d100k/transactions.dat", "fimi", 100_000, 870, 29, 10.1),
    ("groceries/transactions.basket", "basket", 9_835, 169, 32, 4.41),
    ("informs-2005/records.csv", "csv", 26_854, 601, 36, 3.68),
]


@pytest.mark.parametrize(("name", "format", "rows", "items", "longest", "mean"), SHAPES)
def test_shape(tmp_path: Path, name: str, format: str, rows: int, items: int, longest: int, mean: float) -> None:
    data = io.read(DATA / name)
    found = data.transactions
    assert data.origin.layout.format.format == format  # type: ignore[attr-defined]
    assert (len(found), len(found.labels), found.sizes.max()) == (rows, items, longest)
    assert found.sizes.mean() == pytest.approx(mean, abs=0.05 if mean > 10 else 0.005)
    out = tmp_path / Path(name).name
    digest = io.write(data, out)
    back = io.read(out)
    assert np.array_equal(back.transactions.items, found.items)
    assert back.transactions.labels == found.labels
    if format == "fimi":  # items are in order, so not a byte may change
        assert digest == data.origin.sha256


def test_groceries_match_their_hierarchy() -> None:
    leaves = {line.split(";")[0] for line in (DATA / "groceries/hierarchy.csv").read_text().splitlines()}
    assert set(io.read(DATA / "groceries/transactions.basket").transactions.labels) == leaves


def test_informs(tmp_path: Path) -> None:
    source = DATA / "informs-2005/records.csv"
    data = io.read(source, drop_items=["-1", "-9"])
    assert len(data.transactions.labels) == 599
    assert "008" in data.transactions.labels
    assert data.table is not None
    assert data.table.names[:3] == ("id", "DOBMM", "DOBYY")
    assert len(data.table.names) == 11
    io.write(io.read(source), tmp_path / "x.csv")
    ours, theirs = (path.read_bytes().split(b"\r\n") for path in (tmp_path / "x.csv", source))
    assert [line.rpartition(b",")[0] for line in ours] == [line.rpartition(b",")[0] for line in theirs]
    cells = [[sorted(line.rpartition(b",")[2].split()) for line in lines] for lines in (ours, theirs)]
    assert cells[0] == cells[1]


def test_adult_has_no_sets() -> None:
    with pytest.raises(DataError, match="which column holds the sets"):
        io.read(DATA / "adult/adult.csv")
