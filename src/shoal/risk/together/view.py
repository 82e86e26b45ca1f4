"""One release of several, as a reader sees it who has them all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.data.labels import canonical_order
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.published import Published
from shoal.risk.together.overlap import Covers

REMOVED = "(removed)"  # stands for the items that a release leaves out


@dataclass(frozen=True, eq=False)
class View:
    """One release of several.

    Parameters
    ----------
    name : str
        The name of the release.
    published : Published
        Its records. The items of their labels are numbered as in all other views.
    covers : Covers
        The items that each label represents.
    removed : array
        The items that the release leaves out. Every record may hold them.

    Examples
    --------
    >>> jan = Source("jan", Published.plain(Transactions.from_sets([["drinks"]])), {"drinks": ["tea", "ale"]}.get)
    >>> feb = Source("feb", Published.plain(Transactions.from_sets([["tea"]])), lambda label: [label], removed=["rye"])
    >>> one, other = views_of([jan, feb])
    >>> one.published.items, one.covers.items.tolist(), other.covers.items.tolist(), other.removed.tolist()
    (('ale', 'rye', 'tea'), [0, 2], [2], [1])
    """

    name: str
    published: Published
    covers: Covers
    removed: Codes

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.published)

    @property
    def rows(self) -> Transactions:
        """The records as sets of labels."""
        return self.published.rows

    @property
    def persons(self) -> Persons | None:
        """The persons of the records, if they are known."""
        return self.rows.persons

    def take(self, rows: Counts) -> View:
        """Return some of the records, in the given order."""
        view, persons = self.published, self.persons
        sensitive = view.sensitive and view.sensitive.take(rows)
        own = view.rows.take(rows).of_persons(persons and persons.take(rows))
        return replace(self, published=replace(view, rows=own, sensitive=sensitive))

    @property
    def with_removed(self) -> View:
        """The same with one more label in every record, for the items that the release leaves out, if there are any."""
        if not len(self.removed):
            return self
        rows, code = self.rows, np.int32(len(self.rows.labels))
        ends = rows.indptr + np.arange(len(rows) + 1)
        items = np.insert(rows.items, rows.indptr[1:], code)
        more = Transactions(ends, items, (*rows.labels, REMOVED), rows.persons)
        covers = self.covers.adding(self.removed)
        published = replace(self.published, rows=more, cover_indptr=covers.indptr, cover_items=covers.items)
        return replace(self, published=published, covers=covers)


@dataclass(frozen=True)
class Source:
    """A release before its items are numbered.

    Parameters
    ----------
    name : str
        Its name.
    published : Published
        Its records.
    items_of : callable
        Returns the items that a label represents, or None if the label is an item.
    removed : collection of str
        The items that it leaves out.
    """

    name: str
    published: Published
    items_of: Callable[[str], Sequence[str] | None]
    removed: Collection[str] = ()

    def items(self) -> list[Sequence[str]]:
        """Return the items of each label."""
        return [self.items_of(label) or (label,) for label in self.published.rows.labels]


def views_of(sources: Iterable[Source]) -> list[View]:
    """Return views of some releases, with their items numbered alike."""
    given = [(one, one.items()) for one in sources]
    every = {item for one, listed in given for some in (*listed, one.removed) for item in some}
    items = canonical_order(every)
    number = {item: at for at, item in enumerate(items)}
    views = []
    for one, listed in given:
        covers = Covers.of_lists([_codes(some, number) for some in listed])
        published = Published(
            one.published.rows, covers.indptr, covers.items, tuple(items), sensitive=one.published.sensitive
        )
        views.append(View(one.name, published, covers, _codes(one.removed, number)))
    return views


def _codes(items: Iterable[str], number: dict[str, int]) -> Codes:
    """Return the sorted numbers of some items."""
    return np.array(sorted(number[item] for item in items), dtype=np.int32)
