"""Labels of sets: no two things are published under one label, and a label says which items it covers."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.data.labels import set_label, set_members
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.recoding import LocalSets
from shoal.recoding.sets import present


def test_a_set_that_is_called_like_an_item_is_refused() -> None:
    rows = Transactions.from_sets([["a", "b"], ["(a,b)"]], ["(a,b)", "a", "b"])
    recoding = LocalSets.of_chunks([present(np.array([0, 1, 1]))], np.array([0, 0]))
    with pytest.raises(DataError, match="An item has the name '\\(a,b\\)', which is also the label of a published set"):
        recoding.apply(rows)


@pytest.mark.parametrize("items", [["a", "b, c"], ["a", 'b"'], [" a", "b"], ["a,b", "c"], ["a", "b "]])
def test_a_label_of_a_set_is_read_back(items: list[str]) -> None:
    assert set_members(set_label(items)) == items
    tree = shoal.Hierarchy.flat([*items, "z"])
    published = shoal.published.Published.resolve(Transactions.from_sets([[set_label(items)]]), tree)
    assert {tree.items[code] for code in published.cover(0)} == set(items)
