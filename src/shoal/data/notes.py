"""Notes: what a publisher must know beyond the guarantee, as values. :mod:`shoal.report.wording` turns them into text.

Each note is made where its fact is known, and holds figures and labels only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.data.note import Note

# -- false statements in the release -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Untrue(Note):
    """A note on published statements that are false."""

    untrue = True


@dataclass(frozen=True)
class ItemsChanged(Untrue):
    """Items were added to records and deleted from records."""

    added: int
    sensitive: int  # how many of the added items are sensitive
    deleted: int

    def __str__(self) -> str:
        """Return the short form."""
        return f"{self.added:,} items added, {self.deleted:,} deleted"


@dataclass(frozen=True)
class SensitiveItemsGiven(Untrue):
    """Records are published with a sensitive item that they did not hold."""

    records: int


@dataclass(frozen=True)
class SensitiveItemsInflated(Untrue):
    """Sensitive items are published more often than they occurred."""

    before: int
    after: int


@dataclass(frozen=True)
class GroupsOfHolders(Untrue):
    """In some groups no record got a false sensitive item, because all records of the group held it."""

    groups: int
    records: int  # the records of these groups


@dataclass(frozen=True)
class TooManySensitive(Untrue):
    """More than half of the records are published with a sensitive item."""

    published: int
    records: int
    holders: int
    least: int  # the smallest allowed group


@dataclass(frozen=True)
class ChangedDataMislead(Untrue):
    """Data with added and deleted items mislead some analyses."""


@dataclass(frozen=True)
class SensitiveItemsShuffled(Untrue):
    """Sensitive items were shuffled within groups of records.

    The number of items that stayed with their holder must never be published: it would reveal more than the groups do.
    """

    def __str__(self) -> str:
        """Return the short form."""
        return "sensitive items shuffled within groups"


@dataclass(frozen=True)
class ShuffledItemsMislead(Untrue):
    """Data with shuffled items mislead some analyses."""


@dataclass(frozen=True)
class GroupsTellHolders(Untrue):
    """An attacker who knows the method can often tell around which record a group was formed."""


# -- the data and the problem ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DroppedIndex(Note):
    """The index of a data frame is not published."""


@dataclass(frozen=True)
class LinkingColumns(Note):
    """Columns that look like ids are published unchanged. They show which records belong together."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class LinkingValues(Note):
    """Some values of an unchanged column occur in several records, all of the same person."""

    column: str
    values: int  # different values
    linking: int  # values that link records
    records: int  # records with these values
    noun: str
    determines: bool  # whether every value belongs to one person; the column is then not published


@dataclass(frozen=True)
class LinkingCombination(Note):
    """Some combinations of values in unchanged columns occur in several records, all of the same person."""

    columns: tuple[str, ...]
    persons: int  # persons whose records can be linked
    several: int  # persons with several records
    records: int  # records with these values
    noun: str
    nouns: str


@dataclass(frozen=True)
class PersonsOfOneRecord(Note):
    """A person column is given, but every person has only one record."""

    column: str
    noun: str


@dataclass(frozen=True)
class RecordsSorted(Note):
    """Some person has several records, so the records are published in the order of their content."""

    noun: str
    ids: tuple[str, ...]  # id columns that are replaced by running numbers
    index: bool  # whether the index of a data frame is dropped


@dataclass(frozen=True)
class OneRecordKnown(Note):
    """The guarantee assumes that an attacker knows items of one record, not of several records of a person."""

    noun: str
    nouns: str
    column: str


