"""Witnesses: what a verifier shows of a guarantee that does not hold, in the user's labels; a class for each fault."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from shoal.data.persons import plural
from shoal.errors import shorten
from shoal.visible import visible


class WitnessTable(NamedTuple):
    """Some witnesses of one class for people; a cell that is a number is a share."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | float, ...]]
    right: int  # the first column with numbers


@dataclass(frozen=True)
class Witness(ABC):
    """One thing an attacker may know, and the number of records that it leaves."""

    too_few: ClassVar[bool] = True  # whether that number is what is wrong
    labels: tuple[str, ...]
    support: int
    person: str = field(default="", kw_only=True)  # who is counted, such as "household"; empty: records

    @property
    def named(self) -> tuple[str, ...]:
        """All labels that the attacker knows something about."""
        return self.labels

    @property
    def known(self) -> str:
        """What the attacker knows, for people; long labels, such as sets of many items, are cut."""
        return visible(", ".join(self._facts())) or "nothing"

    def _facts(self) -> list[str]:
        """What is known, one by one."""
        return [*map(shorten, self.labels)]

    def as_dict(self) -> dict[str, Any]:
        """The witness for machines."""
        return {"labels": list(self.labels), "support": self.support} | ({"counts": self.unit()} if self.person else {})

    def unit(self, number: int = 2) -> str:
        """What is counted, one or several."""
        return plural(self.person or "record", number)

    def _records(self) -> str:
        """In which records the labels are."""
        return f"{'records of ' if self.person else ''}{self.support} {self.unit(self.support)}"

    def __str__(self) -> str:
        """For messages."""
        return visible(self._sentence())

    @abstractmethod
    def _sentence(self) -> str:
        """What is wrong."""

    @classmethod
    @abstractmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """The worst of some violations."""


@dataclass(frozen=True)
class RareSet(Witness):
    """A set of labels, of which some may be known to be missing, that leaves too few records.

    >>> str(RareSet(("milk",), 2, absent=("beer",)))
    '{milk, not beer} is in 2 records'
    """

    absent: tuple[str, ...] = ()  # labels known to be missing

    @property
    def named(self) -> tuple[str, ...]:
        """With those that are missing."""
        return (*self.labels, *self.absent)

    def _facts(self) -> list[str]:
        return [*super()._facts(), *(f"not {shorten(label)}" for label in self.absent)]

    def as_dict(self) -> dict[str, Any]:
        """With what is missing, if anything is."""
        return super().as_dict() | ({"absent": list(self.absent)} if self.absent else {})

    def _sentence(self) -> str:
        return f"{{{self.known}}} is in {self._records()}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """What leaves too few records."""
        sets = _sets(worst, violations, "facts" if any(one.absent for one in worst) else "items")
        return WitnessTable(
            f"{sets} leave{_s(violations)} too few {worst[0].unit()}{_more(worst, violations)}:",
            ("an attacker who knows", f"is left with {worst[0].unit()}"),
            [(one.known, str(one.support)) for one in worst],
            right=1,
        )


@dataclass(frozen=True)
class RareRecord(Witness):
    """A whole record that occurs too rarely; the labels are all that it holds.

    >>> str(RareRecord(("milk", "tea"), 2)), str(RareRecord((), 1))
    ('the exact record {milk, tea} occurs 2 times', 'the empty record occurs 1 time')
    """

    def as_dict(self) -> dict[str, Any]:
        """With a mark that this is a whole record."""
        return {**super().as_dict(), "whole": True}

    def _sentence(self) -> str:
        record = f"exact record {{{self.known}}}" if self.labels else "empty record"
        return f"the {record} occurs {self.support} {_noun(self.support, 'time')}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Which records occur too rarely."""
        return WitnessTable(
            f"{_counted(violations, 'different record')} occur{_s(violations)} too rarely{_more(worst, violations)}:",
            ("all that the record holds", "occurs in records"),
            [(one.known, str(one.support)) for one in worst],
            right=1,
        )


