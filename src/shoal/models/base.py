"""Privacy models: one file each, with the definition and its verifier.

A verifier reads published data only, never an algorithm's bookkeeping, and shares no code path with the algorithms:
this package imports neither ``algorithms`` nor ``recoding`` nor ``search`` (import-linter enforces it).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, Self

from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.note import Note
from shoal.data.persons import Persons
from shoal.data.sensitive import Sensitive, lookalikes, take_apart
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, did_you_mean
from shoal.metrics.risk import Exposure
from shoal.models.witness import Witness as Witness
from shoal.models.witness import WitnessTable
from shoal.options import Spec
from shoal.published import Published

DRAWN = 3  # known items that risks are drawn for, at most


@dataclass(frozen=True)
class Verdict:
    """What a verifier found."""

    holds: bool
    checked: int  # attacker views examined
    violations: int = 0  # failing views of the kind that was met first (for sets: of the smallest size that fails)
    witnesses: tuple[Witness, ...] = ()  # some of them, of one class: smallest sets first, then lowest support

    def __bool__(self) -> bool:
        """Whether the guarantee holds."""
        return self.holds

    def table(self) -> WitnessTable:
        """The witnesses for people; there must be one."""
        return self.witnesses[0].table(self.witnesses, self.violations)


@dataclass(frozen=True)
class Demand:
    """What a guarantee asks of each set of labels that an attacker may know and that occurs."""

    k: int  # records that it must be in
    known: int  # the most labels of a record that an attacker can know
    max_share: Fraction = Fraction(1)  # of these records, how many may have the same sensitive value; 1: all
    absent: bool = False  # whether labels may be known to be missing, too
    monotone: bool = False  # whether what is satisfied stays so, however much is generalized further

    @property
    def one_in(self) -> int:
        """The l of a share of 1/l; 0: sensitive values are free."""
        return 0 if self.max_share == 1 else int(1 / self.max_share)


class PrivacyModel(Spec, ABC):
    """A guarantee about published data."""

    title: ClassVar[str]  # for people: "k^m-anonymity"
    protects: ClassVar[str] = ""  # what it is about and what it promises, in one line of a list
    paper: ClassVar[str]
    default_algorithm: ClassVar[str]  # the name of the one that is used unless another is asked for
    relational: ClassVar[bool] = False  # whether it is about other columns: quasi-identifiers
    covers_sets: ClassVar[bool] = True  # whether it is about the sets
    counts_persons: ClassVar[bool] = False  # whether it is defined by persons, where these are given (persons.md)
    views: ClassVar[tuple[str, str]] = ("label set", "label sets")  # what the verifier counts: one, several
    check_scope: ClassVar[str]  # which of them, as the end of a sentence
    counted: ClassVar[str] = "for each thing that an attacker may know how many records are left"  # by the verifier
    about_holders: ClassVar[bool] = False  # whether it is about records with a sensitive item alone
    explainable: ClassVar[bool] = False  # whether a group of a cut can be explained by a set that would be too rare

    @property
    def risk_caveat(self) -> str:
        """What the guarantee covers and its risk does not show, as a sentence; mostly nothing."""
        return ""

    @property
    def unverifiable_assumption(self) -> str:
        """What the guarantee rests on and a file alone cannot show, as a sentence; mostly nothing."""
        return ""

    @property
    def notes(self) -> list[Note]:
        """What to know about a guarantee that was asked for like this; mostly nothing."""
        return []

    @property
    def max_known_items(self) -> int | Literal["all"] | None:
        """How much an attacker may know of a record, for models that set a limit."""
        m: int | Literal["all"] | None = self.values().get("m")
        return m

    @property
    def sensitive_labels(self) -> tuple[str, ...]:
        """What is not to be learned, as declared; most models know nothing sensitive."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns other than the sets that the model is about."""
        return ()

    @property
    def adds_columns(self) -> tuple[str, ...]:
        """The other columns that a release has and the data do not."""
        return ()

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """The same model without names of groups: each represents those of its items that are present."""
        return self

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """The part of each record that an attacker may know, and what is sensitive; most models set nothing apart."""
        return data.transactions, None

    def as_published(self, data: Dataset) -> Published:
        """Data as their reader sees them: every label represents itself, what is sensitive is set apart."""
        return Published.plain(*self.split_sensitive(data))

    def to_dataset(self, data: Dataset, published: Published) -> Dataset:
        """What is to be written: the data with the published sets."""
        return data.with_transactions(published.as_written)

    def missing_sensitive(self, data: Dataset) -> tuple[str, ...]:
        """The sensitive labels that the data do not have. One that the data write differently is an error."""
        known, hidden = self.split_sensitive(data)
        present = {*known.labels, *(hidden.values.labels if hidden else ())}
        missed = tuple(label for label in self.sensitive_labels if label not in present)
        for label, other in lookalikes(missed, sorted(present)):
            raise OptionError(f"Sensitive '{label}' is not in the data, but '{other}' is: write it as the data do.")
        return missed

    def validated_view(self, data: Dataset) -> Published:
        """A file as its reader sees it, for :meth:`verify`.

        A sensitive label that the file does not have is an error: misspelt, it would protect nothing.
        """
        self.check_sets(data)
        if missed := self.missing_sensitive(data):
            raise OptionError(
                f"Sensitive '{missed[0]}'{f' (and {len(missed) - 1} more)' if len(missed) > 1 else ''} is not in "
                f"{data.origin.name}{self.suggest_label(missed[0], data)}: correct or remove it (if it is a group, "
                f"give its --hierarchy)."
            )
        return self.as_published(data)

    def check_sets(self, data: Dataset) -> None:
        """Refuse a table that was read without its sets, if the guarantee is about them: it would hold for nothing."""
        if self.covers_sets and data.origin.layout.without_sets:
            raise OptionError(
                f"{self.title} is about sets, but {data.origin.name} was read as a table without sets: name the column "
                f"that holds them (--sets), or choose the model k."
            )

    def suggest_label(self, label: str, data: Dataset, more: Iterable[str] = ()) -> str:
        """A hint at what a sensitive label that the data do not have may have been meant to be."""
        known, hidden = take_apart(data, (), self.columns)
        values = hidden.values.labels
        for value in values:
            if value in {f"{column}={label}" for column in self.columns}:
                return f" (did you mean '{value}'?)"
        return did_you_mean(label, [other for other in (*known.labels, *values, *more) if other != label])

    def require_all_items(self, published: Published) -> Transactions:
        """The published rows; an error if items were set apart from them that an attacker may know here."""
        hidden = published.sensitive
        if hidden is not None and hidden.labels:
            raise OptionError(
                f"{type(self).__name__}: these rows come without their sensitive items, which may be known here: "
                f"verify {type(self).__name__}.view(release.dataset)."
            )
        return published.rows

    def demand(self, rows: Transactions) -> Demand | None:
        """What is asked of sets of labels of these rows (inside each class, for models about columns); None: other."""
        return None

    def primary_loss(self, losses: Mapping[str, float], loss: str) -> tuple[float | None, str]:
        """What releases are to be compared by, and its name: the loss of what the guarantee changes."""
        return losses.get(f"weighted_{loss}", losses.get(loss)), loss.upper()

    @abstractmethod
    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Check the guarantee, exactly."""

    @abstractmethod
    def risk(self, published: Published, engine: Engine = LOCAL) -> Exposure:
        """What the model is about, as figures to draw: how many records are exposed to an attacker who knows a few "
        "items."""

    @abstractmethod
    def feasible(self, published: Published) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no generalization of these rows can satisfy the model."""

    @property
    @abstractmethod
    def short(self) -> str:
        """The guarantee in a few words."""

    @abstractmethod
    def describe(self, persons: Persons | None = None) -> str:
        """The guarantee with its parameters, as a plain English sentence; about persons, where these are given."""

    @abstractmethod
    def caveats(self, persons: Persons | None = None) -> list[str]:
        """What the guarantee does not promise, in plain English sentences."""


class ItemsetModel(PrivacyModel):
    """A guarantee about the sets of labels that an attacker may know."""

    @abstractmethod
    def demand(self, rows: Transactions) -> Demand:
        """What is asked of each."""

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Why no generalization of rows with such sensitive values was found, and what could be done."""
        return f"No generalization was found that satisfies {self.title} with these options: ask for less."
