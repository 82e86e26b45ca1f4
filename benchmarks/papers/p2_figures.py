"""The pictures of docs/research/papers/poulis-2013.md. Lines are means over the seeds; a band shows their spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.papers.p2_merges import DIVERSE, ORDERS, TINY
from benchmarks.papers.p2_rows import READINGS, SHORT, over_k
from shoal.evaluation import charts
from shoal.evaluation.results import Row

Rows = Sequence[Row]
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
BRIEF = {"sets-ul": "sets", "aa": "AA"}
TRACED = {"informs": "Informs", DIVERSE: "Informs, (k,l^m)", "videos": "generated"}


def over_delta(parts: Mapping[str, Rows], measures: Mapping[str, str], target: Path, label: str, bound: str) -> None:
    """A line of panels for each data set and reading, one panel for each measure."""
    parts = {name: rows for name, rows in parts.items() if rows}  # what is not measured has no panels
    figure, grid = charts.panels(max(1, len(parts)), len(measures))
    for line, (name, rows) in zip(grid, parts.items(), strict=False):
        for panel, (measure, title) in zip(line, measures.items(), strict=True):
            _curves(panel, rows, "delta", measure)
            panel.set_title(f"{name}: {title}")
            _from_zero(panel, max((row[measure] for row in rows if row.get(measure) is not None), default=0))
        line[0].set_ylabel(label)
    for panel in grid[-1]:
        panel.set_xlabel(DELTA[bound])
    _save(figure, grid, target)


def runtime(rows: Rows, target: Path) -> None:
    """Figs. 7a and 7b, a line for each reading."""
    figure, grid = charts.panels(len(READINGS), 3, width=4.0, height=2.8)
    for line, reading in zip(grid, READINGS, strict=True):
        some = [row for row in rows if row["reading"] in (reading, None)]
        sizes = [row for row in some if row["data"] == "informs"]
        for panel, here, across, label in (
            (
                line[0],
                [row for row in sizes if row["records"] <= 10_000],
                "records",
                "records (the paper's range), k = 25",
            ),
            (line[1], sizes, "records", "records, k = 25"),
            (line[2], over_k(some), "k", "k, 10,000 records"),
        ):
            _curves(panel, here, across, "search_cpu_seconds")
            panel.set_xlabel(label)
            panel.set_title(READINGS[reading])
            panel.set_ylim(bottom=0)
            panel.xaxis.set_major_formatter("{x:,.0f}")
            panel.locator_params(axis="x", nbins=6)
        line[0].set_ylabel("search (CPU s), one worker")
    _save(figure, grid, target)


def exact(fig7: Rows, baselines: Rows, target: Path) -> None:
    """Figs. 7c to 7f, but for UL of Tum-bound, which is at its bound: filled markers are the baselines."""
    figure, grid = charts.panels(len(READINGS), 4, height=2.8)
    few = [row for row in (*fig7, *baselines) if row["data"] == "informs, few"]
    few = [row | {"time": row.get("search_cpu_seconds") or row.get("cpu_seconds")} for row in few]
    shown = (("r", "time"), ("r", "ul"), ("t", "time"), ("t", "relational_ncp"))
    for line, reading in zip(grid, READINGS, strict=True):
        for panel, (bound, measure) in zip(line, shown, strict=True):
            some = [
                row
                | {"line": f"{row['method'][2:]}, by {'BTD' if row['distance'] == 'btd' else 'the loss of the union'}"}
                for row in few
                if (row["bound"], row["reading"]) == (bound, reading) and row["status"] == "ok"
            ]
            styles = {
                row["line"]: STYLES[f"Rm{row['method'][2:]}"]
                | ({"fillstyle": "full"} if row["distance"] == "ul" else {})
                for row in some
            }
            _curves(panel, some, "delta", measure, "line", styles)
            panel.set_xlabel(DELTA[bound])
            panel.set_title(f"{BRIEF[reading]}: {'Rum-bound' if bound == 'r' else 'Tum-bound'}")
            panel.set_ylabel({"time": "CPU s", "ul": "UL"}.get(measure, "NCP of the columns, at this UL"))
            panel.set_xticks(sorted({row["delta"] for row in some}))
            high = max((row[measure] for row in some), default=1)
            if measure == "time":
                panel.set_yscale("log")
                panel.set_ylim(0.02, 2 * high)
            else:
                _from_zero(panel, high)
    _save(figure, grid, target)


def merges(rows: Rows, target: Path) -> None:
    """Figs. 7g and 7h, with the first seed."""
    figure, grid = charts.panels(len(READINGS), len(TRACED), width=4.2, height=2.9)
    for line, reading in zip(grid, READINGS, strict=True):
        for panel, (name, title) in zip(line, TRACED.items(), strict=True):
            here = [row for row in rows if (row["data"], row["reading"]) == (name, reading)]
            first = min((row["seed"] for row in here), default=0)
            for by in ORDERS:
                points = [row for row in here if (row["by"], row["seed"]) == (by, first)]
                look: dict[str, Any] = {**STYLES[f"Rm{by.upper()}"], "marker": ""}
                panel.plot([row["merges"] for row in points], [row["ul"] for row in points], label=by.upper(), **look)
                ups = [row for row in points if row.get("rise", 0) > TINY]
                places = [row["merges"] for row in ups], [row["ul"] for row in ups]
                panel.plot(*places, linestyle="", marker="x", color=look["color"])
            panel.set_title(f"{BRIEF[reading]}, {title}: x marks a merge that raised UL", fontsize=8)
            panel.set_xlabel("merges")
            panel.set_ylabel("UL")
            panel.set_ylim(0, 1.02)
    _save(figure, grid, target)


def _curves(
    panel: Any,
    rows: Rows,
    across: str,
    up: str,
    by: str = "method",
    styles: dict[str, dict[str, Any]] | None = None,
) -> None:
    """A line for each method, and a band from the least to the greatest seed."""
    styles = STYLES if styles is None else styles
    charts.curves(panel, rows, across, up, by=by, styles=styles)
    for name, style in styles.items():
        values: dict[float, list[float]] = {}
        for row in rows:
            if row[by] == name and row.get(up) is not None:
                values.setdefault(row[across], []).append(row[up])
        if any(len(some) > 1 for some in values.values()):
            places = sorted(values)
            low, high = ([end(values[place]) for place in places] for end in (min, max))
            panel.fill_between(places, low, high, color=style["color"], alpha=0.15, linewidth=0)


def _from_zero(panel: Any, high: float) -> None:
    panel.set_ylim(0, 1.08 * high or 1)
    panel.yaxis.set_major_formatter("{x:,.0f}" if high > 10 else "{x:,.3g}")


def _save(figure: Any, grid: Any, target: Path) -> None:
    charts.legend(figure, grid.flat)
    charts.save(figure, target)
