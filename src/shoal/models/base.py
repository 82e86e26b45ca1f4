"""Base classes of privacy models.

There is one file for each model, with its definition and its verifier.

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
from shoal.data.sensitive import Sensitive, lookalikes, split_sensitive_values
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError, did_you_mean
from shoal.metrics.risk import Exposure
from shoal.models.witness import Witness as Witness
from shoal.models.witness import WitnessTable
from shoal.options import Spec
from shoal.published import Published

DRAWN = 3  # most known items in the risk charts


@dataclass(frozen=True)
class Verdict:
    """The result of a check: whether the guarantee holds, and examples of what violates it.

    A verdict is true if the guarantee holds: ``if verdict: ...``

    Parameters
    ----------
    holds : bool
        Whether the guarantee holds.
    checked : int
        How many checks the verifier made, such as label sets counted.
    violations : int
        How many checks failed, of the first kind (and for sets of the smallest size) that failed.
    witnesses : tuple of Witness
        Some of the violations. The smallest sets come first, then the lowest support.

    Examples
    --------
    >>> import shoal
    >>> data = shoal.read([["a", "b"], ["a", "b"], ["a", "c"]])
    >>> model = shoal.Km(k=2, m=2)
    >>> verdict = model.verify(model.validated_view(data))
    >>> verdict.holds, verdict.violations, str(verdict.witnesses[0])
    (False, 1, '{c} is in 1 record')
    """

    holds: bool
    checked: int
    violations: int = 0
    witnesses: tuple[Witness, ...] = ()

    def __bool__(self) -> bool:
        """Whether the guarantee holds."""
        return self.holds

    def table(self) -> WitnessTable:
        """Return a table of the witnesses. There must be at least one."""
        return self.witnesses[0].table(self.witnesses, self.violations)


@dataclass(frozen=True)
class Demand:
    """What a guarantee requires of each set of labels that occurs and that an attacker may know."""

    k: int  # records that must have it
    known: int  # the most labels of a record that an attacker can know
    max_share: Fraction = Fraction(1)  # largest share of these records with the same sensitive value; 1: no limit
    absent: bool = False  # whether an attacker may also know that labels are missing
    monotone: bool = False  # whether generalizing further never violates a guarantee that holds

    @property
    def one_in(self) -> int:
        """The l of a share of 1/l, or 0 if there is no limit."""
        return 0 if self.max_share == 1 else int(1 / self.max_share)


class PrivacyModel(Spec, ABC):
    """Base class of privacy models: a guarantee about published data, and its verifier.

    A model is a frozen dataclass whose fields are its options. Subclasses define :meth:`verify`, :meth:`risk`,
    :meth:`feasible`, :attr:`short`, :meth:`describe` and :meth:`caveats`.

    Examples
    --------
    >>> import shoal
    >>> model = shoal.Km(k=5, m=2)
    >>> model.title, model.short
    ('k^m-anonymity', '5^2-anonymity')
    >>> print(model.describe())
    An attacker who knows up to 2 items of a record is left with at least 5 records that fit, or with none.
    """

    title: ClassVar[str]  # for people: "k^m-anonymity"
    protects: ClassVar[str] = ""  # what it is about and what it promises, in one line of a list
    promise: ClassVar[str] = ""  # what it promises, as a sentence for people who have never read about privacy models
    suits: ClassVar[str] = ""  # which data and worries it suits, in the same words
    paper: ClassVar[str]
    default_algorithm: ClassVar[str]  # name of the algorithm that is used by default
    relational: ClassVar[bool] = False  # whether it covers other columns: quasi-identifiers
    covers_sets: ClassVar[bool] = True  # whether it covers the sets
    counts_persons: ClassVar[bool] = False  # whether it counts persons if these are given (see persons.md)
    views: ClassVar[tuple[str, str]] = ("label set", "label sets")  # what the verifier checks: singular, plural
    check_scope: ClassVar[str]  # which checks the verifier makes, as the end of a sentence
    counted: ClassVar[str] = "how many records fit each thing that an attacker may know"  # by the verifier
    about_holders: ClassVar[bool] = False  # whether it covers only records with a sensitive item
    about_learning: ClassVar[bool] = False  # whether it limits the chance to learn a sensitive value
    shares_searches: ClassVar[bool] = False  # whether the searches for several k and m of the sets share their work
    explainable: ClassVar[bool] = False  # whether a rare set can explain why a group of a cut is needed

    @property
    def risk_caveat(self) -> str:
        """One sentence on what the risk figures leave out, or an empty string."""
        return ""

    @property
    def unverifiable_assumption(self) -> str:
        """One sentence on what the guarantee assumes and no file can show, or an empty string."""
        return ""

    @property
    def notes(self) -> list[Note]:
        """Notes on the options of the model."""
        return []

    @property
    def max_known_items(self) -> int | Literal["all"] | None:
        """How many items of a record an attacker may know, or None if the model sets no limit."""
        m: int | Literal["all"] | None = self.values().get("m")
        return m

    @property
    def sensitive_labels(self) -> tuple[str, ...]:
        """The sensitive items and values, as declared. Most models have none."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that the model names."""
        return ()

    @property
    def adds_columns(self) -> tuple[str, ...]:
        """The columns that a release has in addition to those of the data."""
        return ()

    def expand_groups(self, hierarchy: Hierarchy, present: Collection[str]) -> Self:
        """Return the model with each group replaced by those of its items that are present."""
        return self

    def split_sensitive(self, data: Dataset) -> tuple[Transactions, Sensitive | None]:
        """Return the items that an attacker may know, and the sensitive values (None for most models)."""
        return data.transactions, None

    def check_columns(self, data: Dataset) -> None:
        """Refuse data without the other columns that the model is about."""
        if self.relational:
            self.as_published(data)

    def as_published(self, data: Dataset) -> Published:
        """Return data as a reader sees them: labels represent themselves, and sensitive values are separate."""
        return Published.plain(*self.split_sensitive(data))

    def to_dataset(self, data: Dataset, published: Published) -> Dataset:
        """Return the data with the published sets, ready to be written."""
        return data.with_transactions(published.as_written)

    def missing_sensitive(self, data: Dataset) -> tuple[str, ...]:
        """Return the sensitive labels that the data lack. A label that the data spell differently is an error."""
        known, hidden = self.split_sensitive(data)
        present = {*known.labels, *(hidden.values.labels if hidden else ())}
        missed = tuple(label for label in self.sensitive_labels if label not in present)
        for label, other in lookalikes(missed, sorted(present)):
            raise OptionError(f"Sensitive '{label}' is not in the data, but '{other}' is: spell it as in the data.")
        return missed

    def validated_view(self, data: Dataset) -> Published:
        """Return the data of a file as a reader sees them, for :meth:`verify`.

        A sensitive label that the file lacks is an error: if it is misspelt, it protects nothing.
        """
        self.check_sets(data)
        self.refuse_missing(data)
        return self.as_published(data)

    def refuse_missing(self, data: Dataset) -> None:
        """Raise an error if the data lack a sensitive label."""
        if missed := self.missing_sensitive(data):
            raise OptionError(
                f"Sensitive '{missed[0]}'{f' (and {len(missed) - 1} more)' if len(missed) > 1 else ''} is not in "
                f"{data.origin.name}{self.suggest_label(missed[0], data)}: correct or remove it (if it is a group, "
                f"give its hierarchy=)."
            )

    def check_sets(self, data: Dataset) -> None:
        """Raise an error if the guarantee covers sets, but the table was read without them."""
        if self.covers_sets and data.origin.layout.without_sets:
            raise OptionError(
                f"{self.title} protects sets, but {data.origin.name} was read as a table without sets: name the column "
                f"that holds them with sets=, or choose the model k."
            )

    def suggest_label(self, label: str, data: Dataset, more: Iterable[str] = ()) -> str:
        """Return a hint at a similar label for a sensitive label that the data lack."""
        known, hidden = split_sensitive_values(data, (), self.columns)
        values = hidden.values.labels
        for value in values:
            if value in {f"{column}={label}" for column in self.columns}:
                return f" (did you mean '{value}'?)"
        return did_you_mean(label, [other for other in (*known.labels, *values, *more) if other != label])

    def require_all_items(self, published: Published) -> Transactions:
        """Return the published rows, or raise an error if their sensitive items are kept separately."""
        hidden = published.sensitive
        if hidden is not None and hidden.labels:
            raise OptionError(
                f"{type(self).__name__}: these rows lack their sensitive items, which an attacker may know here: "
                f"verify {type(self).__name__}.validated_view(release.dataset)."
            )
        return published.rows

    def demand(self, rows: Transactions) -> Demand | None:
        """Return what is required of label sets (inside each class, for models of columns), or None."""
        return None

    def primary_loss(self, losses: Mapping[str, float], loss: str) -> tuple[float | None, str]:
        """Return the loss by which releases are compared, and its name."""
        return losses.get(f"weighted_{loss}", losses.get(loss)), loss.upper()

    @abstractmethod
    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Check the guarantee exactly, and return the verdict."""

    @abstractmethod
    def risk(self, published: Published, engine: Engine = LOCAL) -> Exposure:
        """Count the records that are exposed to an attacker who knows a few items, for charts."""

    @abstractmethod
    def feasible(self, published: Published) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no generalization of these rows can satisfy the model."""

    @property
    @abstractmethod
    def short(self) -> str:
        """The guarantee in a few words."""

    @abstractmethod
    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee with its options in one sentence. If persons are given, it counts persons."""

    @abstractmethod
    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise, one sentence each."""


class ItemsetModel(PrivacyModel):
    """Base class of models that require something of each label set that an attacker may know."""

    @abstractmethod
    def demand(self, rows: Transactions) -> Demand:
        """Return what is required of each label set."""

    def unreachable(self, rows: Transactions, values: Transactions) -> str:
        """Explain why no generalization was found, and what could be done."""
        return f"No generalization was found that satisfies {self.title} with these options: choose weaker ones."
