"""Counts sets of at most three labels, and their rows with each sensitive value, in dense tables, part by part."""

from __future__ import annotations

from collections import Counter

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY
from shoal.kernels.merging import MergeableCounts
from shoal.kernels.verify.set_counts import SetHolders


class ShareCounts(MergeableCounts):
    """The counts of sets in all rows, in those with any sensitive value, and in those with each.

    Add all rows, then those with a sensitive value, then those with each value, ended by :meth:`close_value`. The
    arguments are those of :class:`~shoal.kernels.verify.set_counts.SetCounts`.

    What :meth:`add_with_value` counts is not sent and merged: the highest counts do not add up over rows. Add these
    rows to the sum.
    """

    def __init__(self, rank: Codes, m: int, *, within: range | None = None, persons: bool = False) -> None:
        within = range(len(rank)) if within is None else within
        self._made_by(ShareCountsTwin, rank, m, within.start, within.stop, persons)

    def add(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows."""
        self._kernel.add(indptr, items, persons)

    def add_sensitive(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows with a sensitive value."""
        self._kernel.add_sensitive(indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> None:
        """Count more rows with the current sensitive value."""
        self._kernel.add_with_value(indptr, items, persons)

    def close_value(self) -> None:
        """Go on to the next sensitive value."""
        self._kernel.close_value()

    def result(self, share: tuple[int, int], least: int) -> tuple[int, int]:
        """Return how many sets are in ``least`` rows with a value, and in how many a value has more than the share."""
        checked, violations = self._kernel.result(*share, least)
        return checked, violations


class ShareCountsTwin:
    """Keep the rows of every set, and of every set and value."""

    def __init__(self, rank: Codes, m: int, first: int, stop: int, persons: bool) -> None:
        self._all, self._sensitive, self._value = (SetHolders(rank, m, first, stop) for _ in range(3))
        self._others: list[Counter[tuple[int, ...]]] = [Counter(), Counter()]
        self._highest: Counter[tuple[int, ...]] = Counter()

    def add(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows."""
        self._all.add(indptr, items, persons)

    def add_sensitive(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows with a sensitive value."""
        self._sensitive.add(indptr, items, persons)

    def add_with_value(self, indptr: Offsets, items: Codes, persons: Codes) -> None:
        """Count rows with the current value."""
        self._value.add(indptr, items, persons)

    def close_value(self) -> None:
        """Keep the higher counts."""
        self._highest |= self._value.counts()
        self._value.of.clear()

    def cells(self) -> list[Counter[tuple[int, ...]]]:
        """Return the counts of all rows, and of those with a sensitive value."""
        own = self._all.counts(), self._sensitive.counts()
        return [mine + others for mine, others in zip(own, self._others, strict=True)]

    def merge_cells(self, cells: list[Counter[tuple[int, ...]]]) -> None:
        """Add counts of other rows."""
        for others, more in zip(self._others, cells, strict=True):
            others.update(more)

    def result(self, part: int, whole: int, least: int) -> tuple[int, int]:
        """Compare the shares."""
        counts, sensitive = self.cells()
        sets = [labels for labels, count in sensitive.items() if count >= least]
        return len(sets), sum(self._highest[labels] * whole > counts[labels] * part for labels in sets)
