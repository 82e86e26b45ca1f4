"""Counting persons beside counting records: baskets of the Complete Journey by product type, of 2,469 households.

Every method is given the same rows, once as they are and once with their households. The result is checked after the
clock by the count that it was made for.

``regroup`` is not a method: it makes a fixed number of moves of regrouping siblings (all types are siblings), from the
same grouping by records and by persons. So the times of both are those of equal moves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import shoal
from benchmarks import case, rt
from benchmarks.data import REAL
from benchmarks.papers.common import DOCS, put
from shoal import discovery, hierarchies
from shoal.algorithms.base import Algorithm
from shoal.hierarchies import refine
from shoal.kernels.search.siblings.regroup import Regroup
from shoal.search.clock import Clock
from shoal.search.exact import ExactSearch
from shoal.search.sibling_trees import tree_of
from shoal.search.siblings import COLD, MILD, cut_at, grouping_of

JOURNEY = REAL / "complete-journey"
METHODS = ("aa", "lra", "vpa", "mhghs", "optimal")
REGROUP, MOVES, STEPS = "regroup", {2: 100_000, 3: 10_000}, 20
WAYS = ("records", "persons")


def measured(algorithm: str, by: str, m: int, k: int = 5) -> dict[str, Any]:
    """The search alone and the verifier alone, on one core."""
    rows, engine = _baskets(by), shoal.Engine(workers=1)
    if algorithm == REGROUP:
        return _moves(rows, m, k, engine)
    tree = hierarchies.balanced(rows.labels, fanout=5)
    problem = shoal.Problem(shoal.Dataset(rows), tree, shoal.Km(k=k, m=m)).prepared
    assert len(problem.costs)
    method = discovery.get("shoal.algorithms", Algorithm, algorithm)()
    used = rt.cpu()
    solution = method.solve(problem, engine)
    return _figured(problem, solution.recoding, rt.cpu() - used, engine)


def _baskets(by: str) -> shoal.data.Transactions:
    """The rows, with their households or as they are."""
    baskets = shoal.read(
        JOURNEY / "transactions.parquet",
        join=[f"{JOURNEY / 'products.parquet'}:product_id"],
        id_column="basket_id",
        item_column="product_type",
        drop_null_items=True,
        person="household_id",
    )
    return baskets.transactions.of_persons(baskets.transactions.persons if by == "persons" else None)


def _moves(rows: shoal.data.Transactions, m: int, k: int, engine: shoal.Engine) -> dict[str, Any]:
    """So many moves from hot to cold; the start is safe by persons, and so by records."""
    tree = shoal.Hierarchy.from_tree({"ALL": list(rows.labels)})
    problem = shoal.Problem(shoal.Dataset(rows), tree, shoal.Km(k=k, m=m)).prepared
    safer = shoal.Problem(shoal.Dataset(_baskets("persons")), tree, shoal.Km(k=k, m=m)).prepared
    refined = safer.on(tree_of(safer, "frequency"))
    first = ExactSearch(refined, engine, Clock(math.inf))
    first.begin()
    start = grouping_of(first.cut(), refined, tree)
    n, items = tree.n_leaves, problem.items
    used = rt.cpu()
    search = Regroup(
        items.indptr,
        items.items,
        refine.without_chains(tree),
        problem.occurrences[:n],
        np.ones(n, dtype=np.int32),
        problem.loss.penalty(np.maximum(1, np.arange(n + 1)), n),
        start.block_of,
        persons=items.repeaters,
        k=k,
        m=m,
        seed=1,
    )
    for step in range(STEPS):
        temperature = start.cost / n * MILD * (COLD / MILD) ** (step / (STEPS - 1))
        search.run(temperature, work=2**60, moves=MOVES[m] // STEPS)
    cpu = rt.cpu() - used
    around = refine.around(tree, search.block_of, problem.occurrences)
    return _figured(problem.on(around), cut_at(around, search.block_of), cpu, engine)


def _figured(problem: Any, recoding: Any, cpu: float, engine: shoal.Engine) -> dict[str, Any]:
    """The figures of a row of the table, with what the verifier takes."""
    peak, used = rt.peak(), rt.cpu()
    published = recoding.apply(problem.items).of_persons(problem.persons)
    verified = problem.model.verify(published, engine).holds
    checked = rt.cpu() - used
    assert verified, f"what was found is not {problem.model.title}"
    loss = problem.loss.of(shoal.metrics.Comparison(problem.original, published))["ncp"]
    return {"cpu": cpu, "verify": checked, "peak": peak, "ncp": loss}


def rows() -> Iterator[dict[str, Any]]:
    """Each method by records and by persons, in turn, each in a process of its own."""
    for m in (2, 3) if JOURNEY.is_dir() else ():
        for algorithm in (*METHODS, REGROUP):
            for by in WAYS:
                run = case.run(limit=600, what="persons", algorithm=algorithm, by=by, m=m)
                yield {name: run[name] for name in run if name != "what"}


def write(measured: list[dict[str, Any]]) -> None:
    """Put the table into docs/research/benchmarks.md."""
    heads = ["m", "method", "counted", "search, CPU s", "verifier, CPU s", "peak MB", "NCP"]
    lines = [f"| {' | '.join(heads)} |", "|--:|---|---|--:|--:|--:|--:|"]
    for row in measured:
        figures = [row["error"], "", "", ""] if "error" in row else _figures(row)
        lines.append(f"| {row['m']} | {row['algorithm']} | {row['by']} | {' | '.join(figures)} |")
    put(DOCS / "research" / "benchmarks.md", "persons", "\n".join(lines))


def _figures(row: dict[str, Any]) -> list[str]:
    return [f"{row['cpu']:.2f}", f"{row['verify']:.2f}", f"{row['peak']:.0f}", f"{row['ncp']:.5f}"]
