"""What the pages of all papers share: where rows come from, and how a page is filled."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.data import REAL
from shoal.evaluation import grid_file, results, runner
from shoal.evaluation.results import Row

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "research" / "papers"
IMAGES = DOCS / "images" / "papers"
KEPT = Path("build") / "papers"
PAPERS = {  # the short names of the grids, and their pages
    "p0": "terrovitis-2008",
    "p1": "wang-2014",
    "p2": "poulis-2013",
    "p3": "terrovitis-2011",
    "p4": "liu-2010",
}


known_only = False  # take the rows that were measured before, and run nothing


def rows(name: str, *, again: bool = False, kept: str = "") -> list[Row]:
    """The rows of a named grid: those that were measured before, and the rest now. They stay in build/papers/.

    A grid that is ``kept`` with another one takes over the runs that they have in common.
    """
    table = KEPT / f"{kept or name}.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    grid = grid_file.load(grid_file.named()[name], REAL)

    if known_only:
        measured = {row[results.KEY]: row for row in results.load(table)} if table.exists() else {}
        return [measured[case.key] for case in grid.cases if case.key in measured]

    def tell(at: runner.Progress) -> None:
        print(f"{name}: {at.done} of {at.total}: {at.case}: {at.row['status']}", flush=True)

    return runner.compare(grid, table, again=again, progress=tell)


def put(page: Path, mark: str, text: str) -> None:
    """Replace what stands between ``<!-- mark -->`` and ``<!-- end of mark -->``."""
    before = page.read_text(encoding="utf-8")
    pattern = rf"<!-- {re.escape(mark)} -->.*?<!-- end of {re.escape(mark)} -->"
    after, count = re.subn(
        pattern, lambda _: f"<!-- {mark} -->\n\n{text}\n\n<!-- end of {mark} -->", before, flags=re.S
    )
    if count != 1:
        raise ValueError(f"{page} has {count} places for '{mark}'")
    page.write_text(after, encoding="utf-8")
