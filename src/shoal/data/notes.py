"""Notes: what a publisher must know beyond the guarantee, as values. :mod:`shoal.report.wording` says them in words.

Each is made where its fact is known, and holds figures and labels only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.data.note import Note

# -- what is published and not true ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Untrue(Note):
    """Something about what is published and not true."""

    untrue = True


@dataclass(frozen=True)
class ItemsChanged(Untrue):
    """Items were added to records and deleted from them, so many times."""

    added: int
    sensitive: int  # of those that were added
    deleted: int

    def __str__(self) -> str:
        """In short."""
        return f"{self.added:,} items added, {self.deleted:,} deleted"


@dataclass(frozen=True)
class SensitiveItemsGiven(Untrue):
    """Records are published with a sensitive item that they did not hold."""

    records: int


@dataclass(frozen=True)
class SensitiveItemsInflated(Untrue):
    """Sensitive items are published more often than they are true."""

    before: int
    after: int


@dataclass(frozen=True)
class GroupsOfHolders(Untrue):
    """In some groups a sensitive item was not given to anybody: all records of the group held it."""

    groups: int
    records: int  # in these groups


@dataclass(frozen=True)
class TooManySensitive(Untrue):
    """More than half of the records are published with a sensitive item."""

    published: int
    records: int
    holders: int
    least: int  # records of a group


@dataclass(frozen=True)
class ChangedDataMislead(Untrue):
    """What data with added and deleted items must not be used for."""


@dataclass(frozen=True)
class SensitiveItemsDealt(Untrue):
    """Sensitive items were shuffled within groups of records.

    How many items are back with a holder must never be told: it would tell more than the groups do.
    """

    def __str__(self) -> str:
        """In short."""
        return "sensitive items shuffled within groups"


@dataclass(frozen=True)
class DealtItemsMislead(Untrue):
    """What data with items that were shuffled must not be used for."""


@dataclass(frozen=True)
class GroupsTellHolders(Untrue):
    """An attacker who knows the method can often tell around which record a group was formed."""


# -- the data and the problem ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DroppedIndex(Note):
    """The index of a data frame is not published."""


@dataclass(frozen=True)
class LinkingColumns(Note):
    """Columns that look like ids are published untouched, and tell which records belong together."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class LinkingValues(Note):
    """Values of an untouched column occur in several records, all of one person."""

    column: str
    values: int  # different ones
    linking: int  # those of them that do
    records: int  # of these values
    noun: str
    determines: bool  # whether every value belongs to one person: then it is not published


@dataclass(frozen=True)
class LinkingCombination(Note):
    """Untouched columns together have values that occur in several records, all of one person."""

    columns: tuple[str, ...]
    persons: int  # whose records can be put together by them
    several: int  # persons with several records
    records: int  # of these values
    noun: str
    nouns: str


@dataclass(frozen=True)
class PersonsOfOneRecord(Note):
    """Persons are given, but each has one record only."""

    column: str
    noun: str


@dataclass(frozen=True)
class RecordsSorted(Note):
    """Some person has several records, so these are published by their content."""

    noun: str
    ids: tuple[str, ...]  # columns of ids that running numbers replace
    index: bool  # whether the index of a data frame is dropped


@dataclass(frozen=True)
class OneRecordKnown(Note):
    """An attacker is taken to know items of one record, not of several records of a person."""

    noun: str
    nouns: str
    column: str


@dataclass(frozen=True)
class DroppedItems(Note):
    """Items were left out when the data were read."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class AddedItems(Note):
    """Items were not in the hierarchy and taken as directly below its root."""

    count: int


@dataclass(frozen=True)
class AddedItemsNamed(Note):
    """Labels of groups and the code book name such items."""


@dataclass(frozen=True)
class UnusedHierarchy(Note):
    """A hierarchy was given that the method for the sets does not use."""


@dataclass(frozen=True)
class ZeroWeights(Note):
    """All items that occur have weight 0."""


@dataclass(frozen=True)
class MethodReveals(Note):
    """An attacker who knows the method may learn more than the labels say."""

    certainty: str  # with which a record was found in a test


# -- what was declared sensitive ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoPrivateItems(Note):
    """A model about private items was told of none."""

    k: int
    p: int


@dataclass(frozen=True)
class MissedSensitive(Note):
    """What was declared sensitive is not in the data."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class NothingSensitive(Note):
    """No record holds a sensitive item."""


