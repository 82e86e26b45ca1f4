"""The pictures of docs/research/papers/wang-2014.md: one panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.papers.p1_growth import LIMIT, K, over_rows, over_shares
from benchmarks.papers.p1_published import KS, published
from benchmarks.papers.p1_published import METHODS as PRINTED
from shoal.evaluation import charts
from shoal.evaluation.results import Row

TITLES = {
    "D1": "D1: Quest, 5,000 x 30",
    "D2": "D2: Quest, 10,000 x 30",
    "D3": "D3: Quest, 10,000 x 12",
    "D4": "D4: BMS-WebView-1, 30 items",
}
NAMED = {
    "STN": "stn",
    "GSC": "gsc",
    "K-NN": "knn",
    "K-NN, GSC order": "knn, order gsc",
    "GraySort": "graysort",
    "Sort APX Cover": "apx-cover",
}


def _styles(methods: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The house style by the paper's names; STN is broad, since K-NN mostly runs over it; from QT is dotted."""
    styles = {}
    for method in methods:
        name = NAMED[method.replace(" (all)", "").replace(" (QT)", "")]
        styles[method] = charts.line_styles([name])[name] | ({"linestyle": ":"} if "(QT)" in method else {})
    styles["STN"] |= {"linewidth": 3.5, "markersize": 8, "alpha": 0.6}
    return styles


def against_k(means: Sequence[Row], measure: str, label: str, methods: Sequence[str], target: Path) -> None:
    """One measure over k, a column of panels for each data set: its values, and below in percent of STN's."""
    figure, panels = charts.panels(2, len(TITLES), height=2.3)
    stn = {(row["data"], row["k"]): row[measure] for row in means if row["method"] == "STN"}
    shares = [{**row, "share": 100 * row[measure] / stn[row["data"], row["k"]]} for row in means]
    for column, (name, title) in enumerate(TITLES.items()):
        here = [row for row in shares if row["data"] == name]
        charts.curves(panels[0][column], here, "k", measure, styles=_styles(methods))
        charts.curves(panels[1][column], here, "k", "share", styles=_styles(methods))
        panels[0][column].set_title(title)
        panels[0][column].set_ylim(0, 1.1 * max(row[measure] for row in here if row["method"] in methods))
        panels[0][column].yaxis.set_major_formatter("{x:,.0f}")
    _finish(figure, panels, (label, "the same, STN = 100 %"), "k", target)


def model(readings: Mapping[str, Sequence[Row]], target: Path) -> None:
    """The privacy values: above what P1 printed, below ours for some readings, on the same axes."""
    figure, panels = charts.panels(1 + len(readings), len(TITLES), height=2.3)
    for column, (name, title) in enumerate(TITLES.items()):
        printed = [{"k": k, "method": m, "privacy_value": published(name, m, k)} for m in PRINTED for k in KS]
        ours = ([row for row in means if row["data"] == name] for means in readings.values())
        for panel, rows in zip(panels[:, column], (printed, *ours), strict=True):
            charts.curves(panel, rows, "k", "privacy_value", styles=_styles(PRINTED))
            panel.set_yscale("log")
        panels[0][column].set_title(title)
        for line in panels[1:]:
            line[column].sharey(panels[0][column])
        panels[0][column].autoscale(axis="y")
    _finish(
        figure, panels, ("privacy value, published", *(f"ours, {name}" for name in readings)), "k (GraySort: p)", target
    )


def growth(results: Sequence[Row], target: Path) -> None:
    """Time and memory over rows; time over sensitive rows."""
    figure, panels = charts.panels(1, 4, height=2.9)
    looks = (
        (over_rows(results), "records", "cpu_seconds", "CPU time (s)", f"5 % sensitive, k = {K}"),
        (over_rows(results), "records", "peak_mb", "peak memory (MB)", f"5 % sensitive, k = {K}"),
        (over_shares(results, K), "sensitive", "cpu_seconds", "CPU time (s)", f"100,000 rows, k = {K}"),
        (over_shares(results, 20), "sensitive", "cpu_seconds", "CPU time (s)", "100,000 rows, k = 20"),
    )
    for panel, (rows, across, up, label, title) in zip(panels[0], looks, strict=True):
        methods = list(dict.fromkeys(row["method"] for row in rows))
        charts.curves(panel, rows, across, up, styles=_styles(methods))
        panel.set(xscale="log", ylabel=label, title=title)
        panel.set_xlabel("rows" if across == "records" else "rows with sensitive items")
        places = sorted({row[across] for row in rows})
        panel.set_xticks(places, [f"{one:,}" for one in places], rotation=30, ha="right")
        if up == "peak_mb":
            panel.axhline(LIMIT, color="#555555", linewidth=1)
            panel.text(places[0], LIMIT * 1.04, "2 GB", va="bottom")
            panel.set_ylim(top=LIMIT * 1.6)
        if across == "records":
            charts.plain_log(panel)
        else:
            panel.set_ylim(bottom=0)
        panel.minorticks_off()
    charts.legend(figure, panels[0])
    charts.save(figure, target)


def _finish(figure: Any, panels: Any, labels: Sequence[str], across: str, target: Path) -> None:
    """Axes over k, a legend, and out."""
    for line, label in zip(panels, labels, strict=True):
        line[0].set_ylabel(label)
        for panel in line:
            panel.set_xticks(KS, [str(k) if k != 9 else "" for k in KS])
    for panel in panels[-1]:
        panel.set_xlabel(across)
    charts.legend(figure, panels[0])
    charts.save(figure, target)
