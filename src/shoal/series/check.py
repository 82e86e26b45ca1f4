"""What can be learned by putting the releases of a series together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.release.saved_recoding import SavedRecoding
from shoal.risk.figure import Figure
from shoal.risk.together import Group, Matched, Source, View, linked, linked_persons, matched, views_of
from shoal.risk.together.joined import Joined
from shoal.risk.together.linked import crowd_figures
from shoal.risk.together.pairing import Pairing
from shoal.series.ids import Ids
from shoal.series.relations import Relation, relation
from shoal.series.stored import Stored

SHARED = 0.5  # share of ids from which on two releases surely hold the same records
Keys = Sequence[Any]  # one array of keys for each release


@dataclass(frozen=True, eq=False)
class Member:
    """A release that is looked at."""

    source: Source
    ids: Ids
    recoding: SavedRecoding
    stated_new: bool = False
    texts: Callable[[str], Sequence[str]] | None = None  # returns the values of a published column

    @property
    def name(self) -> str:
        """Its name."""
        return self.source.name


def member_of(stored: Stored) -> Member:
    """Return a release that was published before."""
    return Member(stored.source, stored.ids, stored.recoding, stored.entry.stated_new, stored.texts)


@dataclass(frozen=True)
class Alone:
    """A release by itself.

    Parameters
    ----------
    name : str
        Its name.
    records : int
        How many records it has.
    persons : int or None
        How many persons are behind them, if they are known.
    holds : bool
        Whether the guarantee holds.
    crowd : Figure or None
        The smallest crowd, for somebody who knows as many items as the guarantee assumes.
    recovered : int
        How many records show all their items.
    """

    name: str
    records: int
    persons: int | None
    holds: bool
    crowd: Figure | None
    recovered: int

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {**vars(self), "crowd": self.crowd and self.crowd.as_dict()}


@dataclass(frozen=True)
class Linked:
    """Several releases, for somebody who knows which records belong together.

    Parameters
    ----------
    by : str
        How the records are linked: ``"record ids"``, ``"position"``, or the names of columns.
    persons : bool
        Whether records with the same key are several records of a person, not the same record.
    groups : tuple of Group
        The records by the releases that they are in.
    """

    by: str
    persons: bool
    groups: tuple[Group, ...]

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds for all records."""
        return all(group.holds for group in self.groups)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        groups = [group.as_dict() for group in self.groups]
        return {"by": self.by, "persons": self.persons, "holds": self.holds, "groups": groups}


