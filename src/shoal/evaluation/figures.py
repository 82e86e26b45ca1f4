"""The charts of a comparison: loss along every axis that was varied, and the Pareto front of loss against time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from shoal.evaluation import charts
from shoal.evaluation.results import Row
from shoal.jobs.dataset_spec import DatasetSpec

MOST = 24  # panels of a figure: more slices than that are picked evenly, and the caption says so
ABREAST = 4  # panels in a line
# Facts of the data that make an axis, with the columns of the grid that move them.
FACTS = {
    "records": ("data.rows", "data.sample"),
    "items": ("data.items", "data.modulo", "data.kept_items"),
    "height": ("data.fanout",),
}
NAMES = {"records": "|D|, records", "items": "|I|, items", "height": "h, height of the hierarchy"}
# Measures that get a chart of their own if they were taken, besides the minimised loss.
MEASURES = {
    "operations": "items added and deleted",
    "relational_ncp": "NCP of the columns",
    "are": "ARE of queries",
    "ml2": "ML2",
}


@dataclass(frozen=True)
class Figure:
    """A chart with its title and description."""

    title: str
    caption: str
    svg: str
    pdf: bytes = b""
    file: str = ""  # its name without a suffix, once it has one


@dataclass(frozen=True)
class Slice:
    """Rows that differ only in one axis and in the method."""

    fixed: str  # the rest of their place, for people
    rows: list[Row]


def draw(rows: Sequence[Row]) -> Iterator[Figure]:
    """Draw all charts for which there are rows. Failed runs are left out."""
    good = [row for row in rows if row["status"] == "ok" and row.get("score") is not None and isfinite(row["score"])]
    for data, model in dict.fromkeys((row["data"], row["model"]) for row in good):
        here = [row for row in good if (row["data"], row["model"]) == (data, model)]
        several = len({row["model"] for row in good if row["data"] == data}) > 1
        named = f"{data}, {model}" if several else data
        for axis in axes(here):
            measures = _measures(here)
            if axis.startswith("algorithm."):
                measures = {"score": measures["score"]}
            for measure, words in measures.items():
                if slices := slices_along(here, axis):
                    yield _along(named, axis, measure, words, slices)
        yield _pareto(named, here)


def axes(rows: Sequence[Row]) -> list[str]:
    """Return what was varied: options of models and algorithms, then properties of the data, if they are numbers.

    >>> axes([{"data": "a", "k": 2, "m": 2, "records": 10}, {"data": "a", "k": 5, "m": 2, "records": 10}])
    ['k']
    """
    names = [name for name in place(rows) if not name.startswith("data.")]
    moved = [fact for fact, by in FACTS.items() if any(name in by for row in rows for name in row)]
    return [name for name in (*names, *moved) if len(_numbers(rows, name)) > 1]


def slices_along(rows: Sequence[Row], axis: str) -> list[Slice]:
    """Split the rows into parts that differ only in the axis; empty if no part has a line."""
    moved = {axis, *FACTS.get(axis, ())}
    by_option = axis.startswith("algorithm.")
    fixed = [name for name in place(rows) if name not in moved and not name.startswith("algorithm.")]
    varying = [name for name in fixed if len({str(row.get(name)) for row in rows}) > 1]
    parts: dict[str, list[Row]] = {}
    for row in rows:
        if row.get(axis) is not None:
            words = ", ".join(filter(None, (_setting_text(name, row.get(name)) for name in varying)))
            line = row["algorithm"] if by_option else row["method"]
            parts.setdefault(words, []).append({**row, "line": line})
    slices = [Slice(words, part) for words, part in parts.items()]
    return slices if any(_is_line(part.rows, axis) for part in slices) else []


def front(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that no other row beats in both time and loss, the fastest first.

    >>> rows = [{"seconds": 1, "score": 0.5}, {"seconds": 2, "score": 0.6}, {"seconds": 3, "score": 0.1}]
    >>> [row["seconds"] for row in front(rows)]
    [1, 3]
    """
    best: list[Row] = []
    for row in sorted(rows, key=lambda row: (row["seconds"], row["score"])):
        if not best or row["score"] < best[-1]["score"]:
            best.append(row)
    return best


def _along(data: str, axis: str, measure: str, words: str, slices: list[Slice]) -> Figure:
    """Draw a measure along an axis, with a panel for each slice."""
    shown = _some(slices)
    styles = charts.line_styles(row["line"] for part in shown for row in part.rows)
    figure, panels = _panels(len(shown))
    name = NAMES.get(axis, axis.removeprefix("algorithm.").replace("_", " "))
    same: dict[str, list[list[str]]] = {}
    for panel, part in zip(panels, shown, strict=True):
        same[part.fixed] = charts.curves(panel, part.rows, axis, measure, by="line", styles=styles)
        charts.remark(panel, [" = ".join(names) for names in same[part.fixed]])
        panel.set_title(charts.plain(part.fixed))
        panel.set_xlabel(charts.plain(name))
        charts.places(panel, [row[axis] for row in part.rows])
    charts.level(panels, [row[measure] for part in shown for row in part.rows if row.get(measure) is not None])
    _finish(figure, panels, words)
    caption = f"{words} for each method, by {name}. Lower is better; several seeds are drawn as their mean."
    caption += _left_out(len(shown), len(slices)) + _same_values(same)
    return Figure(f"{data}: {words} against {name}", caption, *charts.vector(figure))


