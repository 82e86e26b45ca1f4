"""Labels: their canonical order, and labels of sets.

The canonical order makes results independent of the order of lines in files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from shoal.quoting import cells

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)


def label_key(label: str) -> tuple[int, int | Fraction, str]:
    """Return the sort key of a label.

    >>> sorted(["b", "10", "9", "a", "9.5"], key=label_key)
    ['9', '9.5', '10', 'a', 'b']
    """
    if label.isdigit() and label.isascii() and len(label) < 19:  # most numbers: much faster than fractions
        return (0, int(label), label)
    if _NUMBER.fullmatch(label):
        return (0, Fraction(label), label)
    return (1, 0, label)


def canonical_order(labels: Iterable[str]) -> list[str]:
    """Return the labels in canonical order."""
    labels = list(labels)
    if all(label.isascii() and label.isdigit() and len(label) < 19 for label in labels):
        return sorted(labels, key=lambda label: (int(label), label))  # the same order, ten times faster
    return sorted(labels, key=label_key)


def set_label(items: Sequence[str]) -> str:
    """Return the label of a set of items. A single item is its own label.

    >>> set_label(["a"]), set_label(["a", "b"]), set_label(["a", "b, c"])
    ('a', '(a,b)', '(a,"b, c")')
    """
    if len(items) == 1:
        return items[0]
    quoted = ['"' + item.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', item) else item for item in items]
    return f"({','.join(quoted)})"


def set_members(label: str) -> list[str]:
    """Return the items of a set's label, or an empty list if the label is not a set.

    >>> set_members("(a,b)"), set_members('(a,"b, c")'), set_members("a")
    (['a', 'b'], ['a', 'b, c'], [])
    """
    if not (label.startswith("(") and label.endswith(")")):
        return []
    if '"' not in label:
        return [part.strip() for part in label[1:-1].split(",")]
    return cells(label[1:-1])
