"""``make bench``: run the benchmarks, print the tables, write CSV and curves to bench-out/."""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import (
    cluster,
    family,
    growth,
    leaderboard,
    method_pictures,
    minimality,
    optimum,
    persons,
    reading,
    rt,
    rt_page,
    scale,
    scale_page,
    siblings,
    spine,
    tables_with_sets,
    workbench,
)
from benchmarks.papers import common

CASES = f"'scale': one case; repeatable: {', '.join(scale.CHOICES)}"


def main() -> None:
    if sys.argv[1:2] == ["papers"]:
        return papers(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    every = ["spine", "growth", "optimum", "family", "rt", "reading"]
    others = [
        "cluster",
        "leaderboard",
        "method-pictures",
        "minimality",
        "persons",
        "scale",
        "siblings",
        "tables-with-sets",
        "workbench",
    ]
    parser.add_argument(
        "what", nargs="*", default=[], choices=[*every, *others, []]
    )  # argparse checks the default, too
    parser.add_argument("--against", metavar="PYTHON", help="'reading': another installation, measured in turn")
    parser.add_argument(
        "--docs",
        action="store_true",
        help="put 'cluster', 'persons', 'rt', 'scale', 'siblings' or 'tables-with-sets' into docs/",
    )
    parser.add_argument("--only", metavar="CASE", action="append", default=[], choices=scale.CHOICES, help=CASES)
    parser.add_argument(
        "--large", action="store_true", help="'scale', 'cluster': also 50 million rows (much time and disk)"
    )
    parser.add_argument("--shrink", metavar="N", type=int, default=1, help="'scale': N times fewer rows, to try it")
    parser.add_argument(
        "--seconds", metavar="N", type=float, default=60.0, help="'workbench': how long 20 browsers ask at once"
    )
    parser.add_argument("--again", action="store_true", help="measure what is kept in build/ anew")
    parser.add_argument("--out", type=Path, default=Path("bench-out"))
    given = parser.parse_args()
    given.what = given.what or every
    if given.docs and given.shrink != 1:
        parser.error("--docs needs the full sizes: leave out --shrink")
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
    if "reading" in given.what:
        show("Reading alone", reading.rows(data.resolve(), given.against), given.out / "reading.csv")
    if "scale" in given.what:
        millions(given, data)
    if "cluster" in given.what:
        measured = show(
            "A Dask cluster, AA, k=5, m=2", cluster.rows(data, large=given.large), given.out / "cluster.csv"
        )
        if given.docs and measured:
            cluster.write(measured)
    if "minimality" in given.what:
        show("What a known method gives away, k=2, m=2", minimality.rows(), given.out / "minimality.csv")
    if "method-pictures" in given.what:
        method_pictures.write()
    if "leaderboard" in given.what:
        leaderboard.write(again=given.again)
    if "workbench" in given.what:
        show("The workbench", workbench.rows(given.seconds), given.out / "workbench.csv")
    if "siblings" in given.what:
        measured = show("Groups of siblings, the default command, k=5", siblings.rows(data), given.out / "siblings.csv")
        if given.docs and measured:
            siblings.write(measured)
    if "persons" in given.what:
        measured = show("Counting persons and records, k=5", persons.rows(), given.out / "persons.csv")
        if given.docs and measured:
            persons.write(measured)
    if "tables-with-sets" in given.what:
        measured = show("Tables with sets, k=25, m=2", tables_with_sets.rows(), given.out / "tables-with-sets.csv")
        if given.docs and measured:
            tables_with_sets.write(measured)
    if "rt" in given.what and not rt.available():
        print("rt: needs the real data sets (SHOAL_DATA).")
        return
    if "rt" in given.what:
        tables = {name: rt.stored(name, rows, again=given.again) for name, rows in rt.TABLES.items()}
        for name, results in tables.items():
            show(f"Columns and sets: {name}", results, given.out / f"rt-{name.replace(' ', '-')}.csv")
        if given.docs:
            rt_page.write_tables(tables)


def millions(given: argparse.Namespace, data: Path) -> None:
    """Run the cases of 'scale'. Each row is kept as soon as it is there, beside those of earlier runs."""
    target = given.out / ("scale.csv" if given.shrink == 1 else f"scale-{given.shrink}.csv")
    before, measured = scale_page.known(target), []
    for row in scale.rows(data, given.only, large=given.large, shrink=given.shrink):
        measured.append(row)
        keep(scale_page.merged(before, measured), target)
    display("Millions of rows, the whole command, k=5", measured)
    if given.docs:
        scale_page.write(scale_page.merged(before, measured))


def papers(words: list[str]) -> None:
    """``python -m benchmarks papers p1 p4``: run the grids of papers (default: all) and write their pages."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks papers", description=papers.__doc__)
    every = [*common.PAPERS, "overview"]
    allowed = [*every, []]  # argparse checks the default, too
    parser.add_argument("name", nargs="*", default=[], choices=allowed, metavar="NAME", help=", ".join(every))
    parser.add_argument("--again", action="store_true", help="measure what is kept in build/papers anew")
    parser.add_argument("--known", action="store_true", help="write the pages from what is kept, and run nothing")
    given = parser.parse_args(words)
    common.known_only = given.known
    for name in given.name or every:
        importlib.import_module(f"benchmarks.papers.{name}").write(again=given.again)


def show(title: str, rows: Iterable[dict[str, Any]], target: Path) -> list[dict[str, Any]]:
    """Print rows as a table and keep them as CSV."""
    results = list(rows)
    if not results:
        print(f"{title}: needs the real data sets (SHOAL_DATA).")
        return []
    display(title, results)
    return keep(results, target)


def display(title: str, results: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(title=title)
    names = list(dict.fromkeys(name for row in results for name in row))
    for name in names:
        table.add_column(name, justify="right")
    for row in results:
        values = [row.get(name, "") for name in names]
        table.add_row(*(f"{value:.4g}" if isinstance(value, float) else str(value) for value in values))
    Console(width=210).print(table)


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
