"""Groups of the items of a cluster that keep items as they are."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import Infeasible
from shoal.testing import problems
from tests.budget import examples


@examples(40)
@given(
    problem=problems(st.builds(shoal.KKm, k=st.integers(2, 4), m=st.integers(1, 2)), max_rows=12),
    weight=st.sampled_from([0.0, 0.1, 1.0]),
)
def test_the_loss_and_the_items_that_change_count_together(problem: shoal.Problem, weight: float) -> None:
    """Nothing else that is safe costs less, by what was asked for; the verifier looks at each."""
    if problem.weights is not None or problem.loss.name != "ncp":
        return
    items = problem.prepared.hierarchy.n_leaves
    costs = {}
    for within in ("best", "sets", "aa"):
        try:
            release = shoal.anonymize(
                problem,
                algorithm=shoal.algorithms.Tfirst(
                    chunks=1, within=within, unchanged_weight=weight if within == "best" else 0
                ),
            )
        except Infeasible:
            return
        added = round(weight * items) / items
        costs[within] = release.losses["ncp"] + added * (1 - release.usefulness.unchanged_share)
    assert costs["best"] <= min(costs.values()) + 1e-9


def test_items_stay_as_they_are_if_that_is_worth_more_than_a_low_mean() -> None:
    """If the three rare items are one group, the frequent one stays alone: 4 of 7 items do not change."""
    rows = [["a"]] * 4 + [["b"]] + [["c"]] + [["d"]]
    data = shoal.read(pa.table({"age": ["30"] * len(rows), "items": rows}), sets="items")
    tree = shoal.Hierarchy.flat(["a", "b", "c", "d"])
    unchanged = {}
    for weight in (0.0, 0.5):
        problem = shoal.Problem(data, tree, shoal.KKm(k=3, m=1))
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst(unchanged_weight=weight))
        unchanged[weight] = release.usefulness.unchanged_share
    assert unchanged[0.5] == 4 / 7
    assert unchanged[0.0] <= unchanged[0.5]
