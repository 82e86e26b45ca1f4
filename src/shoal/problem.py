"""Problem: data, hierarchy, privacy model, loss and seed. What an algorithm is given."""

from __future__ import annotations

import copy
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from shoal.data import columns
from shoal.data.arrays import Counts
from shoal.data.columns import Column
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.relational import Relational
from shoal.data.sensitive import Sensitive
from shoal.data.table import Role
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.hierarchies import axes
from shoal.hierarchies.weights import Weights
from shoal.metrics import AdditiveLoss
from shoal.metrics.ncp import NCP
from shoal.privacy import PrivacyModel
from shoal.privacy.sensitive import SensitiveItems
from shoal.published import Published


@dataclass(frozen=True, eq=False)
class Problem:
    """What to anonymize, how strongly, and what counts as loss.

    ``unknown_items="root"`` takes items that the hierarchy does not know as leaves directly below its root;
    ``allow_missing`` goes on where what was declared sensitive is not in the data. Methods that do not generalize need
    no hierarchy: give ``Hierarchy.flat(data.transactions.labels)``. ``columns`` says what each column beside the sets
    is (:class:`shoal.Column`, or the name of a role); for models that are about quasi-identifiers, every column is one
    unless something else is said.
    """

    data: Dataset
    hierarchy: Hierarchy
    privacy: PrivacyModel
    loss: AdditiveLoss = field(default_factory=NCP)
    seed: int = 0
    unknown_items: Literal["error", "root"] = "error"
    weights: Weights | None = None  # how much the loss of each item counts; none: all the same
    allow_missing: bool = False
    columns: Mapping[str, Column | str] = field(default_factory=dict)
    added_items: int = field(default=0, init=False)  # items that the hierarchy did not know
    sensitive_groups: dict[str, int] = field(default_factory=dict, init=False)  # declared groups, and their items here
    quasi_identifiers: dict[str, Column] = field(default_factory=dict, init=False)  # and what is said about them

    def __post_init__(self) -> None:
        """Bring the hierarchy and the data together; refuse what does not fit."""
        for name, kind, remedy in (
            ("data", Dataset, "make one with shoal.read"),
            (
                "hierarchy",
                Hierarchy,
                "make one with shoal.hierarchies.load (or, for methods that do not generalize, with Hierarchy.flat)",
            ),
            ("privacy", PrivacyModel, "give one such as shoal.KmAnonymity()"),
            ("loss", AdditiveLoss, "give one such as shoal.NCP()"),
        ):
            got = getattr(self, name)
            if not isinstance(got, kind):
                raise OptionError(f"Problem: {name} must be a {kind.__name__}, got {type(got).__name__}: {remedy}.")
        if self.unknown_items not in ("error", "root"):
            raise OptionError(f"unknown_items must be 'error' or 'root', got '{self.unknown_items}'.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError(f"Problem: seed must be a whole number from 0 on, got {self.seed}.")
        self.privacy.check_sets(self.data)
        self._give_roles()
        for name in self.privacy.adds_columns:
            beside = () if self.data.table is None else self.data.table.names
            if name in beside or name in self.data.origin.set_columns:
                raise OptionError(
                    f"{self.data.origin.name} has a column '{name}' already, which {self.privacy.title} adds: choose "
                    f"another name with --group-column, or leave yours out (--columns)."
                )
        if self.privacy.sensitive_labels:
            self._take_out(self.privacy.sensitive_labels)
        if self.unknown_items == "root":
            rows = self._apart[0]
            used = [rows.labels[code] for code in np.flatnonzero(rows.supports)]
            grown = self.hierarchy.with_items_under_root(used)
            object.__setattr__(self, "added_items", grown.n_leaves - self.hierarchy.n_leaves)
            object.__setattr__(self, "hierarchy", grown)
        for label in self.sensitive.labels:
            if label in self.hierarchy.code_of:
                raise OptionError(f"Sensitive '{label}' is also a label of the hierarchy: rename one of them.")
        if self.weights is not None:
            if not isinstance(self.weights, Weights):
                raise OptionError(
                    f"Problem: weights must be Weights, got {type(self.weights).__name__}: give Weights({{..}})."
                )
            self.item_weights  # noqa: B018  (labels that the hierarchy does not know are an error now, not later)

    def __repr__(self) -> str:
        """Never the data themselves."""
        return f"Problem({self.data!r}, {self.hierarchy!r}, {self.privacy!r}, loss={self.loss.name}, seed={self.seed})"

    def _give_roles(self) -> None:
        """Say of every column what it is; quasi-identifiers are of use only to models that are about them."""
        said: dict[str, Column | str] = dict(self.columns)
        for name in self.privacy.columns if self.privacy.relational else ():
            said.setdefault(name, "sensitive")
        if not said and not self.privacy.relational:
            return
        if not self.privacy.relational:
            named = [] if self.data.table is None else self.data.table.names
            said = {**dict.fromkeys(named, "plain"), **said}
        data, chosen = columns.with_roles(self.data, said)
        if chosen and not self.privacy.relational:
            raise OptionError(
                f"{self.privacy.title} is about the sets alone: quasi-identifiers such as '{next(iter(chosen))}' need "
                f"one of the models k, k-km, k-lm."
            )
        object.__setattr__(self, "data", data)
        object.__setattr__(self, "quasi_identifiers", chosen)
        for name, role in {} if data.table is None else data.table.roles.items():
            if role is Role.SENSITIVE and name not in self.privacy.columns:
                raise OptionError(
                    f"Column '{name}' is declared sensitive, but {self.privacy.title} is not told to protect it: name "
                    f"it as --sensitive-column of the model too, or give it another role."
                )
            if role is not Role.SENSITIVE and name in self.privacy.columns and self.privacy.relational:
                raise OptionError(
                    f"Column '{name}' is a --sensitive-column of the model, but has the role {role.value}: declare "
                    f"both or neither."
                )
        if self.privacy.relational:
            self.privacy.seen(data)  # there must be quasi-identifiers

    def _take_out(self, sensitive: Sequence[str]) -> None:
        """Sensitive items are not generalized: the hierarchy is that of the others. Misspelt ones must not slip by."""
        hierarchy, present = self.hierarchy, set(self.data.transactions.labels)
        below = {label: hierarchy.items_of(label) for label in sensitive}
        groups = {label: len(present.intersection(items)) for label, items in below.items() if label not in items}
        object.__setattr__(self, "sensitive_groups", groups)
        object.__setattr__(self, "privacy", self.privacy.spelled_out(hierarchy, present))
        missed = self.missed
        for label in () if self.allow_missing else missed:
            if label not in hierarchy.code_of or len(missed) == len(self.privacy.sensitive_labels):
                near = self.privacy.near(label, self.data, hierarchy.labels)
                nor = (
                    "" if label in hierarchy.code_of or hierarchy.is_flat else f" nor in the hierarchy {hierarchy.name}"
                )
                raise OptionError(
                    f"Sensitive '{label}'{near} is not in the data{nor}: correct or remove it (or go on without: "
                    f"--allow-missing)."
                )
        gone = {item for items in below.values() for item in items}.union(self.sensitive_items.labels)
        if isinstance(self.privacy, SensitiveItems) and gone.issuperset(hierarchy.items):
            hierarchy, gone = Hierarchy.flat(()), set()  # nothing may be known; an item that never occurs stands in
        object.__setattr__(self, "hierarchy", hierarchy.without_items(gone))

    def refuse_identifying(self) -> None:
        """Refuse a column that may name people and would be published as it is, unless its role was said."""
        if not self.privacy.relational:  # else it is a quasi-identifier
            columns.refuse_identifying(self.data, {*self.columns, *self.privacy.columns})

    @cached_property
    def _apart(self) -> tuple[Transactions, Sensitive | None]:
        """What may be known of each record, and what is sensitive in it."""
        return self.privacy.apart(self.data)

    @cached_property
    def items(self) -> Transactions:
        """The rows with hierarchy leaves as codes; without what is sensitive."""
        return self.hierarchy.encode(self._apart[0], self.data.first_use)

    @cached_property
    def missed(self) -> tuple[str, ...]:
        """What was declared sensitive but is not in the data."""
        return self.privacy.missed(self.data)

    @property
    def set_apart(self) -> Sensitive | None:
        """What is sensitive, for models that set it apart: published as it is."""
        return self._apart[1]

    @property
    def sensitive(self) -> Transactions:
        """The sensitive values of each row; nothing, for models that set nothing apart."""
        return Transactions.nothing(len(self.data)) if self.set_apart is None else self.set_apart.values

    @property
    def sensitive_items(self) -> Transactions:
        """The sensitive items of each row, as they are published; nothing, for models that set nothing apart."""
        return Transactions.nothing(len(self.data)) if self.set_apart is None else self.set_apart.items

    @cached_property
    def relational(self) -> Relational | None:
        """The quasi-identifying columns, for models that are about them."""
        return axes.relational(self.data, self.quasi_identifiers) if self.privacy.relational else None

    @cached_property
    def raw(self) -> Published:
        """The data as they are, as if they were published."""
        return replace(Published.plain(self.items, self.set_apart), relational=self.relational)

    def take(self, rows: Counts, privacy: PrivacyModel | None = None) -> Problem:
        """The same problem for some of the rows, in the given order; what was checked is not checked again.

        With another privacy model, it is that of the sets alone.
        """
        part = copy.copy(self)
        if privacy is not None:
            object.__setattr__(part, "privacy", privacy)
        object.__setattr__(part, "data", self.data.take(rows))
        for name in ("occurrences", "costs", "scale", "raw"):
            part.__dict__.pop(name, None)
        part.__dict__["items"] = self.items.take(rows)
        if part.privacy.relational and self.relational is not None:
            part.__dict__["relational"] = self.relational.take(rows)
        else:
            part.__dict__["relational"] = None
        known, hidden = self._apart
        part.__dict__["_apart"] = (known.take(rows), hidden and hidden.take(rows))
        return part

    def on(self, hierarchy: Hierarchy) -> Problem:
        """The same problem on a hierarchy that refines its own: the same items, perhaps in another order."""
        part = copy.copy(self)
        object.__setattr__(part, "hierarchy", hierarchy)
        for name in ("item_weights", "occurrences", "costs", "scale", "raw"):
            part.__dict__.pop(name, None)
        codes = np.array([hierarchy.code_of[label] for label in self.hierarchy.items], dtype=np.int32)
        part.__dict__["items"] = self.items.recode(codes, hierarchy.items)
        return part

    @cached_property
    def item_weights(self) -> Counts | None:
        """The weight of each item, as whole numbers."""
        if self.weights is None:
            return None
        sensitive = {*self.privacy.sensitive_labels, *self.sensitive_items.labels, *self.sensitive_groups}
        return self.weights.per_item(self.hierarchy, sensitive)

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
