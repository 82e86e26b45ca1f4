"""``make bench``: run the benchmarks, print the tables, write CSV and curves to bench-out/."""

from __future__ import annotations

import argparse
import csv
import importlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import (
    family,
    growth,
    optimum,
    rt,
    rt_page,
    sensitive,
    sensitive_growth,
    sensitive_page,
    spine,
    suppression,
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    every = ["spine", "growth", "optimum", "family", "suppression", "sensitive", "sensitive-growth", "rt"]
    papers = sorted(path.stem for path in (Path(__file__).parent / "papers").glob("p[0-9].py"))
    parser.add_argument("what", nargs="*", default=every, choices=[*every, "papers", *papers])
    parser.add_argument(
        "--docs", action="store_true", help="put 'suppression', 'sensitive' and 'rt' into their pages of docs/"
    )
    parser.add_argument("--again", action="store_true", help="measure what 'rt' and 'papers' keep in build/ anew")
    parser.add_argument("--out", type=Path, default=Path("bench-out"))
    given = parser.parse_args()
    if "papers" in given.what:  # papers p0 p2: the pages of these; papers: of all
        for name in [one for one in given.what if one in papers] or papers:
            importlib.import_module(f"benchmarks.papers.{name}").write(given.again)
    data = given.out / "data"
    data.mkdir(parents=True, exist_ok=True)
    if "spine" in given.what:
        show("AA, from file to verified file, k=5, fanout 5", spine.rows(data), given.out / "spine.csv")
    if "growth" in given.what:
        results = show("How AA grows", growth.rows(data), given.out / "growth.csv")
        growth.draw(results, given.out / "growth.png")
        print(f"curves: {given.out / 'growth.png'}")
    if "optimum" in given.what:
        show("The optimum beside AA, the search alone, k=5", optimum.rows(data), given.out / "optimum.csv")
    if "family" in given.what:
        show("The whole family beside AA, the search alone", family.rows(data), given.out / "family.csv")
    if "suppression" in given.what:
        title, found = "Generalization with suppression and its rivals, the search alone", suppression.rows(data)
        results = show(title, found, given.out / "suppression.csv")
        show("How they grow, BMS-WebView-2, k=5, m=3", suppression.growing(data), given.out / "suppression-growth.csv")
        if given.docs and results:
            suppression.write(results)
    images = sensitive_page.PAGE.parent / "images" if given.docs else given.out
    if "sensitive" in given.what:
        results = keep(sensitive.rows(), given.out / "sensitive.csv")
        show("P1's experiments, means of six runs", sensitive_page.means(results), given.out / "sensitive-means.csv")
        others = keep(sensitive.variants(), given.out / "sensitive-variants.csv")
        sensitive_page.draw(results, images)
        if given.docs:
            sensitive_page.write(results, others)
    if "sensitive-growth" in given.what:
        title, found = "How P1's methods and their rivals grow, Quest, 1,000 items", sensitive_growth.rows(data)
        results = show(title, found, given.out / "sensitive-growth.csv")
        sensitive_page.draw_growth(results, images)
        if given.docs:
            sensitive_page.write_growth(results)
    if "rt" in given.what and not rt.available():
        print("rt: needs the real data sets (SHOAL_DATA).")
        return
    if "rt" in given.what:
        tables = {name: rt.stored(name, rows, again=given.again) for name, rows in rt.TABLES.items()}
        for name, results in tables.items():
            show(f"Columns and sets: {name}", results, given.out / f"rt-{name.replace(' ', '-')}.csv")
        if given.docs:
            rt_page.write_tables(tables)


def show(title: str, rows: Iterable[dict[str, Any]], target: Path) -> list[dict[str, Any]]:
    """Print rows as a table and keep them as CSV."""
    results = list(rows)
    if not results:
        print(f"{title}: needs the real data sets (SHOAL_DATA).")
        return []
    table = Table(title=title)
    names = list(dict.fromkeys(name for row in results for name in row))
    for name in names:
        table.add_column(name, justify="right")
    for row in results:
        values = [row.get(name, "") for name in names]
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in values))
    Console(width=210).print(table)
    return keep(results, target)


def keep(rows: Iterable[dict[str, Any]], target: Path) -> list[dict[str, Any]]:
    """Write rows as CSV."""
    results = list(rows)
    with open(target, "w", newline="", encoding="utf-8") as file:
        names = dict.fromkeys(name for row in results for name in row)
        writer = csv.DictWriter(file, fieldnames=list(names))
        writer.writeheader()
        writer.writerows(results)
    return results


if __name__ == "__main__":
    main()