@dataclass(frozen=True)
class RareInClass(Witness):
    """Values of columns, and perhaps labels, that leave too few records.

    >>> str(RareInClass((), 1, "age=55")), str(RareInClass(("tea",), 2, "age=55"))
    ('1 record has age=55', '{tea} is in 2 records of those with age=55')
    """

    group: str  # the values

    def as_dict(self) -> dict[str, Any]:
        """With the values."""
        return {**super().as_dict(), "group": self.group}

    def _sentence(self) -> str:
        if self.labels:
            return f"{{{self.known}}} is in {self._records()} of those with {self.group}"
        return f"{self.support} {self.unit(self.support)} {'has' if self.support == 1 else 'have'} {self.group}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """What leaves too few records."""
        items, who = any(one.labels for one in worst), worst[0].unit()
        return WitnessTable(
            f"{_combinations(worst, violations)} leave{_s(violations)} too few {who}{_more(worst, violations)}:",
            (
                "an attacker who knows the values",
                *(["and the items"] if items else []),
                f"is left with {who}",
            ),
            [(one.group, *([one.known] if items else []), str(one.support)) for one in worst],
            right=1,
        )


@dataclass(frozen=True)
class DisclosingSet(Witness):
    """A set of labels that tells a sensitive value too surely.

    >>> str(DisclosingSet((), 10, "HIV", 6)), str(DisclosingSet(("tea",), 2, "HIV", 1))
    ("6 of all 10 records have 'HIV'", "1 of the 2 records with {tea} has 'HIV'")
    """

    too_few = False
    sensitive: str  # the value that is given away
    holders: int  # of the records left, those with this value

    def as_dict(self) -> dict[str, Any]:
        """With the value and its holders."""
        return {**super().as_dict(), "sensitive": self.sensitive, "holders": self.holders}

    def _sentence(self) -> str:
        return f"{self.holders} of {self._left()} {'has' if self.holders == 1 else 'have'} '{self.sensitive}'"

    def _left(self) -> str:
        """The records that are left."""
        left = f"{self.support} {self.unit()}"
        return f"the {left} with {{{self.known}}}" if self.labels else f"all {left}"

    def _among(self) -> str:
        """The head of the column that counts who has the value."""
        return f"{'with' if self.person else 'in'} {self.unit()}"

    def _told(self) -> tuple[str | float, ...]:
        """What is given away, in how many of how many records, and their share."""
        return self.sensitive, f"{self.holders:,}", f"{self.support:,}", self.holders / self.support

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """What tells too much."""
        told = f"{_sets(worst, violations)} tell{_s(violations)} too much{_more(worst, violations)}:"
        return WitnessTable(
            told if any(one.labels for one in worst) else "Too much is told to everybody:",
            ("an attacker who knows", "finds", worst[0]._among(), "of", "share"),
            [(one.known, *one._told()) for one in worst],
            right=2,
        )


@dataclass(frozen=True)
class DisclosingInClass(DisclosingSet):
    """A published group of records, or some of its records, in which a sensitive value is too frequent.

    >>> str(DisclosingInClass((), 3, "HIV", 2, "7")), str(DisclosingInClass(("tea",), 2, "HIV", 1, "age=55"))
    ("2 of the 3 records of group 7 have 'HIV'", "1 of the 2 records of group age=55 with {tea} has 'HIV'")
    """

    group: str

    def as_dict(self) -> dict[str, Any]:
        """With the group."""
        return {**super().as_dict(), "group": self.group}

    def _left(self) -> str:
        known = f" with {{{self.known}}}" if self.labels else ""
        return f"the {self.support} {self.unit()} of group {self.group}{known}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """In which groups too much is told, or by which labels."""
        more = _more(worst, violations)
        if not any(one.labels for one in worst):
            return WitnessTable(
                f"In {_counted(violations, 'case')} a sensitive item is too frequent in its group{more}:",
                ("group", "sensitive item", worst[0].unit(), "of", "share"),
                [(one.group, *one._told()) for one in worst],
                right=2,
            )
        return WitnessTable(
            f"{_combinations(worst, violations)} tell{_s(violations)} too much{more}:",
            ("an attacker who knows the values", "and the items", "finds", worst[0]._among(), "of", "share"),
            [(one.group, one.known, *one._told()) for one in worst],
            right=3,
        )


def _counted(number: int, one: str, several: str = "") -> str:
    """A number of something."""
    return f"{number:,} {_noun(number, one, several)}"


def _noun(number: int, one: str, several: str = "") -> str:
    """What there is one of, or several."""
    return one if number == 1 else several or f"{one}s"


def _s(violations: int) -> str:
    """The ending of a verb."""
    return "s" if violations == 1 else ""


def _more(worst: Sequence[Witness], violations: int) -> str:
    """Whether there are others than these."""
    return "" if violations <= len(worst) else ", for instance"


def _sizes(worst: Sequence[Witness]) -> str:
    """How many labels are known, in each of them."""
    return "/".join(map(str, sorted({len(one.named) for one in worst})))


def _sets(worst: Sequence[Witness], violations: int, what: str = "items") -> str:
    """How many sets of known labels there are."""
    size = _sizes(worst)
    if what == "facts":
        return _counted(violations, f"combination of {size} known facts", f"combinations of {size} known facts")
    if size == "1":
        return _counted(violations, "single known item")
    return _counted(violations, f"set of {size} known items", f"sets of {size} known items")


def _combinations(worst: Sequence[Witness], violations: int) -> str:
    """How many combinations of values, and of labels if any are known, there are."""
    size = _sizes(worst)
    items = "" if size == "0" else f" and {size} item{'' if size == '1' else 's'}"
    return _counted(violations, f"combination of values{items}", f"combinations of values{items}")
