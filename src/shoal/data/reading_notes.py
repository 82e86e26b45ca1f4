"""Notes on how data were read, apart from :mod:`shoal.data.notes`, because every command makes them when it starts."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.data.note import Note


@dataclass(frozen=True)
class IdsReplaced(Note):
    """The ids of long data are not published: records are numbered."""

    left_out = "is the id of records (--keep-ids keeps it)"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class IdsKept(Note):
    """The ids of long data are published, as the user asked for."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class VaryingColumns(Note):
    """Columns of long data differ within a record, so they are left out."""

    left_out = "differs within a record"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class PersonColumn(Note):
    """A column says whose each record is: persons are counted, and it is not published."""

    left_out = "says whose each record is (--person) and is never published"

    columns: tuple[str, ...]  # this one
    records: int
    persons: int
    most: int  # records of one person
    noun: str
    nouns: str


@dataclass(frozen=True)
class IdentifyingColumns(Note):
    """Columns of long data tell nearly all records apart, as their ids do, so they are left out, too."""

    left_out = "has a different value in nearly every record (--keep-ids keeps it)"

    columns: tuple[str, ...]


@dataclass(frozen=True)
class ColumnsLikeIds(Note):
    """The same where some person has several records: then no option publishes them."""

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
    unmatched: str  # what had no match, in words; may be empty
    example: str  # one of the keys without a match: it may name a person, so no report shows it


@dataclass(frozen=True)
class Filtered(Note):
    """Only rows that fulfil a condition were read."""

    condition: str
    kept: int
    total: int
