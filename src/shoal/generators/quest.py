"""Synthetic transactions like those of the IBM Quest generator.

R. Agrawal, R. Srikant, "Fast algorithms for mining association rules", VLDB 1994, the section on synthetic data. Data
are named after their options: T10.I4.D100K is ``Quest(mean_size=10, mean_pattern=4, rows=100_000)``.

Patterns ("potentially large itemsets"), made once:

* A pattern's size is Poisson with mean ``mean_pattern``, at least 1 and at most ``items``.
* The items of the first pattern are drawn at random. A share of each later one is drawn from the previous pattern. This
  share is exponential with mean ``correlation``, at most 1 and rounded to whole items. The rest is drawn at random.
* A pattern's weight is exponential with mean 1, normalized. Its corruption level is normal with mean ``corruption`` and
  standard deviation ``corruption_sd``, clipped to 0..0.95. (The paper says "variance 0.1". We read it as the standard
  deviation, because with a variance of 0.1 every ninth level would be outside 0..1.)

Transactions:

* The target size is Poisson with mean ``mean_size``, at least 1, and at most ``items`` and ``max_size``. An item counts
  each time that a pattern contains it, so rows are a little smaller if patterns overlap much.
* Patterns are picked by weight. Items of each pick are dropped at random, one more as long as a uniform number is below
  the pattern's corruption level. A pick that loses all its items is ignored.
* A pick that does not fit is added anyway in half of the cases, and is kept for the next transaction otherwise. In both
  cases, the transaction is complete. An empty transaction takes any pick, so no row is empty. If many target sizes are
  smaller than a pattern (small ``mean_size``, long ``tail``), the mean is up to a tenth higher.

We have added ``tail`` (the mean of the Poisson sizes becomes lognormal), ``max_size`` (the largest size of a row) and
``skew`` (items drawn at random follow Zipf's law, ids in random order). Their defaults give the classic generator.

Rows are generated in blocks of fixed size, each with its own random numbers, and blocks are independent. So equal
options and seeds give equal rows, whatever the batch size (and whichever process generates which block), and requesting
more rows only appends. Time is proportional to the number of generated items, memory to a batch and a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data import Hierarchy, Transactions
from shoal.data.arrays import Codes, Offsets, csr_from_pairs, row_ids
from shoal.errors import OptionError, did_you_mean
from shoal.options import Spec, option

Floats = npt.NDArray[np.float64]
Batch = tuple[Offsets, Codes]  # CSR: row r of the batch holds items[indptr[r]:indptr[r + 1]], strictly increasing

_BLOCK = 16_384  # rows per block; changing it changes the data of every seed
_MOST_CORRUPT = 0.95  # a pattern above this would hardly ever contribute an item


@dataclass(frozen=True, eq=False)
class Patterns:
    """The itemsets that transactions are made of. Pattern p holds ``items[indptr[p]:indptr[p + 1]]``."""

    indptr: Offsets
    items: Codes
    weight: Floats  # sums to 1
    corruption: Floats


@dataclass(frozen=True)
class Quest(Spec):
    """A generator of market-basket data.

    >>> quest = Quest(rows=3, items=100, seed=1)
    >>> [row.tolist() for row in quest.transactions()] == [row.tolist() for row in quest.transactions()]
    True
    """

    name = "quest"

    rows: int = option(100_000, low=1, help="number of transactions, |D|")
    items: int = option(1_000, low=1, high=2**31 - 1, help="number of different items, N")
    mean_size: float = option(10.0, low=1, help="mean number of items in a transaction, |T|")
    mean_pattern: float = option(4.0, low=1, help="mean number of items in a pattern, |I|")
    patterns: int = option(2_000, low=1, help="number of patterns to draw from, |L|")
    correlation: float = option(0.5, low=0, help="mean share of a pattern's items that the previous one has, too")
    corruption: float = option(0.5, low=0, high=_MOST_CORRUPT, help="mean chance that a pattern loses another item")
    corruption_sd: float = option(0.1, low=0, help="standard deviation of that chance among patterns")
    tail: float = option(0.0, low=0, high=3, help="sigma of lognormal mean sizes; 0 gives plain Poisson sizes")
    max_size: int | Literal["none"] = option("none", low=1, words=("none",), help="largest size of a row, or 'none'")
    skew: float = option(0.0, low=0, high=3, help="Zipf exponent of item popularity; 0 gives all items equal chances")
    seed: int = option(0, low=0, help="equal seeds and options give equal data")

    @classmethod
    def like(cls, shape: str, *, rows: int | None = None, seed: int = 0) -> Quest:
        """Return options for data of a known shape, with its number of rows or another one.

        >>> Quest.like("bms-pos").items
        1657
        """
        if shape not in _SHAPES:
            raise OptionError(
                f"Quest: no shape '{shape}'{did_you_mean(shape, _SHAPES)}: known are {', '.join(sorted(_SHAPES))}."
            )
        known = _SHAPES[shape]
        return replace(known, rows=known.rows if rows is None else rows, seed=seed)

    def labels(self) -> tuple[str, ...]:
        """Return the labels of all items: ids from "0" to "N-1", even if they occur in no row."""
        return tuple(map(str, range(self.items)))

    def hierarchy(self, fanout: int = 5) -> Hierarchy:
        """Return a balanced hierarchy over all labels, ids in ascending order."""
        from shoal.hierarchies import balanced

        return balanced(self.labels(), fanout=fanout)

    def transactions(self) -> Transactions:
        """Return all rows at once, for data that fit in memory."""
        parts = list(self.batches(_BLOCK))
        sizes = [np.diff(indptr) for indptr, _ in parts]
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), *sizes]).cumsum()
        items = np.concatenate([np.zeros(0, dtype=np.int32), *(items for _, items in parts)])
        return Transactions(indptr, items, self.labels())

    def batches(self, batch_rows: int = 65_536) -> Iterator[Batch]:
        """Iterate over the rows, ``batch_rows`` at a time, as CSR arrays ``(indptr, items)``.

        The last batch may have fewer rows. Memory is that of one batch and one block, however many rows there are.
        """
        if batch_rows < 1:
            raise OptionError(f"Quest: batch_rows must be at least 1, got {batch_rows}.")
        sizes: list[Offsets] = []  # the sizes of rows in the incomplete batch
        items: list[Codes] = []
        waiting = 0
        for block in range(-(-self.rows // _BLOCK)):
            indptr, codes = self._block(block)
            n_rows = min(_BLOCK, self.rows - block * _BLOCK)  # blocks are complete, so that more rows append
            start, stop = 0, min(batch_rows - waiting, n_rows)
            while start < stop:
                sizes.append(np.diff(indptr[start : stop + 1]))
                items.append(codes[indptr[start] : indptr[stop]])
                waiting += stop - start
                if waiting == batch_rows:
                    yield _joined(sizes, items)
                    sizes, items, waiting = [], [], 0
                start, stop = stop, min(stop + batch_rows - waiting, n_rows)
        if waiting:
            yield _joined(sizes, items)

    @cached_property
    def pattern_table(self) -> Patterns:
        """Return the patterns of this seed."""
        rng = np.random.default_rng([self.seed, 0])
        chance = None  # of each item
        if self.skew:
            chance = rng.permutation(np.arange(1, self.items + 1, dtype=np.float64) ** -self.skew)
            chance /= chance.sum()
        sizes = np.clip(rng.poisson(self.mean_pattern, self.patterns), 1, self.items)
        shares = np.minimum(rng.exponential(self.correlation, self.patterns), 1.0)
        taken = np.rint(shares * sizes).astype(np.int64)
        patterns: list[list[int]] = []
        before: list[int] = []
        for size, old in zip(sizes.tolist(), taken.tolist(), strict=True):
            pattern = [before[i] for i in rng.permutation(len(before))[:old].tolist()]
            fresh = rng.choice(self.items, size, replace=False, p=chance).tolist()  # enough even with duplicates
            pattern += [item for item in fresh if item not in pattern][: size - len(pattern)]
            patterns.append(pattern)
            before = pattern
        weight = rng.exponential(1.0, self.patterns)
        return Patterns(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.concatenate(patterns).astype(np.int32),
            weight / weight.sum(),
            np.clip(rng.normal(self.corruption, self.corruption_sd, self.patterns), 0.0, _MOST_CORRUPT),
        )

    def _block(self, block: int) -> Batch:
        """Return the rows of one block."""
        rng = np.random.default_rng([self.seed, 1 + block])
        most = self.items if self.max_size == "none" else min(self.max_size, self.items)
        means: float | Floats = self.mean_size
        if self.tail:
            means = means * rng.lognormal(-(self.tail**2) / 2, self.tail, _BLOCK)
        targets = np.clip(rng.poisson(means, _BLOCK), 1, most)
        limit = most if self.max_size != "none" else 2**63 - 1
        picks, kept, rows = self._place(rng, targets.tolist(), limit)
        codes, pick_of = self._kept_items(rng, picks, kept)
        pairs = np.sort(rows[pick_of] * self.items + codes)
        pairs = pairs[np.diff(pairs, prepend=-1) > 0]  # faster than a sort in csr_from_pairs
        return csr_from_pairs(*np.divmod(pairs, self.items), _BLOCK)

    def _place(self, rng: np.random.Generator, targets: list[int], limit: int) -> tuple[Offsets, Offsets, Offsets]:
        """Return for each pick that is used its pattern, the number of items that it keeps, and its row."""
        table = self.pattern_table
        sizes = np.diff(table.indptr)
        cumulative = np.cumsum(table.weight)
        with np.errstate(divide="ignore"):
            log_corruption = np.log(table.corruption)  # -inf: never drops an item
        picks: list[Offsets] = []
        lengths: list[Offsets] = []
        row_of: list[int] = []
        last = len(targets)
        targets = [*targets, 0]
        row, room = 0, targets[0]
        while row < last:
            pick = np.searchsorted(cumulative[:-1], rng.random(_BLOCK), side="right")
            drop = np.floor(-rng.standard_exponential(_BLOCK) / log_corruption[pick])  # geometric: P(drop >= d) = c^d
            length = sizes[pick] - np.minimum(drop, sizes[pick]).astype(np.int64)
            anyway = rng.random(_BLOCK) < 0.5
            some = length > 0
            picks.append(pick[some])
            lengths.append(np.minimum(length[some], limit))
            # Each step depends on the previous one, so this is plain Python: a loop over lengths, 0.1 us a step.
            for size, squeeze in zip(lengths[-1].tolist(), anyway[some].tolist(), strict=True):
                if size > room:
                    used = targets[row] - room
                    if used and not (squeeze and used + size <= limit):
                        row += 1  # the row is complete; the pick goes to the next row, which is empty
                        if row == last:
                            break
                        room = targets[row]
                row_of.append(row)
                room -= size
                if room <= 0:
                    row += 1
                    if row == last:
                        break
                    room = targets[row]
        n = len(row_of)  # further picks are not used
        return np.concatenate(picks)[:n], np.concatenate(lengths)[:n], np.array(row_of, dtype=np.int64)

    def _kept_items(self, rng: np.random.Generator, picks: Offsets, kept: Offsets) -> tuple[Codes, Offsets]:
        """Return the items that the picks keep, chosen at random, and the pick of each item."""
        table = self.pattern_table
        sizes = np.diff(table.indptr)[picks]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        pick_of = row_ids(starts)
        rank = np.arange(len(pick_of)) - starts[pick_of]
        items = table.items[table.indptr[picks][pick_of] + rank]
        # One sort of (pick, random, item), packed in 63 bits, shuffles all picks. It is much faster than argsort.
        low = int(self.items).bit_length()
        middle = 63 - low - len(picks).bit_length()
        noise = rng.integers(0, 1 << middle, len(items))
        packed = np.sort((((pick_of << middle) | noise) << low) | items)
        chosen = rank < kept[pick_of]
        return (packed[chosen] & ((1 << low) - 1)).astype(np.int32), pick_of[chosen]


def _joined(sizes: list[Offsets], items: list[Codes]) -> Batch:
    """Join several pieces to one batch."""
    return np.concatenate([np.zeros(1, dtype=np.int64), *sizes]).cumsum(), np.concatenate(items)


_SHAPES = {
    # 515,597 x 1,657, mean 6.5, max 164; mean_size is below 6.5 because rows with target 1 often get a larger pattern.
    "bms-pos": Quest(
        rows=515_597, items=1_657, mean_size=6.0, mean_pattern=2.5, patterns=10_000, tail=0.95, max_size=164, skew=0.8
    ),
    "t10i4d100k": Quest(),
}
