"""What a message may show of the data: an item, a column's name, a type; cut short, and never a whole row."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.errors import shorten

__all__ = ["listed", "shorten", "shown"]
_NAMES = 20


def shown(label: str) -> str:
    """A label in quotes, with what is not printable escaped.

    >>> shown("oat\\tmilk")
    "'oat\\\\tmilk'"
    """
    return repr(shorten(label))


def listed(names: Iterable[object]) -> str:
    """The names of columns, in quotes.

    >>> listed(["id", "items"]), listed([])
    ("'id', 'items'", 'no columns')
    """
    names = list(names)
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(f"'{shorten(name)}'" for name in names[:_NAMES]) + more or "no columns"
