"""What can be learned by putting releases together. It holds aggregates, and no items but those of witnesses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal.models.base import Verdict
from shoal.risk.figure import Figure


@dataclass(frozen=True)
class Group:
    """The records that are in the same releases, put together.

    Parameters
    ----------
    releases : tuple of str
        The releases that hold them. No other release does.
    records : int
        How many records there are.
    persons : int or None
        How many persons are behind them, if they are known.
    verdict : Verdict
        Whether the guarantee holds for them, for somebody who has all these releases.
    crowd : Figure or None
        The smallest crowd that remains, for somebody who knows as many items as the guarantee assumes. None: the
        guarantee is not about crowds.
    below : Figure or None
        The share of records with a crowd below k.
    changed : bool
        Whether the labels of these records contradict each other. They were changed in between, so they can only hide
        among each other.
    enough : bool
        Whether there are enough of them to hide among each other, whatever they hold.
    recovered_alone : int or None
        Records whose items are certain from one of the releases. None: these are several records of a person.
    recovered : int or None
        Records whose items are certain from all of them.

    Examples
    --------
    >>> from shoal.models.base import Verdict
    >>> group = Group(("jan", "feb"), 9, None, Verdict(True, 12), Figure.of(3), Figure.of(0.0), recovered=2)
    >>> group.holds, group.as_dict()["recovered"]
    (True, 2)
    """

    releases: tuple[str, ...]
    records: int
    persons: int | None
    verdict: Verdict
    crowd: Figure | None
    below: Figure | None
    changed: bool = False
    enough: bool = True
    recovered_alone: int | None = None
    recovered: int | None = None

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds for them."""
        return self.verdict.holds and self.enough

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        return {
            "releases": list(self.releases),
            "records": self.records,
            "persons": self.persons,
            "holds": self.holds,
            "violations": self.verdict.violations,
            "crowd": self.crowd and self.crowd.as_dict(),
            "below_k": self.below and self.below.as_dict(),
            "changed": self.changed,
            "enough": self.enough,
            "recovered_alone": self.recovered_alone,
            "recovered": self.recovered,
        }


@dataclass(frozen=True)
class Matched:
    """Two releases of the same records, for somebody who does not know which records belong together.

    A record of one release matches a record of the other if no label of one contradicts the other.

    Parameters
    ----------
    releases : tuple of str
        The two releases.
    records : int
        How many records the first one has.
    draws : int
        How many of its records were drawn for the figures. 0 means that all were counted.
    unmatched : Figure
        The share of its records that match none of the other, so they cannot be in both.
    single : Figure
        The share that match exactly one record of the other. Everybody can put these together.
    fewest : Figure
        The smallest number of records that a record matches, if it matches any.
    median : Figure
        The median of that number.
    below : Figure or None
        The share of records that surely have a crowd below k, because all records that they match are equal. None: not
        counted.
    maybe_below : Figure or None
        The share of records with a crowd below k if one of the records that they match is the right one.
    recovered : Figure or None
        The share of records that match one record, and whose items are certain then.
    left, came : int or None
        How many records of the first release cannot be paired with one of the second, and the reverse, if as many as
        possible are. None: not counted.
    exposed : bool
        Whether those are too few to hide among each other.
    """

    releases: tuple[str, str]
    records: int
    draws: int
    unmatched: Figure
    single: Figure
    fewest: Figure
    median: Figure
    below: Figure | None = None
    maybe_below: Figure | None = None
    recovered: Figure | None = None
    left: int | None = None
    came: int | None = None
    exposed: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the guarantee holds. None: it may, but Shoal cannot tell."""
        if self.exposed:
            return False
        if self.below is not None and self.below.low > 0:
            return False
        return True if self.maybe_below is not None and self.maybe_below.high == 0 else None

    def as_dict(self) -> dict[str, Any]:
        """Return plain values in a fixed order."""
        figures = ("unmatched", "single", "fewest", "median", "below", "maybe_below", "recovered")
        told: dict[str, Any] = {"releases": list(self.releases), "records": self.records, "draws": self.draws}
        for name in figures:
            figure: Figure | None = getattr(self, name)
            told[name] = None if figure is None else figure.as_dict()
        return {**told, "left": self.left, "came": self.came, "exposed": self.exposed, "holds": self.holds}
