"""P2's Figs. 7g and 7h: UL after each merge. Traces of searches, so no grid."""

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
from shoal.search.set_generalizer import STEPS, Method, SetGeneralizer

TINY = 1e-6  # a rise of UL that counts
ORDERS: tuple[By, ...] = ("r", "t", "rt")
READINGS: tuple[Method, ...] = ("sets-ul", "aa")
SEEDS = (1, 2, 3)
DIVERSE = "informs, (k,l^m)"


def rows(*, again: bool = False) -> list[dict[str, Any]]:
    """What was measured before, or is now."""
    return stored("p2-merges", _traced, KEPT, again=again)


def cases() -> Iterator[Case]:
    """What is traced: 4,000 patients, as in P2, for both models; and generated records."""
    patients, model = few("p2-fig7"), few("p2-fig5").model
    videos = DatasetSpec(label="videos", generate="videos", generator={"rows": 8_000, "seed": 0}, fanout=5)
    for seed in SEEDS:
        yield Case(patients.data, patients.model, shoal.algorithms.RmergeR(), seed)
        yield Case(patients.data, model, shoal.algorithms.RmergeR(), seed)
    yield Case(videos, shoal.KKm(k=100, m=2), shoal.algorithms.RmergeR(), SEEDS[0])  # takes as long as all others


def few(grid: str) -> Case:
    """The first case of a grid for patients, on as few records as P2 traces where the grid has samples."""
    known = grid_file.load(grid_file.named()[grid], REAL).cases
    found = [case for case in known if case.model.name != "k" and case.data.sample in (0, 4_000)]
    return next((case for case in found if case.data.sample), found[0])


def _traced() -> Iterator[dict[str, Any]]:
    """With delta = 1 Rum-bound merges everything, and with 0 Tum-bound does, in the same order."""
    for case in cases():
        problem = case.problem()
        name = DIVERSE if case.model.name == "k-lm" else case.data.label.partition(",")[0]
        for reading in READINGS:
            for by in ORDERS:
                place = {"data": name, "reading": reading, "seed": case.seed}
                yield from (place | row for row in merging(problem, by, reading))


def merging(problem: shoal.Problem, by: By, reading: Method = "sets-ul") -> Iterator[dict[str, Any]]:
    """UL after each merge, down to one cluster, and what the union alone lost or won."""
    raw = problem.prepared.relational
    assert raw is not None
    scale = NcpScale.of(raw)
    formed = FORMATIONS["cluster"](raw, scale, problem.model.values()["k"], problem.seed, LOCAL)
    clusters = Clusters(problem.prepared, scale, formed, LOCAL, by=by)
    clusters.merge_infeasible()
    within = SetGeneralizer(problem.prepared, reading)
    sums = dict(zip(clusters.rows, LOCAL.map("sets", within.loss, list(clusters.rows.values())), strict=True))
    size, before = clusters.n * STEPS, math.fsum(sums.values())
    yield {"by": by, "merges": 0, "ul": before / size, "clusters": len(sums)}
    for done, merge in enumerate(clusters.merges(), 1):
        del sums[merge.gone]
        sums[merge.number] = within.loss(merge.rows, LOCAL)
        total = math.fsum(sums.values())
        yield {"by": by, "merges": done, "ul": total / size, "clusters": len(sums), "rise": (total - before) / size}
        before = total
