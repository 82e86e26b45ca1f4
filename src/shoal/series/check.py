"""What can be learned by putting the releases of a series together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError
from shoal.models.base import PrivacyModel
from shoal.release.saved_recoding import SavedRecoding
from shoal.risk.figure import Figure
from shoal.risk.together import Group, Matched, Source, View, compatible, linked, linked_persons, matched, views_of
from shoal.risk.together.joined import Joined
from shoal.risk.together.linked import crowd_figures
from shoal.series.ids import Ids
from shoal.series.stored import Stored

SAME = 0.9  # share of rows that fit each other, from which on rows at the same place are the same records
SHUFFLED = 10_000_000  # pairs of different records, up to which Shoal looks for the same records in another order
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
    unchecked : tuple of (str, str)
        Pairs of releases that may hold the same records, and nothing tells whether they do.
    """

    model: PrivacyModel
    promise: str
    releases: tuple[Alone, ...]
    linked: tuple[Linked, ...]
    matched: tuple[Matched, ...]
    unchecked: tuple[tuple[str, str], ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the promise holds for each release, and was not seen to be broken by putting them together."""
        kept = (*(one.holds for one in self.releases), *(one.holds for one in self.linked))
        return all(kept) and all(one.holds is not False for one in self.matched)

    def __bool__(self) -> bool:
        """Whether the promise holds."""
        return self.holds

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal series check --json`` prints."""
        return {
            "model": {"name": self.model.name, "options": self.model.values(), "description": self.promise},
            "holds": self.holds,
            "releases": [one.as_dict() for one in self.releases],
            "linked": [one.as_dict() for one in self.linked],
            "matched": [one.as_dict() for one in self.matched],
            "unchecked": [list(pair) for pair in self.unchecked],
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
    pairs = list(combinations(range(len(views)), 2))
    if newest:
        pairs = [pair for pair in pairs if pair[1] == len(views) - 1]
    found: tuple[list[Linked], list[Matched], list[tuple[int, int]]]
    if link == "auto":
        found = asked.automatically(pairs)
    elif link == "none":
        found = [], [asked.matched(pair) for pair in pairs], []
    else:
        found = [asked.by_position() if link == "position" else asked.by_columns(link)], [], []
    names = tuple((views[one].name, views[other].name) for one, other in found[2])
    promise = model.describe(next((view.persons for view in views if view.persons is not None), None))
    return SeriesCheck(model, promise, tuple(map(asked.alone, views)), tuple(found[0]), tuple(found[1]), names)


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

    def automatically(
        self, pairs: Sequence[tuple[int, int]]
    ) -> tuple[list[Linked], list[Matched], list[tuple[int, int]]]:
        """Link by ids where they are known, and by position where rows fit each other. Compare what is left."""
        known = [at for at, member in enumerate(self.members) if member.ids.records is not None]
        found: list[Linked] = []
        if len(known) > 1:
            found.append(self.linked("record ids", [np.array(self.members[at].ids.records) for at in known], known))
        left = [pair for pair in pairs if not set(pair) <= set(known)]
        same = [pair for pair in left if self._fit(pair)]
        for some in _connected(same):
            found.append(self.linked("position", [np.arange(len(self.views[at])) for at in some], some))
        others = [pair for pair in left if pair not in same]
        found_matches = [result for pair in others if (result := self._shuffled(pair)) is not None]
        seen = {one.releases for one in found_matches}
        unchecked = [pair for pair in others if self._names(pair) not in seen and self._open(pair)]
        return found, found_matches, unchecked

    def _names(self, pair: tuple[int, int]) -> tuple[str, str]:
        return self.views[pair[0]].name, self.views[pair[1]].name

    def _open(self, pair: tuple[int, int]) -> bool:
        """Whether two releases might hold the same records, and each would tell something that the other does not."""
        first, second = (self.members[at] for at in pair)
        one, other = first.recoding, second.recoding
        return not second.stated_new and one.refined_by(other) and other.refined_by(one)

    def _fit(self, pair: tuple[int, int]) -> bool:
        """Whether rows at the same place are likely the same records."""
        first, second = (self.views[at] for at in pair)
        number = min(len(first), len(second))
        if not number:
            return False
        rows = np.arange(number)
        return float(compatible(first.take(rows), second.take(rows)).mean()) >= SAME

    def _shuffled(self, pair: tuple[int, int]) -> Matched | None:
        """Compare releases whose records may be the same in another order: each has a match in the other."""
        first, second = (self.views[at] for at in pair)
        if len(first) != len(second) or len(first) * len(second) > SHUFFLED * 100:
            return None
        forth, back = self.matched(pair), self.matched(pair[::-1])
        return None if forth.unmatched.value or back.unmatched.value else forth

    def matched(self, pair: tuple[int, int]) -> Matched:
        """Compare two releases whose records cannot be linked."""
        first, second = (self.views[at] for at in pair)
        return matched(first, second, self.model, seed=self.seed, engine=self.engine)

    def by_position(self) -> Linked:
        """Link rows at the same place."""
        return self.linked("position", [np.arange(len(view)) for view in self.views], range(len(self.views)))

    def by_columns(self, names: str | Sequence[str]) -> Linked:
        """Link records with the same values in some published columns."""
        listed = [names] if isinstance(names, str) else list(names)
        if not listed:
            raise OptionError("link= must be auto, position, none, or published columns.")
        keys = []
        for member in self.members:
            assert member.texts is not None, "records are linked by columns after all releases were written"
            texts = [member.texts(name) for name in listed]
            keys.append(np.array(["\x1f".join(row) for row in zip(*texts, strict=True)]))
        several = any(len(np.unique(key)) < len(key) for key in keys)
        return self.linked(", ".join(listed), keys, range(len(self.views)), persons=several)

    def linked(self, by: str, keys: Keys, which: Sequence[int], *, persons: bool = False) -> Linked:
        """Return what is learned by linking records with the same key."""
        find = linked_persons if persons else linked
        views = [self.views[at] for at in which]
        return Linked(by, persons, tuple(find(views, keys, self.model, seed=self.seed, engine=self.engine)))


def _connected(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of numbers that pairs connect.

    >>> _connected([(0, 1), (3, 4), (1, 2)])
    [[0, 1, 2], [3, 4]]
    """
    groups: list[set[int]] = []
    for pair in pairs:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched] + [set(pair).union(*touched)]
    return sorted(map(sorted, groups))
