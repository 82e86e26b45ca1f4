"""Witnesses: examples of what violates a guarantee, with one class for each kind of violation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from shoal.data.persons import plural
from shoal.errors import shorten
from shoal.visible import visible


class WitnessTable(NamedTuple):
    """A table of witnesses for people. A cell that is a number is a share."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str | float, ...]]
    right: int  # the first column with numbers


@dataclass(frozen=True)
class Witness(ABC):
    """An example of something that violates a guarantee.

    ``str(witness)`` describes it in a few words. :class:`Verdict` holds the worst ones.

    Parameters
    ----------
    labels : tuple of str
        Published labels that the attacker knows.
    support : int
        Records (or persons) that fit what the attacker knows.
    person : str
        Noun for what is counted, such as "household". Empty for records.

    Examples
    --------
    >>> import shoal
    >>> data = shoal.read([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> model = shoal.Km(k=2, m=2)
    >>> verdict = model.verify(model.validated_view(data))
    >>> [str(witness) for witness in verdict.witnesses]
    ['{c} is in 1 record']
    """

    too_few: ClassVar[bool] = True  # whether the support is too small
    labels: tuple[str, ...]
    support: int
    person: str = field(default="", kw_only=True)  # what is counted, such as "household"; empty: records

    @property
    def named(self) -> tuple[str, ...]:
        """All labels that the attacker knows something about."""
        return self.labels

    @property
    def known(self) -> str:
        """What the attacker knows, as text. Long labels are shortened."""
        return visible(", ".join(self._facts())) or "nothing"

    def _facts(self) -> list[str]:
        """Return the known facts as texts."""
        return [*map(shorten, self.labels)]

    def as_dict(self) -> dict[str, Any]:
        """Return the witness as values for JSON."""
        return {"labels": list(self.labels), "support": self.support} | ({"counts": self.unit()} if self.person else {})

    def unit(self, number: int = 2) -> str:
        """Return the noun for what is counted, singular or plural."""
        return plural(self.person or "record", number)

    def _records(self) -> str:
        """Return the number of records, or of persons with such records, in words."""
        return f"{'records of ' if self.person else ''}{self.support} {self.unit(self.support)}"

    def __str__(self) -> str:
        """Describe the violation in a few words."""
        return visible(self._sentence())

    @abstractmethod
    def _sentence(self) -> str:
        """Describe the violation."""

    @classmethod
    @abstractmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of the worst violations."""


@dataclass(frozen=True)
class RareSet(Witness):
    """A set of labels, some of which may be known to be missing, that fits too few records.

    >>> str(RareSet(("milk",), 2, absent=("beer",)))
    '{milk, not beer} is in 2 records'
    """

    absent: tuple[str, ...] = ()  # labels known to be missing

    @property
    def named(self) -> tuple[str, ...]:
        """All labels, including those that are missing."""
        return (*self.labels, *self.absent)

    def _facts(self) -> list[str]:
        return [*super()._facts(), *(f"not {shorten(label)}" for label in self.absent)]

    def as_dict(self) -> dict[str, Any]:
        """Return the witness as values for JSON, with the missing labels."""
        return super().as_dict() | ({"absent": list(self.absent)} if self.absent else {})

    def _sentence(self) -> str:
        return f"{{{self.known}}} is in {self._records()}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of sets that fit too few records."""
        sets = _sets(worst, violations, "facts" if any(one.absent for one in worst) else "items")
        return WitnessTable(
            f"{sets} leave{_s(violations)} too few {worst[0].unit()}{_more(worst, violations)}:",
            ("an attacker who knows", f"is left with {worst[0].unit()}"),
            [(one.known, str(one.support)) for one in worst],
            right=1,
        )


@dataclass(frozen=True)
class RareRecord(Witness):
    """A whole record that occurs too rarely. The labels are all its labels.

    >>> str(RareRecord(("milk", "tea"), 2)), str(RareRecord((), 1))
    ('the exact record {milk, tea} occurs 2 times', 'the empty record occurs 1 time')
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the witness as values for JSON, marked as a whole record."""
        return {**super().as_dict(), "whole": True}

    def _sentence(self) -> str:
        record = f"exact record {{{self.known}}}" if self.labels else "empty record"
        return f"the {record} occurs {self.support} {_noun(self.support, 'time')}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of records that occur too rarely."""
        return WitnessTable(
            f"{_counted(violations, 'different record')} occur{_s(violations)} too rarely{_more(worst, violations)}:",
            ("labels of the record", "occurs in records"),
            [(one.known, str(one.support)) for one in worst],
            right=1,
        )


