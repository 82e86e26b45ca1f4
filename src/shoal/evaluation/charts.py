"""The house style of all charts: comparisons, papers' figures, benchmarks.

They need matplotlib (``pip install matplotlib``).

Colours are those of Okabe and Ito, told apart by the colour-blind; markers and lines differ, too, so that charts can be
read in print. The same method looks the same on every page.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import Any

from shoal.errors import OptionError
from shoal.evaluation.results import Row
from shoal.visible import visible_lines

DPI = 110  # of pictures in files
HIDES = 0.01  # lines whose values differ by no more than this share of them hide each other
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
    "rmerge-r": ("#0072B2", "o", "-"),
    "rmerge-t": ("#D55E00", "s", "--"),
    "rmerge-rt": ("#009E73", "D", "-."),
    "tmerge-r": ("#56B4E9", "v", "-"),
    "tmerge-t": ("#E69F00", "<", "--"),
    "tmerge-rt": ("#8C6D00", "P", "-."),
    "rfirst": ("#CC79A7", "X", ":"),
    "tfirst": ("#555555", "*", ":"),
    "cluster": ("#000000", "^", ":"),
    "stn": ("#0072B2", "o", "-"),
    "gsc": ("#D55E00", "s", "-"),
    "knn": ("#000000", "^", "--"),
    "knn, order gsc": ("#009E73", "D", "-."),
    "graysort": ("#CC79A7", "v", "-."),
    "apx-cover": ("#8C6D00", "P", ":"),
}


def pyplot() -> Any:
    """Return matplotlib, set up to draw to files only."""
    try:
        import matplotlib
    except ImportError:
        raise OptionError("Charts need matplotlib: install it with pip install matplotlib.") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "shoal",  # equal charts are equal files
            "svg.fonttype": "none",
            "pdf.fonttype": 42,  # letters stay letters, as journals want them
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


def line_styles(methods: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the line style of each method.

    >>> line_styles(["aa", "mine"])["aa"]["color"], line_styles(["aa", "mine"])["mine"]["marker"]
    ('#0072B2', 's')
    """
    styles: dict[str, dict[str, Any]] = {}
    own = dict(_OWN)
    for at, name in enumerate(dict.fromkeys(methods)):
        spare = (_COLOURS[at % len(_COLOURS)], _MARKERS[at % len(_MARKERS)], _LINES[at % len(_LINES)])
        kind = name if name in own else name.partition(",")[0]  # the first of its kind; with options or without
        colour, marker, line = own.pop(kind, spare)
        styles[name] = {"color": colour, "marker": marker, "linestyle": line, "fillstyle": "none"}
    return styles


def panels(lines: int, columns: int, width: float = 3.4, height: float = 2.7) -> tuple[Any, Any]:
    """Return a figure with a grid of panels (small multiples)."""
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
) -> list[list[str]]:
    """Draw a line for each method. Several values at one place (seeds) become their mean, in a band of all of them.

    Lines that lie on each other are nested: the first is thick with large marks, so that all of them can be seen. The
    names of such lines are returned.
    """
    styles = styles or line_styles(row[by] for row in rows)
    lines: dict[str, dict[Any, list[float]]] = {}
    for row in rows:
        if row.get(up) is not None and row.get(across) is not None:
            lines.setdefault(row[by], {}).setdefault(row[across], []).append(row[up])
    means = {name: {x: sum(ys) / len(ys) for x, ys in lines[name].items()} for name in styles if name in lines}
    together = coinciding(means)
    for method, points in means.items():
        places, depth = sorted(points), _depth(method, together)
        panel.plot(places, [points[x] for x in places], label=plain(method), **{**styles[method], **depth})
        if any(len(lines[method][x]) > 1 for x in places):
            ends = [[end(lines[method][x]) for x in places] for end in (min, max)]
            panel.fill_between(places, *ends, color=styles[method]["color"], alpha=0.15, linewidth=0)
    return together


def coinciding(lines: Mapping[str, Mapping[Any, float]]) -> list[list[str]]:
    """Return groups of lines that cannot be distinguished in a chart, because their values hardly differ.

    >>> coinciding({"a": {1: 0.5, 2: 0.7}, "b": {1: 0.2, 2: 0.7}, "c": {1: 0.5, 2: 0.7001}})
    [['a', 'c']]
    """
    groups: list[list[str]] = []
    for name, points in lines.items():
        for group in groups:
            first = lines[group[0]]
            if first.keys() == points.keys() and all(isclose(first[x], y, rel_tol=HIDES) for x, y in points.items()):
                group.append(name)
                break
        else:
            groups.append([name])
    return [group for group in groups if len(group) > 1]


def remark(panel: Any, lines: Sequence[str]) -> None:
    """Write a few words in the lower right of a panel."""
    words = plain("\n".join(lines))
    panel.text(0.98, 0.03, words, transform=panel.transAxes, ha="right", va="bottom", fontsize=7, color="#555555")


