"""Describe data and the risk in them, as ``shoal profile`` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.person_column import with_persons
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.jobs.arguments import as_dataset, at_least
from shoal.jobs.notes import taking_notes
from shoal.jobs.verify import with_quasi_identifiers
from shoal.metrics.risk import Risk, min_matching
from shoal.models.k_km import KKm
from shoal.models.people import class_sizes, holders
from shoal.models.relational import split_by_class
from shoal.progress import engine_with
from shoal.published import Grouping


@dataclass(frozen=True)
class PersonsProfile:
    """The figures about persons: how many there are, and how many can be found by a few items of a record."""

    column: str
    noun: str
    nouns: str
    persons: int
    mean_records: float  # records of a person, on average
    max_records: int
    items_in_fewer_than_k_persons: int  # items in the records of fewer than k persons
    risk: Risk  # a person is found if any of their records is found
    risk_by_columns: Risk | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal profile --json`` prints about persons."""
        names = ("column", "noun", "persons", "mean_records", "max_records", "items_in_fewer_than_k_persons")
        return {
            **{name: getattr(self, name) for name in names},
            "risk": _risk_rows(self.risk),
            "risk_by_columns": _risk_by_columns(self.risk_by_columns),
        }

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures with names for people."""
        each = f"records of one {self.noun}"
        return [
            (self.nouns, f"{self.persons:,}"),
            (f"{each}, mean", f"{self.mean_records:,.2f}"),
            (f"{each}, most", f"{self.max_records:,}"),
        ]


def _risk_rows(risk: Risk) -> list[dict[str, Any]]:
    """Return the risk for 1, 2, .. known items, as plain values."""
    figures = zip(risk.below_k, risk.unique, risk.prosecutor, risk.average, strict=True)
    return [
        {
            "known_items": number,
            "below_k": below,
            "unique": unique,
            "k": risk.k,
            "prosecutor": prosecutor,
            "average": average,
        }
        for number, (below, unique, prosecutor, average) in enumerate(figures, 1)
    ]


def _risk_by_columns(risk: Risk | None) -> dict[str, Any] | None:
    """Return the risk for known columns without items, as plain values."""
    return None if risk is None else {"below_k": risk.below_k[0], "unique": risk.unique[0], "k": risk.k}


@dataclass(frozen=True)
class Profile:
    """The figures about data: sizes, frequent items, and how many records a few known items single out."""

    records: int
    empty_records: int
    different_items: int
    total_items: int  # the number of items in all records
    mean_size: float  # items of a record, on average
    max_size: int
    items_in_fewer_than_k_records: int
    top_items: Mapping[str, int]  # the most frequent items, and how many records hold each
    risk: Risk  # if 1, 2, .. m items and the quasi-identifiers are known
    risk_by_columns: Risk | None = None  # if only the quasi-identifiers are known
    notes: tuple[str, ...] = ()  # remarks about the result
    persons: PersonsProfile | None = None  # None: no persons are given

    @property
    def sizes(self) -> dict[str, float]:
        """The figures about the data, by name."""
        names = ("records", "empty_records", "different_items", "total_items", "mean_size", "max_size")
        return {name: getattr(self, name) for name in (*names, "items_in_fewer_than_k_records")}

    def rows(self) -> list[tuple[str, str]]:
        """Return the figures with names for people. With persons, rare items are those of few persons."""
        figures = [
            (name.replace("_", " "), f"{value:,.2f}" if isinstance(value, float) else f"{value:,}")
            for name, value in self.sizes.items()
        ]
        if self.persons is None:
            return figures
        rare = f"items in records of fewer than k {self.persons.nouns}"
        few = (rare, f"{self.persons.items_in_fewer_than_k_persons:,}")
        return [figures[0], *self.persons.rows(), *figures[1:-1], few]

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal profile --json`` prints."""
        return {
            **self.sizes,
            "top_items": dict(self.top_items),
            "risk": _risk_rows(self.risk),
            "risk_by_columns": _risk_by_columns(self.risk_by_columns),
            "persons": self.persons and self.persons.as_dict(),
        }


