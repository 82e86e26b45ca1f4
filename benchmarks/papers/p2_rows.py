"""Rows of P2's grids under the paper's names, by reading, and the cells that its claims are tried in."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.papers.verdict import Cell
from shoal.evaluation.results import Row

Rows = Sequence[Row]
Test = Callable[[dict[str, float]], bool]
Form = Callable[[float], str]

SHORT = {
    "rmerge-r": "RmR",
    "rmerge-t": "RmT",
    "rmerge-rt": "RmRT",
    "tmerge-r": "TmR",
    "tmerge-t": "TmT",
    "tmerge-rt": "TmRT",
    "cluster": "Cl",
}
READINGS = {"sets-ul": "sets of items", "aa": "AA with a hierarchy"}
NAMES = {"informs": "Informs", "videos": "generated"}
PATIENTS = "informs, 10,000"  # Fig. 7b
RMERGE, TMERGE = ("RmR", "RmT", "RmRT"), ("TmR", "TmT", "TmRT")


def paper_rows(rows: Rows) -> list[Row]:
    """The rows with P2's names, delta and the number of clusters; a bound that cannot be met is no error."""
    for row in rows:
        if row["status"] not in ("ok", "infeasible"):
            raise ValueError(f"{row['data']}, {row['method']}: {row['status']}: {row['error']}")
    return [
        row
        | {
            "method": SHORT[row["algorithm"]],
            "reading": row.get("algorithm.within"),
            "delta": row.get("algorithm.delta"),
            "distance": row.get("algorithm.distance"),
            "bound": row["algorithm"][0],
            "clusters": json.loads(row["statistics"])["clusters"] if row["status"] == "ok" else None,
        }
        for row in rows
    ]


def read(rows: Rows, reading: str) -> list[Row]:
    """The rows of a reading; Cluster alone, which changes no sets, is in both."""
    return [row for row in rows if row.get("reading") in (reading, None)]


def by(rows: Rows, methods: Sequence[str]) -> list[Row]:
    """The rows of some methods."""
    return [row for row in rows if row["method"] in methods]


def reached(rows: Rows) -> list[Row]:
    """The rows whose bound could be met, in P2's range of delta, which ends below 1."""
    return [row for row in rows if row["status"] == "ok" and row["delta"] < 1]


def inner(rows: Rows) -> list[Row]:
    """Without the least delta that can be met on some data: hardly anything is merged there, whatever the method."""
    least: dict[tuple[Any, Any], float] = {}
    for row in reached(rows):
        place = row["data"], row["bound"]
        least[place] = min(row["delta"], least.get(place, 1.0))
    return [row for row in reached(rows) if row["delta"] > least[row["data"], row["bound"]]]


def steps(rows: Rows, across: str, what: str, sign: int) -> list[Cell]:
    """For each method and seed, whether each step along an axis goes the way of the sign; equal values say nothing."""
    lines: dict[tuple[Any, ...], list[tuple[float, float]]] = {}
    for row in rows:
        if row.get(what) is not None:
            lines.setdefault((row["data"], row["method"], row["seed"]), []).append((row[across], row[what]))
    return [
        Cell(sign * (high - low) > 0, {"data": named(data), "method": method, across: at, "seed": seed})
        for (data, method, seed), points in lines.items()
        for (_, low), (at, high) in pairwise(sorted(points))
        if low != high
    ]


def ordered(rows: Rows, across: str, what: str, test: Test) -> list[Cell]:
    """For each seed and place where all three methods have a value, whether a test of the three holds.

    The three are called R, T and RT. Places where all of them have the same value say nothing.
    """
    places: dict[tuple[Any, ...], dict[str, float]] = {}
    for row in rows:
        if row.get(what) is not None:
            place = row["data"], row[across], row["seed"]
            places.setdefault(place, {})[row["method"][2:]] = row[what]
    return [
        Cell(test(three), {"data": named(data), across: at, "seed": seed})
        for (data, at, seed), three in sorted(places.items(), key=lambda one: one[0])
        if len(three) == 3 and len(set(three.values())) > 1
    ]


def over_k(fig7: Rows) -> list[Row]:
    """The runs on 10,000 records, with k = 25 from the runs over |D|."""
    return [row for row in fig7 if row["data"] == PATIENTS] + [
        row | {"data": PATIENTS} for row in fig7 if row["data"] == "informs" and row["records"] == 10_000
    ]


def named(data: str) -> str:
    """A data set as the page calls it."""
    return {**NAMES, PATIENTS: "10,000 records"}.get(data, data)


def least(name: str) -> Test:
    """Whether one of the three has the least value."""
    return lambda three: three[name] == min(three.values())


def most(name: str) -> Test:
    """Whether one of the three has the greatest value."""
    return lambda three: three[name] == max(three.values())


def means(rows: Rows, across: str, what: str) -> dict[Any, float]:
    """The mean over the seeds at each place, in order."""
    values: dict[Any, list[float]] = {}
    for row in rows:
        if row.get(what) is not None:
            values.setdefault(row[across], []).append(row[what])
    return {place: statistics.fmean(values[place]) for place in sorted(values)}


def short(value: float) -> str:
    """Three digits that matter.

    >>> short(0.12345), short(1234.5), short(26854)
    ('0.123', '1,234', '26,854')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def ends(rows: Rows, what: str, across: str = "delta", form: Form = short) -> str:
    """What each method has at both ends of an axis, means over the seeds."""

    def lines(some: Rows) -> Iterable[str]:
        for method in dict.fromkeys(row["method"] for row in some):
            values = list(means(by(some, [method]), across, what).values())
            if values:
                yield f"{method} {form(values[0])} to {form(values[-1])}"

    return _by_data(rows, lambda some: ", ".join(lines(some)))


def middle(rows: Rows, what: str, wanted: float = 0.65, form: Form = short) -> str:
    """What each method has at the delta nearest to a wanted one, means over the seeds."""

    def line(some: Rows) -> str:
        deltas = sorted({row["delta"] for row in some if row.get(what) is not None})
        if not deltas:
            return "none"
        at = min(deltas, key=lambda delta: (abs(delta - wanted), delta))
        values = {
            method: means([row for row in by(some, [method]) if row["delta"] == at], "delta", what)
            for method in dict.fromkeys(row["method"] for row in some)
        }
        told = ", ".join(f"{method} {form(value[at])}" for method, value in values.items() if at in value)
        return f"{told} at delta {at:g}"

    return _by_data(rows, line)


def _by_data(rows: Rows, tell: Callable[[Rows], str]) -> str:
    """What is told of each data set by itself."""
    sets: dict[str, list[Row]] = {}
    for row in rows:
        sets.setdefault(named(row["data"]), []).append(row)
    return "; ".join(f"{name}: {tell(some)}" for name, some in sets.items())
