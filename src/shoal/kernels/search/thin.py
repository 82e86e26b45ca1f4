"""Finds the items of rows that a search needs: of the rows with any small set of labels, those of the first k persons.

What is left out cannot change any support below k, and no support of k or more falls below k. This also holds for all
groups of labels (:mod:`shoal.search.thinning`).
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, people_of, rows_of
from shoal.kernels.choice import compiled_or

LEFT_OUT, RARE = -1, -2  # ranks of items without a label, and of items that fewer than k persons have


class Thin:
    """Marks needed items, part by part.

    Parameters
    ----------
    rank
        For each item its label, as a number from 0. ``LEFT_OUT``: it has none. ``RARE``: fewer than k persons have it,
        so all items of its rows are needed.
    labels
        How many labels there are.
    k
        Persons that make a set frequent.
    m
        The size of the largest sets: 1, 2 or 3.
    within
        Count only sets whose largest label is in this range. The result for all labels is what any of several ranges
        that cover them marks.
    persons
        Whether some persons have several rows.

    Examples
    --------
    >>> thin = Thin(np.arange(2, dtype=np.int32), 2, k=2, m=2)
    >>> items = np.array([0, 1, 0, 0, 1, 0], dtype=np.int32)
    >>> thin.mark(np.array([0, 2, 3, 5, 6]), items).tolist()  # {0} is needed twice, and so are {1} and {0, 1}
    [1, 1, 1, 1, 1, 0]
    """

    def __init__(
        self, rank: Codes, labels: int, k: int, m: int, *, within: range | None = None, persons: bool = False
    ) -> None:
        within = range(labels) if within is None else within
        k = min(k, 2**32 - 1)  # no data have so many rows
        self._kernel = compiled_or(ThinTwin)(rank, labels, k, m, within.start, within.stop, persons)

    def mark(self, indptr: Offsets, items: Codes, persons: Codes = NOBODY) -> npt.NDArray[np.uint8]:
        """Return for each item of more rows whether it is needed. The rows of a person must be consecutive."""
        needed: npt.NDArray[np.uint8] = self._kernel.mark(indptr, items, persons)
        return needed


class ThinTwin:
    """Keep the first k persons of every set in a dictionary."""

    def __init__(self, rank: Codes, labels: int, k: int, m: int, first: int, stop: int, persons: bool) -> None:
        self._rank, self._k, self._m, self._range = rank.tolist(), k, m, range(first, stop)
        self._holders: defaultdict[tuple[int, ...], set[int]] = defaultdict(set)
        self._rows = 0

    def mark(self, indptr: Offsets, items: Codes, persons: Codes) -> npt.NDArray[np.uint8]:
        """Look at every set of every row."""
        needed = np.zeros(len(items), dtype=np.uint8)
        rows = zip(rows_of(indptr, items), people_of(indptr, persons), indptr.tolist(), strict=False)
        for row, person, start in rows:
            ranks = [self._rank[item] for item in row]
            at = {rank: start + place for place, rank in reversed(list(enumerate(ranks))) if rank >= 0}
            for size in range(1, self._m + 1):
                for labels in combinations(sorted(at), size):
                    if labels[-1] in self._range and self._is_new(labels, person):
                        needed[[at[label] for label in labels]] = 1
            if RARE in ranks:
                needed[[start + place for place, rank in enumerate(ranks) if rank != LEFT_OUT]] = 1
        self._rows += len(indptr) - 1
        return needed

    def _is_new(self, labels: tuple[int, ...], person: int) -> bool:
        """Count a person for a set. Return whether they are one of the first k, and this is their first row with it."""
        known = self._holders[labels]
        person = person if person >= 0 else person - self._rows  # rows of persons with one row are numbered on
        if person in known or len(known) >= self._k:
            return False
        known.add(person)
        return True
