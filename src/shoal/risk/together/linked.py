"""For intruders who know which records of several releases belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations as pairs

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, csr_from_pairs, row_ids
from shoal.data.labels import canonical_order
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import DataError
from shoal.models.base import Demand, PrivacyModel, Verdict
from shoal.published import Published
from shoal.risk.crowds import Crowds
from shoal.risk.facts import Facts
from shoal.risk.figure import Figure
from shoal.risk.together.findings import Group
from shoal.risk.together.joined import Joined, whose
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
    parts = [part for part in _same_records(views, keys) if len(part.views[0])]
    return [_group(one.views, model, seed, engine, changed=one.changed, together=one.together) for one in parts]


def linked_persons(
    views: Sequence[View], keys: Sequence[Keys], model: PrivacyModel, *, seed: int = 0, engine: Engine = LOCAL
) -> list[Group]:
    """Return the same, where records with the same key are different records of the same person.

    All records of a key are put together, and a known item is one of a certain release.
    """
    found = [np.unique(key, return_inverse=True) for key in keys]
    unions = [_united(view, key_of, len(known)) for view, (known, key_of) in zip(views, found, strict=True)]
    combinations = _combinations([known for known, _ in found])
    groups = [[unions[at].take(rows) for at, rows in zip(some, places, strict=True)] for some, places in combinations]
    return [_group(some, model, seed, engine, together=False) for some in groups]


@dataclass(frozen=True, eq=False)
class _Part:
    """Some records of all of these releases, in the same order."""

    views: list[View]
    changed: bool = False
    together: bool = True  # whether an item that somebody knows is one of all releases


def _same_records(views: Sequence[View], keys: Sequence[Keys]) -> Iterator[_Part]:
    """Yield the records of each combination of releases, without those of other releases.

    Records whose labels contradict each other were changed. They are yielded apart, by the pairs of releases that
    contradict each other, with the labels of all releases side by side.
    """
    found = [np.unique(key, return_index=True) for key in keys]
    for view, key, (known, _) in zip(views, keys, found, strict=True):
        if len(known) < len(key):
            raise DataError(f"{view.name} has records with the same key: they cannot be linked as the same record.")
    for some, places in _combinations([known for known, _ in found]):
        taken = [views[at].take(found[at][1][rows]) for at, rows in zip(some, places, strict=True)]
        fits = Joined.of(taken).fits
        yield _Part([view.take(np.flatnonzero(fits)) for view in taken])
        if not fits.all():
            yield from _changed([view.take(np.flatnonzero(~fits)) for view in taken])


def _changed(views: list[View]) -> Iterator[_Part]:
    """Yield records that changed by the pairs of releases that contradict each other."""
    contradictions = np.stack([~Joined.of(pair).fits for pair in pairs(views, 2)])
    for pattern in np.unique(contradictions, axis=1).T:
        rows = np.flatnonzero((contradictions == pattern[:, None]).all(axis=0))
        some = [view.take(rows) for view in views]
        yield _Part(some, changed=True, together=False)
        for pair, apart in zip(pairs(some, 2), pattern.tolist(), strict=True):
            if not apart:
                yield _Part(list(pair), changed=True)


def _combinations(known: Sequence[Keys]) -> Iterator[tuple[list[int], list[Counts]]]:
    """Yield each combination of releases that some key has: the releases, and the places of these keys in each."""
    every = np.unique(np.concatenate(known))
    place = np.full((len(known), len(every)), -1, dtype=np.int64)
    for at, own in enumerate(known):
        place[at, np.searchsorted(every, own)] = np.arange(len(own))
    there = place >= 0
    for pattern in np.unique(there, axis=1).T[::-1]:
        which = np.flatnonzero((there == pattern[:, None]).all(axis=0))
        some = np.flatnonzero(pattern).tolist()
        yield some, [place[at, which] for at in some]


def _united(view: View, key_of: npt.NDArray[np.intp], keys: int) -> View:
    """Return one record for each key: the union of its records."""

    def union(rows: Transactions) -> Transactions:
        return Transactions(*csr_from_pairs(key_of[row_ids(rows.indptr)], rows.items, keys), rows.labels)

    rows, persons, hidden = union(view.rows), view.persons, view.published.sensitive
    if persons is not None:
        own = np.zeros(keys, dtype=np.int32)
        own[key_of] = persons.of
        rows = rows.of_persons(replace(persons, of=own))
    if hidden is not None:
        hidden = replace(hidden, values=union(hidden.values), items=union(hidden.items))
    return replace(view, published=replace(view.published, rows=rows, sensitive=hidden))


def _group(
    views: Sequence[View],
    model: PrivacyModel,
    seed: int,
    engine: Engine,
    *,
    changed: bool = False,
    together: bool = True,
) -> Group:
    """Return what is learned of records that are in all of these releases."""
    recovered: tuple[int, int] | tuple[None, None] = (None, None)
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
        verdict=_verified(published, views, model, engine),
        crowd=crowd,
        below=below,
        changed=changed,
        enough=published.rows.count_persons() >= (model.values().get("k") or 1),
        recovered_alone=recovered[0],
        recovered=recovered[1],
    )


def _verified(published: Published, views: Sequence[View], model: PrivacyModel, engine: Engine) -> Verdict:
    """Verify joined records with the sensitive values of each release, and with all of them. Return the worst."""
    hidden = [view.published.sensitive for view in views if view.published.sensitive is not None]
    if len(hidden) > 1:
        values, items = _added([one.values for one in hidden]), _added([one.items for one in hidden])
        hidden.append(replace(hidden[0], values=values, items=items))
    versions = [replace(published, sensitive=one) for one in hidden] or [published]
    verdicts = [model.verify(one, engine) for one in versions]
    return next((verdict for verdict in verdicts if not verdict.holds), verdicts[-1])


def _added(lists: Sequence[Transactions]) -> Transactions:
    """Return the union of the rows of lists of equal length.

    >>> _added([Transactions.from_sets([["a"], []]), Transactions.from_sets([["a"], ["b"]])]).sets()
    [frozenset({'a'}), frozenset({'b'})]
    """
    labels = canonical_order({label for rows in lists for label in rows.labels})
    place = {label: code for code, label in enumerate(labels)}
    codes = [np.array([place[label] for label in rows.labels], dtype=np.int32)[rows.items] for rows in lists]
    row_of = [row_ids(rows.indptr) for rows in lists]
    return Transactions(*csr_from_pairs(np.concatenate(row_of), np.concatenate(codes), len(lists[0])), tuple(labels))


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
    return Transactions(*csr_from_pairs(rows, items, len(views[0])), tuple(labels), whose(views))
