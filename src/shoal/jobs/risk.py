"""Assess the risk in a file of any tool, raw or published, as ``shoal risk`` does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from shoal.data import Dataset
from shoal.data.person_column import with_persons
from shoal.engines import Engine
from shoal.jobs.arguments import as_dataset, at_least
from shoal.jobs.column_specs import names_in
from shoal.jobs.notes import taking_notes
from shoal.jobs.verify import PersonsSource, given_persons, with_quasi_identifiers
from shoal.models.base import PrivacyModel
from shoal.models.k import K
from shoal.models.k_km import KKm
from shoal.models.k_lm import KLm
from shoal.models.km import Km
from shoal.models.lm import Lm
from shoal.progress import engine_with
from shoal.published import Published
from shoal.risk import Assessment, assess, threshold


@dataclass(frozen=True)
class RiskResult:
    """The risk in data, and in the original data if they were given.

    Parameters
    ----------
    m : int or "all"
        How many items of a record the guarantee assumes to be known.
    assessment : Assessment
        The figures.
    original : Assessment or None
        Those of the original data.
    notes : tuple of str
        Remarks about the result.
    """

    m: int | Literal["all"]
    assessment: Assessment
    original: Assessment | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return what ``shoal risk --json`` prints."""
        return {
            "m": self.m,
            "assessment": self.assessment.as_dict(),
            "original": self.original and self.original.as_dict(),
        }


def assess_risk(
    data: Any,
    *,
    m: int | Literal["all"] = 2,
    thresholds: float | str | Sequence[float | str] = (),
    quasi_identifiers: str | Sequence[str] | None = None,
    sensitive: str | Sequence[str] = (),
    sensitive_column: str | Sequence[str] = (),
    population: Any = None,
    original: Any = None,
    person: str | None = None,
    persons: PersonsSource = None,
    seed: int = 0,
    workers: int = 0,
    memory: int | str | None = None,
    work_dir: str | Path | None = None,
    progress: bool | Callable[[str, float], None] = False,
    engine: Engine | None = None,
    **reading: Any,
) -> RiskResult:
    """Assess the risk in raw or published data: crowds, prosecutor, marketer and journalist risk, and inference.

    Parameters
    ----------
    data
        Anything that :func:`shoal.read` takes, or what it returned.
    m
        How many items of a record an attacker may know, or ``"all"``. Attackers who know up to m + 2 items, and whole
        records, are assessed, too.
    thresholds
        Risks to compare that of each record with: numbers, or names such as ``"ema"``
        (:data:`shoal.risk.PRESETS`).
    quasi_identifiers
        Columns that an attacker may know. Default: only items are known.
    sensitive
        Sensitive items, or values of a sensitive column, ``"column=value"``.
    sensitive_column
        Columns whose values are sensitive.
    population
        The data of the whole population, read as ``data`` are. They must contain the data.
    original
        The original data, read as ``data`` are, to be assessed as well.
    person
        The column that says whose a record is, where a person may have several. Then crowds count persons.
    persons
        The same for published data, which do not name persons: as in :func:`shoal.verify`.
    seed
        The seed of random draws.
    workers, memory, work_dir, progress, engine
        As in :func:`shoal.anonymize`.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    RiskResult
        ``result.assessment`` has the figures.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.assess_risk([["milk", "tea"], ["milk", "tea"], ["milk", "beer"]], m=1, thresholds=[0.5])
    >>> worst = result.assessment.scenario(1, "worst")
    >>> worst.smallest.value, worst.prosecutor_max.value, worst.above[0][1].value
    (1, 1.0, 0.333...)
    """
    if m != "all":
        at_least(1, "assess_risk", m=m)
    at_least(0, "assess_risk", seed=seed)
    several = [thresholds] if isinstance(thresholds, float | int | str) else thresholds
    limits = [threshold(one) for one in several]
    kind = _model(quasi_identifiers, names_in(sensitive), names_in(sensitive_column))
    known = None if quasi_identifiers is None else names_in(quasi_identifiers)
    with (
        taking_notes() as notes,
        engine_with(progress=progress, workers=workers, memory=memory, work_dir=work_dir, engine=engine) as running,
    ):
        view = _seen(as_dataset(data, reader(known), reading), kind, known, person, notes, persons)
        others, before = (
            None if source is None else _seen(as_dataset(source, reader(known), reading), kind, known, person, [])
            for source in (population, original)
        )
        result = assess(view, m=m, thresholds=limits, population=others, seed=seed, engine=running)
        raw = None
        if before is not None:
            raw = assess(before, m=m, thresholds=limits, population=others, seed=seed, engine=running)
    return RiskResult(m, result, raw, tuple(notes))


def reader(quasi_identifiers: Sequence[str] | None) -> PrivacyModel | None:
    """Return a model that says how to read the data: if columns are known, a table may have no sets."""
    return None if quasi_identifiers is None else K(k=2)


def _model(
    quasi_identifiers: object | None, sensitive: tuple[str, ...], sensitive_column: tuple[str, ...]
) -> PrivacyModel:
    """Return a model that sees the data as an intruder does: columns, items, sensitive values."""
    hidden: dict[str, Any] = {"sensitive": sensitive, "sensitive_column": sensitive_column}
    if sensitive or sensitive_column:
        return Lm(l=2, m=1, **hidden) if quasi_identifiers is None else KLm(k=2, l=2, m=1, **hidden)
    return Km(k=2, m=1) if quasi_identifiers is None else KKm(k=2, m=1)


def _seen(
    data: Dataset,
    kind: PrivacyModel,
    quasi_identifiers: Sequence[str] | None,
    person: str | None,
    notes: list[str],
    persons: PersonsSource = None,
) -> Published:
    """Return the data as an intruder sees them."""
    if person is not None:
        data = with_persons(data, person)
    data = given_persons(data, persons)
    if quasi_identifiers is not None:
        data = with_quasi_identifiers(data, kind, quasi_identifiers, notes)
    kind.refuse_missing(data)
    return kind.as_published(data).of_persons(data.transactions.persons)
