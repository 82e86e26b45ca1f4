"""The page of a comparison: one HTML file with charts, a summary and a sortable table; it needs no network."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal._version import __version__
from shoal.evaluation import exports, figures
from shoal.evaluation.grid import Grid
from shoal.evaluation.results import Row, text
from shoal.report import html

HERE = Path(__file__).parent
_HIDDEN = {"key", "fingerprint", "error", "statistics", "loss"}  # in the CSV, but not in the table


@dataclass(frozen=True)
class Standing:
    """The results of a method on a data set for a model, over all its runs."""

    data: str
    model: str
    method: str
    runs: int
    failed: int
    least: int  # settings in which nothing lost less
    settings: int
    loss: float | None  # mean
    gap: float | None
    seconds: float | None
    peak_mb: float | None


def standings(rows: Sequence[Row]) -> list[Standing]:
    """Return every method on every data set. Methods that lost least most often come first."""
    settings: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        settings.setdefault(_setting(row), []).append(row)
    best = {
        place: min((row["score"] for row in runs if row.get("score") is not None), default=None)
        for place, runs in settings.items()
    }
    parts: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        parts.setdefault((row["data"], row["model"], row["method"]), []).append(row)
    unsorted = []
    for (data, model, method), runs in parts.items():
        good = [row for row in runs if row["status"] == "ok"]
        least = [row for row in good if row.get("score") is not None and row["score"] == best[_setting(row)]]
        loss, gap, seconds = (_mean(good, name) for name in ("score", "gap", "seconds"))
        peak = max((row["peak_mb"] for row in good if row.get("peak_mb") is not None), default=None)
        unsorted.append(
            Standing(
                data, model, method, len(runs), len(runs) - len(good), len(least), len(runs), loss, gap, seconds, peak
            )
        )
    places = list(dict.fromkeys((row["data"], row["model"]) for row in rows))
    return sorted(
        unsorted,
        key=lambda standing: (
            places.index((standing.data, standing.model)),
            -standing.least,
            standing.loss is None,
            standing.loss or 0.0,
        ),
    )


def write(grid: Grid, rows: Sequence[Row], target: Path) -> str:
    """Write the page, and next to it its charts and the table of methods as files for papers.

    Without matplotlib there are no charts. The page says so, and so does the text that is returned (otherwise empty).
    """
    from shoal.errors import OptionError
    from shoal.files import atomic_output

    missing = ""
    try:
        drawn = exports.named(list(figures.draw(rows)))
    except OptionError as error:
        drawn, missing = [], str(error)
    found = standings(rows)
    exports.write(drawn, found, target.parent)
    names = _ordered(
        [name for name in dict.fromkeys(name for row in rows for name in row) if _is_informative(name, rows)], rows
    )
    page = (
        html.environment(HERE)
        .get_template("page.html")
        .render(
            grid=grid,
            version=__version__,
            css=(Path(html.__file__).parent / "report.css").read_text(encoding="utf-8"),
            rows=rows,
            names=names,
            failed=[row for row in rows if row["status"] != "ok"],
            standings=found,
            figures=drawn,
            missing=missing,
            cell=cell,
            sort=_sort,
            csv=as_csv(rows),
        )
    )
    with atomic_output(target) as file:
        file.write(page.encode())
    return missing


def as_csv(rows: Sequence[Row]) -> str:
    """Return all rows as CSV, with all digits."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([[text(row.get(name)) for name in names] for row in rows])
    return out.getvalue()


def _ordered(names: list[str], rows: Sequence[Row]) -> list[str]:
    """Put the columns that distinguish and compare rows first."""
    varied = [name for name in figures.place(rows) if len({str(row.get(name)) for row in rows}) > 1]
    first = ["data", "model", *(name for name in varied if not name.startswith("algorithm.")), "method", "seed"]
    first += ["status", "score", "scored_by", "gap", "optimum", "seconds", "cpu_seconds", "peak_mb", "verified"]
    return sorted(names, key=lambda name: first.index(name) if name in first else len(first))


def _is_informative(name: str, rows: Sequence[Row]) -> bool:
    """Return whether a column has values to show."""
    return name not in _HIDDEN and any(row.get(name) not in (None, "") for row in rows)


def cell(value: Any) -> str:
    """Format a value for the page."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _sort(value: Any) -> str:
    """Return the sort key of a cell."""
    return text(value)


def _setting(row: Row) -> tuple[Any, ...]:
    """Return the setting of a row: everything except the method."""
    names = [name for name in figures.place([row]) if not name.startswith("algorithm.")]
    return (row["data"], row["seed"], *((name, row[name]) for name in names))


def _mean(rows: Sequence[Row], name: str) -> float | None:
    values = [row[name] for row in rows if row.get(name) is not None]
    return sum(values) / len(values) if values else None
