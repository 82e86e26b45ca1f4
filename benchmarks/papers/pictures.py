"""Pictures that the pages of P0 and P3 share: time, count-tree and loss side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.papers.common import IMAGES
from shoal.evaluation import charts
from shoal.evaluation.results import Row

WHAT = {"cpu_seconds": "CPU seconds", "counted_itemsets": "label sets counted", "loss": "NCP, %"}


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


def trio(name: str, rows: Sequence[Row], across: str, axis: str) -> None:
    """Three panels along one axis: CPU seconds, label sets counted, loss."""
    rows = with_loss(rows)
    figure, grid = charts.panels(1, 3)
    for panel, (what, title) in zip(grid[0], WHAT.items(), strict=True):
        line(panel, rows, across, axis, what, title)
    charts.legend(figure, grid[0])
    save(figure, name)


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
