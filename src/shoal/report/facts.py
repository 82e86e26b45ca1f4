"""The figures of a report, as plain values in a fixed order: what the JSON holds and the other forms read.

``"report"`` is the version of this schema: it rises when a key changes its meaning or goes away.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shoal.data.transactions import Transactions
from shoal.metrics.operations import Operations
from shoal.metrics.privacy_value import PrivacyValue
from shoal.metrics.risk import Disclosure, Exposure, Risk
from shoal.recoding import Dealt
from shoal.release.release import Release
from shoal.report import headline, proofs, wording
from shoal.report.bands import banded, bands
from shoal.report.explanations import Explanation
from shoal.report.flips import flips
from shoal.report.relational import relational
from shoal.report.story import Story

VERSION = 1
GROUP_BANDS = (1, 2, 6, 21, 101)  # first group size of each band; 1 is an item published unchanged
RECORD_BANDS = (0, 1, 2, 3, 6, 11, 21, 51)  # first record size of each band
PAPERS = {
    "P0": "M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. "
    "PVLDB 1(1), 2008.",
    "P1": "S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied "
    "Intelligence, 2014.",
    "P2": "G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and "
    "transaction attributes. ECML PKDD 2013.",
    "P3": "M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. "
    "The VLDB Journal 20(1), 2011.",
    "P4": "J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and generalization. PAKDD 2010.",
    "He and Naughton": "Y. He, J. F. Naughton: Anonymization of set-valued data via top-down, local generalization. "
    "PVLDB 2(1), 2009.",
    "Ghinita": "G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data. IEEE TKDE 23(2), "
    "2011.",
}


def as_dict(story: Story) -> dict[str, Any]:
    """The release in figures, ready for strict JSON. No records."""
    release, explained = story.release, story.explained
    privacy, algorithm = release.problem.privacy, release.algorithm
    values: dict[str, Any] = {
        "report": VERSION,
        "worthless": headline.worthless(story),
        "model": {
            "name": privacy.name,
            "title": privacy.title,
            "options": privacy.values(),
            "description": privacy.describe(),
            "paper": privacy.paper,
            "references": references(privacy.paper),
        },
        "algorithm": {
            "name": algorithm.name,
            "title": algorithm.title,
            "options": algorithm.values(),
            "description": (inspect.getdoc(type(algorithm)) or "").partition("\n")[0],
            "paper": algorithm.paper,
            "references": references(algorithm.paper),
            "truthful": algorithm.truthful,
            "generalizes": algorithm.generalizes,
        },
        "verdict": {
            "holds": release.verdict.holds,
            "checked": release.verdict.checked,
            "violations": release.verdict.violations,
        },
        "data": _data(release),
        "relational": relational(release),
        "sensitive": _sensitive(release),
        "recoding": release.summary,
        "properties": {"domain_exclusive": release.published.exclusive},
        "losses": {name: value for name, value in release.losses.items() if name not in _secret(release)},
        "usefulness": _usefulness(release),
        "optimality": _optimality(release),
        "generalized": _generalized(release),
        "codebook": _codebook(release),
        "suppressed": _suppressed(release, named=explained),
        "flips": flips(release, named=explained),
        "explanations": explanations(story.findings.explanations) if explained else None,
        "risk": {"before": _risk(release.risk_before), "after": _risk(release.risk_after)},
        "warnings": wording.warnings(release),
        "timings": release.timings,
        "search": release.solution.statistics,
        "provenance": release.provenance,
        "confidential": "This report quotes the raw data: keep it with them, not with the published file.",
    }
    plain: dict[str, Any] = _plain(values)
    return plain


def _secret(release: Release) -> set[str]:
    """Measures not to be told: where items were dealt anew, all that depend on who got an item back."""
    if not isinstance(release.recoding, Dealt):
        return set()
    return {*Operations.meanings, *PrivacyValue.meanings}


def references(paper: str) -> list[str]:
    """The papers that our short form names, in full.

    >>> references("P0 Alg. 4")
    ['M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008.']
    """
    return [PAPERS[name] for name in re.findall(r"\bP\d\b|He and Naughton|Ghinita", paper) if name in PAPERS]


def _data(release: Release) -> dict[str, Any]:
    """The data before and after."""
    before, after = release.problem.items, release.published.rows
    return {
        "name": release.problem.data.origin.name,
        "rows": len(before),
        "non_empty": before.non_empty,
        "domain": release.published.n_items,
        "items": _used(before),
        "labels_after": _used(after),
        "occurrences": len(before.items),
        "occurrences_after": len(after.items),
        "max_size": int(before.sizes.max(initial=0)),
        "max_size_after": int(after.sizes.max(initial=0)),
        "mean_size": len(before.items) / max(1, len(before)),
        "mean_size_after": len(after.items) / max(1, len(after)),
        "sizes": _record_sizes(before, after),
    }


def _sensitive(release: Release) -> dict[str, Any] | None:
    """What is sensitive, and how often it occurs; nothing, if the model knows nothing sensitive."""
    if release.problem.set_apart is None:
        return None
    found = {**_held(release.problem.sensitive), "not_found": release.problem.missed}
    if release.change is not None and release.published.sensitive is not None:
        found["after"] = _held(release.published.sensitive.values)
    return found


def _held(values: Transactions) -> dict[str, Any]:
    """How many records hold sensitive values, and which; the most frequent first."""
    counts = dict(zip(values.labels, values.supports.tolist(), strict=True))
    return {
        "records": values.non_empty,
        "values": dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
    }


def _record_sizes(before: Transactions, after: Transactions) -> list[dict[str, int]]:
    """How many records have how many items, before and after."""
    largest = int(max(before.sizes.max(initial=0), after.sizes.max(initial=0)))
    counted = zip(banded(before.sizes, RECORD_BANDS), banded(after.sizes, RECORD_BANDS), strict=True)
    return [
        {"low": low, "high": high, "before": was, "after": now}
        for (low, high), (was, now) in zip(bands(RECORD_BANDS, largest), counted, strict=False)
    ]


def _generalized(release: Release) -> dict[str, Any]:
    """Which labels stand for several items, and how many occurrences are hidden among how many items.

    An unchanged item is published as itself; where items were added and deleted, in just the records that had it.
    """
    published, supports = release.published, release.published.rows.supports
    sizes = release.comparison.covered_sizes
    total = max(1, len(sizes))
    hidden = zip(bands(GROUP_BANDS, published.n_items), banded(sizes[sizes > 0], GROUP_BANDS), strict=False)
    groups, intact = group_codes(release), (published.cover_sizes == 1) & (supports > 0)
    if release.change is not None:
        touched = release.change.per_item(release.change.added) + release.change.per_item(release.change.deleted)
        intact &= touched[: len(intact)] == 0
    return {
        "intact_items": int(np.count_nonzero(intact)),
        "groups": [
            {"label": published.rows.labels[code], "items": published.cover_sizes[code], "records": supports[code]}
            for code in groups
        ],
        "hidden_among": [
            {"low": low, "high": high, "occurrences": count, "share": count / total} for (low, high), count in hidden
        ],
        "suppressed": int(np.count_nonzero(sizes == 0)),
    }


def _codebook(release: Release) -> list[dict[str, Any]] | None:
    """What each published label stands for, where groups of siblings are published; else nothing."""
    if not release.groups_siblings:
        return None
    entries = release.codebook.facts()
    if release.problem.unknown_items == "root":
        # Leaves right below the root may be items that only the raw data know: a rare one must not be named.
        hierarchy = release.problem.hierarchy
        secret = {label for label, one in zip(hierarchy.items, hierarchy.right_below_root, strict=True) if one}
        for one in entries:
            known = [item for item in one["items"] if item not in secret]
            one |= {"items": known, "unnamed": len(one["items"]) - len(known)}
    return entries


def _usefulness(release: Release) -> dict[str, Any] | None:
    """How much of the items can still be read; nothing, where items were added or moved or are left alone."""
    if not release.algorithm.truthful or not release.problem.privacy.about_sets:
        return None
    found = release.usefulness
    return {
        "items": found.items,
        "unchanged": found.unchanged,
        "share_unchanged": found.unchanged_share,
        "different_items": found.different_items,
        "always_unchanged": found.always_unchanged,
        "median_items_behind_a_label": found.median_items,
    }


def _suppressed(release: Release, *, named: bool) -> dict[str, Any] | None:
    """Which items were removed from every record, and how often; nothing, if all were kept or the loss is in flips.

    ``named``: with their labels and counts, which are taken from the raw data.
    """
    items, hierarchy = release.problem.items, release.problem.hierarchy
    made = release.comparison.outcome
    if not made.suppressed or not release.algorithm.truthful:
        return None
    codes, counts = made.suppressed_items, made.suppressed_counts
    secret = release.problem.unknown_items == "root"  # then leaves below the root may be known to the raw data only
    listed = [
        {"label": items.labels[code], "records": count}
        for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
        if not (secret and hierarchy.right_below_root[code])
    ]
    return {
        "items": len(codes),
        "occurrences": made.suppressed,
        "share": made.suppressed / made.occurrences,
        "emptied_records": made.emptied,
        "unnamed": len(codes) - len(listed),  # of the items: those that must not be named
        "listed": listed if named else None,
    }


def group_codes(release: Release) -> list[int]:
    """The labels in use that cover several items; those in the most records first."""
    published, supports = release.published, release.published.rows.supports
    codes = np.flatnonzero((published.cover_sizes > 1) & (supports > 0))
    order = np.lexsort((codes, -published.cover_sizes[codes], -supports[codes]))
    return [int(code) for code in codes[order]]


def _optimality(release: Release) -> dict[str, Any] | None:
    """What is proved about how good the recoding is."""
    found = release.optimality
    if found is None:
        return None
    return {
        "proven": found.proven,
        "loss": found.loss,
        "lower_bound": found.lower_bound,
        "gap": found.gap,
        "groupings_bound": found.groupings_bound,
        "groupings_gap": found.groupings_gap,
        "searched": "cuts" if release.problem.hierarchy.refines is None else "sibling groups",
        "sentence": proofs.optimality(release),
        "ended": found.ended,
        "rounds": found.rounds,
        "clauses": found.clauses,
    }


def explanations(found: Sequence[Explanation]) -> list[dict[str, Any]]:
    """Why each group is needed."""
    return [
        {
            "group": one.group,
            "items": one.items,
            "records": one.records,
            "suppressed": one.suppressed,
            "witness": one.witness and {"labels": one.witness.labels, "support": one.witness.support},
        }
        for one in found
    ]


def _risk(risk: Exposure) -> dict[str, Any]:
    """For 1, 2, .. m known items: how many records, and which share of those that can be exposed at all."""
    degrees = risk.degrees
    return {
        **(
            {"k": risk.k, "sensitive": risk.sensitive, "prosecutor": risk.prosecutor, "average": risk.average}
            if isinstance(risk, Risk)
            else {}
        ),
        **({"l": risk.l} if isinstance(risk, Disclosure) else {}),
        "m": len(next(iter(degrees.values()))[1]),
        "records": risk.records,
        **{
            name: values
            for key, (_, counts) in degrees.items()
            for name, values in ((key, counts), (f"share_{key}", risk.shares(key)))
        },
    }


def _used(rows: Transactions) -> int:
    """The number of labels that occur."""
    return int(np.count_nonzero(rows.supports))


def _plain(value: Any) -> Any:
    """As JSON has it: no arrays' scalars, no tuples, null for what is not a finite number."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
