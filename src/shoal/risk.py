"""What somebody who knows a few items of a record can do (metrics.md, "ours"): find it, or learn what is in it.

Each privacy model says which of the two it is about (``PrivacyModel.risk``); reports draw it before and after.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal import kernels
from shoal.data.arrays import Counts
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine


class Exposure(ABC):
    """How many records are exposed to somebody who knows 1, 2, .. m items of them, in two degrees."""

    @property
    @abstractmethod
    def records(self) -> int:
        """Those that can be exposed at all: what shares are shares of."""

    @property
    @abstractmethod
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """For each degree its key, its title, and the number of records exposed by 1, 2, .. m known items."""

    def shares(self, key: str) -> tuple[float, ...]:
        """As shares of the records."""
        return tuple(count / max(1, self.records) for count in self.degrees[key][1])


@dataclass(frozen=True)
class Risk(Exposure):
    """Re-identification: how many records some set of so many known items pins down to fewer than k, and to one.

    >>> risk = Risk.of(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2)
    >>> risk.below_k, risk.unique, risk.share_below_k
    ((1, 1), (1, 1), (0.333..., 0.333...))
    """

    k: int
    rows: int
    below_k: tuple[int, ...]  # [i] records that some set of at most i + 1 known items pins down to fewer than k
    unique: tuple[int, ...]  # ... to exactly one
    sensitive: bool = False  # whether only records with a sensitive item are counted

    @classmethod
    def of(
        cls,
        rows: Transactions,
        k: int,
        m: int,
        engine: Engine = LOCAL,
        holders: npt.NDArray[np.bool_] | None = None,
    ) -> Risk:
        """Examine every set of up to m items; if told which records hold something sensitive, count only these."""
        smallest = [
            kernels.smallest_rare(
                rows.indptr,
                rows.items,
                len(rows.labels),
                limit,
                min(m, _longest(rows)),
                threads=engine.threads,
                tick=engine.tick("risk"),
            )
            for limit in (k, 2)
        ]
        some = slice(None) if holders is None else holders
        below, one = (_at_most(sizes[some], m, _longest(rows)) for sizes in smallest)
        return cls(k, len(smallest[0][some]), below, one, holders is not None)

    @property
    def records(self) -> int:
        """All that are counted."""
        return self.rows

    @property
    def degrees(self) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Fewer than k, and one."""
        return {
            "below_k": (f"Narrowed down to fewer than {self.k} records", self.below_k),
            "unique": ("Narrowed down to exactly one record", self.unique),
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
        smallest = [
            kernels.smallest_disclosing(
                rows.indptr,
                rows.items,
                len(rows.labels),
                values.indptr,
                values.items,
                len(values.labels),
                above,
                min(m, _longest(rows)),
                threads=engine.threads,
                tick=engine.tick("risk"),
            )
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


def _longest(rows: Transactions) -> int:
    """The most items that can be known of a row; at least 1."""
    return max(1, int(rows.sizes.max(initial=0)))


def _at_most(smallest: Counts, m: int, longest: int) -> tuple[int, ...]:
    """How many rows have a smallest size (0: none) of at most 1, 2, .. m."""
    up_to = np.cumsum(np.bincount(smallest, minlength=longest + 1)[1:])
    return tuple(up_to[: min(m, longest)].tolist()) + (int(up_to[-1]),) * (m - longest)
