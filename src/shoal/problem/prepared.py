"""The prepared problem: data, hierarchy and model combined, as algorithms receive them."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Literal, TypeVar, cast

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts
from shoal.data.columns import Column
from shoal.data.dataset import Dataset, Origin
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
    """A :class:`~shoal.Problem`, prepared for algorithms. It is immutable: :meth:`take` and others return copies."""

    given: Problem[Model]
    model: Model  # with groups of items replaced by their items
    loss: AdditiveLoss  # the loss that is minimised
    all_data: Dataset  # with the role of each column
    hierarchy: Hierarchy  # of the items that are not sensitive
    items: Transactions  # the rows without sensitive items; codes are leaves of the hierarchy
    sensitive_part: Sensitive | None  # the sensitive values, for models that separate them; published unchanged
    relational: Relational | None  # the quasi-identifiers, for models about columns
    quasi_identifiers: Mapping[str, Column]  # their specifications
    item_weights: Counts | None  # the weight of each item, as a whole number
    missing_sensitive: tuple[str, ...]  # declared as sensitive, but not in the data
    sensitive_groups: Mapping[str, int]  # declared groups, with the number of their items in the data
    added_items: int  # number of items that were missing in the hierarchy
    all_items: Transactions | None = None  # all rows, if ``items`` holds only what a search needs of them
    taken: Counts | None = None  # the rows of ``all_data`` that this is about; None: all

    def __repr__(self) -> str:
        """Describe the problem without showing any data."""
        return f"Prepared({self.data!r}, {self.hierarchy!r}, {self.model!r}, loss={self.loss.name}, seed={self.seed})"

    @property
    def seed(self) -> int:
        """The seed for random choices."""
        return self.given.seed

    @property
    def weights(self) -> Weights | None:
        """The weights of the items in the loss, as given."""
        return self.given.weights

    @property
    def unknown_items(self) -> Literal["error", "root"]:
        """How to treat items that are missing in the hierarchy."""
        return self.given.unknown_items

    @cached_property
    def data(self) -> Dataset:
        """The data of these rows. They are taken when asked for: few searches look at the columns of some rows."""
        return self.all_data if self.taken is None else self.all_data.take(self.taken)

    @property
    def origin(self) -> Origin:
        """Where the data came from."""
        return self.all_data.origin if self.taken is None else self.all_data.origin.of_some_rows

    @property
    def persons(self) -> Persons | None:
        """The person of each row, or None if every row counts as a person."""
        persons = self.all_data.transactions.persons
        return persons if persons is None or self.taken is None else persons.take(self.taken)

    @property
    def _rows(self) -> int:
        """The number of rows of :attr:`data`."""
        return len(self.all_data if self.taken is None else self.taken)

    @property
    def sensitive(self) -> Transactions:
        """The sensitive values of each row; empty rows for models that do not separate them."""
        return Transactions.nothing(self._rows) if self.sensitive_part is None else self.sensitive_part.values

    @property
    def sensitive_items(self) -> Transactions:
        """The sensitive items of each row as published; empty rows for models that do not separate them."""
        return Transactions.nothing(self._rows) if self.sensitive_part is None else self.sensitive_part.items

    @cached_property
    def secret_items(self) -> npt.NDArray[np.bool_]:
        """For each item, whether it may be known from the original data only. A report must not name it then."""
        if self.unknown_items == "root":
            return self.hierarchy.right_below_root
        return np.zeros(self.hierarchy.n_leaves, dtype=bool)

    @cached_property
    def original(self) -> Published:
        """The original data in the form of published data."""
        return replace(Published.plain(self.items, self.sensitive_part), relational=self.relational)

    @property
    def gathered(self) -> Prepared[Model]:
        """The same problem with all rows in one place, for a search that looks at any of them at any time."""
        return self if self.items.bounds is None else replace(self, items=self.items.gathered)

    def take(self, rows: Counts) -> Prepared[Model]:
        """Return the same problem for some of the rows, in the given order."""
        return replace(
            self,
            taken=rows if self.taken is None else self.taken[rows],
            items=self.items.take(rows),
            sensitive_part=self.sensitive_part and self.sensitive_part.take(rows),
            relational=self.relational and self.relational.take(rows),
        )

    def under(self, model: Other) -> Prepared[Other]:
        """Return the same rows with another model. Prepare again if it separates other sensitive values."""
        mine, its = ((model.sensitive_labels, model.columns, model.relational) for model in (self.model, model))
        if its[:2] == mine[:2] and its[2] <= mine[2]:
            relational = self.relational if model.relational else None
            return replace(cast(Prepared[Other], self), model=model, relational=relational)
        given = replace(cast("Problem[Other]", self.given), data=self.data, model=model, person=None)
        return given.prepared  # the data already have their persons

    def on(self, hierarchy: Hierarchy) -> Prepared[Model]:
        """Return the same problem on a refined hierarchy: the same items, possibly in another order."""
        codes = np.array([hierarchy.code_of[label] for label in self.hierarchy.items], dtype=np.int32)
        weights = self.item_weights
        if weights is not None:
            weights = weights[np.argsort(codes)]
        items = self.items.recode(codes, hierarchy.items)
        return replace(self, hierarchy=hierarchy, items=items, item_weights=weights)

    @cached_property
    def code_of_all(self) -> Codes:
        """The leaf of each item code of :attr:`all_items`."""
        assert self.all_items is not None
        return np.array([self.hierarchy.code_of[label] for label in self.all_items.labels], dtype=np.int32)

    @cached_property
    def supports(self) -> Counts:
        """The number of rows that hold each item, of all rows."""
        if self.all_items is None:
            return self.items.supports
        supports = np.zeros(self.hierarchy.n_leaves, dtype=np.int64)
        supports[self.code_of_all] = self.all_items.supports
        return supports

    @cached_property
    def occurrences(self) -> Counts:
        """For each node of the hierarchy, the weighted number of items of records below it."""
        supports = self.supports
        weights = np.ones_like(supports) if self.item_weights is None else self.item_weights
        total = sum(
            map(operator.mul, supports.tolist(), weights.tolist())
        )  # a Python integer, as it may exceed 64 bits
        if total * self.loss.worst(self.hierarchy.n_leaves) >= 2**53:  # floating point is exact below this
            raise OptionError("The costs are too large to be compared exactly: use weights with fewer digits.")
        supports = supports * weights
        sums = np.concatenate([[0], np.cumsum(supports)])
        span = self.hierarchy.span
        below: Counts = sums[span[:, 1]] - sums[span[:, 0]]
        return below

    @cached_property
    def costs(self) -> Counts:
        """For each node of the hierarchy, the exact cost of publishing all items below it as that node."""
        return self.loss.node_costs(self.hierarchy, self.occurrences)

    @cached_property
    def scale(self) -> int:
        """The divisor that turns a total cost into the loss."""
        return self.loss.scale(self.hierarchy, int(self.occurrences[-1]))
