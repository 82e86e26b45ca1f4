"""The pictures of docs/sensitive.md: small multiples, one panel for each data set; readable without colours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.sensitive_growth import BASE, exponent
from benchmarks.sensitive_published import KS, published
from benchmarks.sensitive_published import METHODS as PRINTED

Rows = Sequence[dict[str, Any]]
TITLES = {
    "D1": "D1: Quest, 5,000 x 30",
    "D2": "D2: Quest, 10,000 x 30",
    "D3": "D3: Quest, 10,000 x 12",
    "D4": "D4: BMS-WebView-1, 30 items",
}
# Colours of Okabe and Ito, told apart by the colour-blind; the markers and lines differ, too.
STYLES: dict[str, dict[str, Any]] = {
    "STN": {"color": "#0072B2", "marker": "o", "linestyle": "-", "linewidth": 3, "markersize": 8, "alpha": 0.7},
    "GSC": {"color": "#D55E00", "marker": "s", "linestyle": "-"},
    "K-NN": {"color": "#000000", "marker": "^", "linestyle": "--"},
    "K-NN, GSC order": {"color": "#009E73", "marker": "D", "linestyle": "-."},
    "K-NN, STN order": {"color": "#CC79A7", "marker": "x", "linestyle": ":"},
    "GraySort": {"color": "#CC79A7", "marker": "v", "linestyle": "-."},
    "Sort APX Cover": {"color": "#8C6D00", "marker": "P", "linestyle": ":"},
}


def _plots() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def _plain(panel: Any) -> None:
    panel.grid(alpha=0.3)
    panel.spines[["top", "right"]].set_visible(False)


def against_k(means: Rows, measure: str, label: str, methods: Sequence[str], target: Path, scale: float = 1.0) -> None:
    """One measure over k, a column of panels for each data set: its values, and below in percent of STN's."""
    plt = _plots()
    sets = list(dict.fromkeys(row["data"] for row in means))
    figure, panels = plt.subplots(
        2, len(sets), figsize=(3.6 * len(sets), 5.8), layout="constrained", squeeze=False, sharex=True
    )
    for column, name in enumerate(sets):
        at = {(row["method"], row["k"]): row[measure] for row in means if row["data"] == name}
        for method in methods:
            ks = [k for k in KS if at[method, k] is not None]
            style = {"markersize": 5, "fillstyle": "none", **STYLES[method]}
            panels[0][column].plot(ks, [at[method, k] * scale for k in ks], label=method, **style)
            panels[1][column].plot(ks, [100 * at[method, k] / at["STN", k] for k in ks], **style)
        panels[0][column].set_title(TITLES[name], fontsize=10)
        panels[0][column].set_ylim(bottom=0)
        panels[0][column].yaxis.set_major_formatter("{x:,.0f}")
        panels[1][column].set_xticks(KS, [str(k) if k != 9 else "" for k in KS])
        panels[1][column].set_xlabel("k")
        for panel in panels[:, column]:
            _plain(panel)
    panels[0][0].set_ylabel(label)
    panels[1][0].set_ylabel("the same, STN = 100 %")
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(methods), frameon=False)
    figure.savefig(target, dpi=110)
    plt.close(figure)


def privacy(means: Rows, target: Path) -> None:
    """The privacy values: above what P1 printed (dashed), below ours (solid), on the same axes."""
    plt = _plots()
    sets = list(dict.fromkeys(row["data"] for row in means))
    figure, panels = plt.subplots(
        2, len(sets), figsize=(3.6 * len(sets), 6.2), layout="constrained", squeeze=False, sharey="col", sharex=True
    )
    for column, name in enumerate(sets):
        ours = {(row["method"], row["k"]): row["privacy value"] for row in means if row["data"] == name}
        printed = {(method, k): published(name, method, k) for method in PRINTED for k in KS}
        for line, (dashes, values) in enumerate((("--", printed), ("-", ours))):
            panel = panels[line][column]
            for method in PRINTED:
                places = [k for k in KS if values[method, k] is not None]
                style = {"markersize": 5, "fillstyle": "none", **STYLES[method], "linestyle": dashes}
                panel.plot(places, [values[method, k] for k in places], label=method, **style)
            panel.set_yscale("log")
            _plain(panel)
            panel.set_xticks(KS, [str(k) if k != 9 else "" for k in KS])
        panels[0][column].set_title(TITLES[name], fontsize=10)
        panels[1][column].set_xlabel("k (GraySort: p)")
    panels[0][0].set_ylabel("privacy value, as published")
    panels[1][0].set_ylabel("privacy value, ours")
    handles, names = panels[1][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
    figure.savefig(target, dpi=110)
    plt.close(figure)


def growth(results: list[dict[str, Any]], target: Path) -> None:
    """Time of the search, time of the release and memory over rows; time over sensitive rows."""
    plt = _plots()
    figure, panels = plt.subplots(1, 4, figsize=(15, 4.1), layout="constrained")
    looks = (
        ("rows", "solve", "search (s)"),
        ("rows", "seconds", "file to verified file (s)"),
        ("rows", "peak_mb", "peak memory (MB)"),
        ("sensitive rows", "solve", f"search (s), {BASE['rows']:,} rows"),
    )
    for panel, (place, measure, label) in zip(panels, looks, strict=True):
        for method in dict.fromkeys(row["method"] for row in results):
            here = [row for row in results if row["method"] == method and row[measure]]
            if place == "rows":
                points = [row for row in here if row["axis"] == "rows"]
            else:
                points = [row for row in here if (row["rows"], row["k"]) == (BASE["rows"], BASE["k"])]
            points.sort(key=lambda row: row[place])
            if place != "rows" and len(points) < 2:
                continue
            name = method
            if measure == "solve":
                name += f", exponent {exponent(results, method, 'rows' if place == 'rows' else 'share'):.2f}"
            panel.plot(
                [row[place] for row in points],
                [row[measure] for row in points],
                label=name,
                fillstyle="none",
                **{"markersize": 5, **STYLES[method]},
            )
        panel.set_xscale("log")
        panel.set_yscale("log")
        shown = [row for row in results if row["k"] == BASE["k"] and (place == "rows" or row["rows"] == BASE["rows"])]
        places = sorted({row[place] for row in shown})
        panel.set_xticks(places, [f"{one:,}" for one in places], rotation=40, fontsize=8, ha="right")
        panel.set_xlabel(place)
        panel.set_ylabel(label)
        low, high = panel.get_ylim()
        if measure == "peak_mb":
            panel.axhline(2_000, color="#555555", linewidth=1)
            panel.text(places[0], 2_060, "2 GB, the limit asked for", fontsize=8, va="bottom")
            high = 3_000
        elif measure == "solve":
            panel.legend(fontsize=8, frameon=False, loc="upper left")
            high *= 8  # room for the legend
        panel.set_ylim(low, high)
        ticks = [one * 10**power for power in range(-2, 4) for one in (1, 2, 5) if low <= one * 10**power <= high]
        panel.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])
        panel.minorticks_off()
        _plain(panel)
    figure.savefig(target, dpi=110)
    plt.close(figure)
