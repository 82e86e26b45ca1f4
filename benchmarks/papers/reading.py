"""Reading rows of a grid: values by their place, and claims that are tried in every setting of the rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.papers.verdict import Cell, Claim
from shoal.evaluation.results import Row

Rows = Sequence[Row]
Figures = Mapping[Any, Any]  # by a name, or by a place on an axis
BY = {"label": "items by id", "frequency": "items by frequency"}
TENTH, ALL = "a tenth", "all records"
SIZES = {None: ALL, 51_560: TENTH, 515_597: ALL}  # None: a data set that is read from a file


class Missing(Exception):
    """A run that a claim needs did not end well, or is not in the grid."""


class TooShort(Missing):
    """A curve of one place: the grid does not vary the axis in this setting."""


def pick(rows: Iterable[Row], **where: object) -> list[Row]:
    """The rows at a place; ``data_order`` stands for the column data.order.

    >>> pick([{"data.order": "label", "k": 5}, {"k": 2}], data_order="label")
    [{'data.order': 'label', 'k': 5}]
    """
    names = {name.replace("data_", "data.", 1).replace("algorithm_", "algorithm.", 1): v for name, v in where.items()}
    return [row for row in rows if all(row.get(name) == value for name, value in names.items())]


def settled(rows: Iterable[Row]) -> list[Row]:
    """Rows with the order of items named where it is the default one, and plain names of data.

    >>> settled([{"data": "POS, a tenth", "data.order": None}])
    [{'data': 'POS', 'data.order': 'label'}]
    """
    return [
        {**row, "data": row["data"].partition(",")[0], "data.order": row.get("data.order") or "label"} for row in rows
    ]


def setting(row: Row) -> dict[str, object]:
    """What a verdict must not depend on: data, order of the items, number of records, reading, seed.

    >>> setting({"data": "POS", "data.order": "label", "data.rows": 51560, "data.seed": 2})
    {'data': 'POS', 'order': 'items by id', 'size': 'a tenth', 'seed': 2}
    """
    where = {
        "data": row["data"],
        "order": BY[row["data.order"]],
        "size": SIZES.get(row.get("data.rows")),
        "seed": row.get("data.seed"),
        "reading": row.get("reading"),
    }
    return {name: one for name, one in where.items() if one is not None}


def by_setting(rows: Rows) -> list[tuple[dict[str, object], list[Row]]]:
    """The rows of each setting, in the order of their first ones."""
    groups: dict[str, tuple[dict[str, object], list[Row]]] = {}
    for row in rows:
        where = setting(row)
        groups.setdefault(str(where), (where, []))[1].append(row)
    return list(groups.values())


def value(rows: Iterable[Row], what: str, **where: object) -> float:
    """One figure of the only row at a place.

    >>> value([{"k": 5, "ncp": 0.25}], "ncp", k=5)
    0.25
    """
    matching = pick(rows, **where)
    place = ", ".join(f"{name} {one}" for name, one in where.items())
    if len(matching) != 1:
        raise Missing(f"{len(matching)} runs with {place}")
    figure = matching[0].get(what)
    if figure is None:
        raise Missing(f"no {what} with {place}: {matching[0].get('status')}")
    return float(figure)


def series(rows: Iterable[Row], across: str, what: str, **where: object) -> dict[float, float]:
    """Figures along an axis, in its order.

    >>> series([{"k": 9, "ncp": 0.5}, {"k": 5, "ncp": 0.25}], "k", "ncp")
    {5: 0.25, 9: 0.5}
    """
    matching = pick(rows, **where)
    if len({row[across] for row in matching}) != len(matching) or not matching:
        raise Missing(f"{len(matching)} runs along {across} with {where}")
    for row in matching:
        if row.get(what) is None:
            raise Missing(f"no {what} at {across} {row[across]} with {where}: {row.get('status')}")
    return {row[across]: row[what] for row in sorted(matching, key=lambda row: float(row[across]))}


def statistic(row: Row, name: str) -> float | None:
    """A figure that the search itself reported.

    >>> statistic({"statistics": '{"cuts": 3}'}, "cuts")
    3
    """
    statistics: dict[str, float] = json.loads(row.get("statistics") or "{}")
    return statistics.get(name)


def percent(share: float) -> str:
    """In percent, with three digits that matter; nothing is rounded to 0.

    >>> percent(0.10812), percent(0.0001234), percent(0.0), percent(1)
    ('10.8 %', '0.0123 %', '0 %', '100 %')
    """
    return f"{100 * share:.3g} %"


def times(ratio: float) -> str:
    """A ratio with three digits that matter.

    >>> times(13.04), times(0.5)
    ('13', '0.5')
    """
    return f"{ratio:.3g}" if ratio < 1000 else count(ratio)


def count(number: float) -> str:
    """A whole number for people."""
    return f"{number:,.0f}"


def seconds(number: float) -> str:
    """CPU seconds for people.

    >>> seconds(0.0123), seconds(12.34)
    ('0.012 s', '12 s')
    """
    return f"{number:.2g} s" if number < 100 else f"{number:,.0f} s"


def span(values: Iterable[Any], show: Callable[[Any], str]) -> str:
    """The least and the largest, or one of them if they read alike.

    >>> span([0.01, 0.02], percent), span([0.5, 0.5], percent)
    ('1 to 2 %', '50 %')
    """
    listed = list(values)
    low, high = show(min(listed)), show(max(listed))
    if low == high:
        return low
    unit = high.rpartition(" ")[2]
    if not unit[-1].isdigit() and low.endswith(f" {unit}"):
        low = low.removesuffix(f" {unit}")
    return f"{low} to {high}"


def tried(
    place: str,
    says: str,
    rows: Rows,
    figures: Callable[[Rows], Figures],
    true: Callable[[Any], bool | None],
    *,
    show: Callable[[Any], str] = percent,
    about: str = "",
    axis: str = "",
    name: str = "",
    always: bool = False,
) -> Claim:
    """Try a claim in every setting of the rows, by the figures of the rows there.

    A setting is one cell, and ``true`` takes its figures; None means that they say nothing. With an ``axis`` each
    figure is a cell, and ``true`` takes one of them. ``name`` is the axis' name on the page. All records of a data set
    are the paper's own setting.

    >>> rows = [{"data": "WV1", "data.order": "label", "k": k, "ncp": k / 100} for k in (1, 2)]
    >>> one = tried("Fig. 1", "it is small", rows, lambda r: series(r, "k", "ncp"), lambda x: x < 0.015, axis="k")
    >>> one.count, one.seen
    ('1 of 2', '1 % at k=1, 2 % at k=2')
    """
    cells: list[Cell] = []
    found: dict[tuple[str, ...], list[Figures]] = {}
    missing: list[str] = []
    for where, here in by_setting(rows):
        try:
            figure = figures(here)
        except TooShort:
            continue
        except Missing as reason:
            missing.append(str(reason))
            continue
        named = ("reading", "data", "order", "size")
        found.setdefault(tuple(str(where.get(one, "")) for one in named), []).append(figure)
        for at, one in figure.items() if axis else [("", figure)]:
            if (so := true(one)) is not None:  # None: the figure says nothing
                cells.append(Cell(bool(so), where | (place_on(axis, at) if axis else {})))
    lines = told(found, name or axis, show)
    if not cells:
        why = "; ".join(text for _, text in lines) or (missing[0] if missing else "no rows")
        return Claim(place, says, (), f"no figures: {why}")
    if missing:
        lines.append(("without a result", f"{len(missing)} settings"))
    seen = "; ".join(f"{head}: {text}" if head else text for head, text in lines)
    return Claim(
        place,
        says,
        tuple(cells),
        f"{about}: {seen}" if about else seen,
        always=always,
        own={"size": ALL} if len({cell.where.get("size") for cell in cells}) > 1 else {},
        about=about,
        lines=tuple(lines),
    )


def place_on(axis: str, at: object) -> dict[str, object]:
    """Where a figure stands: at a place of its axis, or at one that its name tells.

    >>> place_on("m", 3), place_on("method", "AA"), place_on("method", "AA m=2")
    ({'m': 3}, {'method': 'AA'}, {'method': 'AA', 'm': '2'})
    """
    if not isinstance(at, str):
        return {axis: at}
    method, _, rest = at.partition(" ")
    name, _, value = rest.partition("=")
    where: dict[str, object] = {"method": method}
    return where | {name: value} if value else where


def told(
    found: Mapping[tuple[str, ...], Sequence[Figures]], axis: str, show: Callable[[Any], str] = percent
) -> list[tuple[str, str]]:
    """Settings, and their figures: the least and the largest over the seeds."""
    several = [len({place[at] for place in found}) > 1 for at in range(4)]
    lines = []
    for place, seeds in found.items():
        keys = list(dict.fromkeys(key for figures in seeds for key in figures))
        spans = []
        for key in keys:
            text = span([figures[key] for figures in seeds if key in figures], show)
            at = f"{text} at {axis}={key:g}" if axis and isinstance(key, int | float) else f"{key} {text}"
            spans.append(at.strip())
        head = ", ".join(one for one, differs in zip(place, several, strict=True) if differs and one)
        lines.append((head, ", ".join(spans)))
    return lines
