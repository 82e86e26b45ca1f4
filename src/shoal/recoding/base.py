"""Recoding: what an algorithm returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.data.note import Note
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.metrics.change import Change
from shoal.published import Published

if TYPE_CHECKING:
    from shoal.recoding.cuts import GlobalCut


@dataclass(frozen=True)
class RecodingSummary:
    """A recoding in figures; those that say nothing about its kind are None.

    >>> RecodingSummary("global cut", labels=3, groups=1).as_dict()
    {'kind': 'global cut', 'labels': 3, 'groups': 1}
    """

    kind: str  # for people
    chunks: int | None = None  # of records that are recoded in the same way
    rows_of_chunks: tuple[int, ...] | None = None
    labels: int | None = None  # that are published
    intact_items: int | None = None  # items that are published as they are wherever they occur
    intact_occurrences: int | None = None
    generalized_items: int | None = None
    groups: int | None = None  # labels that stand for several items; or groups of records that were changed together
    suppressed_labels: int | None = None
    different_records: int | None = None
    rows_in_groups: int | None = None
    largest_group: int | None = None
    sets: str | None = None  # of classes: the kind of recoding of their sets, if these are recoded
    clusters: int | None = None
    classes: int | None = None  # records with equal values of the quasi-identifying columns
    smallest_class: int | None = None
    largest_class: int | None = None

    def as_dict(self) -> dict[str, object]:
        """The figures by name, for machines."""
        figures = {name: value for name, value in asdict(self).items() if value is not None or name == "sets"}
        if self.classes is None:
            del figures["sets"]
        return figures


class Recoding(ABC):
    """How the data are to be changed."""

    @abstractmethod
    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """The published rows, with what was set apart from them; same number and order as the given ones."""

    @abstractmethod
    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """The recoding in figures; given the original rows, it counts only items and labels that occur in them."""

    @property
    def global_cut(self) -> GlobalCut | None:
        """The recoding itself if it is one cut for all rows: these can be explained."""
        return None

    @property
    def reshuffles(self) -> bool:
        """Whether sensitive items are published with other records of a group than those that held them."""
        return False

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether items are generalized without asking the hierarchy."""
        return False

    def falsehoods(self, change: Change) -> list[Note]:
        """What to know where not all is true that is published; most recodings publish nothing untrue."""
        return []

    @property
    def published_nodes(self) -> Codes:
        """The nodes of a hierarchy that labels are taken from; none: labels are not nodes."""
        return np.zeros(0, dtype=np.int32)

    def on(self, hierarchy: Hierarchy) -> Recoding:
        """The same with other labels: those of a hierarchy that is the same but for them."""
        return self

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> Recoding:
        """The same on a hierarchy with the same items and more nodes; ``node_of``: the number of each node there."""
        return self
