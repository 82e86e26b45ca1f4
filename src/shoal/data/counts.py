"""Multisets: an item that a record holds twice is the label ``milk*2`` (``multiset=True`` of :func:`shoal.read`)."""

from __future__ import annotations

from collections.abc import Collection


def without_count(label: str) -> str:
    """The item of a counted label; any other label as it is.

    >>> without_count("milk*2"), without_count("milk"), without_count("*"), without_count("milk*two")
    ('milk', 'milk', '*', 'milk*two')
    """
    item, _, count = label.rpartition("*")
    return item if item and count.isascii() and count.isdigit() else label


def named_by(label: str, names: Collection[str]) -> str | None:
    """The name that covers a label: its item, whatever the count, or itself; None: neither is a name.

    >>> named_by("HIV*2", {"HIV"}), named_by("HIV*2", {"HIV*2"}), named_by("HIV*2", {"flu"})
    ('HIV', 'HIV*2', None)
    """
    item = without_count(label)
    return item if item in names else label if label in names else None
