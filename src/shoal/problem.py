"""Problem: data, hierarchy, privacy model, loss and seed. What an algorithm is given."""

from __future__ import annotations

import operator
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
from shoal.weights import Weights


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
    weights: Weights | None = None  # how much the loss of each item counts; none: all the same
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
        if self.weights is not None:
            if not isinstance(self.weights, Weights):
                raise OptionError(
                    f"Problem: weights must be Weights, got {type(self.weights).__name__}: give Weights({{..}})."
                )
            self.item_weights  # noqa: B018  (labels that the hierarchy does not know are an error now, not later)

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Problem({self.data!r}, {self.hierarchy!r}, {self.privacy!r}, loss={self.loss.name}, seed={self.seed})"

    @cached_property
    def items(self) -> Transactions:
        """The rows with hierarchy leaves as codes."""
        return self.hierarchy.encode(self.data.transactions, self.data.first_use)

    @cached_property
    def item_weights(self) -> Counts | None:
        """The weight of each item, as whole numbers."""
        return None if self.weights is None else self.weights.per_item(self.hierarchy)

    @cached_property
    def occurrences(self) -> Counts:
        """For each hierarchy node, the occurrences of items below it, each as often as its weight says."""
        supports = self.items.supports
        weights = np.ones_like(supports) if self.item_weights is None else self.item_weights
        total = sum(map(operator.mul, supports.tolist(), weights.tolist()))  # may exceed 64 bits
        if total * self.loss.worst(self.hierarchy.n_leaves) >= 2**53:  # floating point is exact below
            raise OptionError("The costs become too large to compare exactly: give weights with fewer digits.")
        supports = supports * weights
        sums = np.concatenate([[0], np.cumsum(supports)])
        span = self.hierarchy.span
        below: Counts = sums[span[:, 1]] - sums[span[:, 0]]
        return below

    @cached_property
    def costs(self) -> Counts:
        """For each hierarchy node, the exact cost of publishing all its occurrences as that node."""
        return self.loss.node_costs(self.hierarchy, self.occurrences)

    @cached_property
    def scale(self) -> int:
        """What to divide a total cost by to get the loss."""
        return self.loss.scale(self.hierarchy, int(self.occurrences[-1]))
