"""Groups of siblings on real data with their own hierarchies: loss, bound, time and memory (research/leaderboard.md).

The whole default command, ``shoal anonymize DATA --k 5 --m M``, in a process of its own. What it writes is read back
and recounted here by a dictionary of all sets of up to m labels: no code of Shoal's search or verifiers.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

from benchmarks.data import REAL, real
from benchmarks.papers.common import DOCS, put

PAGE = DOCS / "research" / "leaderboard.md"
K = 5
CASES = (  # data, m; the options of the command
    ("groceries", (2, 3)),
    ("informs-2005", (2, 3)),
    ("bms-webview-1", (2, 3)),
    ("bms-webview-2", (2, 3)),
    ("complete-journey, product types", (2, 3)),
    ("complete-journey, all products", (2,)),
)


def command(data: str, folder: Path) -> list[str]:
    """The file of a data set and the options that it needs."""
    if data == "groceries":
        return [str(REAL / data / "transactions.basket"), "--hierarchy", str(REAL / data / "hierarchy.csv")]
    if data == "informs-2005":
        sets = ["--sets", "items", "--item-delimiter", " ", "--columns", "none"]
        return [str(REAL / data / "records.csv"), *sets, "--hierarchy", str(REAL / data / "hierarchy_items.csv")]
    if data.startswith("bms"):
        return [str(REAL / data / "transactions.dat")]
    return list(journey(folder, types=data.endswith("types")))


def journey(folder: Path, *, types: bool) -> tuple[str, str, str]:
    """Complete Journey: baskets of product types, or of products, and the hierarchy above them, as files."""
    import pandas as pd

    baskets, tree = folder / f"journey-{types}.parquet", folder / f"journey-{types}.csv"
    levels = ["product_type", "product_category", "department"]
    if not tree.exists():
        lines = pd.read_parquet(REAL / "complete-journey/transactions.parquet")[["basket_id", "product_id"]]
        products = pd.read_parquet(REAL / "complete-journey/products.parquet").dropna(subset=levels)
        products = products[products.product_id.isin(lines.product_id)]
        # A type (category) with several parents goes below the one that most of its products have.
        above = {a: products.groupby(a)[b].agg(lambda some: some.value_counts().index[0]) for a, b in pairwise(levels)}
        products = products.assign(item="P:" + products.product_id.astype(str), type="T:" + products.product_type)
        lines = lines.merge(products, on="product_id")
        column = "type" if types else "item"
        sets = lines.groupby("basket_id")[column].agg(lambda some: sorted(set(some)))
        pd.DataFrame({"items": sets.to_numpy()}).to_parquet(baskets)
        with open(tree, "w", encoding="utf-8") as file:
            for item, kind in sorted(set(zip(products[column], products.product_type, strict=True))):
                category = above["product_type"][kind]
                path = [item, *([] if types else [f"T:{kind}"]), f"C:{category}"]
                file.write(";".join([*path, f"D:{above['product_category'][category]}", "*"]) + "\n")
    return str(baskets), "--hierarchy", str(tree)


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """One row for each case: groups of siblings, and the best cut beside them."""
    if not REAL.exists():
        return
    for data, sizes in CASES:
        given = command(data, folder)
        for m in sizes:
            row = {"data": data, "m": m, "cut": best_cut(data, given, m, folder), **measured(given, m)}
            print(json.dumps(row), flush=True)
            yield row


def best_cut(data: str, given: Sequence[str], m: int, folder: Path) -> float:
    """What the best cut loses; without a hierarchy, that of the papers' artificial one (fanout 5, ids ascending)."""
    import shoal
    from shoal import hierarchies

    tree = given[given.index("--hierarchy") + 1] if "--hierarchy" in given else real(data, folder)[1]
    sets: dict[str, Any] = {"sets": "items", "item_delimiter": " "} if data == "informs-2005" else {}
    problem = shoal.Problem(shoal.read(given[0], **sets), hierarchies.load(tree), shoal.Km(k=K, m=m))
    proof = shoal.algorithms.Optimal(time_limit=60).solve(problem.prepared, shoal.Engine()).optimality
    assert proof is not None
    return proof.loss


def measured(given: Sequence[str], m: int) -> dict[str, Any]:
    """Run the command and read its report."""
    with tempfile.TemporaryDirectory() as folder:
        output, report = Path(folder) / f"public{Path(given[0]).suffix}", Path(folder) / "report.json"
        words = [sys.executable, "-m", "shoal.cli", "anonymize", *given, "--k", str(K), "--m", str(m)]
        start = time.perf_counter()
        subprocess.run(
            [*words, "-o", str(output), "--report", str(report), "--no-explanations"], check=True, capture_output=True
        )
        seconds = time.perf_counter() - start
        facts = json.loads(report.read_text(encoding="utf-8"))
        proof, bound = facts["optimality"], facts["optimality"].get("groupings_bound")
        return {
            "ncp": facts["losses"]["ncp"],
            "labels": facts["data"]["labels_after"],
            "bound": bound,
            "gap": None if not bound else 1 - bound / proof["loss"],
            "tree": proof["ended"],
            "search": facts["timings"]["solve"],
            "seconds": seconds,
            "peak_mb": round((facts["provenance"]["peak_memory_bytes"] or 0) / 1e6),
            "rare": recounted(output, m),
        }


def recounted(path: Path, m: int) -> int:
    """How many sets of up to m labels of the published file fewer than k records hold."""
    import csv

    import pyarrow.parquet as pq

    if path.suffix == ".parquet":
        sets = pq.read_table(path).column("items").to_pylist()
    else:
        with open(path, newline="", encoding="utf-8") as file:
            if path.suffix == ".dat":
                sets = [line.split() for line in file]
            else:
                table = list(csv.reader(file))
                sets = table if path.suffix == ".basket" else [cell[0].split("|") for cell in table[1:] if cell]
    held: Counter[tuple[str, ...]] = Counter()
    for labels, times in Counter(tuple(sorted(set(row))) for row in sets).items():
        for size in range(1, m + 1):
            for some in combinations(labels, size):
                held[some] += times
    return sum(times < K for times in held.values())


def write(results: Sequence[dict[str, Any]]) -> None:
    """Put the table into the page."""
    put(PAGE, "siblings", "\n".join(table(results)))


def table(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The rows of the page."""
    heads = ("best cut, NCP", "groups of siblings, NCP", "labels", "bound over all groupings", "gap", "tree used")
    yield f"| data | m | {' | '.join(heads)} | search s | command s | MB |"
    yield "|---|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|"
    for row in results:
        assert row["rare"] == 0, row
        bound = "" if not row["bound"] else f"{row['bound']:.6f}"
        gap = "" if row["gap"] is None else f"{100 * row['gap']:.0f} %"
        tree = "proved" if row["tree"] == "proven" else row["tree"]
        loss = f"{row['cut']:.6f} | **{row['ncp']:.6f}** | {row['labels']:,}"
        yield (
            f"| {row['data']} | {row['m']} | {loss} | {bound} | {gap} | "
            f"{tree} | {row['search']:.1f} | {row['seconds']:.1f} | {row['peak_mb']} |"
        )
