"""research/papers/README.md: the papers' data sets beside ours (P0 Fig. 7, P3 Fig. 9, P2 Table 1), and the run time."""

from __future__ import annotations

from collections.abc import Iterator

import shoal
from benchmarks.data import REAL
from benchmarks.papers.common import KEPT, PAGES, put
from benchmarks.papers.reading import count, span
from shoal.data.transactions import Transactions
from shoal.evaluation import results
from shoal.generators.quest import Quest
from shoal.jobs.dataset_spec import DatasetSpec

SEEDS = (1, 2, 3)
PAPERS = {  # by the start of the names of their tables
    "p1": "Wang et al. 2014",
    "p2": "Poulis et al. 2013",
    "p3": "Terrovitis et al. 2008 and 2011",
    "p4": "Liu and Wang 2010",
}
PRINTED = {  # |D|, |I|, max |t|, mean |t|
    "BMS-POS": ("Terrovitis et al. 2008, 2011; Liu and Wang 2010", "515,597", "1,657", "164", "6.5"),
    "BMS-WebView-1": ("Terrovitis et al. 2008, 2011; Wang et al. 2014", "59,602", "497", "267", "2.5"),
    "BMS-WebView-2": ("Terrovitis et al. 2008, 2011", "77,512", "3,340", "161", "5.0"),
    "Informs": ("Poulis et al. 2013", "36,553", "619", "17", "4.27"),
    "YouTube": ("Poulis et al. 2013", "131,780", "936", "37", "6.51"),
    "AOL query log": ("Liu and Wang 2010", "not printed", "not printed", "not printed", "not printed"),
}


def write(again: bool) -> None:
    """Fill the page. Nothing is kept, so all is counted anew."""
    del again
    put(PAGES / "README.md", "run time", run_time())
    put(PAGES / "README.md", "data sets", "\n".join(table()))


def table() -> Iterator[str]:
    """The papers' figures, and ours, counted anew."""
    four = r"\|D\| | \|I\| | max \|t\| | mean \|t\|"
    yield f"| data set | of | {four} | here | {four} |"
    yield "|---|---|---:|---:|---:|---:|---|---:|---:|---:|---:|"
    for name, printed in PRINTED.items():
        what, data = ours(name)
        yield f"| {name} | {' | '.join(printed)} | {what} | {' | '.join(shape(data))} |"


def run_time() -> str:
    """How many runs are kept for each paper, and the CPU time of their releases."""
    spent: dict[str, list[float]] = {}
    for file in sorted(KEPT.rglob("*.csv")):
        paper = PAPERS[file.relative_to(KEPT).parts[0][:2]]
        spent.setdefault(paper, []).extend(
            row["cpu_seconds"] or 0.0 for row in results.load(file) if "cpu_seconds" in row
        )
    told = [f"{paper}: {count(len(runs))} runs, {sum(runs) / 60:.0f} CPU minutes" for paper, runs in spent.items()]
    total = sum(sum(runs) for runs in spent.values()) / 3600
    return (
        f"What these pages took: {'; '.join(told)}. That is {total:.1f} CPU hours for making, verifying and measuring "
        "the releases. Reading and generating data, counting the papers' count-trees and mining come on top."
    )


def ours(name: str) -> tuple[str, list[Transactions]]:
    """What stands for a data set here: one file, or generated data of several seeds."""
    if name == "BMS-POS":
        return "generated, seeds 1 to 3", [Quest.like("bms-pos", seed=seed).transactions() for seed in SEEDS]
    if name.startswith("BMS-WebView"):
        return "the same", [shoal.read(REAL / name.lower() / "transactions.dat").transactions]
    if name == "Informs":
        options = {"sets": "items", "item_delimiter": " ", "drop_items": ("-1", "-9")}
        return "one year of it", [shoal.read(REAL / "informs-2005" / "records.csv", **options).transactions]
    if name == "YouTube":
        spec = DatasetSpec(label=name, generate="videos", generator={"rows": 131_780, "seed": 0})
        return "generated", [spec.load()[0].transactions]
    file = REAL / "complete-journey" / "transactions.parquet"
    data = shoal.read(file, id_column="basket_id", item_column="product_id", drop_null_items=True)
    return "complete-journey: real baskets, a real taxonomy", [data.transactions]


def shape(data: list[Transactions]) -> Iterator[str]:
    """Records, items in use, and the largest and the mean size of a record."""
    yield span([len(rows) for rows in data], count)
    yield span([int((rows.supports > 0).sum()) for rows in data], count)
    yield span([int(rows.sizes.max()) for rows in data], count)
    yield span([float(rows.sizes.mean()) for rows in data], lambda mean: f"{mean:.2f}")
