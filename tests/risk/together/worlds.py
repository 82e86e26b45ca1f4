"""Small releases of the same records, and every original that they may come from: the obvious way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from hypothesis import strategies as st

from shoal.data.transactions import Transactions
from shoal.published import Published
from shoal.risk.together import Source, View, views_of

ITEMS = "abcde"


@dataclass(frozen=True)
class World:
    """Releases: how each groups the items (None: removed), and the originals of its records."""

    labels: tuple[dict[str, str | None], ...]
    originals: tuple[tuple[frozenset[str], ...], ...]

    def image(self, at: int, original: frozenset[str]) -> frozenset[str]:
        """What a release publishes of a record."""
        return frozenset(label for item in original if (label := self.labels[at][item]) is not None)

    def published(self, at: int) -> list[frozenset[str]]:
        """The records of a release."""
        return [self.image(at, original) for original in self.originals[at]]

    def possible(self, rows: Sequence[frozenset[str]]) -> list[frozenset[str]]:
        """The originals that are published as these, one for each release, however many releases there are."""
        return [one for one in subsets(ITEMS) if all(self.image(at, one) == row for at, row in enumerate(rows))]

    @property
    def always_removed(self) -> frozenset[str]:
        """The items that no release publishes."""
        return frozenset(item for item in ITEMS if all(labels[item] is None for labels in self.labels))

    def views(self) -> list[View]:
        """The releases as the code sees them."""
        return views_of(self.source(at) for at in range(len(self.labels)))

    def source(self, at: int) -> Source:
        """A release."""
        covers: dict[str, list[str]] = {}
        for item, label in self.labels[at].items():
            if label is not None:
                covers.setdefault(label, []).append(item)
        rows = Published.plain(Transactions.from_sets(self.published(at)))
        return Source(f"r{at}", rows, covers.get, [item for item, label in self.labels[at].items() if label is None])


def subsets(items: Sequence[str] | frozenset[str], most: int = 99) -> list[frozenset[str]]:
    """All sets of at most so many of the items."""
    sizes = range(min(len(items), most) + 1)
    return [frozenset(some) for some in chain.from_iterable(combinations(sorted(items), size) for size in sizes)]


def groupings() -> st.SearchStrategy[dict[str, str | None]]:
    """Ways to group the items, or to remove some."""
    named = st.lists(st.sampled_from(["A", "B", "C", "D", None]), min_size=len(ITEMS), max_size=len(ITEMS))
    return named.map(lambda names: dict(zip(ITEMS, names, strict=True)))


def records(most: int = 8) -> st.SearchStrategy[tuple[frozenset[str], ...]]:
    """Some records."""
    return st.lists(st.frozensets(st.sampled_from(ITEMS), max_size=4), min_size=1, max_size=most).map(tuple)


@st.composite
def worlds(draw: st.DrawFn, releases: int = 0, *, same: bool = False) -> World:
    """Releases whose rows are the same records, or, without ``same``, partly other ones."""
    number = releases or draw(st.integers(2, 3))
    labels = tuple(draw(groupings()) for _ in range(number))
    first = draw(records())
    others = [
        first if same else tuple(draw(st.sampled_from([one, *first])) for one in first) for _ in range(number - 1)
    ]
    return World(labels, (first, *others))