@dataclass(frozen=True)
class DroppedItems(Note):
    """Items were left out when the data were read."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class AddedItems(Note):
    """Items that are not in the hierarchy were added directly below its root."""

    count: int


@dataclass(frozen=True)
class AddedItemsNamed(Note):
    """Labels of groups and the code book name such items."""


@dataclass(frozen=True)
class UnusedHierarchy(Note):
    """The method for the sets does not use the given hierarchy."""


@dataclass(frozen=True)
class ZeroWeights(Note):
    """All items that occur have weight 0."""


@dataclass(frozen=True)
class MethodReveals(Note):
    """An attacker who knows the method may learn more than the labels reveal."""

    certainty: str  # how certain an attacker was of a record in a test


# -- sensitive values --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoPrivateItems(Note):
    """A model that protects private items was given none."""

    k: int
    p: int


@dataclass(frozen=True)
class MissedSensitive(Note):
    """Some labels that were declared sensitive do not occur in the data."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class NothingSensitive(Note):
    """No record holds a sensitive item."""


@dataclass(frozen=True)
class SensitiveGroup(Note):
    """A group was declared sensitive."""

    label: str
    items: int  # items of the group that occur in the data


@dataclass(frozen=True)
class LooksSensitive(Note):
    """An item looks like a sensitive one, but was not declared sensitive."""

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
    """Only some values of a sensitive column are protected."""

    column: str
    values: tuple[str, ...]


# -- columns -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class UntouchedSets(Note):
    """The sets are published unchanged, because the guarantee covers columns only."""


@dataclass(frozen=True)
class UntouchedColumns(Note):
    """Columns are published unchanged."""

    names: tuple[str, ...]
    guarded: Literal["sets", "columns", "both"]  # what the guarantee covers
    false_items: bool  # whether some published items are false


@dataclass(frozen=True)
class InOrder(Note):
    """The records are sorted by some columns, which reveals something about these columns."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class TellingColumn(Note):
    """An attacker who finds the class of a record learns its value in an unchanged column."""

    column: str
    equal_classes: int  # classes whose records all have the same value
    classes: int
    records: int  # the records of those classes
    once: int  # values that occur only once


@dataclass(frozen=True)
class NamesPeople(Note):
    """A quasi-identifier has a different value in every record."""

    column: str


@dataclass(frozen=True)
class MixedColumn(Note):
    """A column was read as categories because some of its values are not numbers."""

    column: str
    others: int  # values that are not numbers
    values: int


@dataclass(frozen=True)
class FewNumbers(Note):
    """Columns of few different whole numbers were read as numbers. They may be codes."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class LostColumns(Note):
    """Columns have lost nearly all of their information."""

    names: tuple[str, ...]
    unordered: tuple[str, ...] = ()  # those that are categories without a hierarchy; they may have an order


@dataclass(frozen=True)
class DeltaCost:
    """What a bound on the loss of the columns costs."""

    delta: float
    columns: float  # the loss of the columns, at most delta
    sets: float  # the loss of the sets, by the minimised measure


@dataclass(frozen=True)
class ChosenDelta(Note):
    """A bound on the loss of the columns was chosen, because none was given."""

    chosen: DeltaCost
    least: float  # the smallest bound that is possible
    neighbours: tuple[DeltaCost, ...]  # estimates for the next lower and higher bounds

    def __str__(self) -> str:
        """Return the short form."""
        return f"delta {self.chosen.delta:g} chosen"


# -- items -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FewUnchanged(Note):
    """Hardly any item is published unchanged."""

    unchanged: int
    items: int  # items of all records
    median: int  # the median number of items that a label represents
    options: tuple[str, ...]  # remedies: options of the model and the method that keep more, in words


# -- records without items ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NoItemsLeft(Note):
    """No record is published with an item."""

    truthful: bool  # whether items were suppressed in all records, not deleted from some
    generalizes: bool
    sensitive: bool  # whether sensitive values are handled separately


@dataclass(frozen=True)
class EmptiedRecords(Note):
    """Records have lost all of their items."""

    count: int
    truthful: bool
    sensitive: bool


@dataclass(frozen=True)
class EmptyRecords(Note):
    """Records that had no items are published."""

    count: int
    besides: bool  # whether there are emptied records, too
    columns: bool  # whether the records have other columns


@dataclass(frozen=True)
class OnlySensitiveRecords(Note):
    """Records that hold only sensitive values are published."""

    count: int
    besides: bool  # whether there are emptied records, too
