"""The population in the labels of the data, and populations that cannot contain them."""

from __future__ import annotations

import numpy as np
import pytest

from shoal import risk
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.published import Published
from tests.risk.test_scenarios import view_of

TREE = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})


def resolved(*rows: list[str]) -> Published:
    return Published.resolve(Transactions.from_sets(rows), TREE)


def test_groups_are_found_in_original_items() -> None:
    people = resolved(["a1"], ["a2", "b1"], ["a1", "a2"], ["b2"], ["A"])
    result = risk.assess(resolved(["A"], ["A", "b1"]), m=1, population=people)
    one = result.scenario(1, "worst")
    assert result.population == 5
    assert one.journalist_max is not None
    assert one.journalist_max.value == 1  # b1 is in one record of the population
    assert one.marketer.value == pytest.approx((1 / 4 + 1) / 2)
    assert one.prosecutor_mean.value == pytest.approx((1 / 2 + 1) / 2)


def test_a_population_without_the_data_is_refused() -> None:
    with pytest.raises(DataError, match=r"population: it must contain the data.*of the whole population"):
        risk.assess(view_of([["a"], ["a"]]), m=1, population=view_of([["b"], ["a"]]))


def test_columns_and_persons_must_be_in_both() -> None:
    view, table, people = view_of([["a"]]), view_of([["a"]], [0]), view_of([["a"]], None, [1])
    with pytest.raises(DataError, match="must both have persons"):
        risk.assess(view, m=1, population=people)
    for one, other in ((view, table), (table, view)):
        with pytest.raises(DataError, match="the same quasi-identifying columns"):
            risk.assess(one, m=1, population=other)


def test_classes_are_matched_by_their_values() -> None:
    view = view_of([["a"], ["a"], ["a"]], [0, 0, 1])
    others = view_of([["a"]] * 6, [1, 0, 0, 1, 1, 2])
    one = risk.assess(view, m=1, population=others).scenario(0, "worst", columns=True)
    assert one.marketer.value == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert np.isclose(one.prosecutor_mean.value, (1 / 2 + 1 / 2 + 1) / 3)
