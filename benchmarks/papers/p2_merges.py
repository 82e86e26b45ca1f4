"""P2's Figs. 7g and 7h: UL after each merge. A trace of one search, so no grid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import shoal
from benchmarks.data import REAL
from benchmarks.papers.common import KEPT
from benchmarks.rt import stored
from shoal.engines import LOCAL
from shoal.evaluation import grid_file
from shoal.evaluation.grid import Case
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.search.clusters import By, Clusters
from shoal.search.formation import FORMATIONS
from shoal.search.ncp_scale import NcpScale
from shoal.search.set_generalizer import STEPS, SetGeneralizer

TINY = 1e-6  # a rise of UL that counts
ORDERS: tuple[By, ...] = ("r", "t", "rt")


def rows(*, again: bool = False) -> list[dict[str, Any]]:
    """What was measured before, or is now."""
    return stored("p2-merges", _traced, KEPT, again=again)


def _traced() -> Iterator[dict[str, Any]]:
    """With delta = 1 Rum-bound merges everything, and with 0 Tum-bound does, in the same order."""
    timed = grid_file.load(grid_file.named()["p2-fig7"], REAL).cases
    patients = next(case for case in timed if case.data.sample == 4_000 and case.privacy.name == "k-km")
    videos = DatasetSpec(label="videos", generate="videos", generator={"rows": 8_000, "seed": 0})
    for case in (patients, Case(videos, shoal.KKmAnonymity(k=100, m=2), shoal.RmergeR(), seed=1)):
        problem = case.problem()
        for by in ORDERS:
            yield from ({"data": case.data.label, **row} for row in merging(problem, by))


def merging(problem: shoal.Problem, by: By) -> Iterator[dict[str, Any]]:
    """UL after each merge, down to one cluster, and what the union alone lost or won."""
    raw = problem.prepared.relational
    assert raw is not None
    scale = NcpScale.of(raw)
    formed = FORMATIONS["cluster"](raw, scale, problem.privacy.values()["k"], 0, LOCAL)
    clusters = Clusters(problem.prepared, scale, formed, LOCAL, by=by)
    clusters.merge_infeasible()
    within = SetGeneralizer(problem.prepared, "sets-ul")
    sums = dict(zip(clusters.rows, LOCAL.map("sets", within.loss, list(clusters.rows.values())), strict=True))
    size, before = clusters.n * STEPS, math.fsum(sums.values())
    yield {"by": by, "merges": 0, "ul": before / size, "clusters": len(sums)}
    for done, merge in enumerate(clusters.merges(), 1):
        del sums[merge.gone]
        sums[merge.number] = within.loss(merge.rows, LOCAL)
        total = math.fsum(sums.values())
        yield {"by": by, "merges": done, "ul": total / size, "clusters": len(sums), "rise": (total - before) / size}
        before = total