def _depth(name: str, together: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return mark size and line width for lines that lie on each other. The first is the largest."""
    for group in together:
        if name in group:
            above = len(group) - 1 - group.index(name)  # lines that are drawn on top of it
            if above:
                return {"markersize": 5 + 3.5 * min(above, 4), "linewidth": 1.5 + 3.0 * min(above, 4), "alpha": 0.45}
    return {}


def bars(
    panel: Any, values: Mapping[str, Mapping[str, float | None]], groups: Sequence[str], colours: Mapping[str, str]
) -> None:
    """Draw groups of bars, one for each name. Every second is hatched, for print. A missing value leaves a gap."""
    width = 0.8 / len(values)
    for at, (name, of) in enumerate(values.items()):
        known = [(place, of[group]) for place, group in enumerate(groups) if of.get(group) is not None]
        panel.bar(
            [place - 0.4 + (at + 0.5) * width for place, _ in known],
            [value for _, value in known],
            0.92 * width,
            label=name,
            color="white" if at % 2 else colours[name],
            edgecolor=colours[name],
            hatch=("", "////", "", "....")[at % 4],
        )
    panel.set_xticks(range(len(groups)), list(groups))
    panel.grid(visible=False, axis="x")
    level([panel], [value for of in values.values() for value in of.values() if value is not None])


def places(panel: Any, values: Iterable[float]) -> None:
    """Put ticks of the horizontal axis where values are, if there is room."""
    known = sorted(set(values))
    wide = bool(known) and known[0] > 0 and known[-1] > 50 * known[0]
    if wide:
        panel.set_xscale("log")
    room = 1.35 if wide else (known[-1] - known[0]) / 9 if known else 0.0
    shown: list[float] = []
    for value in reversed(known):  # the largest is always told
        near = shown and (shown[-1] / value < room if wide else shown[-1] - value < room)
        if not near:
            shown.append(value)
    panel.set_xticks(shown, [short(value) for value in shown])
    panel.xaxis.set_minor_locator(_no_ticks())


def _no_ticks() -> Any:
    """Remove small ticks."""
    from matplotlib.ticker import NullLocator

    return NullLocator()


def plain(text: str) -> str:
    """Escape text so that matplotlib does not read it as a formula."""
    return text.replace("$", r"\$")


def short(value: float) -> str:
    """Format a number in few characters.

    >>> short(0.5), short(12), short(59_602), short(500_000), short(2_000_000)
    ('0.5', '12', '59.6K', '500K', '2M')
    """
    for size, letter in ((1_000_000, "M"), (1_000, "K")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:g}"


def level(panels: Sequence[Any], values: Sequence[float]) -> None:
    """Set one vertical scale for all panels: linear from 0, or logarithmic if values differ more than 100-fold."""
    positive = [value for value in values if value > 0]
    low, high = min(positive, default=1.0), max(positive, default=1.0)
    for panel in panels:
        if high <= 100 * low:
            panel.set_ylim(0, 1.08 * high)
        elif len(positive) == len(values):
            panel.set_yscale("log")
            panel.set_ylim(low / 1.5, high * 1.5)
        else:
            panel.set_yscale("symlog", linthresh=low)
            panel.set_ylim(0, high * 1.5)
        if panel is not panels[0]:
            panel.tick_params(labelleft=False)


def seconds(panel: Any, values: Sequence[float]) -> None:
    """Make the horizontal axis one of time: logarithmic, with round numbers."""
    low, high = min(values), max(values)
    panel.set_xscale("log")
    panel.set_xlim(low / 1.6, high * 1.6)
    steps = (1, 2, 5) if high < 30 * low else (1,)
    ticks = [
        step * 10.0**power for power in range(-6, 6) for step in steps if low / 1.6 <= step * 10.0**power <= high * 1.6
    ]
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.xaxis.set_minor_locator(_no_ticks())


def percent(panel: Any) -> None:
    """Make the vertical axis one of percentages."""
    from matplotlib.ticker import PercentFormatter

    panel.yaxis.set_major_formatter(PercentFormatter(1.0))


def plain_log(panel: Any) -> None:
    """Make the vertical axis logarithmic, with plain ticks at 1, 2 and 5 times each power of ten."""
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    ticks = [step * 10.0**power for power in range(-9, 10) for step in (1, 2, 5) if low <= step * 10.0**power <= high]
    panel.set_yticks(ticks, [f"{tick:,g}" for tick in ticks])
    panel.minorticks_off()


def legend(figure: Any, panels: Iterable[Any]) -> None:
    """Draw one legend below all panels, with each name once."""
    named: dict[str, Any] = {}
    for panel in panels:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            named.setdefault(name, handle)
    room = figure.get_figwidth() - 0.2
    columns = max(1, len(named))
    while columns > 1 and _width(list(named), columns) > room:
        columns -= 1
    drawn = figure.legend(list(named.values()), list(named), loc="outside lower center", ncols=columns)
    for line in drawn.get_lines():
        if line.get_linewidth() > 2:  # one that lies below others in some panel
            line.set(linewidth=1.5, markersize=5, alpha=1)


def _width(names: list[str], columns: int) -> float:
    """Estimate the height of a legend in inches. It is filled column by column."""
    lines = -(-len(names) // columns)
    return sum(0.75 + 0.085 * max(map(len, names[at : at + lines])) for at in range(0, len(names), lines))


def save(figure: Any, target: Path) -> None:
    """Save a figure as a picture file, and close it."""
    metadata = {"Date": None} if target.suffix == ".svg" else {"Software": None}
    figure.savefig(target, dpi=DPI, metadata=metadata)
    pyplot().close(figure)


def png(figure: Any) -> bytes:
    """Return a figure as the bytes of a picture file, and close it."""
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    pyplot().close(figure)
    return out.getvalue()


def svg(figure: Any) -> str:
    """Return a figure as SVG text for a page, and close it."""
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    pyplot().close(figure)
    text = drawn.getvalue()
    return visible_lines(text[text.index("<svg") :])  # names of files may hold anything


def vector(figure: Any) -> tuple[str, bytes]:
    """Return a figure as SVG text for a page and as the bytes of a PDF file, and close it."""
    printed = io.BytesIO()
    figure.savefig(printed, format="pdf", metadata={"CreationDate": None})
    return svg(figure), printed.getvalue()
