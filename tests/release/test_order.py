"""The order in which records are published where some person has several."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from shoal.data import Dataset, Table, Transactions
from shoal.release.order import by_content

SETS = [["tea"], ["ale", "tea"], [], ["ale"], ["tea"], ["10"], ["9", "ale"]]


def records(data: Dataset) -> list[Any]:
    rows: list[Any] = [sorted(one) for one in data.transactions.sets()]
    columns = [] if data.table is None else data.table.arrow.to_pylist()
    return list(zip(rows, columns, strict=True)) if columns else rows


def test_sets_are_sorted_label_by_label() -> None:
    data = Dataset(Transactions.from_sets(SETS))
    order = by_content(data)
    assert records(data.reordered(order)) == [[], ["9", "ale"], ["10"], ["ale"], ["ale", "tea"], ["tea"], ["tea"]]
    assert order.tolist()[-2:] == [0, 4]  # equal ones stay as they stood


@pytest.mark.parametrize(
    "column",
    [
        ["b", "a", None, "", "b", "a", "c"],
        [3, 1, None, 2, 3, 1, 10],
        [0.5, float("nan"), None, -1.0, 0.5, 2.0, 10.0],
        [date(2024, 1, day) for day in (3, 1, 2, 2, 3, 1, 4)],
        [["x"], [], None, ["x", "y"], ["x"], [], ["y"]],
        [True, False, None, True, True, False, False],
    ],
)
def test_the_order_of_the_input_changes_nothing(column: list[Any]) -> None:
    data = Dataset(Transactions.from_sets(SETS), Table(pa.table({"value": column})))
    expected = repr(records(data.reordered(by_content(data))))
    for seed in range(5):
        mixed = data.reordered(np.random.default_rng(seed).permutation(len(data)))
        other = Dataset(  # labels in another order, too
            Transactions.from_sets(mixed.transactions.sets(), ["tea", "ale", "9", "10"]), mixed.table
        )
        assert repr(records(other.reordered(by_content(other)))) == expected


def test_columns_count_before_sets() -> None:
    data = Dataset(
        Transactions.from_sets([["a"], ["b"], ["a"]]), Table(pa.table({"x": ["2", "1", "1"], "y": [0, 5, 6]}))
    )
    assert by_content(data).tolist() == [1, 2, 0]
