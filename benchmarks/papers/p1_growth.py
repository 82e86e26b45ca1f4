"""How P1's methods and their rivals grow, from the rows of the grid p1-growth: a table, and what we ask of them.

Costs are CPU seconds of the whole release: on a shared machine a single run says little about the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.papers.common import Claim
from shoal.evaluation.results import Row

BASE, K = "5 % sensitive", 5  # the sets that grow
LIMIT = 2_000  # MB
GSC, KNN = ("GSC (all)", "GSC (QT)"), ("K-NN (all), GSC order", "K-NN (QT), GSC order")
NEAR = 1.3  # an exponent that we call about linear


def over_rows(results: Sequence[Row]) -> list[Row]:
    """The runs on growing data."""
    return [row for row in results if row["data"] == BASE]


def over_shares(results: Sequence[Row], k: int) -> list[Row]:
    """The runs of one size, by how many rows are sensitive: STN's groups, where others do not run short."""
    groups = {row["data"]: row["groups"] for row in results if (row["method"], row["k"]) == ("STN", K)}
    return [{**row, "sensitive": groups[row["data"]]} for row in results if row["data"] != BASE and row["k"] == k]


def exponent(rows: Sequence[Row], method: str, across: str = "records", up: str = "cpu_seconds") -> float:
    """The slope of the straight line through the logarithms."""
    points = [(row[across], row[up]) for row in rows if row["method"] == method]
    places, values = np.log(np.array(points, dtype=np.float64)).T
    return float(np.polyfit(places, values, 1)[0])


def claims(results: Sequence[Row]) -> list[Claim]:
    """What we ask of them: it is not the paper's."""
    grown, shares = over_rows(results), over_shares(results, K)
    most = max(results, key=lambda row: row["peak_mb"])
    size = max(row["records"] for row in grown)
    quadratic = {method: exponent(grown, method) for method in ("STN", *KNN)}
    linear = {method: exponent(grown, method) for method in (*GSC, "GraySort", "Sort APX Cover")}
    over = {method: exponent(shares, method, "sensitive") for method in ("STN", *GSC, *KNN)}
    return [
        Claim(
            "memory",
            f"Under 2 GB up to {size:,} rows",
            most["peak_mb"] < LIMIT,
            f"at most {most['peak_mb']:,.0f} MB ({most['method']}, {most['records']:,} rows, k = {most['k']})",
        ),
        Claim(
            "CPU time",
            "STN and K-NN grow at worst as the square of the rows",
            max(quadratic.values()) <= 2,
            _say(quadratic),
        ),
        Claim("CPU time", "The others grow about linearly", max(linear.values()) <= NEAR, _say(linear)),
        Claim("CPU time", "At worst linear in the sensitive rows", max(over.values()) <= NEAR, _say(over)),
    ]


def _say(exponents: dict[str, float]) -> str:
    return "exponents: " + ", ".join(f"{method} {value:.2f}" for method, value in exponents.items())


def table(results: Sequence[Row]) -> Iterator[str]:
    """All runs."""
    yield "| data | rows | k | method | groups | joined rows | operations | CPU time | memory |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|"
    for row in results:
        place = f"{row['data']} | {row['records']:,} | {row['k']} | {row['method']}"
        counts = f"{row['groups']:,} | {row['joined_rows']:,} | {row['operations']:,.0f}"
        cost = f"{row['cpu_seconds']:.1f} s | {row['peak_mb']:,.0f} MB"
        yield f"| {place} | {counts} | {cost} |"
