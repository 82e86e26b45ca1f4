"""What a reader of published data sees of sets of original items: the labels under which each set appears.

In a record, an item is behind the smallest label that covers it. The *image* of a set in a record are the labels that
its items are behind. Only published data are looked at, so it does not matter in which order the records are.

If no item has two labels, a set has one image, and a kernel counts it. Otherwise records are compared part by part.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, row_ids
from shoal.engines import Engine, current
from shoal.metrics.top_sets import ItemSet, supports_of
from shoal.published import Published

_CELLS = 1 << 22  # items times records that are compared at once
_MOST_KEY = 2**62
_EXPONENT = 1000  # 2 to the power of this is as good as infinite

Image = tuple[int, ...]  # for each item of a set, the code of the label that it is behind


@dataclass(frozen=True, eq=False)
class Images:
    """The images of one set of items, and how many published records show each."""

    counts: Mapping[Image, int]
    sizes: Counts  # the number of items that each label covers

    @cached_property
    def most(self) -> int:
        """The number of records that may hold the set: each of its items is behind some label."""
        return sum(self.counts.values())

    @cached_property
    def least(self) -> int:
        """The number of records that show all items of the set as themselves."""
        return sum(count for image, count in self.counts.items() if all(self.sizes[code] == 1 for code in image))

    @cached_property
    def apart(self) -> dict[Image, int]:
        """The images that have a label for each item, with their number of records."""
        return {image: count for image, count in self.counts.items() if len(set(image)) == len(image)}

    @cached_property
    def typical(self) -> Image:
        """The most frequent image that has a label for each item. Empty: there is none."""
        return min(self.apart, key=lambda image: (-self.apart[image], image), default=())

    @cached_property
    def expected(self) -> float:
        """The expected number of records that hold the set, if all originals of a record are equally likely.

        A label over n items may be any non-empty set of them. So it holds j given ones with a probability of
        2^(n-j) / (2^n - 1).
        """
        return math.fsum(count * self._chance(image) for image, count in sorted(self.counts.items()))

    def _chance(self, image: Image) -> float:
        """Return the probability that a record with this image holds the set."""
        chance = 1.0
        for code, items in sorted(Counter(image).items()):
            chance *= math.ldexp(1 / (1 - math.ldexp(1.0, -min(int(self.sizes[code]), _EXPONENT))), -items)
        return chance


def images_of(published: Published, sets: Sequence[ItemSet], engine: Engine | None = None) -> list[Images]:
    """Return the images of sets of original items in published records.

    >>> from shoal.data.hierarchy import Hierarchy
    >>> from shoal.data.transactions import Transactions
    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "b": []}})
    >>> p = Published.resolve(Transactions.from_sets([["A", "b"], ["A"], ["a1", "b"]]), h)
    >>> [images] = images_of(p, [(0, 2)])  # a1 and b
    >>> sorted([p.rows.labels[code] for code in image] for image in images.counts), images.least, images.most
    ([['A', 'b'], ['a1', 'b']], 1, 2)
    >>> images.expected  # A is a1, a2 or both
    1.666...
    """
    engine = engine or current()
    counts = _by_label(published, sets, engine) if published.exclusive else _by_record(published, sets, engine)
    return [Images(one, published.cover_sizes) for one in counts]


def _by_label(published: Published, sets: Sequence[ItemSet], engine: Engine) -> list[dict[Image, int]]:
    """Count the images if no item is behind two labels."""
    label_of = np.full(published.n_items, -1, dtype=np.int64)
    label_of[published.cover_items] = row_ids(published.cover_indptr)
    images = [tuple(label_of[list(one)].tolist()) for one in sets]
    shown = sorted({tuple(sorted(set(image))) for image in images if min(image, default=0) >= 0})
    supports = dict(zip(shown, supports_of(published.rows, shown, engine), strict=True))
    counted = ((image, supports.get(tuple(sorted(set(image))), 0)) for image in images)
    return [{image: count} if count else {} for image, count in counted]


def _by_record(published: Published, sets: Sequence[ItemSet], engine: Engine) -> list[dict[Image, int]]:
    """Count the images if an item may be behind several labels."""
    seen = _Seen.of(published, sorted({item for one in sets for item in one}))
    total: list[Counter[Image]] = [Counter() for _ in sets]
    places = [[seen.place[item] for item in one] for one in sets]
    for counts in engine.over("reading sets", lambda part, _: list(seen.count(part, places)), published):
        for one, more in zip(total, counts, strict=True):
            one.update(more)
    return [dict(one) for one in total]


@dataclass(frozen=True, eq=False)
class _Seen:
    """The items that are looked for, and the labels that cover them."""

    place: dict[int, int]  # of each item that is looked for
    labels: Codes  # all that cover one of them, the smallest first (the first of equal ones)
    indptr: Counts  # label at rank r covers the items at covered[indptr[r]:indptr[r + 1]]
    covered: Counts
    rank: Codes  # of each label; -1: it covers none of the items

    @classmethod
    def of(cls, published: Published, items: Sequence[int]) -> _Seen:
        """Find the labels that cover some of the items."""
        place = {item: at for at, item in enumerate(items)}
        at = np.full(published.n_items, -1, dtype=np.int64)
        at[items] = np.arange(len(items))
        places, owners = at[published.cover_items], row_ids(published.cover_indptr)
        places, owners = places[places >= 0], owners[places >= 0]
        labels = np.unique(owners)
        labels = labels[np.lexsort((labels, published.cover_sizes[labels]))]
        rank = np.full(len(published.cover_sizes), -1, dtype=np.int32)
        rank[labels] = np.arange(len(labels), dtype=np.int32)
        order = np.argsort(rank[owners], kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rank[owners], minlength=len(labels)))])
        return cls(place, labels.astype(np.int32), indptr.astype(np.int64), places[order], rank)

    def count(self, part: Published, sets: Sequence[Sequence[int]]) -> Iterator[dict[Image, int]]:
        """Yield the images of each set in some of the records."""
        total: list[Counter[Image]] = [Counter() for _ in sets]
        step = max(1, _CELLS // max(1, len(self.place)))
        for start in range(0, len(part), step):
            behind = self._behind(part.part(start, min(start + step, len(part))))
            for places, counts in zip(sets, total, strict=True):
                counts.update(self._images(behind[places]))
        yield from total

    def _behind(self, part: Published) -> Codes:
        """Return for each item and record the rank of the label that the item is behind, or -1."""
        ranks = self.rank[part.rows.items]
        records = row_ids(part.rows.indptr)[ranks >= 0]
        ranks = ranks[ranks >= 0]
        order = np.argsort(-ranks, kind="stable")  # the smallest label of a record comes last and stays
        records, ranks = records[order], ranks[order]
        sizes = self.indptr[ranks + 1] - self.indptr[ranks]
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.indptr[ranks] - (ends - sizes), sizes)
        behind = np.full((len(self.place), len(part)), -1, dtype=np.int32)
        behind[self.covered[at], np.repeat(records, sizes)] = np.repeat(ranks, sizes)
        return behind

    def _images(self, behind: Codes) -> dict[Image, int]:
        """Count the different columns that are behind labels in all lines."""
        behind = behind[:, (behind >= 0).all(axis=0)].astype(np.int64)
        if not behind.size:
            return {}
        key, codes = np.zeros(behind.shape[1], dtype=np.int64), len(self.labels)
        limit = 1
        for line in behind:
            if limit * codes >= _MOST_KEY:  # number the keys that occur, so that the next ones fit
                _, key = np.unique(key, return_inverse=True)
                limit = len(key)
            key, limit = key * codes + line, limit * codes
        _, first, counts = np.unique(key, return_index=True, return_counts=True)
        images = self.labels[behind[:, first]].T.tolist()
        return {tuple(image): count for image, count in zip(images, counts.tolist(), strict=True)}
