"""The pictures of docs/papers/p2.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.papers.p2_merges import ORDERS, TINY
from shoal.evaluation import charts
from shoal.evaluation.results import Row

Rows = Sequence[Row]
SHORT = {
    "rmerge-r": "RmR",
    "rmerge-t": "RmT",
    "rmerge-rt": "RmRT",
    "tmerge-r": "TmR",
    "tmerge-t": "TmT",
    "tmerge-rt": "TmRT",
    "cluster": "Cl",
}
STYLES = {short: charts.line_styles([name])[name] for name, short in SHORT.items()}
TITLES = {"informs": "Informs, k = 25", "videos": "generated, k = 100"}
ERRORS = {"are_2_0": "2 values", "are_2_1": "2 values, 1 item", "are_2_2": "2 values, 2 items", "are_0_2": "2 items"}
BOUNDED = {f"bounded_{name}": title for name, title in ERRORS.items()}
LOSSES = {
    "largest_class": "largest cluster (records)",
    "ul": "UL of the sets",
    "ncp": "NCP of the items",
    "relational_ncp": "NCP of the columns",
}
DELTA = {"r": "delta (for NCP of the columns)", "t": "delta (for UL of the sets)"}


def over_delta(parts: Mapping[str, Rows], measures: Mapping[str, str], target: Path, label: str, bound: str) -> None:
    """A line of panels for each data set, one panel for each measure."""
    figure, grid = charts.panels(len(parts), len(measures))
    for line, (name, rows) in zip(grid, parts.items(), strict=True):
        for panel, (measure, title) in zip(line, measures.items(), strict=True):
            charts.curves(panel, rows, "delta", measure, styles=STYLES)
            panel.set_title(f"{name}: {title}")
            high = max((row[measure] for row in rows if row.get(measure) is not None), default=0)
            _from_zero(panel, high)
        line[0].set_ylabel(label)
    for panel in grid[-1]:
        panel.set_xlabel(DELTA[bound])
    _save(figure, grid, target)


def runtime(rows: Rows, target: Path) -> None:
    """Figs. 7a and 7b."""
    figure, grid = charts.panels(1, 3, width=4.0, height=3.0)
    sizes = [row for row in rows if row["data"] == "informs"]
    ks = [row for row in rows if row["data"] == "informs, 10,000"]
    for panel, some, across, label in (
        (grid[0][0], [row for row in sizes if row["records"] <= 10_000], "records", "records (P2's range), k = 25"),
        (grid[0][1], sizes, "records", "records, k = 25"),
        (grid[0][2], ks, "k", "k, 10,000 records"),
    ):
        charts.curves(panel, some, across, "search_cpu_seconds", styles=STYLES)
        panel.set_xlabel(label)
        panel.set_ylim(bottom=0)
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.locator_params(axis="x", nbins=6)
    grid[0][0].set_ylabel("search (CPU s), one worker")
    _save(figure, grid, target)


def exact(rows: Rows, target: Path) -> None:
    """Figs. 7c to 7f, but for UL of Tum-bound, which is at its bound: filled markers are the exact distance."""
    figure, grid = charts.panels(1, 4, height=3.0)
    shown = (("r", "search_cpu_seconds"), ("r", "ul"), ("t", "search_cpu_seconds"), ("t", "relational_ncp"))
    for panel, (bound, measure) in zip(grid[0], shown, strict=True):
        some = [
            row | {"line": f"{row['method'][2:]}, by {'BTD' if row['distance'] == 'btd' else 'the loss of the union'}"}
            for row in rows
            if row["bound"] == bound
        ]
        styles = {
            row["line"]: STYLES[f"Rm{row['method'][2:]}"] | ({"fillstyle": "full"} if row["distance"] == "ul" else {})
            for row in some
        }
        charts.curves(panel, some, "delta", measure, by="line", styles=styles)
        panel.set_xlabel(DELTA[bound])
        panel.set_title("Rum-bound" if bound == "r" else "Tum-bound")
        panel.set_ylabel(
            {"search_cpu_seconds": "search (CPU s)", "ul": "UL"}.get(measure, "NCP of the columns, at this UL")
        )
        panel.set_xticks(sorted({row["delta"] for row in some}))
        high = max(row[measure] for row in some)
        if measure == "search_cpu_seconds":
            panel.set_yscale("log")
            panel.set_ylim(0.05, 2 * high)
        else:
            _from_zero(panel, high)
    _save(figure, grid, target)


def merges(rows: Rows, target: Path) -> None:
    """Figs. 7g and 7h."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    figure, grid = charts.panels(1, len(names), width=5.4, height=3.3)
    for panel, name in zip(grid[0], names, strict=True):
        for by in ORDERS:
            points = [row for row in rows if (row["data"], row["by"]) == (name, by)]
            look: dict[str, Any] = {**STYLES[f"Rm{by.upper()}"], "marker": ""}
            panel.plot([row["merges"] for row in points], [row["ul"] for row in points], label=by.upper(), **look)
            ups = [row for row in points if row.get("rise", 0) > TINY]
            places = [row["merges"] for row in ups], [row["ul"] for row in ups]
            panel.plot(*places, linestyle="", marker="x", color=look["color"])
        panel.set_title(f"{TITLES[name].split(',')[0]}: x marks a merge that raised UL")
        panel.set_xlabel("merges")
        panel.set_ylabel("UL")
        panel.set_ylim(0, 1.02)
    _save(figure, grid, target)


def _from_zero(panel: Any, high: float) -> None:
    panel.set_ylim(0, 1.08 * high or 1)
    panel.yaxis.set_major_formatter("{x:,.0f}" if high > 10 else "{x:,.3g}")


def _save(figure: Any, grid: Any, target: Path) -> None:
    charts.legend(figure, grid.flat)
    charts.save(figure, target)
