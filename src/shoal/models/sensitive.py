"""Base classes of models with sensitive items, or sensitive values of other columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

import numpy as np

from shoal.data.counts import named_by, without_count
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.sensitive import Sensitive, split_sensitive_values
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.options import format_value
from shoal.published import Published


class SensitiveModel(PrivacyModel):
    """A guarantee about items an attacker may know and sensitive values that must not be learned."""

    sensitive: tuple[str, ...]

    @property
    def sensitive_labels(self) -> tuple[str, ...]:
        """The sensitive items and values, as declared."""
        return self.sensitive

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """Return the model with each group replaced by those of its items that are present, if any are."""
        return self.changed(sensitive=_spelled(self.sensitive, hierarchy, present))

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """Return the items an attacker may know and the sensitive values (None if nothing is sensitive)."""
        if not self.sensitive and not self.columns:
            return data.transactions, None
        return split_sensitive_values(data, self.sensitive, self.columns)

    def both(
        self, published: Published, what: Literal["values", "items"] = "values"
    ) -> tuple[Transactions, Transactions]:
        """Return the rows and their sensitive values or items. Raise an error if these are not the model's."""
        hidden, name = published.sensitive, type(self).__name__
        if hidden is None:
            if self.columns:
                raise OptionError(f"{name}: these rows have no columns: verify {name}.validated_view(dataset).")
            seen = self.validated_view(Dataset(published.rows))
            nothing = Transactions.nothing(len(seen.rows))
            return seen.rows, nothing if seen.sensitive is None else getattr(seen.sensitive, what)
        if (hidden.labels, hidden.columns) != (frozenset(self.sensitive), frozenset(self.columns)):
            raise OptionError(
                f"{name}: the sensitive values of these rows are not those of the model: verify "
                f"{name}.validated_view(release.dataset)."
            )
        return published.rows, getattr(hidden, what)


class SensitiveValues(SensitiveModel):
    """A model whose sensitive values are items, or values of other columns."""

    about_learning = True

    sensitive_column: tuple[str, ...]

    def need_sensitive(self) -> None:
        """Raise an error if nothing is sensitive."""
        if not self.sensitive and not self.sensitive_column:
            raise OptionError(
                f"{self.title} needs sensitive items or values: name them with sensitive= or sensitive_column=."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns with sensitive values."""
        return self.sensitive_column

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """Raise an error if ``column=value`` is also the name of an item or a group."""
        spelled = super().expand_groups(hierarchy, present)
        for label in (*self.sensitive, *spelled.sensitive):
            column, mark, value = label.partition("=")
            if mark and column in self.sensitive_column and (label in present or label in hierarchy.code_of):
                raise OptionError(
                    f"The sensitive '{label}' means the value '{value}' of the column '{column}', but is also an item "
                    f"or a group of the hierarchy {hierarchy.name}: rename one of them."
                )
        return spelled


class SensitiveItems(SensitiveModel):
    """A model whose sensitive values are items. An attacker may know all others, or those of ``qid``."""

    about_holders = True

    qid: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise an error if nothing is sensitive, or if an item is both sensitive and a quasi-identifier."""
        super().__post_init__()
        if not self.sensitive:
            raise OptionError(f"{self.title} needs sensitive items: name them with sensitive=.")
        known = {name for label in self.qid for name in (label, without_count(label))}
        if both := [label for label in self.sensitive if label in known or without_count(label) in self.qid]:
            raise OptionError(
                f"Declared both sensitive (sensitive=) and as a quasi-identifier (qid=): {format_value(tuple(both))}: "
                f"an item must be one or the other."
            )

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """Return the model with the groups in both lists replaced by their items."""
        return super().expand_groups(hierarchy, present).changed(qid=_spelled(self.qid, hierarchy, present))

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """Raise an error if ``qid`` is given and an item is neither sensitive nor in ``qid``."""
        if self.qid:
            rows, known = data.transactions, {*self.qid, *self.sensitive}
            neither = [
                code for code in np.flatnonzero(rows.supports).tolist() if named_by(rows.labels[code], known) is None
            ]
            if neither:
                raise OptionError(
                    f"Item '{rows.labels[neither[0]]}' ({data.first_use(neither[0])}) is neither sensitive nor in "
                    f"qid={f' (and {len(neither) - 1} more)' if len(neither) > 1 else ''}: add it to one of "
                    f"them, or leave qid= out."
                )
        return super().split_sensitive(data)


def _spelled(labels: tuple[str, ...], hierarchy: Hierarchy, present: Collection[str]) -> tuple[str, ...]:
    """Replace groups by their items. A group that is also an item of the data is an error.

    An item represents all its counts: if the hierarchy has milk*1 and milk*2 below milk, the item is named milk.
    """
    spelled: list[str] = []
    names = {*present, *map(without_count, present)}
    for label in labels:
        below = hierarchy.items_of(label)
        if label in present and label not in below:
            raise OptionError(
                f"'{label}' is an item of the data and a group in the hierarchy {hierarchy.name}: rename one of them."
            )
        items = [item for item in below if item in names]
        if label not in below:
            items = [_item(item, hierarchy) for item in items]
        spelled += items or [label]
    return tuple(dict.fromkeys(spelled))


def _item(leaf: str, hierarchy: Hierarchy) -> str:
    """Return the item that a leaf is a count of, if the item is its parent; otherwise the leaf."""
    item, above = without_count(leaf), hierarchy.parent[hierarchy.code_of[leaf]]
    return item if above >= 0 and hierarchy.labels[above] == item else leaf
