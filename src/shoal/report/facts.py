"""The figures of a report as a dataclass, and as JSON.

``report`` is the version of the JSON schema. It rises when a key changes its meaning or is removed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from shoal.data.hierarchy import NO_HIERARCHY
from shoal.metrics.risk import Disclosure, Exposure, Risk
from shoal.metrics.usefulness import Usefulness
from shoal.models.base import Verdict
from shoal.recoding.base import RecodingSummary
from shoal.report import sections
from shoal.report.explanations import Explanation
from shoal.report.flips import GroupFacts
from shoal.report.officer.sections import OfficerFacts

VERSION = 1
CONFIDENTIAL = "This report quotes the raw data. Keep it with the raw data, and do not publish it."


@dataclass(frozen=True, kw_only=True)
class Facts:
    """All figures of a report, without records."""

    report: int = VERSION
    worthless: sections.Headline | None
    model: sections.ModelFacts
    algorithm: sections.MethodFacts
    verdict: Verdict
    data: sections.DataFacts
    persons: sections.PersonsFacts | None
    relational: sections.RelationalFacts | None
    sensitive: sections.SensitiveFacts | None
    recoding: RecodingSummary
    properties: sections.Properties
    losses: Mapping[str, float | None]
    usefulness: Usefulness | None  # None if items were added or shuffled, or if the sets were not changed
    optimality: sections.OptimalityFacts | None
    generalized: sections.GeneralizedFacts
    codebook: tuple[sections.CodeBookEntry, ...] | None
    suppressed: sections.SuppressedFacts | None
    changes: GroupFacts | None
    patterns: Mapping[str, Any] | None  # None: the sets were not changed, or there are too many
    explanations: tuple[Explanation, ...] | None
    risk: sections.RiskFacts
    officer: OfficerFacts | None  # None on a cluster: its figures need all records in one place
    warnings: list[str]
    timings: Mapping[str, float]
    search: Mapping[str, float]
    provenance: Mapping[str, Any]
    confidential: str = CONFIDENTIAL

    @property
    def has_sets(self) -> bool:
        """Whether the data have sets."""
        return self.relational is None or self.relational.sets is not None

    @property
    def sets_changed(self) -> bool:
        """Whether there are sets that a method could change."""
        return self.relational is None or self.relational.sets_changed

    @property
    def hierarchy(self) -> str | None:
        """The name of the item hierarchy, or None if none was given."""
        name: str = self.provenance["hierarchy"]["name"]
        return None if name == NO_HIERARCHY else name

    @property
    def unchanged_share(self) -> float:
        """The share of all items that are published unchanged."""
        return self.generalized.hidden_among[0].share


@singledispatch
def plain(value: Any) -> Any:
    """Convert a value for JSON: dataclasses to dicts, tuples to lists, numbers that are not finite to None."""
    if is_dataclass(value):
        each = {one: getattr(value, one.name) for one in fields(value)}
        return {
            one.name: plain(part)
            for one, part in each.items()
            if part is not None or one.metadata != sections.UNLESS_NONE
        }
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


@plain.register
def _(value: RecodingSummary) -> dict[str, Any]:
    return value.as_dict()


@plain.register
def _(value: Mapping) -> dict[str, Any]:  # type: ignore[type-arg]
    return {str(key): plain(inner) for key, inner in value.items()}


@plain.register(list)
@plain.register(tuple)
def _(value: Iterable[Any]) -> list[Any]:
    return [plain(inner) for inner in value]


@plain.register
def _(verdict: Verdict) -> dict[str, Any]:
    return {"holds": verdict.holds, "checked": verdict.checked, "violations": verdict.violations}


@plain.register
def _(useful: Usefulness) -> dict[str, Any]:
    return {
        "total_items": useful.items,
        "unchanged": useful.unchanged,
        "share_unchanged": useful.unchanged_share,
        "different_items": useful.different_items,
        "always_unchanged": useful.always_unchanged,
        "median_items_behind_a_label": useful.median_items,
    }


@plain.register
def _(one: Explanation) -> dict[str, Any]:
    return {
        "group": one.group,
        "items": one.items,
        "records": one.records,
        "suppressed": one.suppressed,
        "witness": one.witness and {"labels": list(one.witness.labels), "support": one.witness.support},
    }


@plain.register
def _(risk: Risk) -> dict[str, Any]:
    own = {"k": risk.k, "sensitive": risk.sensitive, "prosecutor": risk.prosecutor, "average": risk.average}
    return {**plain(own), **_exposed(risk)}


@plain.register
def _(risk: Disclosure) -> dict[str, Any]:
    return {"l": risk.l, **_exposed(risk)}


def _exposed(risk: Exposure) -> dict[str, Any]:
    """Return for 1, 2, .. m known items how many records are exposed, and their share."""
    figures: dict[str, Any] = {"m": risk.known, "records": risk.records}
    for key, (_, counts) in risk.degrees.items():
        figures |= {key: plain(counts), f"share_{key}": plain(risk.shares(key))}
    return figures
