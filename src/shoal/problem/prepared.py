"""Prepared: data and hierarchy brought together under a model. What an algorithm is given."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.columns import Column
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.persons import Persons
from shoal.data.relational import Relational
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.hierarchies.weights import Weights
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.published import Published

if TYPE_CHECKING:
    from shoal.problem.problem import Problem

Model = TypeVar("Model", bound=PrivacyModel, covariant=True)
Other = TypeVar("Other", bound=PrivacyModel)


@dataclass(frozen=True, eq=False)
class Prepared(Generic[Model]):
    """What follows from a :class:`~shoal.Problem`. It never changes: :meth:`take` and the like build new values."""

    given: Problem[Model]
    model: Model  # each group of items that it names is spelled out
    loss: AdditiveLoss  # what is minimised
    data: Dataset  # with the role of each column
    hierarchy: Hierarchy  # of the items that are not sensitive
    items: Transactions  # the rows with hierarchy leaves as codes; without what is sensitive
    sensitive_part: Sensitive | None  # what is sensitive, for models that set it apart: published as it is
    relational: Relational | None  # the quasi-identifying columns, for models that are about them
    quasi_identifiers: Mapping[str, Column]  # and what is said about them
    item_weights: Counts | None  # the weight of each item, as whole numbers
    missing_sensitive: tuple[str, ...]  # what was declared sensitive but is not in the data
    sensitive_groups: Mapping[str, int]  # declared groups, and how many of their items are in the data
    added_items: int  # items that the hierarchy did not know

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Prepared({self.data!r}, {self.hierarchy!r}, {self.model!r}, loss={self.loss.name}, seed={self.seed})"

    @property
    def seed(self) -> int:
        """The seed of whatever is random."""
        return self.given.seed

    @property
    def weights(self) -> Weights | None:
        """How much the loss of each item counts, as given."""
        return self.given.weights

    @property
    def unknown_items(self) -> Literal["error", "root"]:
        """What becomes of items that the hierarchy does not know."""
        return self.given.unknown_items

    @property
    def persons(self) -> Persons | None:
        """Whose each row is; None: every row is a person of its own."""
        return self.data.transactions.persons

    @property
    def sensitive(self) -> Transactions:
        """The sensitive values of each row; nothing, for models that set nothing apart."""
        return Transactions.nothing(len(self.data)) if self.sensitive_part is None else self.sensitive_part.values

    @property
    def sensitive_items(self) -> Transactions:
        """The sensitive items of each row, as they are published; nothing, for models that set nothing apart."""
        return Transactions.nothing(len(self.data)) if self.sensitive_part is None else self.sensitive_part.items

    @cached_property
    def secret_items(self) -> npt.NDArray[np.bool_]:
        """For each item, whether only the raw data may know it: then a report must not name it."""
        if self.unknown_items == "root":
            return self.hierarchy.right_below_root
        return np.zeros(self.hierarchy.n_leaves, dtype=bool)

    @cached_property
    def original(self) -> Published:
        """The data as they are, as if they were published."""
        return replace(Published.plain(self.items, self.sensitive_part), relational=self.relational)

    def take(self, rows: Counts) -> Prepared[Model]:
        """The same problem for some of the rows, in the given order."""
        return replace(
            self,
            data=self.data.take(rows),
            items=self.items.take(rows),
            sensitive_part=self.sensitive_part and self.sensitive_part.take(rows),
            relational=self.relational and self.relational.take(rows),
        )

    def under(self, model: Other) -> Prepared[Other]:
        """The same rows under another model; prepared anew if that sets other values apart."""
        mine, its = ((model.sensitive_labels, model.columns, model.relational) for model in (self.model, model))
        if its[:2] == mine[:2] and its[2] <= mine[2]:
            relational = self.relational if model.relational else None
            return replace(cast(Prepared[Other], self), model=model, relational=relational)
        given = replace(cast("Problem[Other]", self.given), data=self.data, model=model, person=None)
        return given.prepared  # the data know their persons

    def on(self, hierarchy: Hierarchy) -> Prepared[Model]:
        """The same problem on a hierarchy that refines its own: the same items, perhaps in another order."""
        codes = np.array([hierarchy.code_of[label] for label in self.hierarchy.items], dtype=np.int32)
        weights = self.item_weights
        if weights is not None:
            weights = weights[np.argsort(codes)]
        items = self.items.recode(codes, hierarchy.items)
        return replace(self, hierarchy=hierarchy, items=items, item_weights=weights)

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
