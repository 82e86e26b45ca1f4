"""Long data: records are what a plain grouping by id gives, in every format. Covers: io/long.py, io/runs.py."""

from __future__ import annotations

import random
import tempfile
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.reading_notes import IdentifyingColumns, IdsKept, IdsReplaced, VaryingColumns
from tests.budget import examples
from tests.io.long_tables import FORMATS, Row, batches_of, columns_of, expected, text_of

IDS = {
    "integers": st.integers(-3, 12),
    "large integers": st.integers(2**53, 2**53 + 9),
    "texts": st.sampled_from(["007", "7", "07", "x", "ä b", "a,b", 'quo"te']),
    "dates": st.integers(0, 9).map(lambda day: date(2024, 1, 1) + timedelta(days=day)),
    "timestamps": st.integers(0, 9).map(lambda hour: datetime(2024, 1, 1, hour, 30, 5)),
}
VALUES = {
    "texts": st.sampled_from(["", "a", "007", "1.50"]),
    "integers": st.integers(0, 2),
    "decimals": st.sampled_from([0.5, 1.25, None]),
    "NaN": st.sampled_from([0.5, -0.0, float("nan")]),
    "nulls": st.sampled_from([None, "x"]),
}
LABELS = st.sampled_from(["milk", "beer", "oat milk", "008", "8", "", "ü"])
QUICK = ("csv", "jsonl", "parquet", "pandas")  # the others go through the same code


@st.composite
def long_tables(draw: st.DrawFn) -> tuple[list[Row], tuple[str, ...]]:
    """The rows of a long table, and the names of its id columns."""
    ids = tuple(f"id{at}" for at in range(draw(st.integers(1, 2))))
    kinds = {name: IDS[draw(st.sampled_from(sorted(IDS)))] for name in ids}
    others = {f"{kind}{constant}": (kind, constant) for kind in sorted(VALUES) for constant in (True, False)}
    used = draw(st.lists(st.sampled_from(sorted(others)), unique=True, max_size=4))
    known: dict[tuple[Any, ...], Any] = {}
    rows = []
    for _ in range(draw(st.integers(1, 25))):
        id_values = {name: draw(kind) for name, kind in kinds.items()}
        row = {**id_values, "item": draw(LABELS)}
        for name in used:
            kind, constant = others[name]
            value = draw(VALUES[kind])
            row[name] = known.setdefault((name, *id_values.values()), value) if constant else value
        rows.append(row)
    return rows, ids


@pytest.mark.parametrize(
    "format", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in FORMATS]
)
@given(long_tables(), st.integers(1, 9), st.integers(150, 400), st.randoms(use_true_random=False))
@examples(100)
def test_records_are_the_rows_of_an_id(
    format: str, table: tuple[list[Row], tuple[str, ...]], size: int, block: int, chance: random.Random
) -> None:
    rows, ids = table
    if chance.random() < 0.5:
        rows = sorted(rows, key=lambda row: [str(row[name]) for name in ids])
    sets, columns = expected(rows, ids, "item")
    with tempfile.TemporaryDirectory() as folder, batches_of(size, block):
        source = FORMATS[format](rows, Path(folder))
        data = shoal.read(source, id_column=ids, item_column="item")
    assert data.transactions.sets() == sets
    assert columns_of(data) == columns


def rows_of(*triples: tuple[Any, Any, Any]) -> list[Row]:
    return [{"basket": basket, "product": product, "store": store} for basket, product, store in triples]


ORDERS = rows_of((12, "milk", 1), (3, "beer", 2), (12, "bread", 1), (3, "beer", 2), (7, "", 1))


@pytest.mark.parametrize("format", FORMATS)
def test_lines_in_any_order_give_the_same_data(format: str, tmp_path: Path) -> None:
    chance = random.Random(4)
    rows = [
        {"basket": basket, "product": f"p{chance.randrange(9)}", "day": basket % 7}
        for basket in range(30)
        for _ in range(chance.randrange(1, 5))
    ]
    shuffled = chance.sample(rows, len(rows))
    with batches_of(7, 100):
        one, other = (
            shoal.read(FORMATS[format](some, tmp_path), id_column="basket", item_column="product")
            for some in (rows, shuffled)
        )
    assert one.transactions.sets() == other.transactions.sets()
    assert columns_of(one) == columns_of(other) == {"day": [str(basket % 7) for basket in range(30)]}


@pytest.mark.parametrize("format", FORMATS)
def test_an_id_with_a_blank_item_is_a_record_without_items(format: str, tmp_path: Path) -> None:
    data = shoal.read(FORMATS[format](ORDERS, tmp_path), id_column="basket", item_column="product")
    assert data.transactions.sets() == [{"beer"}, frozenset(), {"milk", "bread"}]
    assert columns_of(data) == {"store": ["2", "1", "1"]}
    assert data.origin.notes == (IdsReplaced(("basket",)),)


