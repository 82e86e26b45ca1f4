"""Collects the part of a report for officers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.release.release import Release
from shoal.report import headline as poor
from shoal.report import public_notes
from shoal.report.formatting import count_noun, share
from shoal.report.officer.context import Context
from shoal.report.officer.discretion import Discretion
from shoal.report.officer.headings import regulators
from shoal.report.officer.questions import Officer, all_questions
from shoal.report.officer.sections import OfficerFacts
from shoal.risk import Assessment

FEW = 0.05  # share of unchanged items; below it, the headline says that little is left
VALUES = 100  # sensitive values whose figures are told: those that are learned most surely


def gather(
    release: Release,
    context: Context,
    thresholds: tuple[float, ...] = (),
    *,
    public: bool = False,
    compared_with: tuple[str, ...] | None = None,
) -> OfficerFacts:
    """Return the part for officers. It holds nothing of the original data but totals, rounded if it is public.

    ``compared_with``: the earlier releases of its series. None: it is in no series.
    """
    risks = release.risks.at(thresholds)
    discretion = Discretion(public, len(release.dataset))
    officer = Officer(release, risks, thresholds, discretion, compared_with)
    questions = all_questions(officer)
    return OfficerFacts(
        headline=headline(release, discretion, in_series=compared_with is not None),
        known=str(release.risks.known),
        thresholds=thresholds,
        questions=questions,
        not_promised=tuple(public_notes.limits(release)),
        regulators=regulators(officer, context, questions),
        risk=assessed(release, discretion, thresholds),
    )


def headline(release: Release, discretion: Discretion, *, in_series: bool = False) -> str:
    """Return what is promised, to how many, what was lost, and what is not promised, for people who are no experts."""
    persons = release.problem.persons
    of = "" if persons is None else f" of {persons.name(persons.count())}"
    records = f"{count_noun(len(release.dataset), 'record')}{of}"
    nothing = _nothing(release, in_series=in_series)
    if release.worthless:
        lost = f"{poor.title(release)}: {poor.why(release)}"
        return f"{lost} {records} are published. {_promise(release)} {nothing}"
    return f"{records} are published. {_promise(release)} {_lost(release, discretion)} {nothing}"


def _nothing(release: Release, *, in_series: bool) -> str:
    """Return a sentence on what is not promised."""
    other = "a release of the same data outside this series" if in_series else "another release of the same data"
    more = "" if release.risks.known == "all" else "who know more than that, "
    return f"Nothing is promised about attackers {more}who draw conclusions from the method, or who have {other}."


def _promise(release: Release) -> str:
    """Return the guarantee as a sentence."""
    return release.problem.model.describe(release.problem.persons)


def _lost(release: Release, discretion: Discretion) -> str:
    """Return what was lost as a sentence."""
    model, useful = release.problem.model, release.usefulness
    if not release.algorithm.truthful:
        return "Some published statements are false."
    if release.published.relational is None and not useful.items:
        return "Nothing was lost."
    if not discretion.tells_loss:
        return ""
    if not model.covers_sets or not useful.items:
        return f"The columns lost {share(release.loss)} of their detail."
    few = "Hardly anything is published in detail: " if useful.unchanged_share < FEW else ""
    behind = useful.median_items or 0
    broad = (
        f", and half of the different items stand behind labels of at least {behind} items" if few and behind else ""
    )
    removed = f", and {share(useful.removed / useful.items)} were removed" if useful.removed else ""
    return f"{few}{share(useful.unchanged_share)} of all items are published as they were{broad}{removed}."


def assessed(release: Release, discretion: Discretion, thresholds: tuple[float, ...] = ()) -> dict[str, Any]:
    """Return all figures of risk before and after as plain values. They name no value that is not published."""
    before, after = release.risks.at(thresholds)
    if not release.algorithm.truthful:  # how many records really hold a value is what false items hide
        before = replace(before, inferences=())
    named = [one.value for one in after.inferences if one.records]
    known = set(sorted(named, key=lambda value: -_surest(after, value))[:VALUES])
    before, after = (
        replace(each, inferences=tuple(one for one in each.inferences if one.value in known))
        for each in (before, after)
    )
    return {"before": discretion.assessed(before), "after": after.as_dict()}


def _surest(assessment: Assessment, value: str) -> float:
    """Return the largest probability that an attacker finds of a sensitive value."""
    return max(two.largest.value for one in assessment.inferences if one.value == value for two in one.posteriors)
