"""``make bench``: run the benchmarks, print the tables, write CSV and curves to bench-out/."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import family, growth, optimum, spine, suppression


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    every = ["spine", "growth", "optimum", "family", "suppression"]
    parser.add_argument("what", nargs="*", default=every, choices=every)
    parser.add_argument("--docs", action="store_true", help="put the table of 'suppression' into docs/suppression.md")
    parser.add_argument("--out", type=Path, default=Path("bench-out"))
    given = parser.parse_args()
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


def show(title: str, rows: Iterable[dict[str, Any]], target: Path) -> list[dict[str, Any]]:
    """Print rows as a table and keep them as CSV."""
    results = list(rows)
    if not results:
        print(f"{title}: needs the real data sets (SHOAL_DATA).")
        return []
    table = Table(title=title)
    for name in results[0]:
        table.add_column(name, justify="right")
    for row in results:
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    Console(width=210).print(table)
    with open(target, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(results[0]))
        writer.writeheader()
        writer.writerows(results)
    return results


if __name__ == "__main__":
    main()
