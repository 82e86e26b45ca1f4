"""The report as Markdown: compact, for a merge request or a wiki."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from shoal.release.release import Release
from shoal.report import formatting as plain
from shoal.report import headline, relational, risks, wording
from shoal.report import sentences as words
from shoal.report.explanations import Explanation
from shoal.report.facts import Facts
from shoal.report.figures import gather
from shoal.report.flips import FlipFacts, GroupFacts
from shoal.report.formats import ReportFormat
from shoal.report.story import Story
from shoal.visible import visible

TOP = 10  # groups shown


class Markdown(ReportFormat):
    """One compact page."""

    name = "markdown"
    suffixes = (".md",)

    def render(self, story: Story) -> str:
        """The report in one page."""
        release, facts = story.release, gather(story)
        lines = [
            *_first(release, facts),
            *_sensitive(facts),
            *_risk(release, facts),
            *_proof(release, facts),
            *_flips(facts),
            *_columns(facts),
            *_lost(facts),
            *_codebook(facts),
            *_removed(facts),
            *(["", "## Could less have been lost?", "", _safe(words.optimality(release))] if facts.optimality else []),
            *_explanations(facts),
            *_provenance(facts),
            *("", facts.confidential),
        ]
        return "\n".join(map(visible, lines)) + "\n"


def _first(release: Release, facts: Facts) -> list[str]:
    """What was done, and whether it holds."""
    model, algorithm, holds = facts.model, facts.algorithm, facts.verdict.holds
    title = f"{'Verified' if holds else 'NOT verified'}: {model.title}, {words.options(model.options)}"
    return [
        f"# Anonymization report: {_safe(facts.data.name)}",
        "",
        *_headline(release, facts),
        f"**{_safe(title)}.** {'' if holds else 'Wanted, but not reached: '}{_safe(model.description)}",
        "",
        *_untrue(release, facts),
        f"- Data: {_data(facts)}",
        f"- Algorithm: {_safe(algorithm.title)} (`{algorithm.name}`{_listed(algorithm.options)}). "
        f"{_safe(algorithm.description)}",
        f"- Recoding: {_safe(words.recoded(facts))}",
        *_labels(facts),
        "",
    ]


def _risk(release: Release, facts: Facts) -> list[str]:
    """What an adversary could do, and can do now."""
    before, after = facts.risk.before, facts.risk.after
    titles, known = [title for title, _ in before.degrees.values()], "Known" if facts.relational else "Known items"
    lines = [
        "## What an adversary could do, and can do now",
        "",
        *(f"- **{when}.** {told}" for when, told in zip(("Before", "Now"), risks.both(facts), strict=True)),
        *([f"- {reach}"] if (reach := risks.reach(release)) else []),
        "",
        f"| {known} | {' | '.join(f'{title}, {when}' for title in titles for when in ('before', 'now'))} |",
        "|---:|---:|---:|---:|---:|",
    ]
    for at in range(before.known):
        shares = (risk.shares(key)[at] for key in before.degrees for risk in (before, after))
        lines.append(f"| {risks.known(facts, at + 1)} | {' | '.join(plain.share(part) for part in shares)} |")
    return [
        *lines,
        "",
        "What this does not promise:",
        "",
        *(f"- {_safe(note)}" for note in [*release.problem.privacy.caveats(), *wording.cautions(release)]),
        "",
    ]


def _proof(release: Release, facts: Facts) -> list[str]:
    """How it was proved."""
    return [
        "## How it was proved",
        "",
        f"The verifier is independent of the algorithm and reads the published data only: it counts "
        f"{release.problem.privacy.counted}. {words.proof(release)} "
        f"Violations: {plain.count(facts.verdict.violations)}. To repeat the check:",
        "",
        f"    {words.verify_command(release)}",
        "",
    ]


def _lost(facts: Facts) -> list[str]:
    """What was lost, and the groups."""
    groups = facts.generalized.groups
    lines = [
        "## What was lost",
        "",
        _safe(words.change(facts)),
        "",
        "| Measure | Value |",
        "|---|---:|",
        *(f"| {_safe(measure)} | {shown} |" for measure, shown, _ in words.losses(facts)),
        *(f"| {name} | {shown} |" for name, shown in words.felt(facts)),
    ]
    if groups:
        lines += ["", "| Group | Items covered | Records |", "|---|---:|---:|"]
        for group in groups[:TOP]:
            lines.append(f"| {_label(group.label)} | {plain.count(group.items)} | {plain.count(group.records)} |")
        if len(groups) > TOP:
            lines += ["", f"... and {plain.things(len(groups) - TOP, 'more group')}."]
    return lines


def _removed(facts: Facts) -> list[str]:
    """The removed items, those of the most records."""
    gone = facts.suppressed
    if gone is None or not gone.listed:
        return []
    lines = ["", "| Removed item | Records that had it |", "|---|---:|"]
    lines += [f"| {_label(one.label)} | {plain.count(one.records)} |" for one in gone.listed[:TOP]]
    if more := max(0, len(gone.listed) - TOP) + gone.unnamed:
        lines += ["", f"... and {plain.things(more, 'more item')}."]
    return lines


def _explanations(facts: Facts) -> list[str]:
    """Why the groups and the removals are needed."""
    if not facts.explanations:
        return []
    lines = ["", "## Why that is needed", "", words.EXPLAINED]
    for gone, name in ((False, "Group"), (True, "Removed")):
        some = [one for one in facts.explanations if one.suppressed == gone]
        if some:
            lines += ["", f"| {name} | Without that, these labels together | would be in records |", "|---|---|---:|"]
            lines += [_explained(one) for one in some[:TOP]]
        if len(some) > TOP:
            lines += ["", f"... and {plain.count(len(some) - TOP)} more."]
    return lines


def _provenance(facts: Facts) -> list[str]:
    """What is needed to repeat the release and to recognise its files."""
    made_by = facts.provenance
    lines = ["", "## Provenance", ""]
    for role in ("input", "hierarchy", "output"):
        file = made_by.get(role)
        if role == "hierarchy" and facts.hierarchy is None:
            lines += ["- Hierarchy: none was given"] if facts.has_sets else []
        elif file:
            lines.append(f"- {role.capitalize()}: {_safe(file['name'])}, SHA-256 `{file['sha256']}`")
    weighted = f", weighted by {_safe(made_by['weights']['name'])}" if made_by["weights"] else ""
    return [
        *lines,
        f"- Shoal {made_by['shoal']} ({made_by['kernels']} kernels), Python {made_by['python']}, "
        f"NumPy {made_by['numpy']}, seed {made_by['seed']}",
        f"- Loss: {made_by['loss']}{weighted}",
        f"- Time: {', '.join(f'{step} {plain.seconds(time)}' for step, time in facts.timings.items())}",
    ]


def _codebook(facts: Facts) -> list[str]:
    """What the labels of groups stand for, the first of them."""
    entries = facts.codebook
    if not entries:
        return []
    lines = [
        "",
        f"{words.CODEBOOK}{words.codebook_file(facts)}",
        "",
        "| Label | Part of | Items |",
        "|---|---|---|",
    ]
    for one in entries[:TOP]:
        items = plain.some([plain.label(item) for item in one.items], one.unnamed or 0)
        lines.append(f"| {_label(one.label)} | {_label(one.parent)} | {_safe(items)} |")
    if len(entries) > TOP:
        lines += ["", f"... and {plain.things(len(entries) - TOP, 'more label')}."]
    return lines


def _headline(release: Release, facts: Facts) -> list[str]:
    """What to say first of a release that is nearly worthless."""
    poor = facts.worthless
    if poor is None:
        return []
    lines = [f"> **{_safe(poor.title)}: {_safe(poor.why)}**"]
    if poor.forced_by:
        lines += [">", f"> What forced it: {_safe(poor.forced_by.sentence)}"]
    for one in poor.better:
        lines += [">", f"> {_safe(headline.sentence(release, one))}", ">", f">     {one.command}"]
    if poor.otherwise:
        lines += [">", f"> {_safe(poor.otherwise)}"]
    return [*lines, ""]


def _data(facts: Facts) -> str:
    """The data in figures."""
    data = facts.data
    rows = plain.things(data.rows, "record")
    if facts.relational:
        return f"{rows}. {words.described(facts)}"
    return (
        f"{rows} ({plain.count(data.non_empty)} not empty"
        f"{'' if facts.sensitive is None else ', sensitive values apart'}), "
        f"{plain.things(data.occurrences, 'item')}, {plain.count(data.items)} different."
    )


def _labels(facts: Facts) -> list[str]:
    """How many labels there are, and what their counts are worth."""
    data = facts.data
    if not facts.sets_changed:
        return []
    return [
        f"- {words.overlap(facts)}",
        f"- Labels in use: {plain.count(data.items)} before, {plain.count(data.labels_after)} after.",
    ]


def _columns(facts: Facts) -> list[str]:
    """What became of the columns, and the classes."""
    table, rows = facts.relational, max(1, facts.data.rows)
    if table is None:
        return []
    lines = [
        "## What became of the columns",
        "",
        "| Column | Taken as | Different values before | Now | Published as it was | Weight | Mean NCP |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for one in table.columns:
        missing = f"; missing in {plain.things(one.missing, 'record')}" if one.missing else ""
        figures = (
            plain.count(one.values),
            plain.count(one.values_after),
            plain.share(one.intact / rows),
            plain.count(one.weight),
            plain.share(one.ncp or 0.0),
        )
        taken_as = relational.taken_as(one.type, one.hierarchy)
        lines.append(f"| {_label(one.name)} | {_label(taken_as)}{missing} | {' | '.join(figures)} |")
    others = [f"- {told}: {', '.join(map(_label, names))}." for told, names in relational.other_columns(table)]
    classes, sizes = relational.classes(table.classes, len(table.columns)), table.classes.sizes
    lines += ["", *others, *([""] if others else []), classes, ""]
    if len(sizes) > 1:
        lines += ["| Records in a class | Classes |", "|---:|---:|"]
        lines += [f"| {plain.band(size.low, size.high)} | {plain.count(size.classes)} |" for size in sizes]
        lines.append("")
    return lines


def _sensitive(facts: Facts) -> list[str]:
    """The most frequent sensitive values."""
    held = facts.sensitive
    if held is None or not held.values:
        return []
    head, now = "| Sensitive value | Records | Share of all |", {}
    if held.after is not None:
        head, now = "| Sensitive item | Records before | Records as published |", dict(held.after.values)
    rows = [
        f"| {_label(value)} | {plain.count(number)} | "
        f"{plain.count(now[value]) if value in now else plain.share(number / max(1, facts.data.rows))} |"
        for value, number in list(held.values.items())[:TOP]
    ]
    rest = len(held.values) - TOP
    more = ["", f"... and {plain.things(rest, 'more value')}."] if rest > 0 else []
    return [head, "|---|---:|---:|", *rows, *more, ""]


def _untrue(release: Release, facts: Facts) -> list[str]:
    """What is published that is not true."""
    notes = wording.falsehoods(release)
    if not notes or facts.flips is None:
        return []
    return [f"**{facts.flips.heading}.**", "", *(f"- {_safe(note)}" for note in notes), ""]


def _flips(facts: Facts) -> list[str]:
    """What was added and deleted, or dealt anew, item by item."""
    changed = facts.flips
    if changed is None:
        return []
    return [
        f"## {changed.title}",
        "",
        f"- {changed.formed}",
        *_changed(changed, sensitive=facts.sensitive is not None),
        "",
    ]


@singledispatch
def _changed(changed: GroupFacts, *, sensitive: bool) -> list[str]:
    """What happened to single items; nothing, where that must not be told."""
    return []


@_changed.register
def _(changed: FlipFacts, *, sensitive: bool) -> list[str]:
    given = f", of them sensitive: {plain.count(changed.sensitive_additions)}" if sensitive else ""
    lines = [
        f"- Records that are not published as they were: {plain.count(changed.records_changed)}.",
        f"- Items added: {plain.count(changed.additions)}{given}.",
        f"- Items deleted: {plain.count(changed.deletions)}.",
    ]
    if changed.listed:
        lines += ["", "| Item | Records before | Added | Deleted | Records as published |", "|---|---:|---:|---:|---:|"]
        for one in changed.listed[:TOP]:
            figures = " | ".join(map(plain.count, (one.before, one.added, one.deleted, one.after)))
            lines.append(f"| {_label(one.label)}{' (sensitive)' if one.sensitive else ''} | {figures} |")
        if more := max(0, len(changed.listed) - TOP) + changed.unnamed:
            lines += ["", f"... and {plain.things(more, 'more item')}."]
    return lines


def _listed(options: Mapping[str, Any]) -> str:
    """Options behind a name."""
    return f", {_safe(words.options(options))}" if options else ""


def _explained(one: Explanation) -> str:
    """A row of the table of reasons."""
    witness, group = one.witness, _label(one.group)
    if witness is None:
        return f"| {group} | nothing would become too rare: it is not needed | |"
    return f"| {group} | {', '.join(map(_label, witness.labels))} | {plain.count(witness.support)} |"


def _label(text: str) -> str:
    """A label, not too long, that Markdown leaves as it is."""
    return _safe(plain.label(text))


def _safe(text: str) -> str:
    r"""Text that Markdown leaves as it is, in one line.

    >>> print(_safe("<b>|a_b*"), _safe("a\nb"))
    &lt;b&gt;\|a\_b\* a\\nb
    """
    flat = " ".join(visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", flat)
