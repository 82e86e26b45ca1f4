"""Risks: what an attacker who knows a few items of a record can do. They may find it, or learn a sensitive value.

Each privacy model defines which of the two it limits (``PrivacyModel.risk``). Reports show the risk before and after.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, counted
from shoal.data.persons import plural
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.kernels.arrays import NOBODY
from shoal.kernels.measure.min_supports import min_supports
from shoal.kernels.verify.disclosing_sets import smallest_disclosing
from shoal.metrics.crowds import counts_by_table, crowd_sizes


class Exposure(ABC):
    """How many records are exposed to an attacker who knows 1, 2, .. m items of them, in two degrees."""

    @property
    @abstractmethod
    def records(self) -> int:
        """How many records can be exposed at all. Shares refer to this number."""

    @property
    @abstractmethod
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """For each degree: its key, its title, and the number of records exposed by 1, 2, .. m known items."""

    @property
    def known(self) -> int:
        """The largest number of known items, m."""
        return len(next(iter(self.degrees.values()))[1])

    def shares(self, key: str) -> tuple[float, ...]:
        """Return the shares of records exposed by 1, 2, .. m known items."""
        return tuple(count / max(1, self.records) for count in self.degrees[key][1])


@dataclass(frozen=True)
class Risk(Exposure):
    """Risk of re-identification: how many records a few known items narrow down to fewer than k records, and to one.

    Parameters
    ----------
    k : int
        Records that must be left.
    rows : int
        Records that were examined.
    below_k, unique : tuple of int
        For 1, 2, .. known items: how many records they narrow down to fewer than k records, and to exactly one.
    prosecutor, average : tuple of float
        For 1, 2, .. known items: the chance to pick the right record, for the record most at risk and on average.
    sensitive : bool
        Whether only records with a sensitive item count.
    person : str
        Noun for what records are narrowed down to, such as "household". Empty for records.

    Examples
    --------
    >>> risk = Risk.of(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2)
    >>> risk.below_k, risk.unique, risk.share_below_k
    ((1, 1), (1, 1), (0.333..., 0.333...))
    >>> risk.prosecutor, risk.average  # 1, and (1/2 + 1/2 + 1) / 3
    ((1.0, 1.0), (0.666..., 0.666...))
    """

    k: int
    rows: int
    below_k: tuple[int, ...]
    unique: tuple[int, ...]
    prosecutor: tuple[float, ...]
    average: tuple[float, ...]
    sensitive: bool = False
    person: str = ""

    @classmethod
    def of(
        cls,
        rows: Transactions,
        k: int,
        m: int,
        engine: Engine = LOCAL,
        holders: npt.NDArray[np.bool_] | None = None,
    ) -> Risk:
        """Examine every set of up to m items. If ``holders`` is given, count only these records.

        A record without items cannot be narrowed down: an attacker knows nothing about it.
        """
        who = "" if rows.persons is None else rows.persons.noun
        longest = min(m, _longest(rows))
        if holders is None and counts_by_table(rows, longest, engine):
            sizes = crowd_sizes(rows, longest, engine)
            sizes += [sizes[-1]] * (m - longest)
            return cls.by_counts(sizes, k, unknown=(len(rows), len(rows) - rows.non_empty), person=who)
        mask = np.ones(len(rows), dtype=np.bool_) if holders is None else holders
        left = [sizes[mask] for sizes in min_matching(rows, m, engine)]
        return cls.by_sizes(left, k, rows.sizes[mask] > 0, sensitive=holders is not None, person=who)

    @classmethod
    def by_sizes(
        cls,
        sizes: Sequence[Counts],
        k: int,
        known: npt.NDArray[np.bool_] | None = None,
        *,
        sensitive: bool = False,
        person: str = "",
    ) -> Risk:
        """Compute the risk from the number of records (or persons) that 1, 2, .. known items of each record leave.

        ``known``: which records have anything to know. Others do not count as narrowed down.

        >>> Risk.by_sizes([np.array([4, 4, 2])], 3)
        Risk(k=3, rows=3, below_k=(1,), unique=(0,), prosecutor=(0.5,), average=(0.333...,), sensitive=False, person='')
        """
        mask = np.True_ if known is None else known
        below, unique = (tuple(int(np.count_nonzero((left < limit) & mask)) for left in sizes) for limit in (k, 2))
        most, mean = zip(*(_chances(*counted(left)) for left in sizes), strict=True)
        return cls(k, len(sizes[0]), below, unique, most, mean, sensitive, person)

    @classmethod
    def by_counts(
        cls, sizes: Sequence[tuple[Counts, Counts]], k: int, *, unknown: tuple[int, int], person: str = ""
    ) -> Risk:
        """Compute the risk from how often 1, 2, .. known items leave each number of records.

        ``unknown``: the number that records leave of which nothing is known, and how many of them there are.

        >>> Risk.by_counts([(np.array([2, 4]), np.array([1, 2]))], 3, unknown=(4, 0))
        Risk(k=3, rows=3, below_k=(1,), unique=(0,), prosecutor=(0.5,), average=(0.333...,), sensitive=False, person='')
        """
        left, nothing = unknown

        def below(limit: int) -> tuple[int, ...]:
            gone = nothing if left < limit else 0
            return tuple(int(times[numbers < limit].sum()) - gone for numbers, times in sizes)

        most, mean = zip(*(_chances(numbers, times) for numbers, times in sizes), strict=True)
        return cls(k, int(sizes[0][1].sum()), below(k), below(2), most, mean, person=person)

    @property
    def records(self) -> int:
        """How many records were examined."""
        return self.rows

    @property
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The degrees: fewer than k records, and exactly one."""
        return {
            "below_k": (f"Narrowed down to fewer than {self.k} {plural(self.person or 'record')}", self.below_k),
            "unique": (f"Narrowed down to exactly one {self.person or 'record'}", self.unique),
        }

    @property
    def share_below_k(self) -> tuple[float, ...]:
        """The share of records narrowed down to fewer than k, for 1, 2, .. known items."""
        return self.shares("below_k")

    @property
    def share_unique(self) -> tuple[float, ...]:
        """The share of records narrowed down to one, for 1, 2, .. known items."""
        return self.shares("unique")


