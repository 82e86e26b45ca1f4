"""Columns and sets together (P2): the data, a measurement in its own process, the tables of research/benchmarks.md.

``informs`` is P2's own: 26,854 patients, five columns, a set of ICD-9 codes each ("-1" and "-9" mean missing and are
dropped). ``videos`` has the shape of P2's YouTube data, which are not available here.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import shoal
from benchmarks import case, naive_rt
from benchmarks.data import REAL
from shoal import discovery, hierarchies
from shoal.algorithms.base import Algorithm
from shoal.engines import LOCAL
from shoal.generators.videos import Videos
from shoal.metrics.are import are
from shoal.release.release import peak_memory
from shoal.search.clusters import Clusters
from shoal.search.formation import FORMATIONS
from shoal.search.ncp_scale import NcpScale

INFORMS = REAL / "informs-2005"
COLUMNS: dict[str, dict[str, shoal.Column | str]] = {
    "informs": {
        "DOBMM": shoal.Column(),
        "DOBYY": shoal.Column(),
        "RACEX": shoal.Column(type="category"),
        "EDUCYEAR": shoal.Column(),
        "income": shoal.Column(),
    },
    "videos": {name: shoal.Column() for name in ("age", "category", "length", "rate", "ratings", "comments")},
}
SCRIPT = 270.0  # CPU seconds of the public Python script for RmergeR, k=25, on informs; measured elsewhere
NAIVE = 800  # rows that the plain version is given
R_DELTA, T_DELTA = 0.65, 0.35
P2: dict[str, Any] = {"formation": "cluster", "within": "sets-ul"}  # as in the paper
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "Rfirst": ("rfirst", P2),
    "Tfirst": ("tfirst", {"within": "sets-ul"}),
    "RmergeR": ("rmerge-r", {"delta": R_DELTA, **P2}),
    "RmergeT": ("rmerge-t", {"delta": R_DELTA, **P2}),
    "RmergeRT": ("rmerge-rt", {"delta": R_DELTA, **P2}),
    "TmergeR": ("tmerge-r", {"delta": T_DELTA, **P2}),
    "TmergeT": ("tmerge-t", {"delta": T_DELTA, **P2}),
    "TmergeRT": ("tmerge-rt", {"delta": T_DELTA, **P2}),
}
LIMIT = 600.0  # seconds for a run
MEASURES = ("relational_ncp", "ul", "ncp", "largest_class")


def available() -> bool:
    """Whether the patients are at hand."""
    return INFORMS.is_dir()


def load(data: str, rows: int = 0) -> shoal.Dataset:
    """The records of a set: all, or the first so many."""
    if data == "videos":
        return Videos(rows=rows).dataset() if rows else Videos().dataset()
    records = shoal.read(INFORMS / "records.csv", sets="items", item_delimiter=" ", drop_items=["-1", "-9"])
    records = records.keep_columns(list(COLUMNS[data]))
    return records.take(np.arange(rows)) if rows else records


def problem(data: str, dataset: shoal.Dataset, model: shoal.models.PrivacyModel, tree: bool = False) -> shoal.Problem:
    """A problem with or without the hierarchy of the items."""
    items = hierarchies.load(INFORMS / "hierarchy_items.csv") if tree else None
    flat = shoal.Hierarchy.flat(dataset.transactions.labels)
    return shoal.Problem(dataset, flat if items is None else items, model, columns=COLUMNS[data], unknown_items="root")


def method(algorithm: str, **options: Any) -> Algorithm:
    """An algorithm by its name."""
    return discovery.get("shoal.algorithms", Algorithm, algorithm)(**options)


def figures(release: shoal.Release) -> dict[str, Any]:
    """What is told of a verified release."""
    return {
        "solve": release.timings["solve"],
        "clusters": int(release.solution.statistics["clusters"]),
        **{name: release.losses[name] for name in MEASURES},
        "verified": release.verdict.holds,
    }


def cpu() -> float:
    """CPU seconds of this process up to now, all threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak() -> float:
    """Peak memory of this process in MB; unlike ru_maxrss never that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1e3
    return (peak_memory() or 0) / 1e6


def measured(
    data: str,
    algorithm: str,
    k: int,
    m: int,
    options: dict[str, Any] | None = None,
    rows: int = 0,
    workers: int = 0,
    tree: bool = False,
) -> dict[str, Any]:
    """From the data to a verified release, which is not written; then the queries, after the clock."""
    dataset = load(data, rows)
    start, used = time.perf_counter(), cpu()
    task = problem(data, dataset, shoal.KKm(k=k, m=m), tree)
    release = shoal.anonymize(
        task, algorithm=method(algorithm, **(options or {})), engine=shoal.Engine(workers=workers)
    )
    total = {
        "total": time.perf_counter() - start,
        "cpu": cpu() - used,
        "cpu process": cpu(),
        "peak": (peak_memory() or 0) / 1e6,
    }
    workload = shoal.metrics.Workload.generated(task.prepared.original, queries=100, values=2, items=2, seed=1)
    return {**figures(release), **total, "are": are(task.prepared.original, release.published, workload).mean}


def naive(rows: int = NAIVE, k: int = 25, m: int = 2, delta: str = "0.65") -> dict[str, Any]:
    """RmergeR in plain Python, stage by stage, on the first patients; Shoal must make the same clusters and sets."""
    dataset = load("informs", rows)
    task = problem("informs", dataset, shoal.KKm(k=k, m=m))
    raw, sets = task.prepared.relational, task.prepared.items.sets()
    assert raw is not None
    stages, clock = {}, time.perf_counter()
    used, cost = cpu(), naive_rt.ncp(raw)
    clusters = naive_rt.united(raw, naive_rt.cluster(cost, np.random.default_rng(0).permutation(rows).tolist(), k))
    stages["forming"] = time.perf_counter() - clock
    clock = time.perf_counter()
    clusters = naive_rt.stand(cost, sets, clusters, k)
    clusters = naive_rt.rmerge(cost, lambda _: 0.0, clusters, Fraction(delta), "r")
    stages["merging"] = time.perf_counter() - clock
    clock = time.perf_counter()
    coded = {label: f"{code:04}" for code, label in enumerate(task.prepared.items.labels)}
    maps = [naive_rt.blended([frozenset(coded[one] for one in sets[row]) for row in part], k, m) for part in clusters]
    stages["sets"] = time.perf_counter() - clock
    costs = {"cpu": cpu() - used, "cpu process": cpu(), "peak": peak()}
    costs["total"] = sum(stages.values())
    scale = NcpScale.of(raw)
    ours = Clusters(task.prepared, scale, FORMATIONS["cluster"](raw, scale, k, 0, LOCAL), LOCAL, by="r")
    ours.merge_infeasible()
    ours.merge_within_bound(float(delta))
    assert [part.tolist() for part in ours.members()] == clusters, "the plain version must find the same clusters"
    release = shoal.anonymize(task, algorithm=shoal.algorithms.RmergeR(delta=float(delta), **P2))
    number = {row: at for at, part in enumerate(clusters) for row in part}
    for row, labels in enumerate(release.published.rows):
        want = {frozenset(int(one) for one in maps[number[row]][coded[item]]) for item in sets[row]}
        assert {frozenset(release.published.cover(int(label)).tolist()) for label in labels} == want, "the same sets"
    return {**costs, **{f"seconds {name}": value for name, value in stages.items()}, **figures(release)}


def side_by_side() -> Iterator[dict[str, Any]]:
    """The plain version and ours in turn: on as many rows as the plain one can do, and ours on all."""
    common: dict[str, Any] = {"data": "informs", "algorithm": "rmerge-r", "k": 25, "m": 2}
    ours = {"method": "Shoal", "options": {"delta": R_DELTA, **P2}, **common}
    yield {"method": "plain Python", "rows": NAIVE, **_case("naive", rows=NAIVE)}
    for rows, workers in ((NAIVE, 1), (0, 1), (0, 2)):
        arguments = {name: value for name, value in ours.items() if name != "method"}
        row = _case("measured", rows=rows, workers=workers, **arguments)
        yield {"method": f"Shoal, {workers} worker{'s' * (workers > 1)}", "rows": rows or 26_854, **row}


def grid(data: str, ks: tuple[int, ...], ms: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    """All methods for each k and m, each in a process of its own."""
    for k in ks:
        for m in ms:
            for name, (algorithm, options) in METHODS.items():
                row = _case("measured", data=data, algorithm=algorithm, k=k, m=m, options=options)
                print(data, k, m, name, row.get("solve"), row.get("error", ""), flush=True)
                yield {"data": data, "k": k, "m": m, "method": name, **_columns(row)}


def withins() -> Iterator[dict[str, Any]]:
    """Sets of items beside cuts of the hierarchy, and the best cuts on a few rows."""
    for algorithm in ("rfirst", "rmerge-r"):
        for m in (1, 2):
            for rows, ways in ((0, ("sets", "sets-ul", "aa")), (4_000, ("sets", "sets-ul", "aa", "optimal"))):
                for within in ways if not rows or algorithm == "rfirst" else ():
                    row = _case(
                        "measured",
                        data="informs",
                        algorithm=algorithm,
                        k=25,
                        m=m,
                        options={"within": within, "formation": "cluster"}
                        | ({"delta": R_DELTA} if algorithm == "rmerge-r" else {}),
                        rows=rows,
                        tree=within in ("aa", "optimal"),
                    )
                    place = {"algorithm": algorithm, "m": m, "rows": rows or 26_854, "within": within}
                    yield {**place, **_columns(row)}


TABLES: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
    "side by side": side_by_side,
    "informs": lambda: grid("informs", (25, 100, 5), (2, 1)),
    "videos": lambda: grid("videos", (100,), (2,)),
    "videos, small k": lambda: grid("videos", (25,), (2,)),
    "within": withins,
}


def _columns(row: dict[str, Any]) -> dict[str, Any]:
    """All columns, whether there is something in them or not."""
    names = ("solve", "total", "cpu", "peak", "clusters", *MEASURES, "are", "verified", "error")
    return {name: row.get(name) for name in names}


def _case(what: str, **options: Any) -> dict[str, Any]:
    """Measure in a fresh process."""
    return case.run(limit=LIMIT, what=f"rt-{what}", **options)


def stored(
    name: str,
    rows: Callable[[], Iterator[dict[str, Any]]],
    folder: Path = Path("build") / "rt",
    *,
    again: bool = False,
) -> list[dict[str, Any]]:
    """Rows that were measured before, or are now; one JSON a line."""
    target = folder / f"{name.replace(',', '').replace(' ', '-')}.jsonl"
    if again or not target.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = target.with_suffix(".part")
        with open(part, "w", encoding="utf-8") as file:
            for row in rows():
                file.write(json.dumps(row) + "\n")
                file.flush()
        part.rename(target)
    return [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
