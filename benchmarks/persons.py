"""Counting persons beside counting records: baskets of the Complete Journey by product type, of 2,469 households.

Every method is given the same rows, once as they are and once with their households. The result is checked after the
clock by the count that it was made for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import shoal
from benchmarks import case, rt
from benchmarks.data import REAL
from benchmarks.papers.common import DOCS, put
from shoal import discovery, hierarchies
from shoal.algorithms import Algorithm

JOURNEY = REAL / "complete-journey"
METHODS = ("aa", "lra", "vpa", "mhghs", "optimal")
WAYS = ("records", "persons")


def measured(algorithm: str, by: str, m: int, k: int = 5) -> dict[str, Any]:
    """The search alone and the verifier alone, on one core."""
    baskets = shoal.read(
        JOURNEY / "transactions.parquet",
        join=[f"{JOURNEY / 'products.parquet'}:product_id"],
        id_column="basket_id",
        item_column="product_type",
        drop_null_items=True,
        person="household_id",
    )
    rows = baskets.transactions.of_persons(baskets.transactions.persons if by == "persons" else None)
    tree = hierarchies.balanced(rows.labels, fanout=5)
    problem = shoal.Problem(shoal.Dataset(rows), tree, shoal.KmAnonymity(k=k, m=m)).prepared
    assert len(problem.costs)
    method, engine = discovery.get("shoal.algorithms", Algorithm, algorithm)(), shoal.Engine(workers=1)
    used = rt.cpu()
    solution = method.solve(problem, engine)
    cpu, peak, used = rt.cpu() - used, rt.peak(), rt.cpu()
    published = solution.recoding.apply(problem.items).of_persons(problem.persons)
    verified = problem.privacy.verify(published, engine).holds
    checked = rt.cpu() - used
    assert verified, f"{algorithm}: what it found is not {problem.privacy.title}"
    loss = problem.loss.of(shoal.metrics.Comparison(problem.original, published))["ncp"]
    return {"cpu": cpu, "verify": checked, "peak": peak, "ncp": loss}


def rows() -> Iterator[dict[str, Any]]:
    """Each method by records and by persons, in turn, each in a process of its own."""
    for m in (2, 3) if JOURNEY.is_dir() else ():
        for algorithm in METHODS:
            for by in WAYS:
                run = case.run(limit=600, what="persons", algorithm=algorithm, by=by, m=m)
                yield {name: run[name] for name in run if name != "what"}


def write(measured: list[dict[str, Any]]) -> None:
    """Put the table into docs/benchmarks.md."""
    heads = ["m", "method", "counted", "search, CPU s", "verifier, CPU s", "peak MB", "NCP"]
    lines = [f"| {' | '.join(heads)} |", "|--:|---|---|--:|--:|--:|--:|"]
    for row in measured:
        figures = [row["error"], "", "", ""] if "error" in row else _figures(row)
        lines.append(f"| {row['m']} | {row['algorithm']} | {row['by']} | {' | '.join(figures)} |")
    put(DOCS / "benchmarks.md", "persons", "\n".join(lines))


def _figures(row: dict[str, Any]) -> list[str]:
    return [f"{row['cpu']:.2f}", f"{row['verify']:.2f}", f"{row['peak']:.0f}", f"{row['ncp']:.5f}"]
