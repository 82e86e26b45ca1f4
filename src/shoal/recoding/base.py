"""The base class of recodings, which algorithms return."""

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
    """Figures about a recoding. Those that do not apply to its kind are None.

    >>> RecodingSummary("global cut", labels=3, groups=1).as_dict()
    {'kind': 'global cut', 'labels': 3, 'groups': 1}
    """

    kind: str  # a name for people
    chunks: int | None = None  # parts of the records with a recoding of their own
    rows_of_chunks: tuple[int, ...] | None = None
    labels: int | None = None  # published labels
    different_unchanged_items: int | None = None  # items that are unchanged in all records
    unchanged_items: int | None = None
    generalized_items: int | None = None
    groups: int | None = None  # labels that represent several items, or groups of records that were changed together
    suppressed_labels: int | None = None
    different_records: int | None = None
    rows_in_groups: int | None = None
    largest_group: int | None = None
    sets: str | None = None  # the kind of recoding of the sets, if classes are published
    clusters: int | None = None
    classes: int | None = None  # groups of records with equal quasi-identifiers
    smallest_class: int | None = None
    largest_class: int | None = None

    def as_dict(self) -> dict[str, object]:
        """Return the figures by name."""
        figures = {name: value for name, value in asdict(self).items() if value is not None or name == "sets"}
        if self.classes is None:
            del figures["sets"]
        return figures


class Recoding(ABC):
    """A description of how to change the data."""

    @abstractmethod
    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """Return the published rows with their sensitive values, in the order of the given rows."""

    @abstractmethod
    def summary(self, items: Transactions | None = None) -> RecodingSummary:
        """Return figures about the recoding. Given the original rows, count only items and labels that occur."""

    @property
    def global_cut(self) -> GlobalCut | None:
        """The recoding itself if it is one cut for all rows, else None. Only such cuts can be explained."""
        return None

    @property
    def reshuffles(self) -> bool:
        """Whether sensitive items may be published with other records of their group."""
        return False

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether items are generalized without the hierarchy."""
        return False

    def falsehoods(self, change: Change) -> list[Note]:
        """Return notes about false items in the published data. Most recodings publish none."""
        return []

    @property
    def published_nodes(self) -> Codes:
        """Return the nodes of the hierarchy that are published; empty if labels are not nodes."""
        return np.zeros(0, dtype=np.int32)

    def on(self, hierarchy: Hierarchy) -> Recoding:
        """Return the same recoding with the labels of a hierarchy of the same shape."""
        return self

    def moved(self, hierarchy: Hierarchy, node_of: Codes) -> Recoding:
        """Return the same recoding on a hierarchy with more nodes. ``node_of``: the new number of each node."""
        return self
