"""What is said about a proof is what the figures say."""

from __future__ import annotations

import pytest

from shoal.recoding.solution import Ended, Optimality


def told(loss: float, bound: float, ended: Ended, groupings: float | None = None) -> Optimality:
    return Optimality(loss, bound, ended, rounds=1, clauses=1, groupings_bound=groupings)


@pytest.mark.parametrize(
    ("ended", "proven"), [("proven", True), ("time limit", False), ("interrupted", False), ("no solver", False)]
)
def test_only_a_search_that_ended_by_itself_proves_something(ended: Ended, proven: bool) -> None:
    made = told(0.5, 0.4, ended)
    assert made.proven is proven
    assert made.gap == (0.0 if proven else 0.2)


@pytest.mark.parametrize(
    ("bound", "best", "gap"), [(None, False, None), (0.4, False, 0.2), (0.5, True, 0.0), (0.0, False, 1.0)]
)
def test_the_best_grouping_is_one_that_no_bound_undercuts(bound: float | None, best: bool, gap: float | None) -> None:
    made = told(0.5, 0.5, "proven", bound)
    assert made.best_grouping is best
    assert made.groupings_gap == gap
