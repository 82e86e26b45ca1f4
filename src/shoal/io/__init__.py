"""Reading and writing: every format turns a file into a stream of record batches, and batches into a file.

::

    source ─ format ─ join, where ─ layout ─ Dataset ─ layout ─ format ─ file
             (batches)              (sets)             (sets)   (batches)

A *format* (:mod:`shoal.io.format`) knows how a kind of file holds records. A *layout* (:mod:`shoal.io.layout`) knows
where the sets are among the columns. A data set remembers both, so that it can be written the same way.

>>> data = read([{"milk", "beer"}, set(), {"milk"}])
>>> len(data), data.transactions.labels
(3, ('beer', 'milk'))
>>> to_native(data)
[frozenset({...}), frozenset(), frozenset({'milk'})]
"""

from __future__ import annotations

from shoal.io.detect import FORMATS
from shoal.io.read_table import read_table
from shoal.io.reading import column_names, likely_sets, read, read_with
from shoal.io.summarize import summary
from shoal.io.writing import (
    LAYOUTS,
    RowWriter,
    check_columns,
    marks_to_write,
    open_writer,
    options_to_read,
    to_native,
    write,
)
from shoal.io.writing_parts import hash_of_parts, write_listed_parts, write_parts

__all__ = [
    "FORMATS",
    "LAYOUTS",
    "RowWriter",
    "check_columns",
    "column_names",
    "hash_of_parts",
    "likely_sets",
    "marks_to_write",
    "open_writer",
    "options_to_read",
    "read",
    "read_table",
    "read_with",
    "summary",
    "to_native",
    "write",
    "write_listed_parts",
    "write_parts",
]
