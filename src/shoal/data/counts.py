"""Multisets: an item that occurs twice in a record is the label ``milk*2`` (``shoal.read(.., multiset=True)``)."""

from __future__ import annotations

from collections.abc import Collection


def without_count(label: str) -> str:
    """Return the item of a counted label, and any other label unchanged.

    >>> without_count("milk*2"), without_count("milk"), without_count("*"), without_count("milk*two")
    ('milk', 'milk', '*', 'milk*two')
    """
    item, _, count = label.rpartition("*")
    return item if item and count.isascii() and count.isdigit() else label


def named_by(label: str, names: Collection[str]) -> str | None:
    """Return the name that covers a label: its item without the count, or the label itself. None if neither is a name.

    >>> named_by("HIV*2", {"HIV"}), named_by("HIV*2", {"HIV*2"}), named_by("HIV*2", {"flu"})
    ('HIV', 'HIV*2', None)
    """
    item = without_count(label)
    return item if item in names else label if label in names else None
