"""The pictures of docs/relational.md: small multiples; readable without colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[dict[str, Any]]
TITLES = {"informs": "Informs, k = 25", "videos": "generated, k = 100"}
# Colours of Okabe and Ito, told apart by the colour-blind; the markers and lines differ, too.
STYLES: dict[str, dict[str, Any]] = {
    "R": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "T": {"color": "#D55E00", "marker": "s", "linestyle": "--"},
    "RT": {"color": "#009E73", "marker": "D", "linestyle": "-."},
    "Cl": {"color": "#000000", "marker": "^", "linestyle": ":"},
}
ERRORS = {"are 2,0": "2 values", "are 2,1": "2 values, 1 item", "are 2,2": "2 values, 2 items", "are 0,2": "2 items"}
TINY = 1e-6  # a rise of UL that counts
COLUMNS_DELTA, SETS_DELTA = "delta (for NCP of the columns)", "delta (for UL of the sets)"


def _plots() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def style(method: str) -> dict[str, Any]:
    """How the line of a method looks: RmT and TmT alike."""
    return {"markersize": 5, "fillstyle": "none", **STYLES[method if method == "Cl" else method[2:]]}


def curves(panel: Any, rows: Rows, across: str, up: str, names: Sequence[str] = ()) -> None:
    """A line for each method."""
    for method in names or dict.fromkeys(row["method"] for row in rows):
        points = [row for row in rows if row["method"] == method and row.get(up) is not None]
        points.sort(key=lambda row: row[across])
        panel.plot([row[across] for row in points], [row[up] for row in points], label=method, **style(method))
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)


def _save(figure: Any, panel: Any, target: Path) -> None:
    handles, names = panel.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    figure.savefig(target, dpi=110)
    _plots().close(figure)


def over_delta(sets: Mapping[str, Rows], measures: dict[str, str], target: Path, label: str, xlabel: str) -> None:
    """A line of panels for each data set, one for each measure."""
    size = (3.4 * len(measures), 0.6 + 2.7 * len(sets))
    figure, panels = _plots().subplots(len(sets), len(measures), figsize=size, layout="constrained", squeeze=False)
    for line, (name, rows) in enumerate(sets.items()):
        for panel, (measure, title) in zip(panels[line], measures.items(), strict=True):
            curves(panel, rows, "delta", measure)
            panel.set_title(f"{name}: {title}", fontsize=9)
            high = max((row[measure] for row in rows if row.get(measure) is not None), default=0)
            panel.set_ylim(0, 1.08 * high or 1)
            panel.yaxis.set_major_formatter("{x:,.0f}" if high > 10 else "{x:,.2g}")
        panels[line][0].set_ylabel(label)
    for panel in panels[-1]:
        panel.set_xlabel(xlabel, fontsize=9)
    _save(figure, panels[0][0], target)


def runtime(rows: Rows, target: Path) -> None:
    """Figs. 7a and 7b."""
    figure, panels = _plots().subplots(1, 3, figsize=(12, 3.8), layout="constrained")
    by_rows, by_k = ([row for row in rows if row["axis"] == axis] for axis in ("rows", "k"))
    for panel, some, axis, label in (
        (panels[0], [row for row in by_rows if row["rows"] <= 10_000], "rows", "records (P2's range), k = 25"),
        (panels[1], by_rows, "rows", "records, k = 25"),
        (panels[2], by_k, "k", "k, 10,000 records"),
    ):
        curves(panel, some, axis, "cpu")
        panel.set_xlabel(label)
        panel.set_ylim(bottom=0)
        panel.xaxis.set_major_formatter("{x:,.0f}")
    panels[0].set_ylabel("search (CPU s, one worker)")
    _save(figure, panels[0], target)


def exact(rows: Rows, target: Path) -> None:
    """Figs. 7c to 7f, but for UL of Tum-bound, which is at its bound: filled markers are the exact distance."""
    figure, panels = _plots().subplots(1, 4, figsize=(14, 3.9), layout="constrained")
    for at, (bound, measure) in enumerate((("r", "cpu"), ("r", "ul"), ("t", "cpu"), ("t", "relational_ncp"))):
        panel = panels[at]
        for distance in ("btd", "ul"):
            some = [row for row in rows if (row["bound"], row["distance"]) == (bound, distance)]
            for method in dict.fromkeys(row["method"] for row in some):
                points = [row for row in some if row["method"] == method]
                look = style(method) | ({"fillstyle": "full"} if distance == "ul" else {})
                name = f"{method[2:]}{', by the loss of the union' if distance == 'ul' else ', by BTD'}"
                panel.plot([row["delta"] for row in points], [row[measure] for row in points], label=name, **look)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_xlabel(COLUMNS_DELTA if bound == "r" else SETS_DELTA, fontsize=9)
        panel.set_title("Rum-bound" if bound == "r" else "Tum-bound", fontsize=9)
        panel.set_ylabel({"cpu": "search (CPU s)", "ul": "UL"}.get(measure, "NCP of the columns, at this UL"))
        panel.set_xticks(sorted({row["delta"] for row in rows if row["bound"] == bound}))
        high = max(row[measure] for row in rows if row["bound"] == bound)
        if measure == "cpu":
            panel.set_yscale("log")
            panel.set_ylim(0.05, 2 * high)
        else:
            panel.set_ylim(0, 1.08 * high)
    _save(figure, panels[0], target)


def merges(rows: Rows, target: Path) -> None:
    """Figs. 7g and 7h."""
    sets = list(dict.fromkeys(row["data"] for row in rows))
    figure, panels = _plots().subplots(1, len(sets), figsize=(5.4 * len(sets), 3.9), layout="constrained")
    for panel, name in zip(panels, sets, strict=True):
        for by in ("r", "t", "rt"):
            points = [row for row in rows if (row["data"], row["by"]) == (name, by)]
            look = {**style(f"Rm{by.upper()}"), "marker": ""}
            panel.plot([row["merges"] for row in points], [row["ul"] for row in points], label=by.upper(), **look)
            ups = [row for row in points if row.get("rise", 0) > TINY]
            panel.plot(
                [row["merges"] for row in ups],
                [row["ul"] for row in ups],
                linestyle="",
                marker="x",
                markersize=5,
                color=look["color"],
            )
        panel.set_title(f"{TITLES[name].split(',')[0]}: x marks a merge that raised UL", fontsize=9)
        panel.set_xlabel("merges")
        panel.set_ylabel("UL")
        panel.set_ylim(0, 1.02)
        panel.grid(alpha=0.3)
        panel.spines[["top", "right"]].set_visible(False)
    _save(figure, panels[0], target)
