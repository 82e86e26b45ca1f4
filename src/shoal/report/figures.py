"""Collects the figures of a report from a release."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from shoal.data.reading_notes import IdsReplaced
from shoal.data.transactions import Transactions
from shoal.release import dates
from shoal.release.release import Release
from shoal.report import headline, patterns, proofs, sections, wording
from shoal.report.bands import banded, bands
from shoal.report.facts import Facts, plain
from shoal.report.flips import flips
from shoal.report.officer.context import Context
from shoal.report.officer.facts import gather as officer_facts
from shoal.report.officer.sections import OfficerFacts
from shoal.report.relational import relational
from shoal.report.story import Story

GROUP_BANDS = (1, 2, 6, 21, 101)  # first group size of each band; 1 is an item published unchanged
RECORD_BANDS = (0, 1, 2, 3, 6, 11, 21, 51)  # first record size of each band
PAPERS = {  # docs/research/bibliography.md
    "Terrovitis et al. 2008": "M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued "
    "data. PVLDB 1(1), 2008.",
    "Wang et al. 2014": "S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive "
    "items. Applied Intelligence, 2014.",
    "Poulis et al. 2013": "G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with "
    "relational and transaction attributes. ECML PKDD 2013.",
    "Terrovitis et al. 2011": "M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for "
    "anonymizing set-valued data. The VLDB Journal 20(1), 2011.",
    "Liu and Wang 2010": "J. Liu, K. Wang: Anonymizing transaction data by integrating suppression and "
    "generalization. PAKDD 2010.",
    "He and Naughton 2009": "Y. He, J. F. Naughton: Anonymization of set-valued data via top-down, local "
    "generalization. PVLDB 2(1), 2009.",
    "Ghinita et al. 2011": "G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data. "
    "IEEE TKDE 23(2), 2011.",
    "Xu et al. 2008": "Y. Xu, K. Wang, A. W.-C. Fu, P. S. Yu: Anonymizing transaction databases for publication. KDD "
    "2008.",
    "LeFevre et al. 2006": "K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE "
    "2006.",
    "Samarati and Sweeney 1998": "P. Samarati, L. Sweeney: Protecting privacy when disclosing information: k-anonymity "
    "and its enforcement through generalization and suppression. Technical report, SRI International, 1998.",
}


def as_dict(story: Story) -> dict[str, Any]:
    """Return the figures as values for strict JSON."""
    values: dict[str, Any] = plain(gather(story))
    return values


def gather(story: Story) -> Facts:
    """Return the figures of a release, without records. An explained story also has the sets that forced groups."""
    release, explained = story.release, story.explained
    changed = flips(release, named=explained)
    secret = () if changed is None else changed.secret
    return Facts(
        worthless=headline.worthless(story),
        model=_model(release),
        algorithm=_method(release),
        verdict=release.verdict,
        data=_data(release),
        persons=_persons(release),
        relational=relational(release),
        sensitive=_sensitive(release),
        recoding=release.summary,
        properties=sections.Properties(release.published.exclusive),
        losses=plain({name: value for name, value in release.losses.items() if name not in secret}),
        usefulness=release.usefulness if release.algorithm.truthful and release.problem.model.covers_sets else None,
        optimality=_optimality(release),
        generalized=_generalized(release),
        codebook=_codebook(release),
        suppressed=_suppressed(release, named=explained),
        changes=changed,
        patterns=plain(patterns.facts(story.findings.patterns, release, named=explained)),
        explanations=tuple(story.findings.explanations) if explained else None,
        risk=sections.RiskFacts(release.risk_before, release.risk_after),
        officer=_officer(story),
        warnings=story.messages(wording.warnings(release)),
        timings={} if dates.is_fixed() else plain(release.timings),
        search=plain(_search(release)),
        provenance=plain(_provenance(release)),
    )


def _provenance(release: Release) -> dict[str, Any]:
    """Return the provenance, without what differs from run to run if equal inputs must give equal reports."""
    measured = ("timings", "memory_limit_bytes", "peak_memory_bytes") if dates.is_fixed() else ()
    told = {name: None if name in measured else value for name, value in release.provenance.items()}
    return {**told, "search": _search(release)}


def _officer(story: Story) -> OfficerFacts | None:
    """Return the part for officers, unless the records are on several machines."""
    if story.release.problem.items.bounds is not None:
        return None
    return officer_facts(story.release, story.context or Context(), story.thresholds, compared_with=story.compared_with)


def _search(release: Release) -> dict[str, Any]:
    """Return what the search counted. Its times are left out, too, if equal inputs must give equal reports."""
    statistics = release.solution.statistics
    return {name: value for name, value in statistics.items() if not (dates.is_fixed() and name.startswith("seconds"))}


def _model(release: Release) -> sections.ModelFacts:
    """Return the privacy model."""
    model = release.problem.model
    return sections.ModelFacts(
        name=model.name,
        title=model.title,
        options=plain(model.values()),
        description=model.describe(release.problem.persons),
        paper=model.paper,
        references=references(model.paper),
    )


def _method(release: Release) -> sections.MethodFacts:
    """Return the algorithm."""
    algorithm = release.algorithm
    return sections.MethodFacts(
        name=algorithm.name,
        title=algorithm.title,
        options=plain(algorithm.values()),
        description=(inspect.getdoc(type(algorithm)) or "").partition("\n")[0],
        paper=algorithm.paper,
        references=references(algorithm.paper),
        truthful=algorithm.truthful,
        generalizes=algorithm.generalizes,
    )


def references(paper: str) -> list[str]:
    """Return the full references of the papers that a short form names.

    >>> references("Terrovitis et al. 2008, Alg. 4")
    ['M. Terrovitis, N. Mamoulis, P. Kalnis: Privacy-preserving anonymization of set-valued data. PVLDB 1(1), 2008.']
    """
    return [reference for name, reference in PAPERS.items() if name in paper]


def _data(release: Release) -> sections.DataFacts:
    """Return the sizes of the data before and after."""
    before, after = release.problem.items, release.published.rows
    return sections.DataFacts(
        name=release.problem.data.origin.name,
        rows=len(before),
        non_empty=before.non_empty,
        domain=release.published.n_items,
        different_items=_used(before),
        different_labels_after=_used(after),
        total_items=before.total_items,
        total_labels_after=after.total_items,
        max_size=before.longest,
        max_size_after=after.longest,
        mean_size=before.total_items / max(1, len(before)),
        mean_size_after=after.total_items / max(1, len(after)),
        sizes=_record_sizes(before, after),
    )


def _persons(release: Release) -> sections.PersonsFacts | None:
    """Return the figures of persons, without any id, or None if persons are not known."""
    persons, notes = release.problem.persons, release.problem.data.origin.notes
    if persons is None:
        return None
    return sections.PersonsFacts(
        column=persons.column,
        noun=persons.noun,
        nouns=persons.nouns,
        persons=persons.count(),
        mean_records=len(persons) / max(1, persons.count()),
        most_records=persons.most,
        order="as in the input" if release.order is None else "by content",
        ids_replaced=any(isinstance(note, IdsReplaced) for note in notes),
    )


def _sensitive(release: Release) -> sections.SensitiveFacts | None:
    """Return how often sensitive values occur, or None if nothing was declared sensitive."""
    if release.problem.sensitive_part is None:
        return None
    held, after = _held(release.problem.sensitive), None
    if release.change is not None and release.published.sensitive is not None:
        after = _held(release.published.sensitive.values)
    return sections.SensitiveFacts(held.records, held.values, release.problem.missing_sensitive, after)


def _held(values: Transactions) -> sections.Held:
    """Count the records with sensitive values, and with each value, the most frequent first."""
    counts = dict(zip(values.labels, values.supports.tolist(), strict=True))
    return sections.Held(values.non_empty, dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))


def _record_sizes(before: Transactions, after: Transactions) -> tuple[sections.RecordSizes, ...]:
    """Count the records of each size, before and after."""
    largest = max(before.longest, after.longest)
    each = (banded(np.arange(rows.longest + 1), RECORD_BANDS, rows.size_counts) for rows in (before, after))
    counted = zip(*each, strict=True)
    banding = zip(bands(RECORD_BANDS, largest), counted, strict=False)
    return tuple(sections.RecordSizes(low, high, was, now) for (low, high), (was, now) in banding)


def _generalized(release: Release) -> sections.GeneralizedFacts:
    """Return the labels that represent several items, and how many items are hidden among how many.

    An unchanged item is published as itself. If items were added and deleted, exactly the records that had it have it.
    """
    published, supports = release.published, release.published.rows.supports
    covered = release.comparison.covered
    total, shown = max(1, covered.total), covered.sizes > 0
    counts = banded(covered.sizes[shown], GROUP_BANDS, covered.counts[shown])
    hidden = zip(bands(GROUP_BANDS, published.n_items), counts, strict=False)
    unchanged = (published.cover_sizes == 1) & (supports > 0)
    if release.change is not None:
        touched = release.change.per_item(release.change.added) + release.change.per_item(release.change.deleted)
        unchanged &= touched[: len(unchanged)] == 0
    return sections.GeneralizedFacts(
        different_unchanged_items=int(np.count_nonzero(unchanged)),
        groups=tuple(
            sections.Group(published.rows.labels[code], int(published.cover_sizes[code]), int(supports[code]))
            for code in group_codes(release)
        ),
        hidden_among=tuple(sections.HiddenBand(low, high, count, count / total) for (low, high), count in hidden),
        suppressed=covered.number(covered.sizes == 0),
    )


def _codebook(release: Release) -> tuple[sections.CodeBookEntry, ...] | None:
    """Return what each published label represents, or None if no groups of siblings are published."""
    if not release.groups_siblings:
        return None
    problem = release.problem
    secret = {label for label, one in zip(problem.hierarchy.items, problem.secret_items, strict=True) if one}
    entries = []
    for one in release.codebook.entries:
        named = [item for item in one.items if item not in secret]
        unnamed = len(one.items) - len(named) if problem.unknown_items == "root" else None
        entries.append(sections.CodeBookEntry(one.label, one.parent, named, unnamed))
    return tuple(entries)


def _suppressed(release: Release, *, named: bool) -> sections.SuppressedFacts | None:
    """Return the items that were removed from every record, or None if there are none.

    Items that a method deleted from some records are in ``changes``. ``named``: with labels and counts, which come from
    the raw data.
    """
    problem, outcome = release.problem, release.comparison.outcome
    if not outcome.suppressed or not release.algorithm.truthful:
        return None
    codes, counts = outcome.suppressed_items, outcome.suppressed_counts
    listed = tuple(
        sections.RemovedItem(problem.items.labels[code], count)
        for code, count in sorted(zip(codes.tolist(), counts.tolist(), strict=True), key=lambda one: (-one[1], one[0]))
        if not problem.secret_items[code]
    )
    return sections.SuppressedFacts(
        different_items=len(codes),
        total_items=outcome.suppressed,
        share=outcome.suppressed / outcome.items,
        emptied_records=outcome.emptied,
        unnamed=len(codes) - len(listed),
        listed=listed if named else None,
    )


def group_codes(release: Release) -> list[int]:
    """Return the codes of the published labels that cover several items, the most frequent first."""
    published, supports = release.published, release.published.rows.supports
    codes = np.flatnonzero((published.cover_sizes > 1) & (supports > 0))
    order = np.lexsort((codes, -published.cover_sizes[codes], -supports[codes]))
    return [int(code) for code in codes[order]]


def _optimality(release: Release) -> sections.OptimalityFacts | None:
    """Return what is proved about the loss, or None."""
    proof = release.optimality
    if proof is None:
        return None
    return sections.OptimalityFacts(
        proven=proof.proven,
        loss=proof.loss,
        lower_bound=proof.lower_bound,
        gap=proof.gap,
        groupings_bound=proof.groupings_bound,
        groupings_gap=proof.groupings_gap,
        searched="cuts" if release.problem.hierarchy.refines is None else "sibling groups",
        sentence=proofs.optimality(release),
        ended=proof.ended,
        rounds=proof.rounds,
        clauses=proof.clauses,
    )


def _used(rows: Transactions) -> int:
    """Count the labels that occur."""
    return int(np.count_nonzero(rows.supports))