@dataclass(frozen=True)
class SeriesCheck:
    """What can be learned by putting the releases of a series together. It is true if the promise holds.

    Parameters
    ----------
    model : PrivacyModel
        The guarantee.
    promise : str
        The guarantee as a sentence.
    releases : tuple of Alone
        Each release by itself.
    linked : tuple of Linked
        What is learned by linking records.
    matched : tuple of Matched
        What is learned of two releases whose records cannot be linked, but compared.
    relations : tuple of Relation
        For each pair of releases, whether they hold the same records. Only those that do are put together.
    """

    model: PrivacyModel
    promise: str
    releases: tuple[Alone, ...]
    linked: tuple[Linked, ...]
    matched: tuple[Matched, ...]
    relations: tuple[Relation, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise holds for each release, and was not seen to be broken by putting them together."""
        kept = (*(one.holds for one in self.releases), *(one.holds for one in self.linked))
        return all(kept) and all(one.holds is not False for one in self.matched)

    def __bool__(self) -> bool:
        """Whether the promise holds."""
        return self.holds

    @property
    def sure(self) -> bool:
        """Whether nothing is left open: for each pair of releases, somebody can tell what they tell together."""
        return all(one.holds is not None for one in self.matched) and not any(one.open for one in self.relations)

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal series check --json`` prints."""
        return {
            "model": {"name": self.model.name, "options": self.model.values(), "description": self.promise},
            "holds": self.holds,
            "sure": self.sure,
            "releases": [one.as_dict() for one in self.releases],
            "linked": [one.as_dict() for one in self.linked],
            "matched": [one.as_dict() for one in self.matched],
            "relations": [one.as_dict() for one in self.relations],
        }


def check(
    members: Sequence[Member],
    model: PrivacyModel,
    link: str | Sequence[str] = "auto",
    *,
    newest: bool = False,
    seed: int = 0,
    engine: Engine = LOCAL,
) -> SeriesCheck:
    """Find out what can be learned by putting releases together.

    Parameters
    ----------
    members
        The releases.
    model
        The guarantee.
    link
        How records are linked: ``"auto"`` (by their ids if the series knows them, else by position if rows at the same
        place fit each other), ``"position"``, ``"none"``, or published columns.
    newest
        Whether only the last release is new, so that the others need not be compared with each other.
    seed
        The seed of random draws.
    engine
        Where the work is done.
    """
    views = views_of(member.source for member in members)
    asked = _Asked(members, views, model, seed, engine)
    pairs = [pair for pair in combinations(range(len(views)), 2) if not newest or pair[1] == len(views) - 1]
    told: list[Relation] = []
    groups: list[Linked] = []
    compared: list[Matched] = []
    if link == "auto":
        told, groups, compared = asked.automatically(pairs)
    elif link == "none":
        compared = [asked.matched(pair) for pair in pairs]
    elif link == "position":
        groups = [asked.by_position(range(len(views)))]
    else:
        groups = asked.by_columns(link)
    promise = model.describe(next((view.persons for view in views if view.persons is not None), None))
    alone = [asked.alone(view) for view in (views[-1:] if newest else views)]
    return SeriesCheck(model, promise, tuple(alone), tuple(groups), tuple(compared), tuple(told))


@dataclass(frozen=True, eq=False)
class _Asked:
    """A check on its way."""

    members: Sequence[Member]
    views: Sequence[View]
    model: PrivacyModel
    seed: int
    engine: Engine

    def alone(self, view: View) -> Alone:
        """Return the figures of a release by itself."""
        crowd, _ = crowd_figures(view.published, self.model, self.seed, self.engine)
        holds = self.model.verify(view.published, self.engine).holds
        persons = None if view.persons is None else view.persons.count()
        return Alone(view.name, len(view), persons, holds, crowd, int(Joined.of([view]).recovered.sum()))

    def automatically(self, pairs: Sequence[tuple[int, int]]) -> tuple[list[Relation], list[Linked], list[Matched]]:
        """Put together what is the same by id, by position or in another order."""
        told, groups, compared = [], [], []
        known = [at for at, member in enumerate(self.members) if member.ids.records is not None]
        if len(known) > 1:
            groups.append(self.linked("record ids", [np.array(self.members[at].ids.records) for at in known], known))
        placed = []
        for pair in pairs:
            found, pairing = self._relation(pair)
            told.append(found)
            if found.how == "position":
                placed.append(pair)
            elif found.how == "order":
                compared.append(self.matched(pair, pairing))
        groups += [self.by_position(some) for some in _all_connected(placed)]
        return told, groups, compared

    def _relation(self, pair: tuple[int, int]) -> tuple[Relation, Pairing | None]:
        """Return whether two releases hold the same records. Labels may contradict ids that differ."""
        first, second = (self.views[at] for at in pair)
        ids = [self.members[at].ids.records for at in pair]
        by_id = ids[0] is not None and ids[1] is not None
        if ids[0] is not None and ids[1] is not None:
            shared = len(set(ids[0]).intersection(ids[1]))
            if shared >= SHARED * min(len(first), len(second)):
                return Relation((first.name, second.name), "id", shared / max(1, min(len(first), len(second)))), None
        found, pairing = relation(first, second, stated_new=self.members[pair[1]].stated_new)
        return (replace(found, how="id") if by_id and not found.same else found), pairing

    def matched(self, pair: tuple[int, int], pairing: Pairing | None = None) -> Matched:
        """Compare two releases whose records cannot be linked. Those that cannot be paired came or left."""
        first, second = (self.views[at] for at in pair)
        found = matched(first, second, self.model, seed=self.seed, engine=self.engine)
        if pairing is None:
            return found
        left, came = (number - pairing.paired for number in pairing.records)
        k = self.model.values().get("k") or 1
        exposed = 0 < left < k or 0 < came < k
        for view in (pairing.left, pairing.came):
            if view is not None and len(view) and not exposed:
                groups = linked([view], [np.arange(len(view))], self.model, seed=self.seed, engine=self.engine)
                exposed = not all(group.holds for group in groups)
        return replace(found, left=left, came=came, exposed=exposed)

    def by_position(self, which: Sequence[int]) -> Linked:
        """Link rows at the same place."""
        return self.linked("position", [np.arange(len(self.views[at])) for at in which], which)

    def by_columns(self, names: str | Sequence[str]) -> list[Linked]:
        """Link records with the same values in some published columns.

        Values that no release has twice are records. Others are persons with several records. Blank ones link nothing.
        """
        listed = [names] if isinstance(names, str) else list(names)
        if not listed:
            raise OptionError("link= must be auto, position, none, or published columns.")
        keys = []
        for at, member in enumerate(self.members):
            assert member.texts is not None, "records are linked by columns after all releases were written"
            texts = [member.texts(name) for name in listed]
            rows = enumerate(zip(*texts, strict=True))
            keys.append(np.array(["\x1f".join(row) if all(row) else f"\0{at}.{number}" for number, row in rows]))
        counted = [np.unique(key, return_counts=True) for key in keys]
        twice = np.unique(np.concatenate([values[times > 1] for values, times in counted]))
        persons = [np.isin(key, twice) for key in keys]
        every = range(len(self.views))
        by = ", ".join(listed)
        found = []
        for several in (False, True):
            rows_of = [np.flatnonzero(some == several) for some in persons]
            if sum(map(len, rows_of)):
                views = [view.take(rows) for view, rows in zip(self.views, rows_of, strict=True)]
                asked = replace(self, views=views)
                chosen = [key[rows] for key, rows in zip(keys, rows_of, strict=True)]
                found.append(asked.linked(by, chosen, every, persons=several))
        return found

    def linked(self, by: str, keys: Keys, which: Sequence[int], *, persons: bool = False) -> Linked:
        """Return what is learned by linking records with the same key."""
        find = linked_persons if persons else linked
        views = [self.views[at] for at in which]
        return Linked(by, persons, tuple(find(views, keys, self.model, seed=self.seed, engine=self.engine)))


def _all_connected(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return sets of releases in which every two are a pair, so that every pair is in one of them.

    >>> _all_connected([(0, 1), (1, 2), (0, 2), (2, 3)])
    [[0, 1, 2], [2, 3]]
    """
    known = {frozenset(pair) for pair in pairs}
    found: list[list[int]] = []
    for pair in pairs:
        if not any(set(pair) <= set(group) for group in found):
            group = list(pair)
            for other in sorted({at for one in pairs for at in one} - set(pair)):
                if all(frozenset((at, other)) in known for at in group):
                    group.append(other)
            found.append(sorted(group))
    return found
