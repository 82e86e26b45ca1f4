"""Synthetic records with columns and a set, by default shaped like the YouTube data of Poulis et al. 2013.

No real video is in it. The paper's data have 131,780 records with six columns (age, category, length, rate, #ratings,
#comments) and a set of related videos: 936 different items, 6.51 in a record on average, 37 at most. This generator
makes any number of such records:

* ``category`` is one of 15, some far more frequent than others. ``age`` is in days, and newer videos are more frequent.
  ``length`` is in seconds, lognormal around a length that is typical of the category, and at most about ten minutes
  (the limit at that time). ``ratings`` and ``comments`` are correlated lognormal counts. ``rate`` is the mean rating,
  and 0 if there is none.
* The size of a set is 1 plus a negative binomial number (shape 2), at most ``max_size``.
* Each item belongs to one topic: a category in one of three eras of age. Within a topic, and over all, popularity
  follows Zipf's law. A share of ``dependence`` of a record's items is drawn from the topic of its columns, the rest
  from all items. No item is drawn twice.

So records with similar columns have similar sets, depending on ``dependence``. If it is 0, the columns reveal nothing
about the sets.

Rows are generated in blocks of fixed size, each with its own random numbers. So equal options and seeds give equal
rows, and requesting more rows only appends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data import Dataset, Hierarchy, Table, Transactions
from shoal.data.arrays import Codes, Counts, Offsets, csr_from_pairs
from shoal.errors import OptionError
from shoal.options import Spec, option

Floats = npt.NDArray[np.float64]

CATEGORIES = (
    "music",
    "entertainment",
    "comedy",
    "people",
    "news",
    "sports",
    "film",
    "gaming",
    "howto",
    "animals",
    "autos",
    "travel",
    "education",
    "science",
    "nonprofits",
)
OLDEST, LONGEST, MOST_RATINGS, MOST_COMMENTS = 1_200, 660, 4_000, 3_000
ERAS = 3
_BLOCK = 16_384  # rows per block; changing it changes the data of every seed
_ROUNDS = 200  # the most draws for a place in a set
_SPREAD = 2  # shape of the negative binomial sizes


@dataclass(frozen=True)
class Videos(Spec):
    """A generator of records with columns and sets that depend on each other.

    >>> data = Videos(rows=100, seed=1).dataset()
    >>> data.table.names, len(data.transactions)
    (('age', 'category', 'length', 'rate', 'ratings', 'comments'), 100)
    """

    name = "videos"

    rows: int = option(131_780, low=1, help="number of records")
    items: int = option(936, low=1, high=1_000_000, help="number of different items")
    mean_size: float = option(6.51, low=1, help="mean number of items in a record")
    max_size: int = option(37, low=1, help="largest number of items in a record")
    dependence: float = option(0.7, low=0, high=0.95, help="share of the items that depend on the columns")
    skew: float = option(0.8, low=0, high=3, help="Zipf exponent of item popularity; 0 gives equal chances")
    seed: int = option(0, low=0, help="equal seeds and options give equal data")

    def __post_init__(self) -> None:
        """Refuse sizes that contradict each other."""
        super().__post_init__()
        if not self.mean_size <= self.max_size <= self.items:
            raise OptionError(
                f"videos: wanted mean_size <= max_size <= items, got {self.mean_size:g}, {self.max_size} and "
                f"{self.items}."
            )

    def labels(self) -> tuple[str, ...]:
        """Return the labels of all items, "v0" to "v935", even if they occur in no record."""
        return tuple(f"v{code}" for code in range(self.items))

    def hierarchy(self, fanout: int = 5) -> Hierarchy:
        """Return a balanced hierarchy over all items. Neighbours share their topic."""
        from shoal.hierarchies import balanced

        return balanced(self.labels(), fanout=fanout)

    def dataset(self) -> Dataset:
        """Return the records."""
        import pyarrow as pa

        parts = list(self.blocks())
        columns = {name: np.concatenate([part[0][name] for part in parts]) for name in parts[0][0]}
        categories = pa.DictionaryArray.from_arrays(pa.array(columns["category"]), CATEGORIES)
        arrays = {**columns, "category": categories.cast(pa.string())}
        indptr = np.concatenate([[0], *(np.diff(part[1]) for part in parts)]).cumsum()
        rows = Transactions(indptr, np.concatenate([part[2] for part in parts]), self.labels())
        return Dataset(rows, Table(pa.table(arrays)))

    def blocks(self) -> Iterator[tuple[dict[str, npt.NDArray[Any]], Offsets, Codes]]:
        """Iterate over columns and sets, block by block.

        Blocks are always generated completely, so that more rows append.
        """
        for block in range(-(-self.rows // _BLOCK)):
            rng = np.random.default_rng([self.seed, 1 + block])
            kept = min(_BLOCK, self.rows - block * _BLOCK)
            columns = _columns(rng)
            indptr, items = self._sets(rng, columns["category"] * ERAS + columns["age"] * ERAS // (OLDEST + 1))
            yield (
                {name: values[:kept] for name, values in columns.items()},
                indptr[: kept + 1],
                items[: indptr[kept]],
            )

    @cached_property
    def _popularity(self) -> tuple[Counts, Floats, Floats]:
        """Return the first item of each topic, and cumulated chances of items within topics and overall."""
        rng = np.random.default_rng([self.seed, 0])
        topics = len(CATEGORIES) * ERAS
        starts = np.arange(topics + 1) * self.items // topics
        chance = np.arange(1, self.items + 1, dtype=np.float64) ** -self.skew
        overall = np.cumsum(rng.permutation(chance))
        within = np.zeros(self.items)
        for first, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            within[first:stop] = rng.permutation(chance[: stop - first])
        return starts, np.cumsum(within), overall / overall[-1]

    def _sets(self, rng: np.random.Generator, topic: Counts) -> tuple[Offsets, Codes]:
        """Return the sets of a block. Duplicate items are drawn again."""
        starts, within, overall = self._popularity
        extra = self.mean_size - 1
        sizes = 1 + rng.negative_binomial(_SPREAD, _SPREAD / (_SPREAD + extra), _BLOCK)
        missing = np.minimum(sizes, self.max_size)
        sums = np.concatenate([[0.0], within])
        first, last = sums[starts[topic]], sums[starts[topic + 1]]
        pairs = np.zeros(0, dtype=np.int64)  # row * items + item, ascending
        for _ in range(_ROUNDS):
            rows = np.repeat(np.arange(_BLOCK), missing)
            if not len(rows):
                break
            own = (rng.random(len(rows)) < self.dependence) & (last > first)[rows]
            at = rng.random(len(rows))
            near = np.searchsorted(within, first[rows] + at * (last - first)[rows], side="right")
            far = np.searchsorted(overall, at, side="right")
            drawn = np.minimum(np.where(own, near, far), self.items - 1)
            pairs = np.concatenate([pairs, rows * self.items + drawn])
            pairs.sort()
            pairs = pairs[np.diff(pairs, prepend=-1) > 0]
            missing = np.minimum(sizes, self.max_size) - np.bincount(pairs // self.items, minlength=_BLOCK)
        return csr_from_pairs(*np.divmod(pairs, self.items), _BLOCK)


def _columns(rng: np.random.Generator) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of a block, with categories as codes."""
    weight = np.arange(1, len(CATEGORIES) + 1, dtype=np.float64) ** -0.7
    category = rng.choice(len(CATEGORIES), _BLOCK, p=weight / weight.sum())
    age = 1 + np.floor(OLDEST * rng.beta(1.2, 1.8, _BLOCK)).astype(np.int64).clip(0, OLDEST - 1)
    typical = 120 + 240 * ((category * 7) % len(CATEGORIES)) / len(CATEGORIES)
    length = np.rint(typical * rng.lognormal(0.0, 0.5, _BLOCK)).clip(5, LONGEST)
    fame = rng.lognormal(3.0 + age / OLDEST, 1.4, _BLOCK)
    ratings = np.floor(fame).clip(0, MOST_RATINGS)
    comments = np.floor(fame * rng.lognormal(-0.5, 0.6, _BLOCK)).clip(0, MOST_COMMENTS)
    rate = np.rint(100 * (1 + 4 * rng.beta(5.0, 1.6, _BLOCK))) / 100
    return {
        "age": age,
        "category": category,
        "length": length.astype(np.int64),
        "rate": np.where(ratings > 0, rate, 0.0),
        "ratings": ratings.astype(np.int64),
        "comments": comments.astype(np.int64),
    }
