"""Figures of risk in words and cells."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.report.formatting import count, share
from shoal.risk import Figure, Scenario
from shoal.risk.assessment import Known

MOST_NAMES = 4  # earlier releases that a sentence names


def shared(figure: Figure) -> str:
    """Return a share. An estimate has its interval.

    >>> shared(Figure.of(0.25)), shared(Figure.within(0.25, 0.2, 0.31))
    ('25 %', '25 % (20–31)')
    """
    if figure.exact:
        return share(figure.value)
    return f"{share(figure.value)} ({share(figure.low).removesuffix(' %')}–{share(figure.high).removesuffix(' %')})"


def counted(figure: Figure) -> str:
    """Return a number of records. An estimate has its interval.

    >>> counted(Figure.of(5)), counted(Figure.within(7, 5, 9))
    ('5', '7 (5–9)')
    """
    low, value, high = (count(int(one)) for one in (figure.low, figure.value, figure.high))
    return value if figure.exact else f"{value} ({low}–{high})"


def knows(known: Known, *, columns: bool) -> str:
    """Return what an attacker knows, for the first cell of a row.

    >>> knows(1, columns=False), knows(3, columns=True), knows("all", columns=False), knows(0, columns=True)
    ('1 item', 'all columns and up to 3 items', 'all items', 'all columns')
    """
    items = {"all": "all items", 0: "", 1: "1 item"}.get(known, f"up to {known} items")
    return " and ".join(part for part in ("all columns" if columns else "", items) if part) or "nothing"


def estimated(scenarios: Iterable[Scenario]) -> str:
    """Return a sentence on estimates among the figures of some scenarios, or an empty string."""
    draws = sorted({one.draws for one in scenarios if one.draws})
    if not draws:
        return ""
    numbers = " or ".join(count(one) for one in draws)
    return (
        f"Figures with an interval are estimated from {numbers} draws: the true figure is in the interval with 95 % "
        f"certainty."
    )


def other_releases(earlier: tuple[str, ...] | None, *, named: bool) -> str:
    """Return sentences on the other releases of a series, or on there being none.

    Parameters
    ----------
    earlier
        The names of the earlier releases of the series. None: the release is in no series.
    named
        Whether these names may be told.

    >>> other_releases(("May", "June"), named=True)
    "It is release 3 of a series. It was checked together with the 2 earlier releases (May, June): see 'shoal series \
check'."
    >>> other_releases(("May",), named=False)
    'It is release 2 of a series. It was checked together with the earlier release.'
    """
    if earlier is None:
        return "This is one release, which was not compared with others."
    if not earlier:
        return "It is the first release of a series. Later releases are checked together with it."
    names = earlier if len(earlier) <= MOST_NAMES else (earlier[0], "..", earlier[-1])
    together = "the earlier release" if len(earlier) == 1 else f"the {count(len(earlier))} earlier releases"
    which = f" ({', '.join(names)}): see 'shoal series check'" if named else ""
    return f"It is release {count(len(earlier) + 1)} of a series. It was checked together with {together}{which}."


def threshold(value: float) -> str:
    """Return a threshold of risk as people picture it.

    >>> threshold(1 / 11), threshold(0.05), threshold(0.07)
    ('1 in 11 (9.1 %)', '1 in 20 (5 %)', '7 %')
    """
    crowd = round(1 / value)
    return f"1 in {crowd:,} ({share(value)})" if abs(crowd * value - 1) < 1e-9 else share(value)
