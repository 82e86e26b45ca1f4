"""How P1's methods and their rivals grow, from the rows of the grid p1-growth: a table, and what we ask of them.

Costs are CPU seconds of the whole release: on a shared machine a single run says little about the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from benchmarks.papers import fits
from benchmarks.papers.curves import LINEAR, WIDE, Fit, linear
from benchmarks.papers.verdict import Cell, Claim
from shoal.evaluation.results import Row

BASE, K = "5 % sensitive", 5  # the sets that grow
LIMIT = 2_000  # MB
GSC, KNN = ("GSC (all)", "GSC (QT)"), ("K-NN (all), GSC order", "K-NN (QT), GSC order")


def over_rows(results: Sequence[Row]) -> list[Row]:
    """The runs on growing data."""
    return [row for row in results if row["data"] == BASE]


def over_shares(results: Sequence[Row], k: int) -> list[Row]:
    """The runs of one size, by how many rows are sensitive: STN's groups, where others do not run short."""
    groups = {row["data"]: row["groups"] for row in results if (row["method"], row["k"]) == ("STN", K)}
    return [{**row, "sensitive": groups[row["data"]]} for row in results if row["data"] != BASE and row["k"] == k]


def exponent(rows: Sequence[Row], method: str, across: str = "records") -> Fit:
    """The exponent of a method's CPU time, with its interval."""
    return fits.exponent((row[across], row["cpu_seconds"]) for row in rows if row["method"] == method)


def claims(results: Sequence[Row]) -> list[Claim]:
    """What we ask of them: it is not the paper's."""
    grown, shares = over_rows(results), over_shares(results, K)
    most = max(results, key=lambda row: row["peak_mb"])
    cells = tuple(Cell(row["peak_mb"] < LIMIT, {"data": row["data"], "method": row["method"]}) for row in results)
    seen = f"at most {most['peak_mb']:,.0f} MB ({most['method']}, {most['records']:,} rows, k = {most['k']})"
    size = max(row["records"] for row in grown)
    squared = {method: exponent(grown, method) for method in ("STN", *KNN)}
    straight = {method: exponent(grown, method) for method in (*GSC, "GraySort", "Sort APX Cover")}
    over = {method: exponent(shares, method, "sensitive") for method in ("STN", *GSC, *KNN)}
    return [
        Claim("memory", f"Never above 2 GB up to {size:,} rows", cells, seen, always=True),
        _fitted("STN and K-NN grow at worst as the square of the rows", squared, lambda fit: fit[2] <= 2),
        _fitted("The others grow linearly", straight, linear),
        _fitted("All grow at worst linearly with the sensitive rows", over, lambda fit: fit[2] <= LINEAR[1]),
    ]


def _fitted(says: str, exponents: Mapping[str, Fit], true: Callable[[Fit], bool | None]) -> Claim:
    """A claim about exponents, one cell a method; an exponent that is too uncertain is no cell."""
    sure = {method: fit for method, fit in exponents.items() if fit[2] - fit[1] <= WIDE}
    cells = tuple(Cell(bool(true(fit)), {"method": method}) for method, fit in sure.items())
    return Claim("CPU time", says, cells, ", ".join(f"{method} {fits.told(fit)}" for method, fit in exponents.items()))


def table(results: Sequence[Row]) -> Iterator[str]:
    """All runs."""
    yield "| data | rows | k | method | groups | joined rows | operations | CPU time | memory |"
    yield "|---|---:|---:|---|---:|---:|---:|---:|---:|"
    for row in results:
        place = f"{row['data']} | {row['records']:,} | {row['k']} | {row['method']}"
        counts = f"{row['groups']:,} | {row['joined_rows']:,} | {row['operations']:,.0f}"
        cost = f"{row['cpu_seconds']:.1f} s | {row['peak_mb']:,.0f} MB"
        yield f"| {place} | {counts} | {cost} |"
