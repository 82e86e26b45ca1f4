"""Recoding: what an algorithm returns."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from shoal.data.arrays import Codes
from shoal.data.hierarchy import Hierarchy
from shoal.data.notes import Note
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.metrics.change import Change
from shoal.published import Published


class Recoding(ABC):
    """How the data are to be changed."""

    @abstractmethod
    def apply(self, items: Transactions, hidden: Sensitive | None = None) -> Published:
        """The published rows, with what was set apart from them; same number and order as the given ones."""

    @abstractmethod
    def summary(self, items: Transactions | None = None) -> dict[str, object]:
        """The recoding in figures; given the original rows, it counts only items and labels that occur in them."""

    @property
    def ignores_hierarchy(self) -> bool:
        """Whether items are recoded without regard to the hierarchy, although they are generalized."""
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
