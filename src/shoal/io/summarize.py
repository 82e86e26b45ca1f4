"""What was read, in a line: whoever sees it notices a record that passed for a header, or a wrong delimiter."""

from __future__ import annotations

from typing import Any

from shoal.data import Dataset
from shoal.io.layout import Layout
from shoal.io.messages import listed, shorten
from shoal.io.several import MultiSetLayout
from shoal.io.text import name_of


def summary(dataset: Dataset) -> str:
    """How many records were read, in which format, from which columns.

    >>> from shoal.io import read
    >>> summary(read([{"milk", "beer"}, set()]))
    'Read data: 2 records, 2 different items.'
    """
    rows = dataset.transactions
    layout: Any = dataset.origin.layout
    table = layout.layout if isinstance(layout, MultiSetLayout) else layout
    beside = [] if dataset.table is None else list(dataset.table.names)
    counts = [f"{len(rows):,} record{'' if len(rows) == 1 else 's'}"]
    if not layout.without_sets:
        counts.append(f"{len(rows.labels):,} different item{'' if len(rows.labels) == 1 else 's'}")
    how = []
    if isinstance(table, Layout):
        how.append(table.format + ("" if getattr(table, "header", True) else " without a header"))
    if isinstance(layout, MultiSetLayout):
        how.append(f"sets in {listed(layout.set_columns)}")
    elif hasattr(layout, "item_column"):
        how.append(f"ids in '{shorten(layout.id_column)}', items in '{shorten(layout.item_column)}'")
        beside = []
    elif dataset.origin.set_columns:
        mark = f" separated by {name_of(layout.item_delimiter)}" if hasattr(layout, "item_delimiter") else ""
        how.append(f"sets in '{shorten(layout.column)}'{mark}")
    if beside:
        how.append(f"{'other ' if len(how) > 1 else ''}columns {listed(beside)}")
    layout_text = f" ({'; '.join(how)})" if how else ""
    return f"Read {shorten(dataset.origin.name)}: {', '.join(counts)}{layout_text}."
