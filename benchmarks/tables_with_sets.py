"""Tables with sets: what columns and sets lose under (k, k^m)-anonymity with the options of before and by default.

``informs`` has 26,854 patients with five columns and their ICD-9 codes; ``households`` 801 households of the Complete
Journey with seven columns and the product types that they bought; ``adult`` 30,162 people with five columns and
generated sets.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import shoal
from benchmarks import case, rt
from benchmarks.data import REAL
from benchmarks.papers.common import DOCS, put
from shoal.generators.quest import Quest
from shoal.metrics.are import are

LIMIT = 900.0  # seconds for a run
SETS = ("informs", "households", "adult")
BEFORE: dict[str, Any] = {"delta": 0.65, "formation": "cluster", "within": "sets-ul"}  # the defaults of before
ADULT = ("age", "education", "marital-status", "race", "sex")
SHOWN = ("relational_ncp", "ncp", "ul", "unchanged", "items per label", "are", "cpu", "seconds", "peak", "clusters")
JOURNEY = REAL / "complete-journey"


def available() -> bool:
    """Whether the data are at hand."""
    return rt.available() and JOURNEY.is_dir() and (REAL / "adult").is_dir()


def problem(data: str, model: shoal.models.PrivacyModel, *, bands: bool = True) -> shoal.Problem:
    """A data set as its owner would give it; without ``bands``, ordered bands are categories, as they were before."""
    if data == "informs":
        return rt.problem(data, rt.load(data), model, tree=True)
    if data == "households":
        records, tree = _households()
        columns = {name: shoal.Column(type="auto" if bands else "category") for name in records.column_names[:-1]}
        return shoal.Problem(shoal.read(records, sets="types"), tree, model, columns=columns)
    records = _adult()
    trees = {name: REAL / "adult" / f"adult_hierarchy_{name}.csv" for name in ADULT[1:]}
    columns = {name: shoal.Column(hierarchy=trees.get(name)) for name in ADULT}
    dataset = shoal.read(records, sets="sets")
    return shoal.Problem(dataset, shoal.Hierarchy.flat(dataset.transactions.labels), model, columns=columns)


def _households() -> tuple[Any, shoal.Hierarchy]:
    """One row for each household of which anything is known, and the tree of product types."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    people = pq.read_table(JOURNEY / "demographics.parquet").sort_by("household_id")
    products = pq.read_table(JOURNEY / "products.parquet")
    lines = pq.read_table(JOURNEY / "transactions.parquet", columns=["household_id", "product_id"])
    lines = lines.join(products.select(["product_id", "product_type"]), "product_id")
    lines = lines.filter(pc.is_valid(lines["product_type"])).group_by(["household_id", "product_type"]).aggregate([])
    bought: dict[int, list[str]] = {}
    for household, type_ in zip(*(lines[name].to_pylist() for name in ("household_id", "product_type")), strict=True):
        bought.setdefault(household, []).append(type_)
    sets = [sorted(bought.get(household, [])) for household in people["household_id"].to_pylist()]
    levels = ["product_type", "product_category", "department"]
    made = shoal.hierarchies.from_table(products, levels=levels)
    return people.drop_columns(["household_id"]).append_column("types", pa.array(sets, pa.list_(pa.string()))), made


def _adult() -> Any:
    """The people of the census, each with a generated set."""
    import pyarrow as pa
    from pyarrow import csv

    options = csv.ParseOptions(delimiter=";")
    people = csv.read_csv(REAL / "adult" / "adult.csv", parse_options=options).select(ADULT)
    generated = Quest(rows=len(people), items=500, mean_size=6, mean_pattern=3, seed=1).transactions()
    sets = [sorted(row) for row in generated.sets()]
    return people.append_column("sets", pa.array(sets, pa.list_(pa.string())))


def measured(data: str, options: dict[str, Any], k: int = 25, m: int = 2, *, bands: bool = True) -> dict[str, Any]:
    """From the data to a verified release, which is not written; then the queries, after the clock."""
    task = problem(data, shoal.KKm(k=k, m=m), bands=bands)
    start, used = time.perf_counter(), rt.cpu()
    release = shoal.anonymize(task, algorithm=rt.method("rmerge-rt", **options))
    spent = {"cpu": rt.cpu() - used, "seconds": time.perf_counter() - start, "peak": rt.peak()}
    workload = shoal.metrics.Workload.generated(release.problem.original, queries=100, values=0, items=2, seed=1)
    useful = release.usefulness
    return {
        **rt.figures(release),
        "unchanged": useful.unchanged_share,
        "items per label": useful.median_items,
        "are": are(release.problem.original, release.published, workload).mean,
        **spent,
        "search": release.solution.statistics,
    }


WAYS: dict[str, dict[str, Any]] = {"before": BEFORE, "now": {}, "now, --within sets": {"within": "sets"}}


def rows() -> Iterator[dict[str, Any]]:
    """Each data set with the options of before and with the defaults, each run in a process of its own."""
    for data in SETS if available() else ():
        for way, options in WAYS.items():
            bands = way != "before"
            run = case.run(limit=LIMIT, what="tables-with-sets", data=data, options=options, bands=bands)
            print(data, way, {name: run.get(name) for name in ("relational_ncp", "ncp", "cpu", "error")}, flush=True)
            yield {"data": data, "way": way, **{name: run[name] for name in SHOWN if name in run}, **_failed(run)}


def _failed(run: dict[str, Any]) -> dict[str, Any]:
    """Why there are no figures, if so."""
    return {"error": run["error"]} if "error" in run else {}


def write(measured: list[dict[str, Any]]) -> None:
    """Put the table into docs/research/benchmarks.md."""
    heads = [
        "data",
        "options",
        "columns, NCP",
        "sets, NCP",
        "sets, UL",
        "unchanged",
        "items per label",
        "queries",
        "CPU s",
    ]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in measured:
        if "error" in row:
            lines.append(f"| {row['data']} | {row['way']} | {row['error']} |{' |' * (len(heads) - 3)}")
            continue
        figures = [f"{row[name]:.4f}" for name in ("relational_ncp", "ncp", "ul")]
        figures += [f"{row['unchanged']:.1%}".replace("%", " %"), f"{row['items per label']}"]
        figures += [f"{row['are']:.1f}", f"{row['cpu']:.1f}"]
        lines.append(f"| {row['data']} | {row['way']} | {' | '.join(figures)} |")
    put(DOCS / "research" / "benchmarks.md", "tables with sets", "\n".join(lines))
