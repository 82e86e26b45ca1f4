"""What the models say and count by persons, where one person may have several records (persons.md)."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Counts, row_ids
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.published import Grouping


def fitting(number: int, persons: Persons | None) -> str:
    """So many that fit what an attacker knows, in words.

    >>> fitting(5, None), fitting(5, Persons(np.array([0]), "household"))
    ('5 records that fit', '5 households with a record that fits')
    """
    return f"{number} records that fit" if persons is None else f"{persons.name(number)} with a record that fits"


def counted(number: int, persons: Persons | None) -> str:
    """So many records or persons, in words.

    >>> counted(1, None), counted(1_200, Persons(np.array([0]), "patient"))
    ('1 record', '1,200 patients')
    """
    return persons.name(number) if persons is not None else f"{number:,} record{'' if number == 1 else 's'}"


def needed(k: int, persons: Persons | None) -> str:
    """What a model that is about sets wants, in words.

    >>> needed(5, None), needed(5, Persons(np.array([0])))
    ('at least 5 non-empty records', 'non-empty records of at least 5 persons')
    """
    return f"at least {k} non-empty records" if persons is None else f"non-empty records of at least {persons.name(k)}"


def noun(persons: Persons | None) -> str:
    """What a witness calls those that it counts; empty: records."""
    return "" if persons is None else persons.noun


def about_people(persons: Persons | None) -> str:
    """What is left to say about persons with several records: a caveat."""
    if persons is None:
        return "It counts records, not people. If one person is behind several records, fewer people may fit."
    return (
        f"It is about an attacker who knows items of one record. What somebody knows from several records of one "
        f"{persons.noun} is another question: where records can be linked, join them first, one record for each "
        f"{persons.noun}."
    )


def with_items(rows: Transactions) -> int:
    """How many persons have a record with items; how many records have, where no persons are given."""
    return rows.count_persons(rows.sizes > 0)


def class_sizes(classes: Grouping, persons: Persons | None) -> Counts:
    """How many different persons each class has; how many records, where no persons are given.

    >>> class_sizes(Grouping(np.array([0, 0, 1]), 1), Persons(np.array([4, 4, 4]))).tolist()
    [1, 1]
    """
    if persons is None:
        return classes.sizes
    width = np.int64(persons.of.max(initial=0)) + 1
    pairs = np.unique(classes.of * width + persons.of)
    return np.bincount(pairs // width, minlength=len(classes)).astype(np.int64)


def holders(values: Transactions, persons: Persons | None) -> Counts:
    """How many different persons have each value in a record; how many records do, where no persons are given.

    >>> values = Transactions.from_sets([["x"], ["x"], []])
    >>> holders(values, None).tolist(), holders(values, Persons(np.array([0, 0, 1]))).tolist()
    ([2], [1])
    """
    if persons is None:
        return values.supports
    width = max(1, len(values.labels))
    pairs = np.unique(persons.of[row_ids(values.indptr)].astype(np.int64) * width + values.items)
    return np.bincount(pairs % width, minlength=len(values.labels)).astype(np.int64)
