"""Check a guarantee on published data alone, as ``shoal verify`` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from shoal.data import Dataset
from shoal.data.persons import Persons
from shoal.data.sensitive import lookalikes, spelling_notes
from shoal.data.table import Role
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.hierarchies.codebook import CodeBook
from shoal.io.persons_file import checked_persons, read_persons
from shoal.jobs.arguments import CodeBookSource, HierarchySource, as_dataset, as_hierarchy, as_model
from shoal.jobs.column_specs import names_in
from shoal.jobs.notes import taking_notes
from shoal.jobs.published_file import check_labels, given_codebook, refuse_torn
from shoal.models.base import PrivacyModel, Verdict, Witness
from shoal.options import format_value
from shoal.problem.persons import require_counting
from shoal.progress import engine_with
from shoal.published import Published
from shoal.report.wording import worded

PersonsSource = Iterable[object] | str | Path | None  # ids, or a file of them
NO_PERSONS = "Persons were not checked: if a person may have several records, give persons=FILE."


@dataclass(frozen=True, eq=False)
class Verification:
    """The result of a check. It is true if the guarantee holds."""

    model: PrivacyModel  # the guarantee; groups of sensitive items are expanded
    verdict: Verdict
    missed: tuple[str, ...] = ()  # sensitive labels that the data lack, so they were not checked
    codebook: CodeBook | None = None
    notes: tuple[str, ...] = ()  # remarks about the result
    people: Persons | None = None  # the persons of the records; None: records were counted
    records: int = 0  # how many the data have

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds."""
        return self.verdict.holds

    def __bool__(self) -> bool:
        """Whether the guarantee holds."""
        return self.holds

    @property
    def persons(self) -> int | None:
        """The number of persons, or None if records were counted."""
        return None if self.people is None else self.people.count()

    @property
    def unchecked(self) -> str:
        """A sentence that persons were not checked, or an empty string."""
        return NO_PERSONS if self.persons is None and self.model.counts_persons else ""

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal verify --json`` prints."""
        return {
            "model": {"name": self.model.name, **self.model.values()},
            "holds": self.verdict.holds,
            "checked": self.verdict.checked,
            "violations": self.verdict.violations,
            "persons": self.persons,
            "persons_checked": self.persons is not None,
            "not_found": self.missed,
            "witnesses": [_witness(witness, self.codebook) for witness in self.verdict.witnesses],
        }


def verify(
    data: Any,
    model: PrivacyModel | str | None = None,
    *,
    k: int | None = None,
    m: int | Literal["all"] | None = None,
    hierarchy: HierarchySource = None,
    codebook: CodeBookSource = None,
    quasi_identifiers: str | Sequence[str] | None = None,
    allow_missing: bool = False,
    persons: PersonsSource = None,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> Verification:
    """Check a guarantee on published data of any tool. The check reads nothing but the data.

    Parameters
    ----------
    data
        The published data: anything that :func:`shoal.read` takes, or what it returned.
    model
        The guarantee, such as ``shoal.Lm(l=4, m=2, sensitive=("flu",))``, or its name. Default: k^m-anonymity.
    k
        Short for ``shoal.Km(k=..)``. Default: that of the model, 5 for k^m-anonymity.
    m
        Short for ``shoal.Km(m=..)``. Default: that of the model, 2 for k^m-anonymity.
    hierarchy
        The item hierarchy, or its file: if the model names groups as sensitive, or to check ``codebook`` by.
    codebook
        The code book of the release, or its file. All labels must be in it, or be items.
    quasi_identifiers
        For models about columns: the columns that an attacker may know. Default: all that are not sensitive.
    allow_missing
        Go on if a sensitive label is not in the data. It may be misspelt.
    persons
        Whose each record is, in their order: a list of ids, or a file with one id a line, as ``release.save(..,
        persons=FILE)`` writes it. Then persons are counted. Default: as the data were read (``person=``), or not
        at all.
    workers, memory, work_dir, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    Verification
        ``result.holds`` tells whether the guarantee holds; ``result.verdict.witnesses`` are counterexamples.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.verify([["milk", "tea"], ["milk", "tea"], ["milk"]], k=2, m=2)
    >>> result.holds, result.verdict.checked
    (True, 2)
    >>> result = shoal.verify([["milk", "tea"], ["milk", "beer"]], k=2, m=2)
    >>> print(result.holds, *result.verdict.witnesses)
    False {beer} is in 1 record {tea} is in 1 record
    """
    model = as_model(model, k, m, reading)
    with (
        taking_notes() as notes,
        engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running,
    ):
        dataset = as_dataset(data, model, reading)
        if quasi_identifiers is not None:
            dataset = with_quasi_identifiers(dataset, model, quasi_identifiers, notes)
        refuse_torn(dataset)
        tree = as_hierarchy(hierarchy)
        if tree is not None:
            model = model.expand_groups(tree, set(dataset.transactions.labels))
        dataset = _with_persons(dataset, model, persons)
        published, missed = _seen(dataset, model, allow_missing)
        book = None
        if codebook is not None or dataset.origin.codebook is not None:
            book = given_codebook(codebook, dataset)
            known = tree and tree.without_items(model.sensitive_labels)
            check_labels(published.rows.in_use().labels, book, known, dataset)
        verdict = model.verify(published, running)
        notes += _caveats(dataset, model, published, missed)
    return Verification(model, verdict, missed, book, tuple(notes), dataset.transactions.persons, len(dataset))


def _with_persons(data: Dataset, model: PrivacyModel, persons: PersonsSource) -> Dataset:
    """Return the data with the persons of their records, if these are given and the model counts them."""
    data = given_persons(data, persons)
    require_counting(model, data)
    return data


def given_persons(data: Dataset, persons: PersonsSource) -> Dataset:
    """Return the data with the persons of their records, if these are given."""
    if persons is None:
        return data
    if data.transactions.persons is not None:
        raise OptionError("persons= and person= both name the persons of the records: leave one out.")
    name, records = data.origin.source, len(data)
    known = (
        read_persons(persons, records, name)
        if isinstance(persons, str | Path)
        else checked_persons([str(one) for one in persons], records, name, "persons", "place")
    )
    return data.with_transactions(data.transactions.of_persons(known))


def _seen(data: Dataset, model: PrivacyModel, allow_missing: bool) -> tuple[Published, tuple[str, ...]]:
    """Return the data as a reader sees them, and the sensitive labels that they lack."""
    missed = model.missing_sensitive(data) if allow_missing else ()
    published = model.as_published(data) if missed else model.validated_view(data)
    published = published.of_persons(data.transactions.persons)
    if missed and published.sensitive is not None and not published.sensitive.values.labels:
        raise OptionError(
            f"{data.origin.source} has no sensitive values, so there is nothing to check: correct the spelling."
        )
    return published, missed


def with_quasi_identifiers(
    data: Dataset, model: PrivacyModel, quasi_identifiers: Sequence[str], notes: list[str]
) -> Dataset:
    """Return the data with these columns as quasi-identifiers."""
    if not model.relational:
        raise OptionError(f"quasi_identifiers= is for the models k, k-km and k-lm, not for {model.name}.")
    names = names_in(quasi_identifiers)
    table = data.keep_columns(names).table
    assert table is not None
    assert data.table is not None
    ignored = [name for name in data.table.names if name not in names and name not in model.columns]
    if ignored:
        notes.append(f"Not checked, because quasi_identifiers= does not name them: {format_value(tuple(ignored))}.")
    roles = dict.fromkeys(data.table.names, Role.PLAIN) | dict.fromkeys(table.names, Role.QUASI_IDENTIFIER)
    return replace(data, table=replace(data.table, roles=roles))


def _caveats(data: Dataset, model: PrivacyModel, published: Published, missed: tuple[str, ...]) -> Iterator[str]:
    """Yield remarks about the check."""
    if missed:
        yield f"Not in {data.origin.source}, so not checked: {format_value(missed)}."
    for label, other in lookalikes(model.sensitive_labels, published.rows.in_use().labels):
        yield f"'{other}' looks like '{label}' but was not declared sensitive, so it counts as an ordinary item."
    if published.sensitive is not None:
        yield from map(worded, spelling_notes(data, published.sensitive))
    yield from filter(None, [*map(worded, model.notes), model.unverifiable_assumption])


def _witness(witness: Witness, book: CodeBook | None) -> dict[str, Any]:
    """Return a witness as plain values. With a code book, add the items that its labels represent."""
    facts = witness.as_dict()
    if book is not None:
        facts["items"] = {label: list(book.items_of(label)) for label in witness.named if label in book}
    return facts
