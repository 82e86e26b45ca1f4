"""Problem: data, hierarchy, privacy model, loss and seed. What an algorithm is given."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

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
    added_items: int = field(default=0, init=False)  # items that the hierarchy did not know

    def __post_init__(self) -> None:
        """Bring the hierarchy and the data together; refuse what does not fit."""
        for name, kind, remedy in (
            ("data", Dataset, "make one with shoal.read"),
            ("hierarchy", Hierarchy, "make one with shoal.hierarchies.load"),
            ("privacy", PrivacyModel, "give one such as shoal.KmAnonymity()"),
            ("loss", AdditiveLoss, "give one such as shoal.NCP()"),
        ):
            got = getattr(self, name)
            if not isinstance(got, kind):
                raise OptionError(f"Problem: {name} must be a {kind.__name__}, got {type(got).__name__}: {remedy}.")
        if self.unknown_items not in ("error", "root"):
            raise OptionError(f"unknown_items must be 'error' or 'root', got '{self.unknown_items}'.")
        if self.unknown_items == "root":
            rows = self.data.transactions
            used = [rows.labels[code] for code in np.flatnonzero(rows.supports)]
            grown = self.hierarchy.with_items_under_root(used)
            object.__setattr__(self, "added_items", grown.n_leaves - self.hierarchy.n_leaves)
            object.__setattr__(self, "hierarchy", grown)

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Problem({self.data!r}, {self.hierarchy!r}, {self.privacy!r}, loss={self.loss.name}, seed={self.seed})"

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
