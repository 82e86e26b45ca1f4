"""How many people could be found in the data by what somebody may know of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.data import Dataset
from shoal.jobs.profile import PersonsProfile, Profile, profile
from shoal.jobs.risk import assess_risk
from shoal.jobs.sampling import only_items
from shoal.jobs.verify import verify
from shoal.models.base import PrivacyModel
from shoal.models.k import K
from shoal.models.k_km import KKm
from shoal.models.km import Km
from shoal.models.people import holders
from shoal.progress import engine_with
from shoal.risk import PRESETS, Assessment, Figure
from shoal.web.tasks.data import found
from shoal.web.worker import Session

MOST = 3  # known items that the charts show
FEW = 5  # a record that is left with fewer others is nearly found
EXAMPLES = 10


def overview(session: Session, data: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    """Count the records, and the persons, that 1, 2 or 3 known items, the columns, or both single out.

    All figures are exact. A record counts if some choice of its items is enough: the worst case for it.
    """
    dataset = _dataset(session, data)
    items, known = bool(dataset.transactions.total_items), _known(dataset, columns)
    rows: list[dict[str, Any]] = []
    with engine_with(progress=session.progress) as engine:
        alone = profile(dataset, k=FEW, m=MOST, top=0, engine=engine) if items else None
        both = profile(dataset, k=FEW, m=MOST, top=0, quasi_identifiers=known, engine=engine) if known else None
    if alone is not None:
        rows += _rows(alone, columns=False)
    if both is not None:
        rows += _by_columns(both)
    if alone is not None and both is not None:
        rows += _rows(both, columns=True)
    persons = None if dataset.transactions.persons is None else dataset.transactions.persons
    return {
        "records": len(dataset),
        "persons": persons and {"count": persons.count(), "noun": persons.noun, "nouns": persons.nouns},
        "few": FEW,
        "items": items,
        "columns": known,
        "rows": rows,
    }


def _dataset(session: Session, data: dict[str, Any]) -> Dataset:
    """Return the data of the project."""
    return found(session, data).data


def _known(dataset: Dataset, columns: Sequence[str]) -> list[str]:
    """Return the columns that an attacker may know and that the data have."""
    return [name for name in columns if dataset.table is not None and name in dataset.table.names]


def _rows(result: Profile, *, columns: bool) -> list[dict[str, Any]]:
    """Return a line for 1, 2, .. known items."""
    risk, persons = result.risk, result.persons
    return [
        {
            "items": number,
            "columns": columns,
            "unique": risk.share_unique[number - 1],
            "few": risk.share_below_k[number - 1],
            "persons": _share(persons, number),
        }
        for number in range(1, risk.known + 1)
    ]


def _share(persons: PersonsProfile | None, number: int) -> dict[str, float] | None:
    """Return the shares of persons that are found by so many items of a record."""
    if persons is None:
        return None
    return {"unique": persons.risk.share_unique[number - 1], "few": persons.risk.share_below_k[number - 1]}


def _by_columns(result: Profile) -> list[dict[str, Any]]:
    """Return the line for known columns without items."""
    risk, persons = result.risk_by_columns, result.persons
    assert risk is not None
    theirs = None if persons is None else persons.risk_by_columns
    return [
        {
            "items": 0,
            "columns": True,
            "unique": risk.share_unique[0],
            "few": risk.share_below_k[0],
            "persons": theirs and {"unique": theirs.share_unique[0], "few": theirs.share_below_k[0]},
        }
    ]


def details(session: Session, data: dict[str, Any], columns: list[str], limits: list[str]) -> dict[str, Any]:
    """Return the figures of risk assessors: crowds, chances, and how many records are above thresholds.

    ``limits``: names of :data:`shoal.risk.PRESETS`.
    """
    dataset = _dataset(session, data)
    with engine_with(progress=session.progress) as engine:
        known = _known(dataset, columns)
        result = assess_risk(dataset, m=1, thresholds=limits, quasi_identifiers=known or None, engine=engine)
    found = result.assessment
    return {
        "counted": found.counted,
        "draws": max((one.draws for one in found.scenarios), default=0),
        "thresholds": [{"name": name, "crowd": PRESETS[name].crowd, "source": PRESETS[name].source} for name in limits],
        "rows": _scenarios(found),
    }


def _scenarios(found: Assessment) -> list[dict[str, Any]]:
    """Return a line for each attacker: with the worst choice of known items, and with items drawn at random."""
    lines: list[dict[str, Any]] = []
    for worst in [one for one in found.scenarios if one.choice == "worst"]:
        drawn = found.scenario(worst.known_items, "random", columns=worst.columns)
        lines.append(
            {
                "items": worst.known_items,
                "columns": worst.columns,
                "smallest": worst.smallest.as_dict(),
                "highest": worst.prosecutor_max.as_dict(),
                "mean": worst.prosecutor_mean.as_dict(),
                "random": drawn.prosecutor_mean.as_dict(),
                "alone": _first(worst.histogram[0].share),
                "random_alone": _first(drawn.histogram[0].share),
                "above": [share.as_dict() for _, share in worst.above],
            }
        )
    return lines


def _first(share: Figure) -> dict[str, float | bool]:
    """Return the share of records with a crowd of one: themselves."""
    return share.as_dict()


def examples(session: Session, data: dict[str, Any], columns: list[str]) -> dict[str, Any]:
    """Return what singles out some records. These are raw data: the page shows them only if it is asked to."""
    dataset = _dataset(session, data)
    known, items = _known(dataset, columns), bool(dataset.transactions.total_items)
    asked: list[tuple[str, Dataset, PrivacyModel, bool]] = []
    if items:
        asked.append(("1 known item", dataset, Km(k=2, m=1), False))
        asked.append(("2 known items", _without_unique(dataset), Km(k=2, m=2), False))
    if known:
        asked.append(("the known columns", dataset, K(k=2), True))
    if known and items:
        asked.append(("the known columns and 1 item", dataset, KKm(k=2, m=1), True))
    shown: list[dict[str, Any]] = []
    with engine_with(progress=session.progress) as engine:
        for what, data_of, model, by_columns in asked:
            chosen = known if by_columns else None
            verdict = verify(data_of, model, quasi_identifiers=chosen, engine=engine).verdict
            texts = [str(one) for one in verdict.witnesses[:EXAMPLES]]
            if texts and texts not in [one["texts"] for one in shown]:
                shown.append({"what": what, "texts": texts})
    return {"groups": shown}


def _without_unique(dataset: Dataset) -> Dataset:
    """Return the data without the items that single out a record, or person, alone."""
    rows = dataset.transactions
    return dataset.with_transactions(only_items(rows, np.flatnonzero(holders(rows, rows.persons) > 1)))
