"""Real order lines are grouped, joined and filtered as pandas does. Covers: io/long.py, io/join.py, io/reading.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import shoal
from shoal.data import Dataset
from shoal.data.reading_notes import IdentifyingColumns, Joined, VaryingColumns
from tests.conftest import DATA

FOLDER = DATA / "complete-journey"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"no real data at {FOLDER}: set SHOAL_DATA")

BASKETS = {"id_column": "basket_id", "item_column": "product_id"}
CONSTANT = ("household_id", "store_id", "week")
LINES = 200_000  # for what is tried in several ways


@pytest.fixture(scope="module")
def lines() -> pd.DataFrame:
    return pd.read_parquet(FOLDER / "transactions.parquet")


@pytest.fixture(scope="module")
def some(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the first lines in several formats and orders."""
    folder = tmp_path_factory.mktemp("journey")
    table = pa.parquet.read_table(FOLDER / "transactions.parquet").slice(0, LINES).replace_schema_metadata(None)
    pa.parquet.write_table(table, folder / "lines.parquet")
    pa.csv.write_csv(table, folder / "lines.csv")
    shuffled = table.take(np.random.default_rng(5).permutation(LINES))
    pa.parquet.write_table(shuffled, folder / "shuffled.parquet")
    (folder / "parts").mkdir()
    for at, start in enumerate(range(0, LINES, LINES // 3)):
        pa.parquet.write_table(shuffled.slice(start, LINES // 3), folder / "parts" / f"part-{at}.parquet")
    pa.csv.write_csv(pa.parquet.read_table(FOLDER / "products.parquet"), folder / "products.csv")
    return folder


def pairs(data: Dataset) -> pd.DataFrame:
    """The record and the label of each item."""
    rows = data.transactions
    labels = np.array(rows.labels, dtype=object)[rows.items]
    return pd.DataFrame({"record": np.repeat(np.arange(len(rows)), rows.sizes), "item": labels})


def grouped(lines: pd.DataFrame, item: str) -> pd.DataFrame:
    """The same with pandas: baskets in the order of their ids."""
    record = pd.factorize(lines["basket_id"], sort=True)[0]
    return pd.DataFrame({"record": record, "item": lines[item].astype(str)}).drop_duplicates()


def same_pairs(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    keys = ["record", "item"]
    return bool(one.sort_values(keys).reset_index(drop=True).equals(other.sort_values(keys).reset_index(drop=True)))


def test_baskets_are_those_of_pandas(lines: pd.DataFrame) -> None:
    data = shoal.read(FOLDER / "transactions.parquet", **BASKETS)
    assert len(data) == 155_848
    assert same_pairs(pairs(data), grouped(lines, "product_id"))
    assert data.table is not None
    assert data.table.names == CONSTANT
    first = lines.groupby("basket_id", sort=True)[list(CONSTANT)].first().reset_index(drop=True)
    assert data.table.arrow.to_pandas().equals(first)
    assert IdentifyingColumns(("transaction_timestamp",)) in data.origin.notes
    discounts = ("retail_disc", "coupon_disc", "coupon_match_disc")
    assert VaryingColumns(("quantity", "sales_value", *discounts)) in data.origin.notes


def columns(data: Dataset) -> dict[str, list[Any]]:
    assert data.table is not None
    return {name: list(map(str, data.table.arrow.column(name).to_pylist())) for name in data.table.names}


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "copy", [pytest.param("lines.csv", marks=SLOW), "shuffled.parquet", "parts", "parts/part-*.parquet"]
)
def test_copies_give_the_same_records(some: Path, copy: str) -> None:
    one = shoal.read(some / "lines.parquet", **BASKETS)
    other = shoal.read(some / copy, **BASKETS)
    assert one.transactions.labels == other.transactions.labels
    assert np.array_equal(one.transactions.indptr, other.transactions.indptr)
    assert np.array_equal(one.transactions.items, other.transactions.items)
    assert columns(one) == columns(other)


@pytest.mark.parametrize(("orders", "products"), [("lines.parquet", FOLDER / "products.parquet"), ("lines.csv", None)])
def test_product_types_are_those_of_a_merge(
    some: Path, lines: pd.DataFrame, orders: str, products: Path | None
) -> None:
    path = products or some / "products.csv"
    data = shoal.read(
        some / orders,
        id_column="basket_id",
        item_column="product_type",
        join=f"{path}:product_id",
        where="product_type is not null and week <= 4",
    )
    merged = lines[:LINES].merge(pd.read_parquet(FOLDER / "products.parquet"), on="product_id", how="left")
    known = merged[merged["product_type"].fillna("").str.strip().ne("") & (merged["week"] <= 4)]
    assert same_pairs(pairs(data), grouped(known, "product_type"))
    assert isinstance(data.origin.notes[0], Joined)


def test_quantities_are_those_of_a_sum(lines: pd.DataFrame) -> None:
    some = lines[:20_000]
    data = shoal.read(some, **BASKETS, quantity_column="quantity", multiset=True, where="quantity >= 1")
    bought = some[some["quantity"] >= 1]
    sums = bought.groupby(["basket_id", "product_id"], as_index=False)["quantity"].sum()
    sums["label"] = sums["product_id"].astype(str) + "*" + sums["quantity"].astype(str)
    assert same_pairs(pairs(data), grouped(sums, "label"))
