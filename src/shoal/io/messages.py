"""What a message may show of the data: an item, a column's name or a type, shortened, and never a whole row."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shoal.errors import DataError, did_you_mean, shorten

__all__ = ["in_filter", "listed", "no_column", "shorten", "shown"]
_NAMES = 20
_KEYWORDS = frozenset({"and", "or", "not", "in", "is", "null", "true", "false"})  # of filters


def shown(label: str) -> str:
    """Return a label in quotes, with unprintable characters escaped.

    >>> shown("oat\\tmilk")
    "'oat\\\\tmilk'"
    """
    return repr(shorten(label))


def in_filter(name: str) -> str:
    """Return the name of a column as ``where`` wants it.

    >>> in_filter("week"), in_filter("unit price")
    ('week', '`unit price`')
    """
    plain = re.fullmatch(r"[^\W\d]\w*(?:\.\w+)*", name) and name.lower() not in _KEYWORDS
    return name if plain else "`" + name.replace("`", "``") + "`"


def listed(names: Iterable[object]) -> str:
    """Return the names of columns, in quotes.

    >>> listed(["id", "items"]), listed([])
    ("'id', 'items'", 'no columns')
    """
    names = list(names)
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return ", ".join(f"'{shorten(name)}'" for name in names[:_NAMES]) + more or "no columns"


def no_column(name: str, names: Iterable[str], source: str) -> DataError:
    """Return the error for a column that does not exist."""
    names = list(names)
    return DataError(f"{source} has no column '{shorten(name)}'{did_you_mean(name, names)}: it has {listed(names)}.")