def profile(
    data: Any,
    *,
    k: int = 5,
    m: int = 3,
    top: int = 10,
    quasi_identifiers: Sequence[str] | None = None,
    person: str | None = None,
    workers: int = 0,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> Profile:
    """Describe data: sizes, frequent items, and how many records a few known items single out.

    Parameters
    ----------
    data
        Anything that :func:`shoal.read` takes, or what it returned.
    k
        How many records, or persons where these are given, should share any known set.
    m
        The most items an attacker may know.
    top
        How many of the most frequent items to list.
    quasi_identifiers
        Columns whose values are known as well. Default: nothing but items is known.
    person
        The column that says whose a record is, where a person may have several. Then the result has figures about
        persons, and sets are counted by the persons who hold them. Default: as the data were read.
    workers, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    Profile
        The sizes, the most frequent items, and the risk for each number of known items.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.profile([["milk", "tea"], ["milk", "tea"], ["milk", "beer"]], k=2, m=2)
    >>> result.records, result.different_items, dict(result.top_items)
    (3, 3, {'milk': 3, 'tea': 2, 'beer': 1})
    >>> result.risk.unique  # records that 1 known item, and up to 2, pin down to one
    (1, 1)
    """
    at_least(2, "profile", k=k)
    at_least(1, "profile", m=m)
    at_least(0, "profile", top=top)
    with taking_notes() as notes, engine_with(progress=progress, workers=workers, engine=engine) as running:
        dataset = as_dataset(data, reading=reading)
        if person is not None:
            dataset = with_persons(dataset, person)
        rows, classes = dataset.transactions, None
        if quasi_identifiers is not None:
            both = KKm(k=k, m=m)
            seen = both.as_published(with_quasi_identifiers(dataset, both, quasi_identifiers, notes))
            classes = both.classes(seen)
        left = _Left.of(rows, classes, m, running)
    persons = None if rows.persons is None else _persons(rows, rows.persons, left, k)
    return _described(rows, k, top, left, persons, tuple(notes))


@dataclass(frozen=True, eq=False)
class _Left:
    """For each record, the least number of records that match what an attacker knows of it; or of persons."""

    by_items: Sequence[Counts]  # for 1, 2, .. m known items, with the known columns
    by_columns: Counts | None  # for the known columns without items
    known: npt.NDArray[np.bool_]  # whether there is anything to know of a record
    person: str  # the noun for a person; empty: records are counted

    @classmethod
    def of(cls, rows: Transactions, classes: Grouping | None, m: int, engine: Engine) -> _Left:
        """Examine every set of up to m items, in each class of equal columns."""
        person = "" if rows.persons is None else rows.persons.noun
        if classes is None:
            return cls(min_matching(rows, m, engine), None, rows.sizes > 0, person)
        own, alone = split_by_class(rows, classes)[0], class_sizes(classes, rows.persons)[classes.of]
        by_items = [np.minimum(size, alone) for size in min_matching(own, m, engine)]
        return cls(by_items, alone, np.ones(len(rows), dtype=np.bool_), person)

    def of_persons(self, persons: Persons) -> _Left:
        """Return the least number over the records of each person."""
        everybody, person_of = np.unique(persons.of, return_inverse=True)

        def least(left: Counts) -> Counts:
            fewest = np.full(len(everybody), len(persons), dtype=np.int64)
            np.minimum.at(fewest, person_of, left)
            return fewest

        known = np.bincount(person_of, weights=self.known) > 0
        by_columns = None if self.by_columns is None else least(self.by_columns)
        return replace(self, by_items=[*map(least, self.by_items)], by_columns=by_columns, known=known)

    def risk(self, k: int) -> Risk:
        """Return the risk from known items."""
        return Risk.by_sizes(self.by_items, k, self.known, person=self.person)

    def risk_by_columns(self, k: int) -> Risk | None:
        """Return the risk from the known columns without items."""
        return None if self.by_columns is None else Risk.by_sizes([self.by_columns], k, person=self.person)


def _persons(rows: Transactions, persons: Persons, left: _Left, k: int) -> PersonsProfile:
    """Return the figures about persons."""
    theirs, count = left.of_persons(persons), persons.count()
    return PersonsProfile(
        column=persons.column,
        noun=persons.noun,
        nouns=persons.nouns,
        persons=count,
        mean_records=len(persons) / max(1, count),
        max_records=persons.most,
        items_in_fewer_than_k_persons=int(np.count_nonzero(holders(rows, persons) < k)),
        risk=theirs.risk(k),
        risk_by_columns=theirs.risk_by_columns(k),
    )


def _described(
    rows: Transactions, k: int, top: int, left: _Left, persons: PersonsProfile | None, notes: tuple[str, ...]
) -> Profile:
    """Return the figures about the records."""
    sizes, supports = rows.sizes, rows.supports
    frequent = np.argsort(-supports, kind="stable")[:top].tolist()
    return Profile(
        records=len(rows),
        empty_records=len(rows) - rows.non_empty,
        different_items=len(rows.labels),
        total_items=rows.total_items,
        mean_size=float(sizes.mean()) if len(sizes) else 0.0,
        max_size=int(sizes.max(initial=0)),
        items_in_fewer_than_k_records=int(np.count_nonzero(supports < k)),
        top_items={rows.labels[code]: int(supports[code]) for code in frequent},
        risk=left.risk(k),
        risk_by_columns=left.risk_by_columns(k),
        notes=notes,
        persons=persons,
    )
