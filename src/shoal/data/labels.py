"""The canonical order of labels: numbers numerically, then text.

It makes results independent of the order of lines in any file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?", re.ASCII)


def label_key(label: str) -> tuple[int, Fraction, str]:
    """The sort key of a label.

    >>> sorted(["b", "10", "9", "a", "9.5"], key=label_key)
    ['9', '9.5', '10', 'a', 'b']
    """
    if _NUMBER.fullmatch(label):
        return (0, Fraction(label), label)
    return (1, Fraction(0), label)


def canonical_order(labels: Iterable[str]) -> list[str]:
    """The labels, sorted canonically."""
    labels = list(labels)
    if all(label.isascii() and label.isdigit() and len(label) < 19 for label in labels):
        return sorted(labels, key=lambda label: (int(label), label))  # the same order, ten times faster
    return sorted(labels, key=label_key)
