"""Base class of models about quasi-identifying columns, and what these models share.

The data say which columns are quasi-identifiers (:class:`shoal.data.table.Role`). Without roles, every column that the
model does not call sensitive is one. A verifier compares published values as they are written in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from shoal.data.arrays import Counts, csr_from_pairs, row_ids
from shoal.data.arrow import arrow_numbers
from shoal.data.dataset import Dataset
from shoal.data.persons import Persons
from shoal.data.relational import Relational
from shoal.data.table import Role
from shoal.data.transactions import Transactions
from shoal.engines import Engine, current
from shoal.errors import Infeasible, OptionError
from shoal.kernels.verify.rare_itemsets import rare_itemsets
from shoal.metrics.risk import Risk, min_matching
from shoal.models.base import PrivacyModel, Verdict
from shoal.models.people import NOT_MISSING, about_people, class_sizes, counted, noun
from shoal.models.rare import rare_sets
from shoal.models.witness import RareInClass
from shoal.published import Grouping, Published

SHOWN = 20  # witnesses in a verdict
AT_ONCE = 1 << 20  # items of records in the classes that are checked at the same time
FEW_KNOWN = 4  # sets of fewer labels are counted; for more, whole rows may be checked instead


class RelationalModel(PrivacyModel):
    """A guarantee about records with the same values in the quasi-identifying columns."""

    relational = True
    k: int

    def primary_loss(self, losses: Mapping[str, float], loss: str) -> tuple[float | None, str]:
        """Return the loss of the columns, or the mean of columns and sets if the model covers both."""
        columns = losses.get("relational_ncp")
        if not self.covers_sets:
            return columns, "NCP of the columns"
        items, _ = super().primary_loss(losses, loss)
        mean = None if columns is None or items is None else (columns + items) / 2
        return mean, f"mean of the NCP of columns and the {loss.upper()} of items"

    def quasi_identifiers(self, data: Dataset) -> tuple[str, ...]:
        """Return the columns that an attacker may know."""
        names = () if data.table is None else data.table.names
        roles = {} if data.table is None else data.table.roles
        named = tuple(name for name in names if roles.get(name) is Role.QUASI_IDENTIFIER)
        known = named or tuple(name for name in names if name not in roles and name not in self.columns)
        if not known:
            raise OptionError(
                f"{self.title} protects quasi-identifying columns, but {data.origin.name} has "
                f"{'none (all columns have another role)' if names else 'no columns except the sets'}: declare some "
                f"with quasi_identifiers=, and name them in columns=, too, if you pass it."
            )
        return known

    def check_columns(self, data: Dataset) -> None:
        """Refuse data without quasi-identifiers."""
        self.quasi_identifiers(data)

    def as_published(self, data: Dataset) -> Published:
        """Return the data as published, with classes of records that have equal values."""
        classes = Grouping.of_columns(data, self.quasi_identifiers(data), self.k)
        return replace(super().as_published(data), classes=classes)

    def to_dataset(self, data: Dataset, published: Published) -> Dataset:
        """Return the data with the published values instead of the original ones."""
        dataset = super().to_dataset(data, published)
        if published.relational is None or dataset.table is None:
            return dataset
        arrow, columns = dataset.table.arrow, _text_columns(published.relational)
        for name in columns.column_names:
            arrow = arrow.set_column(arrow.column_names.index(name), name, columns.column(name))
        return replace(dataset, table=replace(dataset.table, arrow=arrow))

    def classes(self, published: Published) -> Grouping:
        """Return the classes of records with equal values, or raise an error if the columns are missing."""
        if published.classes is not None:
            return published.classes
        if published.relational is None:
            name = type(self).__name__
            raise OptionError(f"{name}: these rows have no columns: verify {name}.validated_view(dataset).")
        return Grouping(published.relational.classes, self.k)

    def too_small(self, classes: Grouping, persons: Persons | None) -> Verdict:
        """Check that every class has at least k records (or persons, if given)."""
        sizes = class_sizes(classes, persons)
        small = np.flatnonzero(sizes < self.k)
        worst = small[np.argsort(sizes[small], kind="stable")][:SHOWN].tolist()
        who = noun(persons)
        witnesses = [RareInClass((), int(sizes[at]), name_of(classes, at), person=who) for at in worst]
        return Verdict(not len(small), len(sizes), len(small), tuple(witnesses))

    def feasible(self, published: Published) -> None:
        """Raise an error if there are fewer than k records (or persons, if given)."""
        rows = published.rows
        if rows.count_persons() < self.k:
            raise Infeasible(
                f"{self.title} with k={self.k} needs at least {counted(self.k, rows.persons)}, got "
                f"{rows.count_persons()}: choose a smaller k, or add data."
            )


def _text_columns(relational: Relational) -> Any:
    """Return the published texts as a pyarrow.Table, which may be larger than memory."""
    import pyarrow as pa

    schema, rows = pa.schema([(name, pa.string()) for name in relational.names]), current().part_rows
    columns = current().collect_batches(schema)
    different = [pa.array(texts, pa.string()) for texts in relational.texts()]
    for start in range(0, len(relational), rows):
        numbers = [arrow_numbers(values.of[start : start + rows]) for values in relational.values]
        texts = [own.take(of) for own, of in zip(different, numbers, strict=True)]
        columns.append(pa.RecordBatch.from_arrays(texts, schema=schema))
    return columns.table()


def name_of(classes: Grouping, at: int) -> str:
    """Return the common values of a class as text."""
    return classes.names[at] if classes.names else f"class {at + 1}"


def split_by_class(rows: Transactions, classes: Grouping) -> tuple[Transactions, Counts, Counts]:
    """Return the rows with separate labels for each class, and the class and the original code of each label.

    Then no set of labels occurs in two classes, and sets inside a class are counted among its records only.

    >>> rows = Transactions.from_sets([["a"], ["a", "b"], ["a"]])
    >>> own, class_of, label_of = split_by_class(rows, Grouping(np.array([0, 0, 1]), 1))
    >>> own.supports.tolist(), class_of.tolist(), label_of.tolist()
    ([2, 1, 1], [0, 0, 1], [0, 1, 0])
    """
    ids, width = row_ids(rows.indptr), max(1, len(rows.labels))
    pairs, codes = np.unique(classes.of[ids] * width + rows.items, return_inverse=True)
    class_of, label_of = np.divmod(pairs, width)
    own = Transactions(*csr_from_pairs(ids, codes, len(rows)), tuple(map(str, range(len(pairs)))), rows.persons)
    return own, class_of, label_of


def common_caveats(persons: Persons | None) -> list[str]:
    """Return the caveats that all these models have."""
    return [
        *about_values(persons),
        "It does not cover columns that were not declared as quasi-identifiers. They are published unchanged, and an "
        "attacker who knows their values may find a record.",
        NOT_MISSING,
        about_people(persons),
        "It covers this release only. Publishing the same records again in another form can undo it.",
    ]


def about_values(persons: Persons | None) -> list[str]:
    """Return the caveats on the order of records and on ranges."""
    order = (
        "Records are published in their original order. If they were sorted by a value, the order reveals something "
        "about that value."
    )
    several = persons is not None and len(persons.repeaters)  # then records are sorted by what is published
    ends = "If a number is published as a range with free ends, both ends are true values of some records."
    return [ends] if several else [order, ends]


def known_items(m: int | Literal["all"]) -> str:
    """Return how many items an attacker may know, in words."""
    return "any number of items" if m == "all" else "1 item" if m == 1 else f"up to {m} items"


def beyond_m(m: int | Literal["all"]) -> list[str]:
    """Return the caveat on attackers who know more than m items."""
    if m == "all":
        return []
    known = "1 item" if m == 1 else f"{m} items"
    return [f"It says nothing about an attacker who knows more than {known} of a record."]


def rare_in_classes(rows: Transactions, classes: Grouping, k: int, m: int | Literal["all"], engine: Engine) -> Verdict:
    """Check that all sets of up to m labels that occur in a class are in rows of k of its persons.

    The classes of many rows are checked some at a time. If a set is rare, all are checked together, and it is named.
    """
    if m != "all" and m < min(rows.longest, FEW_KNOWN) and rows.total_items > AT_ONCE and classes.of.min() >= 0:
        checked = _checked_by_some_classes(rows, classes, k, m, engine)
        if checked is not None:
            return Verdict(True, checked)
    own, class_of, label_of = split_by_class(rows, classes)
    rare = rare_sets(own, k, m, engine)
    witnesses = [
        RareInClass(
            tuple(rows.labels[label_of[code]] for code in codes),
            support,
            name_of(classes, class_of[codes[0]]),
            person=noun(rows.persons),
        )
        for codes, support in rare.sets
    ]
    return Verdict(rare.violations == 0, rare.checked, rare.violations, tuple(witnesses))


def _checked_by_some_classes(rows: Transactions, classes: Grouping, k: int, m: int, engine: Engine) -> int | None:
    """Return how many sets of up to m labels occur in classes, or None if one is rare in its class."""
    order = np.argsort(classes.of, kind="stable")
    firsts = np.cumsum(classes.sizes) - classes.sizes  # where the rows of a class begin in this order
    before = np.concatenate([[0], np.cumsum(rows.sizes[order])])
    piece = before[firsts] // AT_ONCE
    bounds = [*firsts[np.flatnonzero(np.diff(piece, prepend=-1))].tolist(), len(rows)]
    checked = 0
    for start, stop in pairwise(bounds):
        own, _, _ = split_by_class(rows.take(order[start:stop]), Grouping(classes.of[order[start:stop]], classes.least))
        tick = engine.section(start / len(rows), stop / len(rows)).tick("verifying")
        arrays, persons = (own.indptr, own.items, len(own.labels), k, m), own.repeaters
        rare = rare_itemsets(*arrays, persons=persons, first_size_only=True, threads=engine.threads, tick=tick)
        if rare.violations:
            return None
        checked += rare.checked
    return checked


def risk_in_classes(rows: Transactions, classes: Grouping, k: int, m: int, engine: Engine) -> Risk:
    """Count the records that all values and up to 1, 2, .. m items single out."""
    own, _, _ = split_by_class(rows, classes)
    sizes = class_sizes(classes, rows.persons)[classes.of]
    left = [np.minimum(left, sizes) for left in min_matching(own, m, engine)]
    return Risk.by_sizes(left, k, person=noun(rows.persons))
