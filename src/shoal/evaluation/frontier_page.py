"""Write the choices of a frontier to a file: a page with charts, the charts alone, or a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shoal._version import __version__
from shoal.data.persons import plural
from shoal.errors import OptionError, OutputError
from shoal.evaluation import charts
from shoal.evaluation.choices import Choice, Frontier, listed
from shoal.evaluation.page import HERE, as_csv
from shoal.files import atomic_output
from shoal.models.base import DRAWN
from shoal.report import html


def write(frontier: Frontier, target: Path) -> str:
    """Write the file in the format of its suffix. Return a text on what is missing."""
    content, lacks = _format(target)(frontier)
    with atomic_output(target) as file:
        file.write(content)
    return lacks


def check(target: Path) -> None:
    """Refuse a file that cannot be written, before any work."""
    if _format(target) is _png:
        charts.pyplot()


def _format(target: Path) -> Callable[[Frontier], tuple[bytes, str]]:
    """Return the function that makes such a file."""
    if target.suffix.lower() not in FORMATS:
        got = f"'{target.suffix}'" if target.suffix else "none"
        raise OutputError(f"{target} must end in one of {', '.join(FORMATS)}, which decides the format; got {got}.")
    return FORMATS[target.suffix.lower()]


def _csv(frontier: Frontier) -> tuple[bytes, str]:
    """Return all figures as CSV, with all digits."""
    return as_csv([asdict(one) for one in frontier.choices]).encode(), ""


def _png(frontier: Frontier) -> tuple[bytes, str]:
    """Return the charts as PNG."""
    return charts.png(draw(frontier)), ""


def _html(frontier: Frontier) -> tuple[bytes, str]:
    """Return a page that needs no network. Without matplotlib it has no charts, and says so."""
    drawn = lacks = ""
    try:
        drawn = charts.svg(draw(frontier))
    except OptionError as error:
        lacks = str(error)
    head, lines = listed(frontier.choices)
    page = (
        html.environment(HERE)
        .get_template("frontier.html")
        .render(
            frontier=frontier,
            counted=plural(frontier.person or "record"),
            known=DRAWN,
            version=__version__,
            css=(Path(html.__file__).parent / "report.css").read_text(encoding="utf-8"),
            drawn=drawn,
            lacks=lacks,
            head=head,
            lines=lines,
            csv=_csv(frontier)[0].decode(),
        )
    )
    return page.encode(), lacks


FORMATS: dict[str, Callable[[Frontier], tuple[bytes, str]]] = {".html": _html, ".png": _png, ".csv": _csv}


def draw(frontier: Frontier) -> Any:
    """Draw loss, unchanged items and risk as one figure; for a model about columns, against their loss."""
    columns = any(one.columns_loss is not None for one in frontier.choices)
    across, words = ("columns_loss", "NCP of the columns") if columns else ("k", "k")
    rows = [asdict(one) | {"line": _line(one, columns=columns)} for one in frontier.choices]
    figure, grid = charts.panels(1, 3, width=3.6)
    styles = charts.line_styles(dict.fromkeys(row["line"] for row in rows))
    for panel, (up, title) in zip(grid[0], _charted(frontier), strict=True):
        charts.curves(panel, rows, across, up, by="line", styles=styles)
        panel.set_title(charts.plain(title))
        panel.set_xlabel(words)
        charts.level([panel], [row[up] for row in rows])
        if not columns:
            panel.set_xscale("log")
            charts.places(panel, [row["k"] for row in rows])
        if up != "loss":
            panel.set_ylim(0, 1.03 if up == "unchanged" else None)
            charts.percent(panel)
    charts.legend(figure, grid[0])
    return figure


def _charted(frontier: Frontier) -> list[tuple[str, str]]:
    """Return what is drawn, and its title."""
    return [
        ("loss", f"loss of the items ({frontier.measure})"),
        ("unchanged", "items published unchanged"),
        ("average_chance", f"mean chance to find a record, {DRAWN} items known"),
    ]


def _line(one: Choice, *, columns: bool) -> str:
    """Return the name of the line that a choice is on."""
    return f"k = {one.k}, m = {one.m}" if columns else f"m = {one.m}"
