"""The sections of a report as dataclasses. The JSON report has the same fields in the same order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from shoal.metrics.risk import Exposure
from shoal.metrics.usefulness import Worthless
from shoal.recoding.solution import Ended

UNLESS_NONE = {"json": "unless none"}  # the JSON leaves such a field out if it is None


# -- the headline ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BroadLabel:
    """A label that represents more than half of all items."""

    label: str
    items: int


@dataclass(frozen=True)
class ForcedBy:
    """The set of labels that forced a release to be nearly worthless."""

    labels: tuple[str, ...]
    support: int
    sentence: str


@dataclass(frozen=True)
class TriedWay:
    """Another way to publish the same data that was tried."""

    how: str
    command: str
    loss: float | None
    removed: float
    worthless: bool


@dataclass(frozen=True)
class Headline:
    """The headline if a release is nearly worthless."""

    reason: Worthless
    title: str
    why: str
    share_hidden: float
    share_removed: float
    emptied_records: int
    labels: tuple[BroadLabel, ...]
    loss: float
    forced_by: ForcedBy | None
    tried: tuple[TriedWay, ...]
    better: tuple[TriedWay, ...]
    otherwise: str


# -- the model, the algorithm and the risk ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelFacts:
    """The privacy model."""

    name: str
    title: str
    options: Mapping[str, Any]
    description: str
    paper: str
    references: list[str]


@dataclass(frozen=True)
class MethodFacts(ModelFacts):
    """The algorithm."""

    truthful: bool
    generalizes: bool


@dataclass(frozen=True)
class RiskFacts:
    """What an attacker could do before, and can do now."""

    before: Exposure
    after: Exposure


# -- the data ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordSizes:
    """How many records have between ``low`` and ``high`` labels."""

    low: int
    high: int
    before: int
    after: int


@dataclass(frozen=True)
class DataFacts:
    """The sizes of the data before and after."""

    name: str
    rows: int
    non_empty: int
    domain: int
    different_items: int
    different_labels_after: int
    total_items: int  # of all records
    total_labels_after: int
    max_size: int
    max_size_after: int
    mean_size: float
    mean_size_after: float
    sizes: tuple[RecordSizes, ...]


@dataclass(frozen=True)
class PersonsFacts:
    """The persons that the records belong to."""

    column: str
    noun: str
    nouns: str
    persons: int
    mean_records: float  # of a person
    most_records: int
    order: Literal["by content", "as in the input"]  # in which the records are published
    ids_replaced: bool  # whether running numbers replace the ids of records

    @property
    def called(self) -> str:
        """How many there are, in words."""
        return f"{self.persons:,} {self.noun if self.persons == 1 else self.nouns}"


@dataclass(frozen=True)
class ColumnFacts:
    """One quasi-identifier; a value is unchanged if it is published as it was."""

    name: str
    type: str
    hierarchy: str | None  # or the levels of ranges
    values: int
    values_after: int
    missing: int
    unchanged: int
    ncp: float | None
    weight: float


@dataclass(frozen=True)
class ClassBand:
    """How many classes have between ``low`` and ``high`` records."""

    low: int
    high: int
    classes: int


@dataclass(frozen=True)
class ClassFacts:
    """The sizes of classes: records with the same published values."""

    before: int
    number: int
    smallest: int
    median: float
    mean: float
    largest: int
    sizes: tuple[ClassBand, ...]
    fewest_persons: int | None = field(default=None, metadata=UNLESS_NONE)  # in a class, if persons are given


@dataclass(frozen=True)
class RelationalFacts:
    """The columns and the classes, for models that are about columns."""

    sets: Literal["generalized", "unchanged"] | None
    columns: tuple[ColumnFacts, ...]
    identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    plain: tuple[str, ...]
    classes: ClassFacts

    @property
    def sets_changed(self) -> bool:
        """Whether there are sets that a method could change."""
        return self.sets == "generalized"


@dataclass(frozen=True)
class Held:
    """How many records hold sensitive values, and how many hold each value."""

    records: int
    values: Mapping[str, int]


@dataclass(frozen=True)
class SensitiveFacts(Held):
    """The sensitive values before and after."""

    not_found: tuple[str, ...]
    after: Held | None = field(default=None, metadata=UNLESS_NONE)  # where items were added, deleted or shuffled

    @property
    def times(self) -> int:
        """How often sensitive values occur."""
        return sum(self.values.values())


# -- what became of the items ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Properties:
    """Properties of the published labels."""

    domain_exclusive: bool


@dataclass(frozen=True)
class OptimalityFacts:
    """What is proved about the loss of the recoding."""

    proven: bool
    loss: float
    lower_bound: float
    gap: float
    groupings_bound: float | None
    groupings_gap: float | None
    searched: Literal["cuts", "sibling groups"]
    sentence: str
    ended: Ended
    rounds: int
    clauses: int


@dataclass(frozen=True)
class Group:
    """A label that represents several items."""

    label: str
    items: int
    records: int


@dataclass(frozen=True)
class HiddenBand:
    """How many items of records are published under labels over ``low`` to ``high`` items."""

    low: int
    high: int
    items: int
    share: float


@dataclass(frozen=True)
class GeneralizedFacts:
    """The labels that represent several items, and how many items of records are hidden among how many."""

    different_unchanged_items: int
    groups: tuple[Group, ...]
    hidden_among: tuple[HiddenBand, ...]
    suppressed: int


@dataclass(frozen=True)
class CodeBookEntry:
    """What a published label represents."""

    label: str
    parent: str
    items: list[str]
    unnamed: int | None = field(default=None, metadata=UNLESS_NONE)  # items that must not be named


@dataclass(frozen=True)
class RemovedItem:
    """An item that was removed from every record."""

    label: str
    records: int


@dataclass(frozen=True)
class SuppressedFacts:
    """The items that were removed from every record."""

    different_items: int
    total_items: int  # of all records
    share: float
    emptied_records: int
    unnamed: int  # different items that must not be named
    listed: tuple[RemovedItem, ...] | None
