"""Pictures of P4's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers import common
from benchmarks.papers.p4_cells import NAMES, Cells, named
from shoal.evaluation import charts
from shoal.evaluation.results import Row


def draw(results: Cells) -> None:
    """Loss over m: two panels of a data set side by side, for the two k; two data sets in a line."""
    sets = list(dict.fromkeys((place.data, place.order) for place in results))
    ks = sorted({place.k for place in results})
    figure, panels = charts.panels(-(-len(sets) // 2), 2 * len(ks), width=3.1, height=2.1)
    styles = {NAMES[name]: look for name, look in charts.line_styles(NAMES).items()}
    for broad in ("AA", "mHgHs"):  # the optima mostly run over them
        styles[broad] |= {"linewidth": 3, "markersize": 7, "alpha": 0.6}
    shown = [(data, order, k) for data, order in sets for k in ks]
    for panel, (data, order, k) in zip(panels.flat, shown, strict=False):
        here: list[dict[str, Any]] = [
            {**row, "m": place.m, "method": name}
            for place, at in results.items()
            if (place.data, place.order, place.k) == (data, order, k)
            for name, row in at.items()
        ]
        charts.curves(panel, here, "m", "ncp", styles=styles)
        _seeds(panel, here, styles)
        title = data if order == "real" else f"{data} ({order})"
        panel.set(ylim=(0.001, 1.3), xlim=(0.7, 7.3), title=f"{title}, k = {k}", xlabel="m")
        panel.set_xticks(range(1, 8))
        charts.plain_log(panel)
    for panel in panels.flat[len(shown) :]:
        panel.set_visible(False)
    for line in panels:
        line[0].set_ylabel("NCP")
    charts.legend(figure, panels.flat)
    charts.save(figure, common.IMAGES / "p4-fig3.png")


def _seeds(panel: Any, rows: Sequence[Row], styles: Mapping[str, Mapping[str, Any]]) -> None:
    """A bar from the least to the largest where there are several seeds."""
    for method, style in styles.items():
        for m in {row["m"] for row in rows}:
            values = [row["ncp"] for row in rows if (row["method"], row["m"]) == (method, m) and row["ncp"] is not None]
            if len(values) > 1:
                panel.vlines(m, min(values), max(values), color=style["color"], linewidth=2)


def draw_growth(grown: Sequence[Row]) -> None:
    """CPU time and loss over records."""
    rows = [{**row, "method": named(NAMES[row["algorithm"]], row["m"])} for row in grown]
    looks = charts.line_styles(row["algorithm"] for row in grown)
    ms = sorted({row["m"] for row in grown if row["m"] is not None})
    styles = {
        named(NAMES[row["algorithm"]], row["m"]): looks[row["algorithm"]]
        | {"alpha": 1.0 if row["m"] is None else 0.4 + 0.6 * (1 + ms.index(row["m"])) / len(ms)}
        | {"linewidth": 1.5 if row["m"] is None else 1.0 + ms.index(row["m"])}
        for row in grown
    }
    figure, panels = charts.panels(1, 2, width=4.2)
    labels = ("CPU time of the search (s)", "NCP")
    for panel, up, label in zip(panels[0], ("search_cpu_seconds", "ncp"), labels, strict=True):
        charts.curves(panel, rows, "records", up, styles=styles)
        panel.set(ylabel=label, xlabel="records")
        charts.places(panel, sorted({row["records"] for row in rows if row["records"]})[::3])
        charts.plain_log(panel)
    charts.legend(figure, panels[0])
    charts.save(figure, common.IMAGES / "p4-growth.png")
