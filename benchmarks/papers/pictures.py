"""Pictures that the pages of P0 and P3 share: time, count-tree and loss side by side, for both orders of the items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers.common import IMAGES
from benchmarks.papers.reading import BY, pick
from shoal.evaluation import charts
from shoal.evaluation.results import Row

WHAT = {
    "search_cpu_seconds": "search, CPU seconds",
    "built_nodes": "nodes of the largest count-tree",
    "loss": "NCP, %",
}
COLOURS = {"aa": "#0072B2", "lra": "#D55E00", "vpa": "#009E73", "optimal": "#000000"}
ALL_RECORDS = (None, 515_597)


def with_loss(rows: Sequence[Row]) -> list[Row]:
    """The rows with their loss in percent, and h as the papers count it: levels, that of the root included.

    Without optima that were not proved in time.
    """
    return [
        {
            **row,
            "loss": None if row.get("ncp") is None else 100 * row["ncp"],
            "h": None if row.get("height") is None else row["height"] + 1,
        }
        for row in rows
        if row["algorithm"] != "optimal" or row["ended"] == "proven"
    ]


def whole(rows: Sequence[Row]) -> list[Row]:
    """The rows of all records of BMS-POS where there are such, without those of a tenth."""
    full = [row for row in rows if row.get("data.rows") in ALL_RECORDS]
    return full or list(rows)


def trio(name: str, rows: Sequence[Row], across: str, axis: str) -> None:
    """Three panels along one axis: CPU seconds, nodes, loss."""
    figure, grid = charts.panels(1, 3)
    for panel, (what, title) in zip(grid[0], WHAT.items(), strict=True):
        line(panel, with_loss(rows), across, axis, what, title)
    charts.legend(figure, grid[0])
    save(figure, name)


def by_order(name: str, rows: Sequence[Row], built: Sequence[Row], across: str, axis: str) -> None:
    """The three panels for each order of the items; count-trees come from runs of their own."""
    figure, grid = charts.panels(2, 3, height=2.3)
    for panels, (order, title) in zip(grid, BY.items(), strict=True):
        for panel, (what, measure) in zip(panels, WHAT.items(), strict=True):
            some = built if what == "built_nodes" else rows
            here = pick(whole(with_loss(some)), data_order=order)
            line(panel, here, across, axis, what, f"{measure}; {title}")
    charts.legend(figure, grid.flat)
    save(figure, name)


def sets(
    name: str, measures: Mapping[str, tuple[str, Sequence[Row]]], methods: Sequence[str], groups: Sequence[str]
) -> None:
    """Bars for the data sets, panels for each order of the items; means over the seeds that all methods have."""
    figure, grid = charts.panels(2, len(measures), height=2.4)
    for panels, (order, by) in zip(grid, BY.items(), strict=True):
        for panel, (what, (title, rows)) in zip(panels, measures.items(), strict=True):
            here = pick(whole(with_loss(rows)), data_order=order)
            values: dict[str, dict[str, float | None]] = {one: {} for one in methods}
            for group in groups:
                found = {one: _by_seed(pick(here, data=group, algorithm=one), what) for one in methods}
                seeds = set.intersection(*(set(of) for of in found.values() if of)) if any(found.values()) else set()
                for one, of in found.items():  # means of the same seeds, as an optimum may not be proved for all
                    values[one][group] = _mean([of[seed] for seed in seeds if seed in of])
            shown = {one: of for one, of in values.items() if any(x is not None for x in of.values())}
            if shown:
                charts.bars(panel, shown, groups, COLOURS)
                short_numbers(panel)
            panel.set_title(f"{title}; {by}")
    charts.legend(figure, grid.flat)
    save(figure, name)


def _by_seed(rows: Sequence[Row], what: str) -> dict[object, float]:
    return {row.get("data.seed"): row[what] for row in rows if row.get(what) is not None}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def line(
    panel: Any,
    rows: Sequence[Row],
    across: str,
    axis: str,
    what: str,
    title: str,
    *,
    by: str = "algorithm",
    styles: Mapping[str, dict[str, Any]] | None = None,
    linear: bool = False,
) -> None:
    """One panel: a measure along an axis; from 0 on, or logarithmic where values differ a hundredfold."""
    charts.curves(panel, rows, across, what, by=by, styles=dict(styles) if styles else None)
    charts.places(panel, [row[across] for row in rows if row.get(across) is not None])
    values = [row[what] for row in rows if row.get(what) is not None]
    charts.level([panel], [max(values)] if linear and values else values)
    short_numbers(panel)
    panel.set_xlabel(axis)
    panel.set_title(title)


def short_numbers(panel: Any) -> None:
    """Large numbers of a linear scale in few characters."""
    if panel.get_yscale() == "linear" and panel.get_ylim()[1] >= 10_000:
        panel.yaxis.set_major_formatter(lambda number, _: charts.short(number))


def save(figure: Any, name: str) -> None:
    """Where the pages look for it."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    charts.save(figure, IMAGES / f"{name}.png")
