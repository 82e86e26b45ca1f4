"""NCP by hand: what is intact costs nothing, a group its share of the domain, what is removed everything."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.metrics.comparison import Comparison
from shoal.metrics.ncp import NCP
from shoal.recoding import GlobalCut

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROWS = TREE.encode(shoal.data.Transactions.from_sets([["a1", "b1"], ["a2", "b1"], ["b2"]]))  # 5 occurrences, 4 items
RAW = shoal.published.Published.plain(ROWS)


@pytest.mark.parametrize(
    ("raised", "suppressed", "penalties"),
    [
        ([], [], 0),
        (["A"], [], 2 * 2 / 4),
        (["ALL"], [], 5),
        ([], ["b1"], 2),
        (["A"], ["b1"], 2 * 2 / 4 + 2),
    ],
)
def test_by_hand(raised: list[str], suppressed: list[str], penalties: float) -> None:
    nodes = [TREE.code_of[label] for label in raised]
    gone = np.array([TREE.code_of[label] for label in suppressed], dtype=np.int32)
    cut = GlobalCut.raising(TREE, nodes, gone)
    assert NCP().of(Comparison(RAW, cut.apply(ROWS)))["ncp"] == pytest.approx(penalties / 5, abs=1e-12)
