"""Persons: the person behind each record, if one person may have several records (persons.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, frozen
from shoal.errors import DataError

WORDS = """
account buyer cardholder citizen client customer donor driver employee family household individual
member owner participant passenger patient person player policyholder reader resident respondent
shopper student subject subscriber tenant user visitor voter worker
"""
NOUNS = frozenset(WORDS.split())


@dataclass(frozen=True, eq=False, repr=False)
class Persons:
    """The person behind each row, numbered from 0, and the noun for a person.

    ``ids`` are the owner's ids of the persons, by number. No report and no message may show them.

    >>> households = Persons(np.array([1, 0, 1]), "household")
    >>> len(households), households.count(), households.name(2)
    (3, 2, '2 households')
    """

    of: Codes
    noun: str = "person"
    column: str = ""  # the column of the ids; it is never published
    ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Validate and freeze."""
        object.__setattr__(self, "of", frozen(self.of, np.int32))
        if self.of.min(initial=0) < 0:
            raise DataError(f"Persons: numbers must start at 0, got {self.of.min()}.")

    @classmethod
    def by_id(cls, ids: Iterable[str], noun: str = "person") -> Persons:
        """Build persons from their ids, one id for each row.

        >>> visits = Persons.by_id(["p7", "p3", "p7"], "patient")
        >>> visits, visits.of.tolist(), visits.ids_of_rows()
        (Persons(3 rows of 2 patients), [0, 1, 0], ['p7', 'p3', 'p7'])
        """
        number: dict[str, int] = {}
        codes = [number.setdefault(one, len(number)) for one in ids]
        return cls(np.array(codes, dtype=np.int32), noun, ids=tuple(number))

    def __repr__(self) -> str:
        """Describe the size without showing which row belongs to whom."""
        return f"Persons({len(self):,} rows of {self.name(self.count())})"

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.of)

    def count(self, rows: npt.NDArray[np.bool_] | None = None) -> int:
        """Return the number of different persons among all rows, or among the marked ones."""
        return len(np.unique(self.of if rows is None else self.of[rows]))

    @property
    def most(self) -> int:
        """Return the largest number of rows of one person."""
        return int(np.bincount(self.of, minlength=1).max())

    @property
    def several(self) -> bool:
        """Whether some person has several rows."""
        return len(self.repeaters) > 0

    def ids_of_rows(self) -> list[str]:
        """Return the id of each row's person, or the person's number if no ids are known."""
        return [self.ids[code] if self.ids else str(code) for code in self.of.tolist()]

    def take(self, rows: Counts) -> Persons:
        """Return the persons of some of the rows, in the given order."""
        return replace(self, of=self.of[rows])

    @cached_property
    def repeaters(self) -> Codes:
        """Return a number for each row whose person has several rows, and -1 for all other rows.

        Persons are numbered by their first rows, so no result depends on how the owner numbers them. The array is empty
        if no person has several rows. Kernels then count rows.

        >>> Persons(np.array([7, 3, 7, 0, 3])).repeaters.tolist(), Persons(np.array([7, 3])).repeaters.tolist()
        ([0, 1, 0, -1, 1], [])
        """
        of: Codes = self.of
        if of.max(initial=0) > 4 * len(of):  # a few of very many persons
            of = np.unique(of, return_inverse=True)[1].astype(np.int32)
        several = np.bincount(of, minlength=1) > 1
        if not several.any():
            return np.zeros(0, dtype=np.int32)
        first = np.zeros(len(several), dtype=np.int64)
        first[of[::-1]] = np.arange(len(of))[::-1]  # numpy keeps the last value written
        number = np.full(len(several), -1, dtype=np.int32)
        those = np.flatnonzero(several)
        number[those[np.argsort(first[those])]] = np.arange(len(those))
        return number[of]

    def name(self, number: int) -> str:
        """Return a number of persons in words.

        >>> Persons(np.array([0]), "family").name(1_000), Persons(np.array([0])).name(1)
        ('1,000 families', '1 person')
        """
        return f"{number:,} {plural(self.noun, number)}"

    @property
    def nouns(self) -> str:
        """Return the plural of the noun."""
        return plural(self.noun)


def plural(noun: str, number: int = 2) -> str:
    """Return the noun for one, or its plural.

    >>> plural("family"), plural("record"), plural("record", 1)
    ('families', 'records', 'record')
    """
    if number == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def noun_of(column: str) -> str:
    """Return the noun for one person, taken from the name of the column, or "person".

    >>> [noun_of(name) for name in ("household_id", "PatientId", "Customer No", "hh")]
    ['household', 'patient', 'customer', 'person']
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).replace("_", " ").replace("-", " ").casefold().split()
    return next((word for word in words if word in NOUNS), "person")
