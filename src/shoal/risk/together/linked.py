"""For intruders who know which records of several releases belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, csr_from_pairs, row_ids
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import DataError
from shoal.models.base import Demand, PrivacyModel
from shoal.published import Published
from shoal.risk.crowds import Crowds
from shoal.risk.facts import Facts
from shoal.risk.figure import Figure
from shoal.risk.together.findings import Group
from shoal.risk.together.joined import Joined
from shoal.risk.together.view import View

Keys = npt.NDArray[np.generic]  # of the records of a release: equal keys are the same record


def linked(
    views: Sequence[View], keys: Sequence[Keys], model: PrivacyModel, *, seed: int = 0, engine: Engine = LOCAL
) -> list[Group]:
    """Return what is learned of the records that are in the same releases, for each combination of releases.

    Whoever links records also sees in which releases a record is. So a target hides only among the records that are in
    the same releases.

    Parameters
    ----------
    views
        The releases.
    keys
        For each release a key for each record. Records with the same key are the same record. No release may have a key
        twice.
    model
        The guarantee.
    seed
        The seed of random draws.
    engine
        Where the work is done.

    Examples
    --------
    >>> import shoal
    >>> from shoal.risk.together.view import Source, views_of
    >>> one = Published.plain(Transactions.from_sets([["ale or tea"]] * 4))
    >>> other = Published.plain(Transactions.from_sets([["tea or rye"]] * 2 + [["ale"]] * 2))
    >>> cups = {"ale or tea": ["ale", "tea"], "tea or rye": ["tea", "rye"]}
    >>> groups = linked(views_of([Source("jan", one, cups.get), Source("feb", other, cups.get)]), [np.arange(4)] * 2,
    ...                 shoal.Km(k=3, m=1))
    >>> [(group.releases, group.holds, group.crowd.value, group.recovered_alone, group.recovered) for group in groups]
    [(('jan', 'feb'), False, 2, 2, 4)]
    """
    return [
        _group(some, model, changed, seed, engine, together=True)
        for some, changed in _same_records(views, keys)
        if len(some[0]) or changed
    ]


def linked_persons(
    views: Sequence[View], keys: Sequence[Keys], model: PrivacyModel, *, seed: int = 0, engine: Engine = LOCAL
) -> list[Group]:
    """Return the same, where records with the same key are different records of the same person.

    All records of a key are put together, and a known item is one of a certain release.
    """
    groups = []
    for some, _ in _by_key(views, [np.unique(key, return_inverse=True) for key in keys]):
        groups.append(_group(some, model, 0, seed, engine, together=False))
    return groups


def _same_records(views: Sequence[View], keys: Sequence[Keys]) -> Iterator[tuple[list[View], int]]:
    """Yield the releases of each combination, with only the records that are in these, in the same order.

    With each combination, the number of records that are left out because their labels contradict each other.
    """
    found = [np.unique(key, return_index=True) for key in keys]
    for view, key, (known, _) in zip(views, keys, found, strict=True):
        if len(known) < len(key):
            raise DataError(f"{view.name} has records with the same key: they cannot be linked as the same record.")
    for some, rows in _combinations(views, [known for known, _ in found]):
        taken = [view.take(found[at][1][places]) for at, view, places in zip(some, _of(views, some), rows, strict=True)]
        fits = Joined.of(taken).fits
        changed = int(np.count_nonzero(~fits))
        yield ([view.take(np.flatnonzero(fits)) for view in taken] if changed else taken), changed


def _by_key(
    views: Sequence[View], found: Sequence[tuple[Keys, npt.NDArray[np.intp]]]
) -> Iterator[tuple[list[View], int]]:
    """Yield the releases of each combination, with one record for each key that is in these."""
    unions = [_united(view, key_of, len(known)) for view, (known, key_of) in zip(views, found, strict=True)]
    for some, rows in _combinations(views, [known for known, _ in found]):
        yield [unions[at].take(places) for at, places in zip(some, rows, strict=True)], 0


def _combinations(views: Sequence[View], known: Sequence[Keys]) -> Iterator[tuple[list[int], list[Counts]]]:
    """Yield each combination of releases that some key has: the releases, and the places of these keys in each."""
    every = np.unique(np.concatenate(known))
    place = np.full((len(views), len(every)), -1, dtype=np.int64)
    for at, own in enumerate(known):
        place[at, np.searchsorted(every, own)] = np.arange(len(own))
    there = place >= 0
    for pattern in np.unique(there, axis=1).T[::-1]:
        which = np.flatnonzero((there == pattern[:, None]).all(axis=0))
        some = np.flatnonzero(pattern).tolist()
        yield some, [place[at, which] for at in some]


def _of(views: Sequence[View], some: Sequence[int]) -> list[View]:
    """Return some of the releases."""
    return [views[at] for at in some]


def _united(view: View, key_of: npt.NDArray[np.intp], keys: int) -> View:
    """Return one record for each key: the union of its records."""
    rows = Transactions(*csr_from_pairs(key_of[row_ids(view.rows.indptr)], view.rows.items, keys), view.rows.labels)
    persons = view.persons
    if persons is not None:
        own = np.zeros(keys, dtype=np.int32)
        own[key_of] = persons.of
        rows = rows.of_persons(replace(persons, of=own))
    return replace(view, published=replace(view.published, rows=rows, sensitive=None))


def _group(
    views: Sequence[View], model: PrivacyModel, changed: int, seed: int, engine: Engine, *, together: bool
) -> Group:
    """Return what is learned of records that are in all of these releases."""
    if together:
        joined = Joined.of(views)
        published = joined.published(views)
        alone = np.zeros(len(joined.rows), dtype=np.bool_)
        for view in views:
            alone |= Joined.of([view]).recovered
        recovered = (int(alone.sum()), int(joined.recovered.sum()))
    else:
        published = Published.plain(side_by_side(views))
    persons = published.rows.persons
    crowd, below = crowd_figures(published, model, seed, engine)
    return Group(
        releases=tuple(view.name for view in views),
        records=len(published),
        persons=None if persons is None else persons.count(),
        verdict=model.verify(published, engine),
        crowd=crowd,
        below=below,
        changed=changed,
        recovered_alone=recovered[0] if together else None,
        recovered=recovered[1] if together else None,
    )


def crowd_figures(
    published: Published, model: PrivacyModel, seed: int, engine: Engine
) -> tuple[Figure | None, Figure | None]:
    """Return the smallest crowd and the share of records with a crowd below k, or None if the model has no crowds."""
    demand = demand_of(model, published.rows)
    if demand is None or demand.k < 2 or not published.rows.longest:
        return None, None
    known = min(demand.known, published.rows.longest)
    crowds = Crowds(Facts.of(published), False, (known,), None, seed, engine)
    return crowds.smallest(known), crowds.worst(known).share_above(1 / demand.k)


def demand_of(model: PrivacyModel, rows: Transactions) -> Demand | None:
    """Return what a model requires of sets of items, if it only counts records that hold them."""
    return None if model.about_learning or model.about_holders else model.demand(rows)


def side_by_side(views: Sequence[View]) -> Transactions:
    """Return records with the labels of all releases. Each label names its release.

    >>> from shoal.risk.together.view import Source, views_of
    >>> months = [Source(name, Published.plain(Transactions.from_sets([["tea"]])), {}.get) for name in ("jan", "feb")]
    >>> side_by_side(views_of(months)).sets() == [{"jan: tea", "feb: tea"}]
    True
    """
    labels = [f"{view.name}: {label}" for view in views for label in view.rows.labels]
    first = np.cumsum([0, *(len(view.rows.labels) for view in views)])
    rows = np.concatenate([row_ids(view.rows.indptr) for view in views])
    items = np.concatenate([view.rows.items + np.int32(start) for view, start in zip(views, first, strict=False)])
    persons: Persons | None = views[0].persons
    return Transactions(*csr_from_pairs(rows, items, len(views[0])), tuple(labels), persons)