@dataclass(frozen=True)
class SensitiveGroup(Note):
    """A group was declared sensitive."""

    label: str
    items: int  # of it that the data have


@dataclass(frozen=True)
class LooksSensitive(Note):
    """An item looks like a sensitive one, but is not."""

    label: str
    other: str


@dataclass(frozen=True)
class SensitiveLookAlike(Note):
    """Two sensitive values look alike."""

    label: str
    other: str


@dataclass(frozen=True)
class UnprotectedLookAlike(Note):
    """A value of a column looks like a sensitive one, but was not declared sensitive."""

    label: str
    other: str


@dataclass(frozen=True)
class ProtectedValues(Note):
    """Of a sensitive column, only some values are protected."""

    column: str
    values: tuple[str, ...]


# -- columns -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UntouchedSets(Note):
    """The sets are published as they are: the guarantee is about columns."""


@dataclass(frozen=True)
class UntouchedColumns(Note):
    """Columns are published as they are."""

    names: tuple[str, ...]
    guarded: Literal["sets", "columns", "both"]  # what the guarantee covers
    false_items: bool  # whether items beside them are not true


@dataclass(frozen=True)
class InOrder(Note):
    """The records stand in the order of columns, which tells about these."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class TellingColumn(Note):
    """An attacker who finds the class of a record learns its value in an untouched column, or the value is alone."""

    column: str
    equal_classes: int  # classes whose records all have the same value
    classes: int
    records: int  # of those classes
    once: int  # values that occur only once


@dataclass(frozen=True)
class NamesPeople(Note):
    """A quasi-identifier has a different value in every record."""

    column: str


@dataclass(frozen=True)
class MixedColumn(Note):
    """A column was taken as categories because some of its values are no numbers."""

    column: str
    others: int  # values that are no numbers
    values: int


@dataclass(frozen=True)
class FewNumbers(Note):
    """Columns of few different whole numbers were taken as numbers; they may be codes."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class LostColumns(Note):
    """Of columns hardly anything is left."""

    names: tuple[str, ...]
    unordered: tuple[str, ...] = ()  # of these: categories without a hierarchy, which may have an order


@dataclass(frozen=True)
class DeltaCost:
    """What a bound on the loss of the columns costs."""

    delta: float
    columns: float  # that they lose, at most delta
    sets: float  # that they lose, by the loss that is minimised


@dataclass(frozen=True)
class ChosenDelta(Note):
    """A bound on the loss of the columns was chosen, as none was given."""

    chosen: DeltaCost
    least: float  # that any bound must allow
    neighbours: tuple[DeltaCost, ...]  # the next lower and higher ones, estimated

    def __str__(self) -> str:
        """In short."""
        return f"delta {self.chosen.delta:g} chosen"


# -- items -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FewUnchanged(Note):
    """Hardly any item is published unchanged."""

    unchanged: int
    items: int  # of all records
    median: int  # items behind the label of an item
    options: tuple[str, ...]  # of the model and the method that would keep more, in words


# -- records without items ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoItemsLeft(Note):
    """No record is published with an item."""

    truthful: bool  # whether items were removed everywhere, not deleted from some records
    generalizes: bool
    sensitive: bool  # whether sensitive values were set apart


@dataclass(frozen=True)
class EmptiedRecords(Note):
    """Records have lost all items that they had."""

    count: int
    truthful: bool
    sensitive: bool


@dataclass(frozen=True)
class EmptyRecords(Note):
    """Records without items are published that had none."""

    count: int
    besides: bool  # emptied ones
    columns: bool  # whether records have values in columns


@dataclass(frozen=True)
class OnlySensitiveRecords(Note):
    """Records with nothing but sensitive values are published."""

    count: int
    besides: bool  # emptied ones