@dataclass(frozen=True)
class Disclosure(Exposure):
    """Risk of disclosure: how many records have a sensitive value that a few known items reveal.

    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["c"]])
    >>> values = Transactions.from_sets([["HIV"], [], ["HIV"], []])
    >>> risk = Disclosure.of(rows, values, 2, 2)
    >>> risk.holders, risk.likely, risk.certain
    (2, (2, 2), (0, 1))
    """

    l: int
    holders: int  # records with a sensitive value
    likely: tuple[int, ...]  # for 1, 2, .. known items: records whose value they reveal with probability above 1/l
    certain: tuple[int, ...]  # the same, with certainty

    @classmethod
    def of(cls, rows: Transactions, values: Transactions, limit: int, m: int, engine: Engine = LOCAL) -> Disclosure:
        """Examine every set of up to m items. ``limit`` is l."""

        def told(above: tuple[int, int], persons: Codes) -> Counts:
            return smallest_disclosing(
                rows.indptr,
                rows.items,
                len(rows.labels),
                values.indptr,
                values.items,
                len(values.labels),
                above,
                min(m, _longest(rows)),
                persons=persons,
                threads=engine.threads,
                tick=engine.tick("risk"),
            )

        views = [NOBODY, *([rows.repeaters] if len(rows.repeaters) else [])]  # by records, and by persons
        smallest = [
            _least([told(above, persons) for persons in views])
            for above in ((1, limit), (len(rows), len(rows) + 1))  # a larger share than this is all
        ]
        return cls(limit, values.non_empty, *(_at_most(sizes, m, _longest(rows)) for sizes in smallest))

    @property
    def records(self) -> int:
        """How many records have a sensitive value."""
        return self.holders

    @property
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """The degrees: with a probability above 1/l, and with certainty."""
        return {
            "likely": (f"Value revealed with a probability above 1/{self.l}", self.likely),
            "certain": ("Value revealed with certainty", self.certain),
        }


def min_matching(rows: Transactions, m: int, engine: Engine = LOCAL) -> list[Counts]:
    """Return for 1, 2, .. m known items and each row the fewest rows (or persons) that its items can leave.

    A row without items leaves all rows.

    >>> [left.tolist() for left in min_matching(Transactions.from_sets([["a", "b"], ["a"], ["b"], []]), 2)]
    [[2, 2, 2, 4], [1, 2, 2, 4]]
    """
    longest = min(m, _longest(rows))
    least = min_supports(
        rows.indptr,
        rows.items,
        len(rows.labels),
        longest,
        persons=rows.repeaters,
        threads=engine.threads,
        tick=engine.tick("risk"),
    )
    return [least[min(size, longest) - 1] for size in range(1, m + 1)]


def _least(sizes: list[Counts]) -> Counts:
    """Return the smallest of several sizes for each row. 0 means no size."""
    most = np.iinfo(np.int64).max
    least = np.minimum.reduce([np.where(size == 0, most, size) for size in sizes])
    return np.where(least == most, 0, least)


def _chances(sizes: Counts, times: Counts) -> tuple[float, float]:
    """Return the largest and the mean 1/size, or 0 without records. ``times``: how often each size occurs."""
    mean = math.fsum((times / sizes).tolist()) / max(1, int(times.sum()))
    return (1 / int(sizes[0]) if len(sizes) else 0.0), mean


def _longest(rows: Transactions) -> int:
    """Return the size of the longest row, at least 1."""
    return max(1, rows.longest)


def _at_most(smallest: Counts, m: int, longest: int) -> tuple[int, ...]:
    """Count the rows with a smallest size (0: none) of at most 1, 2, .. m."""
    up_to = np.cumsum(np.bincount(smallest, minlength=longest + 1)[1:])
    return tuple(up_to[: min(m, longest)].tolist()) + (int(up_to[-1]),) * (m - longest)
