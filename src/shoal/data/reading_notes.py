"""Notes on how data were read. Every command makes them when it starts, so they load faster than shoal.data.notes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from shoal.data.note import Note


@dataclass(frozen=True)
class IdsReplaced(Note):
    """The ids of long data are not published. Records are numbered instead."""

    left_out = "is the id of records (keep_ids=True keeps it)"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class IdsKept(Note):
    """The ids of long data are published, as the user asked."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class VaryingColumns(Note):
    """Columns of long data vary within a record, so they are left out."""

    left_out = "differs within a record"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class PersonColumn(Note):
    """A column holds the person behind each record. Persons are counted, and the column is not published."""

    left_out = "is the person column (person=), which is never published"

    columns: tuple[str, ...]  # one column
    records: int
    persons: int
    most: int  # records of one person
    noun: str
    nouns: str


@dataclass(frozen=True)
class IdentifyingColumns(Note):
    """Columns of long data have a different value in nearly every record, like ids, so they are left out."""

    left_out = "has a different value in nearly every record (keep_ids=True keeps it)"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class ColumnsLikeIds(Note):
    """Such columns are left out even with ``keep_ids``, because some person has several records."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class NullItemsDropped(Note):
    """Rows of long data without an item were left out."""

    column: str
    rows: int


@dataclass(frozen=True)
class Joined(Note):
    """Columns of another table were added."""

    file: str
    key: str
    sha256: str
    unmatched: str  # a sentence on rows without a match, or ""
    example: str  # a key without a match; it may identify a person, so no report shows it


@dataclass(frozen=True)
class Filtered(Note):
    """Only rows that fulfil a condition were read."""

    condition: str
    kept: int
    total: int


@dataclass(frozen=True)
class HierarchyBuilt(Note):
    """No hierarchy was given, and the method needs one: it was built from how common items are."""

    items: int
    groups: int
    fanout: int


def notes_on_records(
    ids: tuple[str, ...],
    item: str,
    order: Sequence[str],
    varying: Collection[str],
    without_item: int,
    *,
    keep_ids: bool,
) -> Iterator[Note]:
    """Yield the notes for a publisher. ``order``: all columns. ``without_item``: how many rows were left out."""
    yield (IdsKept if keep_ids else IdsReplaced)(ids)
    if varying:
        yield VaryingColumns(tuple(sorted(varying, key=order.index)))
    if without_item:
        yield NullItemsDropped(item, without_item)
