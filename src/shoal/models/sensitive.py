"""What the models share that set something apart: sensitive items, or values of other columns."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, Self

import numpy as np

from shoal.data.counts import named_by, without_count
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.sensitive import Sensitive, take_apart
from shoal.data.transactions import Transactions
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.options import format_value
from shoal.published import Published


class SensitiveModel(PrivacyModel):
    """A guarantee about what may be known and what must not be learned."""

    sensitive: tuple[str, ...]

    @property
    def sensitive_labels(self) -> tuple[str, ...]:
        """What is not to be learned."""
        return self.sensitive

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """With each group of the hierarchy replaced by those of its items that are present, if there are any."""
        return self.changed(sensitive=_spelled(self.sensitive, hierarchy, present))

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """The items that may be known, and the sensitive values; none, if nothing was declared sensitive."""
        if not self.sensitive and not self.columns:
            return data.transactions, None
        return take_apart(data, self.sensitive, self.columns)

    def both(
        self, published: Published, what: Literal["values", "items"] = "values"
    ) -> tuple[Transactions, Transactions]:
        """The rows and their sensitive values, or items, if these are what the model calls sensitive; else an error."""
        hidden, name = published.sensitive, type(self).__name__
        if hidden is None:
            if self.columns:
                raise OptionError(f"{name}: the rows come without their columns: verify {name}.view(dataset).")
            seen = self.validated_view(Dataset(published.rows))
            nothing = Transactions.nothing(len(seen.rows))
            return seen.rows, nothing if seen.sensitive is None else getattr(seen.sensitive, what)
        if (hidden.labels, hidden.columns) != (frozenset(self.sensitive), frozenset(self.columns)):
            raise OptionError(
                f"{name}: other values were set apart from these rows than this model calls sensitive: verify "
                f"{name}.view(release.dataset)."
            )
        return published.rows, getattr(hidden, what)


class SensitiveValues(SensitiveModel):
    """Sensitive are items, or values of other columns."""

    sensitive_column: tuple[str, ...]

    def need_sensitive(self) -> None:
        """Something must be sensitive."""
        if not self.sensitive and not self.sensitive_column:
            raise OptionError(
                f"{self.title} must know what is sensitive: give --sensitive (a file, or a,b,c) or --sensitive-column."
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Those with sensitive values."""
        return self.sensitive_column

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """``column=value`` must not be the name of an item or a group, too, nor of an item below a declared group."""
        spelled = super().expand_groups(hierarchy, present)
        for label in (*self.sensitive, *spelled.sensitive):
            column, mark, value = label.partition("=")
            if mark and column in self.sensitive_column and (label in present or label in hierarchy.code_of):
                raise OptionError(
                    f"The sensitive '{label}' is the value '{value}' of the column '{column}', and an item or a group "
                    f"of the hierarchy {hierarchy.name}, too: rename one of them."
                )
        return spelled


class SensitiveItems(SensitiveModel):
    """Sensitive are items only. All others may be known, or just those that are said to be: then no item is neither."""

    about_holders = True

    qid: tuple[str, ...]

    def __post_init__(self) -> None:
        """Something must be sensitive, and nothing may be both."""
        super().__post_init__()
        if not self.sensitive:
            raise OptionError(f"{self.title} must know what is sensitive: give --sensitive (a file, or a,b,c).")
        known = {name for label in self.qid for name in (label, without_count(label))}
        if both := [label for label in self.sensitive if label in known or without_count(label) in self.qid]:
            raise OptionError(
                f"Declared both sensitive and a quasi-identifier (--qid): {format_value(tuple(both))}: an item is one "
                f"or the other."
            )

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """Groups of the hierarchy may represent their items in both lists."""
        return super().expand_groups(hierarchy, present).changed(qid=_spelled(self.qid, hierarchy, present))

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """If quasi-identifiers are named, every item must be one or sensitive."""
        if self.qid:
            rows, known = data.transactions, {*self.qid, *self.sensitive}
            neither = [
                code for code in np.flatnonzero(rows.supports).tolist() if named_by(rows.labels[code], known) is None
            ]
            if neither:
                raise OptionError(
                    f"Item '{rows.labels[neither[0]]}' ({data.first_use(neither[0])}) is neither sensitive nor one of "
                    f"--qid{f', nor are {len(neither) - 1} more' if len(neither) > 1 else ''}: add it to one of "
                    f"them, or leave --qid out."
                )
        return super().split_sensitive(data)


def _spelled(labels: tuple[str, ...], hierarchy: Hierarchy, present: Collection[str]) -> tuple[str, ...]:
    """Labels with groups replaced by their items; a label that is also an item of the data is an error.

    An item represents all its counts: where the hierarchy has milk*1 and milk*2 below milk, it is named milk.
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
    """A leaf, or the item that it is a count of, if that is right above it."""
    item, above = without_count(leaf), hierarchy.parent[hierarchy.code_of[leaf]]
    return item if above >= 0 and hierarchy.labels[above] == item else leaf
