"""P2's experiments again (its Figs. 4 to 7): what is lost in columns and sets over delta, and how fast it goes.

Every function yields rows for one family of pictures. Every release is verified (``shoal.anonymize`` makes no other).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import shoal
from benchmarks import rt
from shoal.anonymize import measure_all
from shoal.engines import LOCAL
from shoal.errors import Infeasible
from shoal.metrics.are import are
from shoal.search.clusters import By, Clusters
from shoal.search.formation import FORMATIONS
from shoal.search.within import Within
from shoal.search.yardstick import Yardstick

QUERIES = ((2, 0), (2, 1), (2, 2), (0, 2))  # values and items that a query asks for
RMERGE = {"RmR": "rmerge-r", "RmT": "rmerge-t", "RmRT": "rmerge-rt"}
TMERGE = {"TmR": "tmerge-r", "TmT": "tmerge-t", "TmRT": "tmerge-rt"}
K = {"informs": 25, "videos": 100}  # as in P2
ROWS = {"informs": 0, "videos": 40_000}  # 0: all
DELTAS = {
    "informs": (0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95, 1.0),
    "videos": (0.35, 0.5, 0.65, 0.8, 0.95),
}  # and before them the smallest that is feasible
UL_DELTAS = (0.3, 0.35, 0.45, 0.6, 0.75)
SECRETS = ("042", "V08", "295", "296", "303", "304", "305")  # HIV, psychoses, alcohol and drugs
L = 3
FEW = 4_000  # records for the comparison with the exact distance
SAMPLE = 1  # the seed of all samples
SIZES = (2_000, 4_000, 6_000, 8_000, 10_000, 26_854)
KS = (15, 20, 30, 50, 100)
EXACT_DELTAS = {"r": (0.65, 0.95), "t": (0.35, 0.6)}
REPEATS = 2
SANITY = 0.01  # of all records: the other sanity bound of relative errors, beside 1 record
ONE = shoal.Engine(workers=1)


class Bench:
    """One data set with one guarantee, and the workloads for it."""

    def __init__(self, data: str, privacy: shoal.PrivacyModel, rows: int = 0) -> None:
        self.name = data
        self.problem = rt.problem(data, rt.load(data, rows, SAMPLE if rows else None), privacy)
        self.workloads = {
            (values, items): shoal.Workload.generated(self.problem.raw, 100, values, items, seed=1)
            for values, items in QUERIES
        }

    def row(self, method: str, algorithm: str, delta: float, **options: Any) -> dict[str, Any]:
        """A verified release in figures; or why there is none."""
        place = {"data": self.name, "method": method, "delta": delta}
        start = time.perf_counter()
        try:
            release = shoal.anonymize(self.problem, rt.method(algorithm, delta=delta, **options))
        except Infeasible as reason:
            print(place, str(reason)[:120], flush=True)
            return {**place, "verified": False, "note": str(reason)}
        errors: dict[str, float] = {}
        for (values, items), workload in self.workloads.items():
            found = are(self.problem.raw, release.published, workload)
            bounded = np.abs(found.true - found.expected) / np.maximum(found.true, SANITY * len(self.problem.items))
            errors |= {f"are {values},{items}": found.mean, f"bounded {values},{items}": float(bounded.mean())}
        print(place, f"{time.perf_counter() - start:.1f} s", flush=True)
        return {**place, **rt.figures(release), **errors, "note": ""}

    def timed(self, method: str, algorithm: str, delta: float, **options: Any) -> dict[str, Any]:
        """CPU seconds of the search alone, on one worker; its result is verified after the clock."""
        problem, made = self.problem, rt.method(algorithm, delta=delta, **options)
        used = rt.cpu()
        solution = made.solve(problem, ONE)
        used = rt.cpu() - used
        published = solution.recoding.apply(problem.items, problem.set_apart)
        verdict = problem.privacy.verify(published, ONE)
        assert verdict.holds
        losses = measure_all(problem.raw, published)
        place = {"data": self.name, "method": method, "delta": delta}
        print(place, options, f"{used:.1f} s", flush=True)
        return {**place, "cpu": used, **{name: losses[name] for name in rt.MEASURES}, "verified": verdict.holds}

    def least(self) -> float:
        """NCP of the first clusters, the smallest delta of Rum-bound."""
        return math.ceil(self._started("r").loss * 1e4) / 1e4

    def _started(self, by: By) -> Clusters:
        """The first clusters, before they are merged."""
        raw, k = self.problem.relational, self.problem.privacy.values()["k"]
        assert raw is not None
        yard = Yardstick.of(raw)
        clusters = Clusters(self.problem, yard, FORMATIONS["cluster"](raw, yard, k, 0, LOCAL), LOCAL, by=by)
        clusters.stand()
        return clusters

    def merging(self, by: By) -> Iterator[dict[str, Any]]:
        """UL after each merge, down to one cluster, and what the union alone lost or won."""
        clusters = self._started(by)
        within = Within(self.problem, "sets")
        sums = dict(zip(clusters.rows, LOCAL.map("sets", within.loss, list(clusters.rows.values())), strict=True))
        size, before = clusters.n, math.fsum(sums.values())
        yield {"by": by, "merges": 0, "ul": before / size, "clusters": len(sums)}
        for done, merge in enumerate(clusters.merges(), 1):
            del sums[merge.gone]
            sums[merge.number] = within.loss(merge.rows, LOCAL)
            total = math.fsum(sums.values())
            yield {"by": by, "merges": done, "ul": total / size, "clusters": len(sums), "rise": (total - before) / size}
            before = total


def utility(data: str) -> Iterator[dict[str, Any]]:
    """Figs. 4a-g and 6: Rum-bound over delta."""
    bench = Bench(data, shoal.KKmAnonymity(k=K[data], m=2), ROWS[data])
    for delta in (bench.least(), *DELTAS[data]):
        for method, algorithm in RMERGE.items():
            yield bench.row(method, algorithm, delta)


def bounded_sets() -> Iterator[dict[str, Any]]:
    """Fig. 4h: Tum-bound over delta."""
    return _swept(Bench("informs", shoal.KKmAnonymity(k=K["informs"], m=2)), TMERGE, UL_DELTAS)


def diverse() -> Iterator[dict[str, Any]]:
    """Fig. 5: (k, l^m)-diversity, both bounds."""
    bench = Bench("informs", shoal.KLmDiversity(k=K["informs"], l=L, m=2, sensitive=SECRETS))
    yield from _swept(bench, RMERGE, (bench.least(), 0.35, 0.55, 0.75, 0.95))
    yield from _swept(bench, TMERGE, (0.35, 0.6))


def _swept(bench: Bench, methods: dict[str, str], deltas: Sequence[float]) -> Iterator[dict[str, Any]]:
    for delta in deltas:
        for method, algorithm in methods.items():
            yield bench.row(method, algorithm, delta)


def runtime() -> Iterator[dict[str, Any]]:
    """Figs. 7a and 7b: CPU seconds of the search over |D| and over k, with Cluster alone; the least of several."""
    for axis, places in (("rows", [(size, 25) for size in SIZES]), ("k", [(10_000, k) for k in KS])):
        for size, k in places:
            found = rt.load("informs", size if size < max(SIZES) else 0, SAMPLE)
            both = rt.problem("informs", found, shoal.KKmAnonymity(k=k, m=2))
            alone = rt.problem("informs", found, shoal.KAnonymity(k=k))
            for method, algorithm in {"Cl": "cluster", **RMERGE}.items():
                made, target = rt.method(algorithm), alone if method == "Cl" else both
                assert len(target.items)
                assert target.relational is not None
                seconds, clusters = [], 0.0
                for _ in range(REPEATS):
                    used = rt.cpu()
                    clusters = made.solve(target, ONE).statistics["clusters"]
                    seconds.append(rt.cpu() - used)
                place = {"axis": axis, "rows": size, "k": k, "method": method}
                yield {**place, "cpu": min(seconds), "clusters": clusters}


def exact() -> Iterator[dict[str, Any]]:
    """Figs. 7c to 7f: sets compared by BTD, and by the loss of their union."""
    bench = Bench("informs", shoal.KKmAnonymity(k=25, m=2), FEW)
    for bound, methods in (("r", RMERGE), ("t", TMERGE)):
        for delta in EXACT_DELTAS[bound]:
            for method, algorithm in list(methods.items())[1:]:  # the first does not compare sets
                for distance in ("btd", "ul"):
                    row = bench.timed(method, algorithm, delta, distance=distance)
                    yield {**row, "bound": bound, "distance": distance}


def monotone() -> Iterator[dict[str, Any]]:
    """Figs. 7g and 7h: UL after each merge. With delta = 1 both frameworks merge alike."""
    order: tuple[By, ...] = ("r", "t", "rt")
    for data, rows, k in (("informs", FEW, 25), ("videos", 8_000, 100)):
        bench = Bench(data, shoal.KKmAnonymity(k=k, m=2), rows)
        for by in order:
            for row in bench.merging(by):
                yield {"data": data, **row}


EXPERIMENTS: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "utility informs": lambda: utility("informs"),
    "bounded sets": bounded_sets,
    "diverse": diverse,
    "runtime": runtime,
    "monotone": monotone,
    "exact": exact,
    "utility videos": lambda: utility("videos"),
}