@dataclass(frozen=True)
class RareInClass(Witness):
    """Values of columns, and perhaps labels, that fit too few records.

    >>> str(RareInClass((), 1, "age=55")), str(RareInClass(("tea",), 2, "age=55"))
    ('1 record has age=55', '{tea} is in 2 records of those with age=55')
    """

    group: str  # the values

    def as_dict(self) -> dict[str, Any]:
        """Return the witness as values for JSON, with the values of columns."""
        return {**super().as_dict(), "group": self.group}

    def _sentence(self) -> str:
        if self.labels:
            return f"{{{self.known}}} is in {self._records()} of those with {self.group}"
        return f"{self.support} {self.unit(self.support)} {'has' if self.support == 1 else 'have'} {self.group}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of values and sets that fit too few records."""
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
    """A set of labels that reveals a sensitive value too surely.

    >>> str(DisclosingSet((), 10, "HIV", 6)), str(DisclosingSet(("tea",), 2, "HIV", 1))
    ("6 of all 10 records have 'HIV'", "1 of the 2 records with {tea} has 'HIV'")
    """

    too_few = False
    sensitive: str  # the value that is revealed
    holders: int  # of the records left, those with this value

    def as_dict(self) -> dict[str, Any]:
        """Return the witness as values for JSON, with the sensitive value and its holders."""
        return {**super().as_dict(), "sensitive": self.sensitive, "holders": self.holders}

    def _sentence(self) -> str:
        return f"{self.holders} of {self._left()} {'has' if self.holders == 1 else 'have'} '{self.sensitive}'"

    def _left(self) -> str:
        """Return the records that fit, in words."""
        left = f"{self.support} {self.unit()}"
        return f"the {left} with {{{self.known}}}" if self.labels else f"all {left}"

    def _among(self) -> str:
        """Return the heading of the column that counts the holders of the value."""
        return f"{'with' if self.person else 'in'} {self.unit()}"

    def _told(self) -> tuple[str | float, ...]:
        """Return the value, its holders, the records that fit, and the share."""
        return self.sensitive, f"{self.holders:,}", f"{self.support:,}", self.holders / self.support

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of sets that reveal too much."""
        told = f"{_sets(worst, violations)} reveal{_s(violations)} too much{_more(worst, violations)}:"
        return WitnessTable(
            told if any(one.labels for one in worst) else "Even an attacker who knows nothing learns too much:",
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
        """Return the witness as values for JSON, with the group."""
        return {**super().as_dict(), "group": self.group}

    def _left(self) -> str:
        known = f" with {{{self.known}}}" if self.labels else ""
        return f"the {self.support} {self.unit()} of group {self.group}{known}"

    @classmethod
    def table(cls, worst: Sequence[Self], violations: int) -> WitnessTable:
        """Return a table of groups, or of sets in groups, that reveal too much."""
        more = _more(worst, violations)
        if not any(one.labels for one in worst):
            return WitnessTable(
                f"In {_counted(violations, 'case')} a sensitive item is too frequent in its group{more}:",
                ("group", "sensitive item", worst[0].unit(), "of", "share"),
                [(one.group, *one._told()) for one in worst],
                right=2,
            )
        return WitnessTable(
            f"{_combinations(worst, violations)} reveal{_s(violations)} too much{more}:",
            ("an attacker who knows the values", "and the items", "finds", worst[0]._among(), "of", "share"),
            [(one.group, one.known, *one._told()) for one in worst],
            right=3,
        )


def _counted(number: int, one: str, several: str = "") -> str:
    """Format a count with its noun."""
    return f"{number:,} {_noun(number, one, several)}"


def _noun(number: int, one: str, several: str = "") -> str:
    """Return the singular or plural of a noun."""
    return one if number == 1 else several or f"{one}s"


def _s(violations: int) -> str:
    """Return the ending of a verb."""
    return "s" if violations == 1 else ""


def _more(worst: Sequence[Witness], violations: int) -> str:
    """Return an ending for lists that do not show all violations."""
    return "" if violations <= len(worst) else ", for instance"


def _sizes(worst: Sequence[Witness]) -> str:
    """Return how many labels the attacker knows, in all sizes that occur."""
    return "/".join(map(str, sorted({len(one.named) for one in worst})))


def _sets(worst: Sequence[Witness], violations: int, what: str = "items") -> str:
    """Return the number of sets of known labels, in words."""
    size = _sizes(worst)
    if what == "facts":
        return _counted(violations, f"combination of {size} known facts", f"combinations of {size} known facts")
    if size == "1":
        return _counted(violations, "single known item")
    return _counted(violations, f"set of {size} known items", f"sets of {size} known items")


def _combinations(worst: Sequence[Witness], violations: int) -> str:
    """Return the number of combinations of values (and of labels, if any are known), in words."""
    size = _sizes(worst)
    items = "" if size == "0" else f" and {size} item{'' if size == '1' else 's'}"
    return _counted(violations, f"combination of values{items}", f"combinations of values{items}")
