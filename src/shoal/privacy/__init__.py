"""Privacy models: one file each, with the definition and its verifier.

A verifier reads published data only, never an algorithm's bookkeeping, and shares no code path with the algorithms:
this package imports neither ``algorithms`` nor ``recoding`` nor ``search`` (a test enforces it).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from shoal.data.dataset import Dataset
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.options import Spec
from shoal.published import Published
from shoal.risk import Exposure

DRAWN = 3  # known items that risks are drawn for, at most


@dataclass(frozen=True)
class Witness:
    """One thing an adversary may know, in the user's labels, and the number of records that it leaves.

    >>> str(Witness(("milk",), 2, absent=("beer",)))
    '{milk, not beer} is in 2 records'
    >>> str(Witness((), 10, sensitive="HIV", holders=6))
    "6 of all 10 records have 'HIV'"
    """

    labels: tuple[str, ...]
    support: int
    absent: tuple[str, ...] = ()  # labels known to be missing
    sensitive: str | None = None  # the value that is given away, if that is what is wrong
    holders: int = 0  # of the records left, those with this value

    @property
    def known(self) -> str:
        """What the adversary knows, for people."""
        return ", ".join([*self.labels, *(f"not {label}" for label in self.absent)]) or "nothing"

    def __str__(self) -> str:
        """For messages."""
        if self.sensitive is None:
            return f"{{{self.known}}} is in {self.support} record{'' if self.support == 1 else 's'}"
        left = f"the {self.support} records with {{{self.known}}}" if self.labels else f"all {self.support} records"
        return f"{self.holders} of {left} {'has' if self.holders == 1 else 'have'} '{self.sensitive}'"


@dataclass(frozen=True)
class Verdict:
    """What a verifier found."""

    holds: bool
    checked: int  # adversary views examined
    violations: int = 0  # failing views of the kind that was met first (for sets: of the smallest size that fails)
    witnesses: tuple[Witness, ...] = ()  # some of them: smallest sets first, then lowest support

    def __bool__(self) -> bool:
        """Whether the guarantee holds."""
        return self.holds


class PrivacyModel(Spec, ABC):
    """A guarantee about published data."""

    title: ClassVar[str]  # for people: "k^m-anonymity"
    paper: ClassVar[str]
    default_algorithm: ClassVar[str]  # the name of the one that is used unless another is asked for
    views: ClassVar[str] = "label set"  # what the verifier counts, for people
    examined: ClassVar[str]  # which of them, as the end of a sentence
    beyond: ClassVar[str] = ""  # what the guarantee covers and its risk does not show, as a sentence

    @property
    def sensitive_items(self) -> tuple[str, ...]:
        """The labels that are not to be learned; most models have none."""
        return ()

    def apart(self, data: Dataset) -> tuple[Transactions, Transactions]:
        """The part of each record that an adversary may know, and its sensitive values; most models have none."""
        return data.transactions, Transactions.nothing(len(data))

    def missed(self, data: Dataset) -> tuple[str, ...]:
        """The sensitive labels that the data do not have: rare ones, or misspelt."""
        found = {*data.transactions.labels, *(label.partition("=")[2] for label in self.apart(data)[1].labels)}
        return tuple(label for label in self.sensitive_items if label not in found)

    def view(self, data: Dataset) -> Published:
        """A file as its reader sees it, for :meth:`verify`: every label stands for itself."""
        return Published.plain(*self.apart(data))

    @abstractmethod
    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Check the guarantee, exactly."""

    @abstractmethod
    def risk(self, published: Published, engine: Engine = LOCAL) -> Exposure:
        """What the model is about, as figures to draw: how many records are exposed to whoever knows a few items."""

    @abstractmethod
    def feasible(self, published: Published) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no generalization of these rows can satisfy the model."""

    @property
    @abstractmethod
    def short(self) -> str:
        """The guarantee in a few words."""

    @abstractmethod
    def describe(self) -> str:
        """The guarantee with its parameters, as a plain English sentence."""

    @abstractmethod
    def limits(self) -> list[str]:
        """What the guarantee does not promise, in plain English sentences."""
