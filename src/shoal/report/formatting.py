"""Formats numbers, shares, durations and labels for people."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.data.labels import set_members
from shoal.data.persons import Persons
from shoal.errors import shorten

WIDTH, SET_WIDTH = 120, 40  # characters of a label that are shown, and of a set of items


def count(number: float) -> str:
    """Format a number with thousands separated.

    >>> count(12345), count(2.5), count(273.10030), count(43367.0)
    ('12,345', '2.5', '273.1', '43,367')
    """
    if isinstance(number, int):
        return f"{number:,}"
    return f"{number:,.4g}" if abs(number) < 100 else f"{number:,.1f}".removesuffix(".0")


def share(part: float) -> str:
    """Format a share in percent. Only an exact 0 is "0 %", and only an exact 1 is "100 %".

    >>> [share(part) for part in (0, 0.0002, 0.0371, 0.125, 0.34, 0.9999, 1)]
    ['0 %', '< 0.1 %', '3.7 %', '12.5 %', '34 %', '> 99.9 %', '100 %']
    """
    percent = part * 100
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.1f}".removesuffix(".0") + " %"


def seconds(time: float) -> str:
    """Format a duration in seconds.

    >>> [seconds(time) for time in (0.0004, 0.25, 3.14159, 185)]
    ['< 0.01 s', '0.25 s', '3.1 s', '3 min 5 s']
    """
    if time >= 60:
        return f"{int(time) // 60:,} min {int(time) % 60} s"
    return "< 0.01 s" if time < 0.01 else f"{time:.2g} s" if time < 10 else f"{time:.0f} s"


def memory(size: int) -> str:
    """Format a number of bytes.

    >>> memory(81571840), memory(3 * 2**30)
    ('78 MiB', '3.0 GiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def records_of(records: int, persons: Persons | None) -> str:
    """Format a number of records, and of their persons if these are known.

    >>> import numpy as np
    >>> records_of(1_200, None), records_of(3, Persons(np.array([0, 1, 1]), "household"))
    ('1,200', '3 of 2 households')
    """
    return count(records) if persons is None else f"{count(records)} of {persons.name(persons.count())}"


def count_noun(number: int, name: str, names: str = "") -> str:
    """Format a count with its noun.

    >>> count_noun(1, "record"), count_noun(1200, "record"), count_noun(2, "set of items", "sets of items")
    ('1 record', '1,200 records', '2 sets of items')
    """
    return f"{count(number)} {name if number == 1 else names or name + 's'}"


def band(low: int, high: int) -> str:
    """Format a range of whole numbers.

    >>> band(2, 5), band(7, 7)
    ('2–5', '7')
    """
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def some(texts: Sequence[str], more: int = 0, most: int = 12) -> str:
    """Join the first texts of a list, and say how many more there are.

    >>> some(["a", "b"]), some(["a", "b", "c"], most=2), some([], 7), some(["a"], 1)
    ('a, b', 'a, b and 1 more', '7 items', 'a and 1 more')
    """
    rest = max(0, len(texts) - most) + more
    if not texts:
        return count_noun(rest, "item")
    return ", ".join(texts[:most]) + (f" and {count(rest)} more" if rest else "")


def label(text: str) -> str:
    """Shorten a long label. Sets of items are cut between two items.

    >>> label("oat milk"), label("(a,b)"), label("(" + ",".join(map(str, range(100, 200))) + ")")
    ('oat milk', '(a,b)', '(100,101,102,103,104,105,106,107,108,…)')
    >>> label("(" + "a" * 50 + ',"b, c")'), len(label("a" * 500))
    ('(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…,…)', 121)
    """
    members = set_members(text) if len(text) > SET_WIDTH else []
    shown = [shorten(member) for member in members[:1]]
    for member in members[1:]:
        if len(",".join([*shown, member])) > SET_WIDTH - 4:
            return f"({','.join(shown)},…)"
        shown.append(member)
    return text if len(text) <= WIDTH else text[:WIDTH] + "…"
