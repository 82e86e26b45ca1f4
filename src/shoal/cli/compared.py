"""The results of ``shoal compare`` as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shoal.cli import console
from shoal.evaluation import page
from shoal.evaluation.compare import MethodComparison
from shoal.evaluation.results import Row
from shoal.report.facts import plain
from shoal.report.formatting import count_noun

SHOWN = 30  # runs that are listed one by one; of more, each method is told as a whole
_NAMES = ("data", "model", "k", "m", "l", "p", "seed", "method")


def show(comparison: MethodComparison) -> None:
    """Show each run if there are few, or one line for each method if there are many."""
    rows, failed = comparison.rows, comparison.failed
    if len(rows) <= SHOWN:
        heads = [*_NAMES, "loss", "gap", "seconds", "peak MB", ""]
        _table(heads, [_run(row) for row in rows], len(_NAMES))
    else:
        heads = ["data", "model", "method", "runs", "failed", "least", "mean loss", "mean gap", "mean s", "most MB"]
        _table(heads, [_method(one) for one in page.standings(rows)], 3)
    ended = f"; {failed:,} without a release" if failed else ", all verified"
    console.say(f"{count_noun(len(rows), 'run')}{ended}: {comparison.page}, {comparison.table}")
    charts = f"{comparison.figures} (SVG and PDF), " if comparison.figures is not None else ""
    console.say(f"For a paper: {charts}{comparison.folder / 'table.tex'}")


def document(comparison: MethodComparison) -> dict[str, Any]:
    """Return every run, for JSON."""
    files = {"page": str(comparison.page), "table": str(comparison.table)}
    runs: list[Any] = plain(comparison.rows)
    return {"runs": runs, "failed": comparison.failed, "files": files}


def _run(row: Row) -> list[str]:
    """Return the cells of one run."""
    gap = "" if row.get("gap") is None else f"{row['gap']:.1%}"
    state = "verified" if row.get("verified") else f"{row['status']}: {row['error']}"
    state += ", nearly worthless" if row.get("worthless") else ""
    figures = (page.cell(row.get(name)) for name in ("seconds", "peak_mb"))
    return [*(page.cell(row.get(name)) for name in _NAMES), page.cell(row.get("score")), gap, *figures, state]


def _method(one: page.Standing) -> list[str]:
    """Return the cells of one method over all its runs."""
    gap = "" if one.gap is None else f"{one.gap:.1%}"
    counts = (str(one.runs), str(one.failed), f"{one.least} of {one.settings}")
    figures = (page.cell(one.loss), gap, page.cell(one.seconds), page.cell(one.peak_mb))
    return [one.data, one.model, one.method, *counts, *figures]


def _table(heads: Sequence[str], lines: Sequence[Sequence[str]], left: int) -> None:
    """Show a table without the columns whose value is the same in all lines."""
    same = {at for at in range(left - 1) if len({line[at] for line in lines}) == 1}
    kept = [at for at in range(len(heads)) if at not in same]
    console.table(None, [heads[at] for at in kept], [[line[at] for at in kept] for line in lines], left - len(same))
