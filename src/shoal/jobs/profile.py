"""Describe data and the risk in them, as ``shoal profile`` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.jobs.arguments import as_dataset, at_least
from shoal.jobs.notes import taking_notes
from shoal.jobs.verify import with_quasi_identifiers
from shoal.metrics.risk import Risk
from shoal.privacy.k import KAnonymity
from shoal.privacy.k_km import KKmAnonymity


@dataclass(frozen=True)
class Profile:
    """Sizes, item frequencies, and how many records a few known items (and columns) pin down."""

    records: int
    empty_records: int
    items: int  # different ones
    occurrences: int  # items of all records
    mean_size: float  # items of a record
    max_size: int
    items_in_fewer_than_k_records: int
    top_items: Mapping[str, int]  # the most frequent items, and how many records hold each
    risk: Risk  # if 1, 2, .. m items are known, and the quasi-identifiers
    risk_by_columns: Risk | None = None  # if the quasi-identifiers alone are known
    notes: tuple[str, ...] = ()  # what to know about the result, in sentences

    @property
    def sizes(self) -> dict[str, float]:
        """The figures about the data, by name."""
        names = ("records", "empty_records", "items", "occurrences", "mean_size", "max_size")
        return {name: getattr(self, name) for name in (*names, "items_in_fewer_than_k_records")}

    def as_dict(self) -> dict[str, Any]:
        """What ``shoal profile --json`` prints."""
        risk, columns = self.risk, self.risk_by_columns
        figures = zip(risk.below_k, risk.unique, risk.prosecutor, risk.average, strict=True)
        return {
            **self.sizes,
            "top_items": dict(self.top_items),
            "risk": [
                {
                    "known_items": number,
                    "below_k": below,
                    "unique": unique,
                    "k": risk.k,
                    "prosecutor": prosecutor,
                    "average": average,
                }
                for number, (below, unique, prosecutor, average) in enumerate(figures, 1)
            ],
            "risk_by_columns": columns and {"below_k": columns.below_k[0], "unique": columns.unique[0], "k": columns.k},
        }


def profile(
    data: Any,
    *,
    k: int = 5,
    m: int = 3,
    top: int = 10,
    quasi_identifiers: Sequence[str] | None = None,
    engine: Engine = LOCAL,
) -> Profile:
    """Describe data: sizes, item frequencies, and how many records a few known items pin down.

    Parameters
    ----------
    data
        Anything that :func:`shoal.read` takes, or what it returned.
    k
        How many records should share any known set.
    m
        The most items an attacker may know.
    top
        How many of the most frequent items to list.
    quasi_identifiers
        Columns whose values are known as well. Default: nothing but items is known.
    engine
        How many threads to use, and whom to tell about progress.

    Examples
    --------
    >>> import shoal
    >>> result = shoal.profile([["milk", "tea"], ["milk", "tea"], ["milk", "beer"]], k=2, m=2)
    >>> result.records, result.items, dict(result.top_items)
    (3, 3, {'milk': 3, 'tea': 2, 'beer': 1})
    >>> result.risk.unique  # records that 1 known item, and up to 2, pin down to one
    (1, 1)
    """
    at_least(2, "profile", k=k)
    at_least(1, "profile", m=m)
    at_least(0, "profile", top=top)
    with taking_notes() as notes:
        dataset = as_dataset(data)
        if quasi_identifiers is None:
            risk, by_columns = Risk.of(dataset.transactions, k, m, engine), None
        else:
            both = KKmAnonymity(k=k, m=m)
            seen = both.as_published(with_quasi_identifiers(dataset, both, quasi_identifiers, notes))
            risk, by_columns = both.risk(seen, engine), KAnonymity(k=k).risk(seen)
    return _described(dataset.transactions, k, top, risk, by_columns, tuple(notes))


def _described(
    rows: Transactions, k: int, top: int, risk: Risk, by_columns: Risk | None, notes: tuple[str, ...]
) -> Profile:
    """The figures about the rows, with the risk in them."""
    sizes, supports = rows.sizes, rows.supports
    frequent = np.argsort(-supports, kind="stable")[:top].tolist()
    return Profile(
        records=len(rows),
        empty_records=len(rows) - rows.non_empty,
        items=len(rows.labels),
        occurrences=len(rows.items),
        mean_size=float(sizes.mean()) if len(sizes) else 0.0,
        max_size=int(sizes.max(initial=0)),
        items_in_fewer_than_k_records=int(np.count_nonzero(supports < k)),
        top_items={rows.labels[code]: int(supports[code]) for code in frequent},
        risk=risk,
        risk_by_columns=by_columns,
        notes=notes,
    )
