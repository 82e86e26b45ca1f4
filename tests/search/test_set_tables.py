"""AA by tables of small sets: the same cut and the same statistics as by a walk over the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import Transactions
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.search import set_tables, thinning
from shoal.testing import problems
from tests.budget import examples

km = st.builds(shoal.Km, k=st.integers(2, 5), m=st.integers(1, 4))


@examples(250)
@given(problem=problems(km), data=st.data())
def test_the_walk_is_the_same(problem: shoal.Problem, data: st.DataObject) -> None:
    """For any workers and parts, on all rows and on what is needed of them, and for m=4 on sets of up to two labels."""
    method = shoal.algorithms.AA(label_order=data.draw(st.sampled_from(["support", "leaves"])))
    engine = Engine(workers=data.draw(st.integers(1, 3)), part_rows=data.draw(st.sampled_from([1, 2, 100])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.search.direct.LARGE", 0)
        try:
            plain = shoal.anonymize(problem, algorithm=method)
        except Infeasible:
            return
        patch.setattr(set_tables, "WORTH", 0)
        patch.setattr(set_tables, "PAYS", 10**9)
        if data.draw(st.booleans()):
            patch.setattr(thinning, "LARGE", 0)
            patch.setattr(thinning, "PAYS", 0)
        by_tables = shoal.anonymize(problem, algorithm=method, engine=engine)
    assert by_tables.recoding.published_nodes.tolist() == plain.recoding.published_nodes.tolist()
    assert by_tables.solution.statistics == plain.solution.statistics
    assert by_tables.losses == plain.losses


def test_when_a_table_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The data alone decide: enough items, a table that is not too large, and more sets in the rows than cells."""
    rows = Transactions.from_sets([["a", "b", "c"]] * 10)
    assert not set_tables.may_fit(2, 5, rows)
    monkeypatch.setattr(set_tables, "WORTH", 30)
    assert set_tables.may_fit(2, 5, rows)
    assert not set_tables.may_fit(4, 5, rows)
    assert not set_tables.may_fit(2, 256, rows)
    assert set_tables.fits(14, 2, rows)  # 106 sets of up to two of 14 labels; four times the 30 pairs of the rows
    assert not set_tables.fits(15, 2, rows)  # 121 sets
    monkeypatch.setattr(set_tables, "PAYS", 100)
    monkeypatch.setattr(set_tables, "MOST_BYTES", 0)
    assert not set_tables.fits(32, 2, rows)  # 529 sets; 16 bytes for each of the 30 items
    assert set_tables.fits(30, 2, rows)
    several = rows.of_persons([0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert not set_tables.fits(30, 2, several)


def test_labels_are_numbered_from_left_to_right() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"], "C": ["c1"]}})
    supports = np.ones(len(tree), dtype=np.int64)
    supports[tree.code_of["b2"]] = 0
    labels = set_tables.CutLabels.of(tree, [tree.code_of["A"]], supports)
    assert [tree.labels[node] for node in labels.node_of] == ["A", "B", "b1", "C", "c1"]
    assert labels.label_of.tolist() == [0, 0, 2, -1, 4]
    assert labels.parent.tolist() == [-1, -1, 1, -1, 3]
