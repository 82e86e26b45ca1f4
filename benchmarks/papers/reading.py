"""Reading rows of a grid: values by their place, and claims that are judged by them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from benchmarks.papers.common import Claim
from shoal.evaluation.results import Row

Judged = tuple[bool, str]  # whether it holds, and what was seen


class Missing(Exception):
    """A run that a claim needs did not end well, or is not in the grid."""


def pick(rows: Iterable[Row], **where: object) -> list[Row]:
    """The rows at a place; ``data_order`` stands for the column data.order.

    >>> pick([{"data.order": "label", "k": 5}, {"k": 2}], data_order="label")
    [{'data.order': 'label', 'k': 5}]
    """
    names = {name.replace("data_", "data.", 1).replace("algorithm_", "algorithm.", 1): v for name, v in where.items()}
    return [row for row in rows if all(row.get(name) == value for name, value in names.items())]


def settled(rows: Iterable[Row]) -> list[Row]:
    """Rows with the order of items told where it is the default one.

    >>> settled([{"data.order": None}])
    [{'data.order': 'label'}]
    """
    return [{**row, "data.order": row.get("data.order") or "label"} for row in rows]


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
    """A figure that the search itself told.

    >>> statistic({"statistics": '{"cuts": 3}'}, "cuts")
    3
    """
    statistics: dict[str, float] = json.loads(row.get("statistics") or "{}")
    return statistics.get(name)


def claim(place: str, says: str, judge: Callable[[], Judged]) -> Claim:
    """A claim, judged; one whose runs are missing cannot be told.

    >>> claim("Fig. 1", "it is small", lambda: (True, "3 %")).holds
    True
    >>> claim("Fig. 1", "it is small", lambda: (value([], "ncp", k=5) < 0.1, "")).seen
    'a run is missing: 0 runs with k 5'
    """
    try:
        holds, seen = judge()
    except Missing as reason:
        return Claim(place, says, None, f"a run is missing: {reason}")
    return Claim(place, says, holds, seen)


def percent(share: float) -> str:
    """In percent, with three digits that matter; nothing is rounded to 0.

    >>> percent(0.10812), percent(0.0001234), percent(0.0), percent(1)
    ('10.8 %', '0.0123 %', '0 %', '100 %')
    """
    return f"{100 * share:.3g} %"


def trend_text(values: dict[float, float], name: str, show: Callable[[float], str] = percent) -> str:
    """A row of figures for people.

    >>> trend_text({5: 0.1, 10: 0.2}, "k")
    '10 % at k=5, 20 % at k=10'
    """
    return ", ".join(f"{show(one)} at {name}={at:g}" for at, one in values.items())


def count(number: float) -> str:
    """A whole number for people."""
    return f"{number:,.0f}"


def bullets(claims: Sequence[Claim], place: str) -> str:
    """What is told about one figure, as a list."""
    words = {True: "Holds", False: "**Does not hold**", None: "Cannot be told"}
    return "\n".join(f"- {words[one.holds]}: {one.says}. {one.seen}." for one in claims if one.place.startswith(place))
