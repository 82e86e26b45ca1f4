"""Tables: the columns that are not sets."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.data.table import Table


@pytest.mark.parametrize(
    "values",
    [
        pl.Series(["x", "y", None]),
        pl.Series([b"x", b"y", None]),
        pl.Series([["x"], [], None]),
        pl.Series([{"a": "x"}, {"a": "y"}, None]),
        pl.Series([[{"a": ["x"]}], [], None]),
        pl.Series(["x", "y", None], dtype=pl.Categorical),
        pl.Series([1, 2, None]),
    ],
    ids=lambda values: str(values.dtype),
)
def test_rows_of_polars_columns_can_be_taken(values: pl.Series) -> None:
    """Polars hands over views of strings, which Arrow cannot take rows of."""
    table = Table(pl.DataFrame({"beside": values}).to_arrow(compat_level=pl.CompatLevel.newest()))
    assert table.take(np.array([1, 0])).arrow.column("beside").to_pylist() == values.to_list()[1::-1]


def test_polars_frames_are_anonymized_part_by_part() -> None:
    frame = pl.DataFrame({"items": [["a", "b"]] * 4, "age": ["40", "61", "40", "61"]})
    tree = shoal.Hierarchy.from_tree({"*": {"A": ["a", "b"]}})
    problem = shoal.Problem(shoal.read(frame), tree, shoal.KKm(k=2, m=1))
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst(within="optimal")).verdict.holds
