"""Columns and sets at the edges: exact bounds, odd numbers, odd labels, and what must not slip through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal import Column, Hierarchy, KKm, Problem
from shoal.data.labels import set_label
from shoal.data.tags import Tags
from shoal.errors import DataError, OptionError
from shoal.hierarchies.intervals import levels
from shoal.models import K


def publish(
    given: Any, algorithm: shoal.algorithms.Algorithm, model: shoal.models.PrivacyModel, **more: Any
) -> shoal.Release:
    data = shoal.read(given, **({"sets": "T"} if "T" in given else {"no_sets": True}))
    return shoal.anonymize(Problem(data, Hierarchy.flat(data.transactions.labels), model, **more), algorithm=algorithm)


def column(release: shoal.Release, name: str) -> list[Any]:
    table = release.dataset.table
    assert table is not None
    values: list[Any] = table.arrow.column(name).to_pylist()
    return values


def test_the_index_of_a_data_frame_is_dropped() -> None:
    """It has no role, and is often a name."""
    pd = pytest.importorskip("pandas")
    sets = [["a"], ["a"], ["b"], ["b"]]
    frame = pd.DataFrame({"age": [19, 22, 30, 31], "T": sets}, index=["Ann", "Bob", "Cid", "Dan"])
    release = publish(frame, shoal.algorithms.Rfirst(), KKm(k=2, m=1))
    assert release.data.index.tolist() == [0, 1, 2, 3]
    assert any("index of the data frame" in note for note in release.notes)
    release = publish(frame.reset_index(drop=True), shoal.algorithms.Rfirst(), KKm(k=2, m=1))
    assert not any("index of the data frame" in note for note in release.notes)


@pytest.mark.parametrize("algorithm", [shoal.algorithms.RmergeR, shoal.algorithms.RmergeT, shoal.algorithms.RmergeRT])
@pytest.mark.parametrize("rum", ["discernibility", "class-size"])
@pytest.mark.parametrize("delta", [0.2, 0.3, 0.6])
def test_sizes_of_classes_are_within_delta_as_published(algorithm: Any, rum: Any, delta: float) -> None:
    """Clusters that end up with equal values are one class."""
    table = pa.table({"x": sorted("abcdefgh" * 3), "y": [str(i % 5) for i in range(24)], "T": [["a"]] * 24})
    said = {"y": Column(type="category")}
    release = publish(table.to_pandas(), algorithm(delta=delta, rum=rum), KKm(k=2, m=1), columns=said)
    sizes = {"discernibility": release.losses["discernibility"] / 24**2}
    sizes["class-size"] = release.losses["average_class_size"] / 24
    assert sizes[rum] <= delta
    assert release.solution.statistics["rum"] == pytest.approx(sizes[rum], abs=1e-12)


@pytest.mark.parametrize(("k", "delta"), [(2, 0), (4, 1)])
def test_exact_bounds_where_costs_are_rounded(k: int, delta: float) -> None:
    """So many digits that the least common denominator is beyond what is counted in."""
    values = ["0.000000000001"] * 2 + ["999.999999999999"] * 2
    if k == 4:
        values[1:3] = ["0.3", "0.7"]
    table = pa.table({"x": values, "T": [["a"]] * 4}).to_pandas()
    release = publish(table, shoal.algorithms.RmergeRT(delta=delta), KKm(k=k, m=1))
    assert release.losses["relational_ncp"] == delta


def test_weights_that_add_up_to_more_than_1_are_named() -> None:
    table = pa.table({"x": ["1", "9"], "y": ["1", "9"], "T": [["a"], ["a"]]}).to_pandas()
    heavy = {"x": Column(weight=1), "y": Column(weight=1)}
    with pytest.raises(shoal.errors.Infeasible, match=r"is 2\.0000.*Allow it by lower weights of the columns"):
        publish(table, shoal.algorithms.RmergeR(delta=1), KKm(k=2, m=1), columns=heavy)


def test_breaks_that_begin_below_the_least_value() -> None:
    begins, ends, made = levels("breaks:18,30,65/30", np.array([19, 22, 70]), np.ones(3, np.int64), 0, "number", "age")
    assert (begins, ends) == (18, 70)
    assert [level.tolist() for level in made] == [[18, 30, 65], [18, 30]]


@pytest.mark.parametrize("items", [["A.b", "A.x,y"], ["A.x,y", "B.f"], ['A.q"', "B.f"], ["A.b", "A. c"]])
def test_labels_of_sets_survive_being_written(items: list[str]) -> None:
    tags, label = Tags(("A", "B")), set_label(items)
    assert tags.label(*tags.place(label)) == label


def test_long_numbers() -> None:
    release = publish(pa.table({"x": [0.1 + 0.2, 0.1, 0.5, 0.7]}).to_pandas(), shoal.algorithms.Cluster(), K(k=2))
    assert "*" not in column(release, "x")
    with pytest.raises(DataError, match="numbers with more digits"):
        publish(pa.table({"x": [1e-20, 1e10]}).to_pandas(), shoal.algorithms.Cluster(), K(k=2))


def test_a_negative_seed() -> None:
    with pytest.raises(OptionError, match="seed must be a whole number of at least 0, got -1"):
        publish(pa.table({"x": ["1", "2"]}).to_pandas(), shoal.algorithms.Cluster(), K(k=2), seed=-1)


def test_long_rows_that_are_alike_take_no_time() -> None:
    """All 2^36 sets of items are in all rows: nobody looks at them one by one."""
    table = pa.table({"x": ["1", "2", "3"] * 20, "T": [[f"i{at}" for at in range(36)]] * 60}).to_pandas()
    release = publish(table, shoal.algorithms.RmergeRT(), KKm(k=5, m="all"))
    assert release.losses["ul"] == 0


def test_an_item_that_is_called_like_a_set() -> None:
    sets = [["a"], ["b"], ["(a,b)"], ["(a,b)"]]
    table = pa.table({"x": ["1"] * 4, "T": sets}).to_pandas()
    with pytest.raises(DataError, match=r"An item has the name '\(a,b\)', which is also the label of a published set"):
        publish(table, shoal.algorithms.Rfirst(), KKm(k=2, m=1))
