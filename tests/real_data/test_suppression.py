"""Real data with suppression: the joint optima, and every method against every other one."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.algorithms.base import Algorithm
from tests.real_data.test_cuts import load, rarest

# The proven optima of cuts with suppression at k=5, fanout 5 over ascending ids; that of m=2 is also in the spec.
JOINT = {("bms-webview-1", 2): 0.0259737, ("bms-webview-1", 3): 0.0753698}


@pytest.mark.parametrize(("name", "m"), JOINT)
def test_the_joint_optima_are_proved(real_data: Path, name: str, m: int) -> None:
    data, tree = load(real_data, name)
    release = shoal.anonymize(
        shoal.Problem(data, tree, shoal.Km(k=5, m=m)), algorithm=shoal.algorithms.OptimalSuppress()
    )
    assert release.optimality is not None
    assert release.optimality.proven
    assert release.losses["ncp"] == pytest.approx(JOINT[name, m], abs=1e-7)
    assert rarest(release.published.rows, m) >= 5


@pytest.mark.parametrize("loss", [shoal.metrics.NCP(), shoal.metrics.LM()], ids=lambda loss: loss.name)
@pytest.mark.parametrize(
    ("k", "m"), [(5, 2), *(pytest.param(*one, marks=pytest.mark.slow) for one in ((5, 3), (50, 2)))]
)
def test_nothing_is_better_than_the_joint_optimum(real_data: Path, k: int, m: int, loss: shoal.metrics.NCP) -> None:
    data, tree = load(real_data, "groceries")
    problem = shoal.Problem(data, tree, shoal.Km(k=k, m=m), loss)
    found = {}
    methods: tuple[Algorithm, ...] = (
        shoal.algorithms.OptimalSuppress(),
        shoal.algorithms.MHgHs(),
        shoal.algorithms.HgHs(),
        shoal.algorithms.Optimal(),
        shoal.algorithms.AA(),
        shoal.algorithms.MM(),
    )
    for method in methods:
        release = shoal.anonymize(problem, algorithm=method)
        assert rarest(release.published.rows, m) >= k
        assert len(release.published.rows) == len(data)
        found[method.name] = release.losses[loss.name]
    assert found["optimal-suppress"] == min(found.values())
    assert found["optimal-suppress"] < found["optimal"] <= found["aa"]


def test_the_tighter_the_limits_the_more_is_lost(real_data: Path) -> None:
    """And never more is suppressed than allowed: counted on the rows as they are."""
    data, tree = load(real_data, "groceries")
    problem = shoal.Problem(data, tree, shoal.Km(k=5, m=2))
    before = sum(map(len, problem.prepared.items.sets()))
    losses = []
    for percent in (100.0, 2.0, 0.5, 0.1, 0.0):
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.OptimalSuppress(max_suppressed=percent))
        assert isinstance(release.recoding, shoal.recoding.GlobalCut)
        gone = set(release.recoding.suppressed_labels)  # single items
        lost = sum(len(row & gone) for row in problem.prepared.items.sets())
        assert lost * 100 <= percent * before
        losses.append(release.losses["ncp"])
    assert losses == sorted(losses)
    assert losses[0] < losses[-1] == shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal()).losses["ncp"]
