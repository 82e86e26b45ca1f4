"""The rows of P4's grids by place: data set, order of the items, seed, k and m."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from shoal.evaluation.results import Row

NAMES = {
    "aa": "AA",
    "optimal": "optimal",
    "partition": "LG",
    "mm": "MM",
    "mhghs": "mHgHs",
    "optimal-suppress": "optimal-suppress",
}
FOUR = ("mHgHs", "LG", "AA", "MM")  # from the least loss to the most, says the paper
POS, AOL = "pos-shape", "complete-journey"  # what stands for the paper's data
OWN = {"paper": "POS's shape and the stand-in for AOL"}
BY_FREQUENCY = " by frequency"


@dataclass(frozen=True, order=True)
class Place:
    """Where a cell stands."""

    data: str
    order: str  # of the items below an artificial hierarchy: ids or frequency; or real: the hierarchy is
    seed: int
    k: int
    m: int

    @property
    def where(self) -> dict[str, object]:
        """The settings that a verdict may depend on."""
        of_data = {"hierarchy": "real"} if self.order == "real" else {"hierarchy": "artificial", "order": self.order}
        drawn = {"seed": self.seed} if self.seed else {}
        own = OWN if self.data in (POS, AOL) else {"paper": "other data"}
        return {"data": self.data, "k": self.k, "m": self.m, **of_data, **drawn, **own}


ORDERS = ("ids", "frequency", "real")
Cells = Mapping[Place, Mapping[str, Row]]  # the row of each method


def cells(rows: Sequence[Row]) -> dict[Place, dict[str, Row]]:
    """The rows by place. LG knows no m, and MM no order of the items: their rows stand in all cells that they fit."""
    found: dict[Place, dict[str, Row]] = {}
    for row in rows:
        if row["algorithm"] not in ("partition", "mm"):
            found.setdefault(_place(row), {})[NAMES[row["algorithm"]]] = row
    for row in rows:
        at = _place(row)
        for place in found:
            fits_in = (place.data, place.seed, place.k) == (at.data, at.seed, at.k)
            if row["algorithm"] == "partition" and fits_in and place.order == at.order:
                found[place]["LG"] = row
            if row["algorithm"] == "mm" and fits_in and place.m == at.m:
                found[place]["MM"] = row
    names = list(dict.fromkeys(_place(row).data for row in rows))
    return {at: found[at] for at in sorted(found, key=lambda at: (names.index(at.data), ORDERS.index(at.order), at))}


def _place(row: Row) -> Place:
    data = row["data"].removesuffix(BY_FREQUENCY)
    order = "real" if not row.get("data.fanout") else "frequency" if data != row["data"] else "ids"
    return Place(data, order, row["seed"] or 0, row["k"], row["m"] or 0)


def loss(at: Mapping[str, Row], name: str) -> float | None:
    """NCP; none, if the run did not end."""
    value = at[name]["ncp"] if name in at else None
    return None if value is None else float(value)


def spent(at: Mapping[str, Row], name: str) -> float:
    """CPU seconds of the search; without end, if the run did not end."""
    value = at[name]["search_cpu_seconds"] if name in at else None
    return inf if value is None else float(value)


def values_of(results: Cells, name: str) -> list[float]:
    return [value for at in results.values() if (value := loss(at, name)) is not None]


def named(name: str, m: int | None) -> str:
    return name if m is None else f"{name} (m = {m})"


def percent(value: float) -> str:
    """As the paper has it.

    >>> percent(0.0789), percent(0.46), percent(1), percent(0.000_001)
    ('7.9 %', '46 %', '100 %', 'under 0.01 %')
    """
    if 0 < value < 0.0001:
        return "under 0.01 %"
    return f"{100 * value:.2g} %" if value < 0.1 else f"{100 * value:.0f} %"


def times(value: float) -> str:
    """A ratio.

    >>> times(1.234), times(331.2), times(26_356.85)
    ('1.23', '331', 'over 1,000')
    """
    return f"{value:.2f}" if value < 100 else f"{value:.0f}" if value <= 1000 else "over 1,000"


def span(values: Collection[float], how: str | Callable[[float], str]) -> str:
    """From the least to the largest.

    >>> span([0.5, 0.075], percent), span([2.0], "{:.1f}"), span([], percent)
    ('7.5 % to 50 %', '2.0', '-')
    """
    write = how.format if isinstance(how, str) else how
    if not values:
        return "-"
    ends = list(dict.fromkeys(write(value) for value in (min(values), max(values))))
    return " to ".join(ends)
