"""Problem: data, hierarchy, privacy model, loss and seed. What an algorithm is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from shoal.data.arrays import Counts
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.metrics import AdditiveLoss
from shoal.metrics.ncp import NCP
from shoal.privacy import PrivacyModel


@dataclass(frozen=True, eq=False)
class Problem:
    """What to anonymize, how strongly, and what counts as loss.

    ``unknown_items="root"`` takes items that the hierarchy does not know as leaves directly below its root.
    """

    data: Dataset
    hierarchy: Hierarchy
    privacy: PrivacyModel
    loss: AdditiveLoss = field(default_factory=NCP)
    seed: int = 0
    unknown_items: Literal["error", "root"] = "error"

    def __post_init__(self) -> None:
        """Bring the hierarchy and the data together; refuse what does not fit."""
        if self.unknown_items not in ("error", "root"):
            raise OptionError(f"unknown_items must be 'error' or 'root', got '{self.unknown_items}'.")
        if self.unknown_items == "root":
            grown = self.hierarchy.with_items_under_root(self.data.transactions.labels)
            object.__setattr__(self, "hierarchy", grown)

    @cached_property
    def items(self) -> Transactions:
        """The rows with hierarchy leaves as codes."""
        return self.hierarchy.encode(self.data.transactions, self.data.first_use)

    @cached_property
    def occurrences(self) -> Counts:
        """For each hierarchy node, the occurrences of items below it."""
        return self.hierarchy.occurrences(self.items)

    @cached_property
    def costs(self) -> Counts:
        """For each hierarchy node, the exact cost of publishing all its occurrences as that node."""
        return self.loss.node_costs(self.hierarchy, self.occurrences)