def _panels(number: int) -> tuple[Any, list[Any]]:
    """Return a figure of so many panels, a few in each line."""
    lines = -(-number // ABREAST)
    figure, grid = charts.panels(lines, min(number, ABREAST))
    panels = list(grid.flat)
    for spare in panels[number:]:
        spare.set_visible(False)
    return figure, panels[:number]


def _finish(figure: Any, panels: list[Any], words: str) -> None:
    """Draw the scale at the left of each line of panels, and the legend."""
    for at in range(0, len(panels), ABREAST):
        panels[at].set_ylabel(words)
        panels[at].tick_params(labelleft=True)
    charts.legend(figure, panels)


def _left_out(shown: int, all_of_them: int) -> str:
    """Return a sentence on what a figure does not show."""
    if shown == all_of_them:
        return ""
    return f" Shown are {shown} of {all_of_them} settings, from the first to the last; the table has all of them."


def _same_values(same: dict[str, list[list[str]]]) -> str:
    """Return a sentence on lines that lie on each other.

    >>> _same_values({"k = 2": [["aa", "optimal"]], "k = 5": [["aa", "optimal"]], "k = 9": []})
    ' Lines that lie on each other: aa = optimal (k = 2; k = 5).'
    """
    where: dict[str, list[str]] = {}
    for fixed, groups in same.items():
        for group in groups:
            where.setdefault(" = ".join(group), []).append(fixed)
    told = [f"{names} ({'; '.join(fixed)})" if any(fixed) else names for names, fixed in where.items()]
    return f" Lines that lie on each other: {', '.join(told)}." if told else ""


def _pareto(data: str, rows: Sequence[Row]) -> Figure:
    """Draw loss against time, a panel for each setting. The line joins the runs that nothing beats in both."""
    varying = [name for name in place(rows) if not name.startswith("algorithm.")]
    varying = [name for name in varying if len({str(row.get(name)) for row in rows}) > 1]
    parts: dict[str, list[Row]] = {}
    for row in rows:
        words = ", ".join(filter(None, (_setting_text(name, row.get(name)) for name in varying)))
        parts.setdefault(words, []).append(row)
    several = {words: part for words, part in parts.items() if len(part) > 1} or parts
    slices = _some([Slice(words, part) for words, part in several.items()])
    styles = charts.line_styles(row["method"] for part in slices for row in part.rows)
    figure, panels = _panels(len(slices))
    for panel, part in zip(panels, slices, strict=True):
        best = front(part.rows)
        panel.step([row["seconds"] for row in best], [row["score"] for row in best], where="post", color="#999999")
        for row in part.rows:
            style = {**styles[row["method"]], "linestyle": "", "markersize": 8}
            panel.plot([row["seconds"]], [row["score"]], label=charts.plain(row["method"]), **style)
        panel.set_title(charts.plain(part.fixed))
        panel.set_xlabel("seconds of the search")
        charts.seconds(panel, [row["seconds"] for part in slices for row in part.rows])
    charts.level(panels, [row["score"] for part in slices for row in part.rows])
    _finish(figure, panels, _loss(rows))
    caption = "Each mark is a run. The line joins the runs that no other run beats in both loss and time."
    caption += _left_out(len(slices), len(several))
    return Figure(f"{data}: {_loss(rows)} against time", caption, *charts.vector(figure))


def _setting_text(name: str, value: Any) -> str:
    """Format a setting. None means the default.

    >>> _setting_text("k", 5), _setting_text("data.order", None)
    ('k = 5', 'order = label')
    >>> _setting_text("data.rows", None), _setting_text("data.rows", 59602)
    ('all rows', 'rows = 59,602')
    """
    plain = name.removeprefix("data.")
    if value is None:
        known = {option.name: option.default for option in DatasetSpec.options()}
        if not name.startswith("data.") or plain not in known:
            return ""  # another model's option
        value = known[plain]
        if not value:
            return f"all {plain}" if plain in ("rows", "items") else f"no {plain.replace('_', ' ')}"
    return f"{plain.replace('_', ' ')} = {value:,}" if isinstance(value, int) else f"{plain} = {value}"


def _measures(rows: Sequence[Row]) -> dict[str, str]:
    """Return the measures to draw: the score, and others if they were taken."""
    named = _loss(rows)
    taken = {name: words for name, words in MEASURES.items() if any(row.get(name) is not None for row in rows)}
    return {"score": named, **{name: words for name, words in taken.items() if words != named}}


def _loss(rows: Sequence[Row]) -> str:
    return " or ".join(dict.fromkeys(row["scored_by"] for row in rows))


def place(rows: Sequence[Row]) -> list[str]:
    """Return the columns that locate a row in the grid, without the method itself."""
    known = dict.fromkeys(name for row in rows for name in row)
    names = list(known)
    end = names.index("loss") if "loss" in names else len(names)
    left_out = ("key", "fingerprint", "data", "algorithm", "method", *FACTS)
    options = [name for name in names if name.startswith(("data.", "algorithm."))]
    return list(dict.fromkeys([*(name for name in names[:end] if name not in left_out), *options]))


def _is_line(rows: Sequence[Row], axis: str) -> bool:
    """Return whether some method has several points."""
    lines = {row["line"] for row in rows}
    return any(len(_numbers([row for row in rows if row["line"] == line], axis)) > 1 for line in lines)


def _numbers(rows: Sequence[Row], name: str) -> set[float]:
    values = {row.get(name) for row in rows} - {None}
    return {value for value in values if isinstance(value, int | float) and not isinstance(value, bool)}


def _some(slices: list[Slice]) -> list[Slice]:
    """Return a few of them, evenly spaced."""
    if len(slices) <= MOST:
        return slices
    return [slices[round(at * (len(slices) - 1) / (MOST - 1))] for at in range(MOST)]
