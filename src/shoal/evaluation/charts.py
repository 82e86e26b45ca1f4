"""The house style of all charts: comparisons, papers' figures, benchmarks. Needs matplotlib (``shoal[plots]``).

Colours are those of Okabe and Ito, told apart by the colour-blind; markers and lines differ, too, so that charts can be
read in print. The same method looks the same on every page.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import OptionError
from shoal.evaluation.results import Row

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#8C6D00", "#56B4E9", "#E69F00")
_MARKERS = "osD^vPX*<>"
_LINES = ("-", "--", "-.", ":")
# Methods that are on many pages; others follow in the order in which they come.
_OWN = {
    "optimal": ("#000000", "x", "-"),
    "optimal-suppress": ("#555555", "+", "-"),
    "aa": ("#0072B2", "o", "-"),
    "da": ("#56B4E9", "v", ":"),
    "lra": ("#D55E00", "s", "--"),
    "vpa": ("#009E73", "D", "-."),
    "oa": ("#8C6D00", "P", ":"),
    "mhghs": ("#CC79A7", "^", "--"),
    "hghs": ("#E69F00", "<", ":"),
    "mm": ("#8C6D00", "X", "-."),
    "partition": ("#56B4E9", ">", "--"),
}


def pyplot() -> Any:
    """Matplotlib, drawing to files alone."""
    try:
        import matplotlib
    except ImportError:
        raise OptionError("Charts need matplotlib: install it with pip install 'shoal[plots]'.") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "shoal",  # equal charts are equal files
            "svg.fonttype": "none",
            "font.size": 9,
            "axes.titlesize": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.3,
            "lines.markersize": 5,
            "legend.frameon": False,
        }
    )
    import matplotlib.pyplot as plt

    return plt


def looks(methods: Iterable[str]) -> dict[str, dict[str, Any]]:
    """How the line of each method looks.

    >>> looks(["aa", "mine"])["aa"]["color"], looks(["aa", "mine"])["mine"]["marker"]
    ('#0072B2', 's')
    """
    found = {}
    for at, name in enumerate(dict.fromkeys(methods)):
        spare = (_COLOURS[at % len(_COLOURS)], _MARKERS[at % len(_MARKERS)], _LINES[at % len(_LINES)])
        colour, marker, line = _OWN.get(name, spare)
        found[name] = {"color": colour, "marker": marker, "linestyle": line, "fillstyle": "none"}
    return found


def panels(lines: int, columns: int, width: float = 3.4, height: float = 2.7) -> tuple[Any, Any]:
    """A figure of small multiples, as a grid of panels."""
    size = (width * columns, 0.6 + height * lines)
    figure, grid = pyplot().subplots(lines, columns, figsize=size, layout="constrained", squeeze=False)
    return figure, grid


def curves(
    panel: Any,
    rows: Sequence[Row],
    across: str,
    up: str,
    *,
    by: str = "method",
    styles: dict[str, dict[str, Any]] | None = None,
) -> None:
    """A line for each method; several values at one place (seeds) become their mean."""
    styles = styles or looks(row[by] for row in rows)
    for method, style in styles.items():
        points: dict[Any, list[float]] = {}
        for row in rows:
            if row[by] == method and row.get(up) is not None and row.get(across) is not None:
                points.setdefault(row[across], []).append(row[up])
        places = sorted(points)
        if places:
            panel.plot(places, [sum(points[x]) / len(points[x]) for x in places], label=method, **style)


def scale(axis: Any, values: Sequence[float], *, from_zero: bool = True) -> None:
    """A linear scale from 0, or a logarithmic one where values differ by more than a hundredfold."""
    low, high = min(values, default=0), max(values, default=0)
    name = axis.axis_name
    if low > 0 and high > 100 * low:
        getattr(axis.axes, f"set_{name}scale")("log")
    elif from_zero:
        getattr(axis.axes, f"set_{name}lim")(0, 1.08 * high or 1)
    if not from_zero and high >= 1000:
        axis.set_major_formatter("{x:,.0f}")


def legend(figure: Any, panels: Iterable[Any]) -> None:
    """One legend below all panels, each name once."""
    named: dict[str, Any] = {}
    for panel in panels:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    columns = min(len(named), 6) or 1
    figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=columns)


def save(figure: Any, target: Path) -> None:
    """As a picture file, and closed."""
    metadata = {"Date": None} if target.suffix == ".svg" else {"Software": None}
    figure.savefig(target, dpi=110, metadata=metadata)
    pyplot().close(figure)


def svg(figure: Any) -> str:
    """As text to put into a page, and closed."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    pyplot().close(figure)
    text = out.getvalue()
    return text[text.index("<svg") :]
