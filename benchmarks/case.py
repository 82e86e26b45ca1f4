"""One measurement in a process of its own, so that its peak memory is its own: ``python -m benchmarks.case JSON``."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def run(*, limit: float | None = None, **case: Any) -> dict[str, Any]:
    """Measure a case in a fresh process; after ``limit`` seconds it is ended."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.case", json.dumps(case)],
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return {**case, "error": f"over {limit:g} s"}
    if done.returncode:
        return {**case, "error": done.stderr.strip().splitlines()[-1]}
    return {**case, **json.loads(done.stdout)}


def anonymize(file: str, hierarchy: str, k: int, m: int, algorithm: str = "aa", workers: int = 0) -> dict[str, Any]:
    """From file to verified file."""
    import shoal
    from shoal import discovery, hierarchies
    from shoal.algorithms.base import Algorithm

    start = time.perf_counter()
    tree = hierarchies.load(hierarchy)
    problem = shoal.Problem(shoal.read(file), tree, shoal.Km(k=k, m=m))
    method = discovery.get("shoal.algorithms", Algorithm, algorithm)()
    release = shoal.anonymize(problem, algorithm=method, engine=shoal.Engine(workers=workers))
    with tempfile.TemporaryDirectory() as folder:
        release.save(Path(folder) / Path(file).name)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "solve": release.timings["solve"],
        "ncp": release.losses["ncp"],
        "labels": len(release.published.rows.labels),
        "height": tree.height,
    }


def solve(
    file: str,
    hierarchy: str,
    algorithm: str,
    options: dict[str, Any] | None = None,
    model: str = "km",
    workers: int = 0,
    **guarantee: Any,
) -> dict[str, Any]:
    """The search alone, on a problem whose rows and costs are ready; the result is checked after the clock."""
    import shoal
    from shoal import discovery, hierarchies
    from shoal.algorithms.base import Algorithm
    from shoal.metrics.comparison import Comparison
    from shoal.models.base import PrivacyModel
    from shoal.release.release import peak_memory

    asked = discovery.get("shoal.models", PrivacyModel, model)(**guarantee)
    problem = shoal.Problem(shoal.read(file), hierarchies.load(hierarchy), asked)
    prepared = problem.prepared
    assert len(prepared.items)
    assert len(prepared.costs)
    method = discovery.get("shoal.algorithms", Algorithm, algorithm)(**(options or {}))
    start = time.perf_counter()
    solution = method.solve(prepared, shoal.Engine(workers=workers))
    seconds = time.perf_counter() - start
    peak = peak_memory()
    if solution.hierarchy is not None:
        prepared = prepared.on(solution.hierarchy)
    published, proof = solution.recoding.apply(prepared.items, prepared.sensitive_part), solution.optimality
    start = time.perf_counter()
    if not asked.verify(published, shoal.Engine(workers=workers)).holds:
        raise AssertionError(f"{algorithm}: what it found is not {asked.title}")
    compared = Comparison(prepared.original, published)
    outcome = compared.outcome
    return {
        "seconds": seconds,
        "suppressed": outcome.suppressed / max(1, outcome.items),
        "verify": time.perf_counter() - start,
        "loss": problem.loss.of(compared)[problem.loss.name],
        "peak_mb": round((peak or 0) / 1e6),
        **solution.statistics,
        **({"rounds": proof.rounds, "clauses": proof.clauses, "ended": proof.ended, "gap": proof.gap} if proof else {}),
    }


def count(file: str, m: int, hierarchy: str = "", workers: int = 0) -> dict[str, Any]:
    """Read a file and count all its raw itemsets of up to m items once: what any method must at least do.

    With a hierarchy, items are first encoded as its leaves.
    """
    import shoal
    from shoal import hierarchies
    from shoal.kernels.verify.rare_itemsets import rare_itemsets

    start = time.perf_counter()
    data = shoal.read(file)
    read = time.perf_counter() - start
    rows = data.transactions
    if hierarchy:
        rows = shoal.Problem(data, hierarchies.load(hierarchy), shoal.Km(m=m)).prepared.items
    threads = shoal.Engine(workers=workers).threads
    counted = rare_itemsets(rows.indptr, rows.items, len(rows.labels), 1, m, threads=threads)
    return {"seconds": time.perf_counter() - start, "read": read, "itemsets": counted.checked}


def rt_measured(**given: Any) -> dict[str, Any]:
    """Columns and sets together, from data to a verified release."""
    from benchmarks import rt

    return rt.measured(**given)


def rt_naive(**given: Any) -> dict[str, Any]:
    """The same in plain Python."""
    from benchmarks import rt

    return rt.naive(**given)


def tables_with_sets(**given: Any) -> dict[str, Any]:
    """Columns and sets, with default options or those of before."""
    from benchmarks import tables_with_sets as tables

    return tables.measured(**given)


def persons(**given: Any) -> dict[str, Any]:
    """A search and its verifier, by records or by persons."""
    from benchmarks import persons as by_persons

    return by_persons.measured(**given)


if __name__ == "__main__":
    case = json.loads(sys.argv[1])
    begin = time.perf_counter()
    what: dict[str, Callable[..., dict[str, Any]]] = {
        "anonymize": anonymize,
        "solve": solve,
        "count": count,
        "persons": persons,
        "rt-measured": rt_measured,
        "rt-naive": rt_naive,
        "tables-with-sets": tables_with_sets,
    }
    result = what[case.pop("what")](**case)
    from shoal.release.release import peak_memory

    peak_mb = round((peak_memory() or 0) / 1e6)
    print(json.dumps({"process": time.perf_counter() - begin, "peak_mb": peak_mb, **result}))
