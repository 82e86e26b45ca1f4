"""Counts and sentences of models for data in which a person may have several records (see persons.md)."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts, row_ids
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.published import Grouping

NOT_MISSING = "It covers an attacker who knows that items are in a record, not one who knows that items are missing."


def fitting(number: int, persons: Persons | None) -> str:
    """Return a number of records or persons that fit what an attacker knows, in words.

    >>> fitting(5, None), fitting(5, Persons(np.array([0]), "household"))
    ('5 records that fit', '5 households with a record that fits')
    """
    return f"{number} records that fit" if persons is None else f"{persons.name(number)} with a record that fits"


def counted(number: int, persons: Persons | None) -> str:
    """Return a number of records or persons, in words.

    >>> counted(1, None), counted(1_200, Persons(np.array([0]), "patient"))
    ('1 record', '1,200 patients')
    """
    return persons.name(number) if persons is not None else f"{number:,} record{'' if number == 1 else 's'}"


def needed(k: int, persons: Persons | None) -> str:
    """Return how many non-empty records a model of sets needs, in words.

    >>> needed(5, None), needed(5, Persons(np.array([0])))
    ('at least 5 non-empty records', 'non-empty records of at least 5 persons')
    """
    return f"at least {k} non-empty records" if persons is None else f"non-empty records of at least {persons.name(k)}"


def noun(persons: Persons | None) -> str:
    """Return the noun for what a witness counts, or an empty string for records."""
    return "" if persons is None else persons.noun


def about_people(persons: Persons | None) -> str:
    """Return the caveat on persons with several records."""
    if persons is None:
        return "It counts records, not people. If one person is behind several records, fewer people may fit."
    return (
        f"It covers an attacker who knows items of one record. It does not cover an attacker who knows items of "
        f"several records of the same {persons.noun}. If records can be linked, join them first, so that each "
        f"{persons.noun} has one record."
    )


def with_items(rows: Transactions) -> int:
    """Count the persons who have a record with items, or the records with items if no persons are given."""
    return rows.non_empty if rows.persons is None else rows.count_persons(rows.sizes > 0)


def class_sizes(classes: Grouping, persons: Persons | None) -> Counts:
    """Count the different persons of each class, or its records if no persons are given.

    >>> class_sizes(Grouping(np.array([0, 0, 1]), 1), Persons(np.array([4, 4, 4]))).tolist()
    [1, 1]
    """
    if persons is None:
        return classes.sizes
    width = np.int64(persons.of.max(initial=0)) + 1
    pairs = np.unique(classes.of * width + persons.of)
    return np.bincount(pairs // width, minlength=len(classes)).astype(np.int64)


def holders(values: Transactions, persons: Persons | None) -> Counts:
    """Count the different persons who have each value, or the records if no persons are given.

    >>> values = Transactions.from_sets([["x"], ["x"], []])
    >>> holders(values, None).tolist(), holders(values, Persons(np.array([0, 0, 1]))).tolist()
    ([2], [1])
    """
    if persons is None:
        return values.supports
    width = max(1, len(values.labels))
    pairs = np.unique(persons.of[row_ids(values.indptr)].astype(np.int64) * width + values.items)
    return np.bincount(pairs % width, minlength=len(values.labels)).astype(np.int64)
