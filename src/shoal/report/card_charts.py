"""Charts of the card that a release shows in a notebook: what became of the items, and the risk before and after."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.release.release import Release
from shoal.report.formatting import share

MOST_ITEMS = 300_000  # in all records; counting the risk of larger data takes too long for a card


@dataclass(frozen=True)
class Bar:
    """One bar: its label, its length from 0 to 1, and the figure next to it."""

    label: str
    length: float
    figure: str
    color: str


@dataclass(frozen=True)
class Chart:
    """Bars with a title."""

    title: str
    bars: tuple[Bar, ...]


def charts(release: Release) -> list[Chart]:
    """Return the charts of a release, without those that do not apply or take too long."""
    return [chart for chart in (_items(release), _risk(release)) if chart is not None]


def _items(release: Release) -> Chart | None:
    """Return the shares of items that are unchanged, generalized and removed."""
    useful = release.usefulness
    if not release.algorithm.truthful or not release.problem.model.covers_sets or not useful.items:
        return None
    parts = (
        ("unchanged", useful.unchanged, "#0072b2"),
        ("generalized", useful.items - useful.unchanged - useful.removed, "#56b4e9"),
        ("removed", useful.removed, "#d55e00"),
    )
    bars = [Bar(name, count / useful.items, share(count / useful.items), color) for name, count, color in parts]
    return Chart("Items of all records", tuple(bar for bar in bars if bar.length or bar.label == "unchanged"))


def _risk(release: Release) -> Chart | None:
    """Return the share of records at risk, before and after, by the number of known items."""
    if not release.problem.model.covers_sets or release.problem.original.rows.total_items > MOST_ITEMS:
        return None
    before, after = release.risk_before, release.risk_after
    key, (title, _) = next(iter(before.degrees.items()))
    bars = []
    for known, (was, now) in enumerate(zip(before.shares(key), after.shares(key), strict=False), 1):
        items = "1 known item" if known == 1 else f"{known} known items"
        bars.append(Bar(f"{items}, raw", was, share(was), "#d55e00"))
        bars.append(Bar("published", now, share(now), "#0072b2"))
    return Chart(title, tuple(bars))
