"""What an attacker who knows a few items of a record can do (metrics.md, "ours"): find it, or learn what is in it.

Each privacy model says which of the two it is about (``PrivacyModel.risk``); reports draw it before and after.
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


class Exposure(ABC):
    """How many records are exposed to an attacker who knows 1, 2, .. m items of them, in two degrees."""

    @property
    @abstractmethod
    def records(self) -> int:
        """Those that can be exposed at all: what shares are shares of."""

    @property
    @abstractmethod
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """For each degree its key, its title, and the number of records exposed by 1, 2, .. m known items."""

    @property
    def known(self) -> int:
        """m, the most items that an attacker is taken to know."""
        return len(next(iter(self.degrees.values()))[1])

    def shares(self, key: str) -> tuple[float, ...]:
        """As shares of the records."""
        return tuple(count / max(1, self.records) for count in self.degrees[key][1])


@dataclass(frozen=True)
class Risk(Exposure):
    """Re-identification: how many records some set of so many known items pins down to fewer than k, and to one.

    >>> risk = Risk.of(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2)
    >>> risk.below_k, risk.unique, risk.share_below_k
    ((1, 1), (1, 1), (0.333..., 0.333...))
    >>> risk.prosecutor, risk.average  # 1, and (1/2 + 1/2 + 1) / 3
    ((1.0, 1.0), (0.666..., 0.666...))
    """

    k: int
    rows: int
    below_k: tuple[int, ...]  # [i] records that some set of at most i + 1 known items pins down to fewer than k
    unique: tuple[int, ...]  # ... to exactly one
    prosecutor: tuple[float, ...]  # [i] the chance to pick the right record: 1/size for the record most at risk ..
    average: tuple[float, ...]  # .. and its mean; size: as few as such a set of the record's items leaves
    sensitive: bool = False  # whether only records with a sensitive item are counted
    person: str = ""  # what records are pinned down to, such as "household"; empty: records

    @classmethod
    def of(
        cls,
        rows: Transactions,
        k: int,
        m: int,
        engine: Engine = LOCAL,
        holders: npt.NDArray[np.bool_] | None = None,
    ) -> Risk:
        """Examine every set of up to m items; if told which records hold something sensitive, count only these.

        A record without items is one of all records to an attacker who knows nothing of it: nothing pins it down.
        """
        mask = np.ones(len(rows), dtype=np.bool_) if holders is None else holders
        sizes = [left[mask] for left in min_matching(rows, m, engine)]
        who = "" if rows.persons is None else rows.persons.noun
        return cls.by_sizes(sizes, k, rows.sizes[mask] > 0, sensitive=holders is not None, person=who)

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
        """From the number of records, or persons, that each record is pinned down to by 1, 2, .. known items.

        ``known``: of which records there is something to know; others are not counted as pinned down.

        >>> Risk.by_sizes([np.array([4, 4, 2])], 3)
        Risk(k=3, rows=3, below_k=(1,), unique=(0,), prosecutor=(0.5,), average=(0.333...,), sensitive=False, person='')
        """
        mask = np.True_ if known is None else known
        below, unique = (tuple(int(np.count_nonzero((left < limit) & mask)) for left in sizes) for limit in (k, 2))
        chances = [_chances(left) for left in sizes]
        most, mean = (tuple(chance[at] for chance in chances) for at in (0, 1))
        return cls(k, len(sizes[0]), below, unique, most, mean, sensitive, person)

    @property
    def records(self) -> int:
        """All that are counted."""
        return self.rows

    @property
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Fewer than k, and one."""
        return {
            "below_k": (f"Narrowed down to fewer than {self.k} {plural(self.person or 'record')}", self.below_k),
            "unique": (f"Narrowed down to exactly one {self.person or 'record'}", self.unique),
        }

    @property
    def share_below_k(self) -> tuple[float, ...]:
        """As shares of all records."""
        return self.shares("below_k")

    @property
    def share_unique(self) -> tuple[float, ...]:
        """As shares of all records."""
        return self.shares("unique")


@dataclass(frozen=True)
class Disclosure(Exposure):
    """Disclosure: of how many records a set of so many known items tells a sensitive value, probably or for certain.

    >>> rows = Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"], ["c"]])
    >>> values = Transactions.from_sets([["HIV"], [], ["HIV"], []])
    >>> risk = Disclosure.of(rows, values, 2, 2)
    >>> risk.holders, risk.likely, risk.certain
    (2, (2, 2), (0, 1))
    """

    l: int
    holders: int  # records with a sensitive value
    likely: tuple[int, ...]  # [i] those where a set of at most i + 1 items tells a value with probability above 1/l
    certain: tuple[int, ...]  # ... with certainty

    @classmethod
    def of(cls, rows: Transactions, values: Transactions, limit: int, m: int, engine: Engine = LOCAL) -> Disclosure:
        """Examine every set of up to m items; ``limit`` is l."""

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
        """Those with a sensitive value."""
        return self.holders

    @property
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Likely, and certain."""
        return {
            "likely": (f"Value told with a probability above 1/{self.l}", self.likely),
            "certain": ("Value told for certain", self.certain),
        }


def min_matching(rows: Transactions, m: int, engine: Engine = LOCAL) -> list[Counts]:
    """[i] for each row, how few rows (or persons, where given) some set of at most i + 1 of its items leaves.

    All of them, if it has no items.

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
    """The smallest of several sizes for each row, 0 being none at all."""
    most = np.iinfo(np.int64).max
    least = np.minimum.reduce([np.where(size == 0, most, size) for size in sizes])
    return np.where(least == most, 0, least)


def _chances(left: Counts) -> tuple[float, float]:
    """The largest 1/size, and the mean of all; 0 without records."""
    sizes, times = counted(left)
    mean = math.fsum((times / sizes).tolist()) / max(1, len(left))
    return (1 / int(sizes[0]) if len(sizes) else 0.0), mean


def _longest(rows: Transactions) -> int:
    """The most items that can be known of a row; at least 1."""
    return max(1, int(rows.sizes.max(initial=0)))


def _at_most(smallest: Counts, m: int, longest: int) -> tuple[int, ...]:
    """How many rows have a smallest size (0: none) of at most 1, 2, .. m."""
    up_to = np.cumsum(np.bincount(smallest, minlength=longest + 1)[1:])
    return tuple(up_to[: min(m, longest)].tolist()) + (int(up_to[-1]),) * (m - longest)