@pytest.mark.parametrize("format", FORMATS)
def test_ids_are_kept_if_wanted(format: str, tmp_path: Path) -> None:
    source = FORMATS[format](ORDERS, tmp_path)
    data = shoal.read(source, id_column="basket", item_column="product", keep_ids=True)
    assert columns_of(data) == {"basket": ["3", "7", "12"], "store": ["2", "1", "1"]}
    assert data.origin.notes == (IdsKept(("basket",)),)


def test_ids_that_are_numbers_are_ordered_by_size_also_in_text_files(tmp_path: Path) -> None:
    rows = rows_of((10, "a", 0), (9, "b", 0), (-2, "c", 0), (0, "d", 0))
    for format in ("csv", "parquet"):
        data = shoal.read(FORMATS[format](rows, tmp_path), id_column="basket", item_column="product")
        assert data.transactions.sets() == [{"c"}, {"d"}, {"b"}, {"a"}]


def test_leading_zeros_tell_ids_and_items_apart(tmp_path: Path) -> None:
    rows = rows_of(("07", "1", 0), ("7", "01", 0), ("07", "001", 0))
    data = shoal.read(FORMATS["csv"](rows, tmp_path), id_column="basket", item_column="product")
    assert data.transactions.sets() == [{"1", "001"}, {"01"}]


@pytest.mark.parametrize("format", FORMATS)
def test_whole_decimals_are_integers(format: str, tmp_path: Path) -> None:
    rows = rows_of((2.0, 1004906.0, 1), (1.0, 5.0, 1), (2.0, 7.0, 1))
    data = shoal.read(FORMATS[format](rows, tmp_path), id_column="basket", item_column="product", keep_ids=True)
    assert data.transactions.sets() == [{"5"}, {"1004906", "7"}]
    assert columns_of(data)["basket"] == ["1", "2"]


def test_several_ids_may_be_given_with_a_comma(tmp_path: Path) -> None:
    rows = [{"store": store, "day": day, "item": item} for store, day, item in [(1, 1, "a"), (1, 2, "b"), (1, 1, "c")]]
    data = shoal.read(FORMATS["csv"](rows, tmp_path), id_column="store, day", item_column="item")
    assert data.transactions.sets() == [{"a", "c"}, {"b"}]
    assert data.origin.notes == (IdsReplaced(("store", "day")),)


def test_columns_that_vary_within_a_record_are_named(tmp_path: Path) -> None:
    rows = [{"id": 1, "price": at, "item": str(at), "store": 3, "cut": at // 2} for at in range(4)]
    for some in (rows, [*rows, {**rows[0], "id": 2}]):
        data = shoal.read(FORMATS["parquet"](some, tmp_path), id_column="id", item_column="item")
        assert data.origin.notes[1:] == (VaryingColumns(("price", "cut")),)
        assert list(columns_of(data)) == ["store"]


def test_a_column_may_vary_over_runs_of_an_id_only() -> None:
    rows = rows_of((1, "a", 5), (2, "b", 5), (1, "c", 6))
    with batches_of(1):
        data = shoal.read(FORMATS["arrow"](rows, Path()), id_column="basket", item_column="product")
    assert data.table is None
    assert data.origin.notes == (IdsReplaced(("basket",)), VaryingColumns(("store",)))


def test_a_column_of_lists_cannot_be_compared_and_is_left_out() -> None:
    rows = [{"basket": 1, "product": "a", "tags": ["x"]}, {"basket": 1, "product": "b", "tags": ["x"]}]
    data = shoal.read(FORMATS["arrow"](rows, Path()), id_column="basket", item_column="product")
    assert data.origin.notes[1] == VaryingColumns(("tags",))


@pytest.mark.parametrize("format", ["csv", "parquet", "pandas"])
def test_a_column_that_nearly_identifies_records_is_left_out(format: str, tmp_path: Path) -> None:
    rows = [
        {"basket": basket, "time": datetime(2024, 1, 1, 0, basket), "store": basket % 3, "product": product}
        for basket in range(40)
        for product in ("a", "b")
    ]
    source = FORMATS[format](rows, tmp_path)
    data = shoal.read(source, id_column="basket", item_column="product")
    assert list(columns_of(data)) == ["store"]
    assert IdentifyingColumns(("time",)) in data.origin.notes
    kept = shoal.read(source, id_column="basket", item_column="product", keep_ids=True)
    assert list(columns_of(kept)) == ["basket", "time", "store"]
    assert columns_of(kept)["time"][1] == text_of(datetime(2024, 1, 1, 0, 1))
