"""A table as a stream of Arrow record batches: what every format reads, and what joins and filters pass on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Stream:
    """Record batches of one schema, read as they are asked for.

    The names of columns are unique, and no column is a view (string_view): Arrow cannot filter or take them.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]  # may be consumed once
    source: str  # for messages: the path
    place: Callable[[int], str]  # where record r (from 0, counted over all batches) stands: "line 12", "row 7"
