"""The report as Markdown: compact, for a merge request or a wiki."""

from __future__ import annotations

import re
from typing import Any

from shoal.release.release import Release
from shoal.report import flips, headline, relational, risks, wording
from shoal.report import formatting as plain
from shoal.report import sentences as words
from shoal.report.facts import as_dict
from shoal.report.formats import ReportFormat
from shoal.report.story import Story
from shoal.visible import visible

TOP = 10  # groups shown


class Markdown(ReportFormat):
    """One compact page."""

    name = "markdown"
    suffixes = (".md",)

    def render(self, story: Story) -> str:
        """As :func:`as_markdown`."""
        return as_markdown(story)


def as_markdown(story: Story) -> str:
    """The report in one page."""
    release, facts = story.release, as_dict(story)
    data, model, algorithm, made = facts["data"], facts["model"], facts["algorithm"], facts["generalized"]
    holds = facts["verdict"]["holds"]
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    exposed = release.risk_before.degrees
    titles, known = [title for title, _ in exposed.values()], "Known" if facts["relational"] else "Known items"
    title = f"{'Verified' if holds else 'NOT verified'}: {model['title']}, {words.options(model['options'])}"
    lines = [
        f"# Anonymization report: {_safe(data['name'])}",
        "",
        *_headline(release, facts),
        f"**{_safe(title)}.** {'' if holds else 'Wanted, but not reached: '}{_safe(model['description'])}",
        "",
        *_made_up(release, facts),
        f"- Data: {_data(facts)}",
        f"- Algorithm: {_safe(algorithm['title'])} (`{algorithm['name']}`{_listed(algorithm['options'])}). "
        f"{_safe(algorithm['description'])}",
        f"- Recoding: {_safe(words.recoded(facts))}",
        *_labels(facts),
        "",
        *_sensitive(facts),
        "## What an adversary could do, and can do now",
        "",
        *(f"- **{when}.** {told}" for when, told in zip(("Before", "Now"), risks.both(facts), strict=True)),
        *([f"- {reach}"] if (reach := risks.reach(release)) else []),
        "",
        f"| {known} | {' | '.join(f'{title}, {when}' for title in titles for when in ('before', 'now'))} |",
        "|---:|---:|---:|---:|---:|",
    ]
    for at in range(before["m"]):
        shares = (shares[at] for key in exposed for shares in (before[f"share_{key}"], after[f"share_{key}"]))
        lines.append(f"| {risks.known(facts, at + 1)} | {' | '.join(plain.share(part) for part in shares)} |")
    lines += [
        "",
        "What this does not promise:",
        "",
        *(f"- {_safe(note)}" for note in [*release.problem.privacy.limits(), *wording.cautions(release)]),
        "",
        "## How it was proved",
        "",
        f"The verifier is independent of the algorithm and reads the published data only: it counts "
        f"{words.counted(release)}. {words.proof(release)} "
        f"Violations: {plain.count(facts['verdict']['violations'])}. To repeat the check:",
        "",
        f"    {words.verify_command(release)}",
        "",
        *_flips(facts),
        *_columns(facts),
        "## What was lost",
        "",
        _safe(words.change(facts)),
        "",
        "| Measure | Value |",
        "|---|---:|",
    ]
    lines += [f"| {_safe(measure)} | {shown} |" for measure, shown, _ in words.losses(facts)]
    lines += [f"| {name} | {shown} |" for name, shown in words.felt(facts)]
    if made["groups"]:
        lines += ["", "| Group | Items covered | Records |", "|---|---:|---:|"]
        for group in made["groups"][:TOP]:
            figures = f"{plain.count(group['items'])} | {plain.count(group['records'])}"
            lines.append(f"| {_label(group['label'])} | {figures} |")
        if len(made["groups"]) > TOP:
            lines += ["", f"... and {plain.things(len(made['groups']) - TOP, 'more group')}."]
    lines += _codebook(facts)
    if (gone := facts["suppressed"]) and gone["listed"]:
        lines += ["", "| Removed item | Records that had it |", "|---|---:|"]
        lines += [f"| {_label(one['label'])} | {plain.count(one['records'])} |" for one in gone["listed"][:TOP]]
        if more := max(0, len(gone["listed"]) - TOP) + gone["unnamed"]:
            lines += ["", f"... and {plain.things(more, 'more item')}."]
    if facts["optimality"]:
        lines += ["", "## Could less have been lost?", "", _safe(words.optimality(release))]
    if facts["explanations"]:
        lines += ["", "## Why that is needed", "", words.EXPLAINED]
        for gone, name in ((False, "Group"), (True, "Removed")):
            some = [one for one in facts["explanations"] if one["suppressed"] == gone]
            if some:
                lines += [
                    "",
                    f"| {name} | Without that, these labels together | would be in records |",
                    "|---|---|---:|",
                ]
                lines += [_explained(one) for one in some[:TOP]]
            if len(some) > TOP:
                lines += ["", f"... and {plain.count(len(some) - TOP)} more."]
    lines += ["", "## Provenance", ""]
    for role in ("input", "hierarchy", "output"):
        file = facts["provenance"].get(role)
        if role == "hierarchy" and not words.has_hierarchy(facts):
            lines += ["- Hierarchy: none was given"] if words.has_sets(facts) else []
        elif file:
            lines.append(f"- {role.capitalize()}: {_safe(file['name'])}, SHA-256 `{file['sha256']}`")
    made_by = facts["provenance"]
    weighted = f", weighted by {_safe(made_by['weights']['name'])}" if made_by["weights"] else ""
    lines += [
        f"- Shoal {made_by['shoal']} ({made_by['kernels']} kernels), Python {made_by['python']}, "
        f"NumPy {made_by['numpy']}, seed {made_by['seed']}",
        f"- Loss: {made_by['loss']}{weighted}",
        f"- Time: {', '.join(f'{step} {plain.seconds(time)}' for step, time in facts['timings'].items())}",
    ]
    lines += ["", "This report quotes the raw data: keep it with them, not with the published file."]
    return "\n".join(map(visible, lines)) + "\n"


def _codebook(facts: dict[str, Any]) -> list[str]:
    """What the labels of groups stand for, the first of them."""
    entries = facts["codebook"]
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
        items = plain.some([plain.label(item) for item in one["items"]], one.get("unnamed", 0))
        lines.append(f"| {_label(one['label'])} | {_label(one['parent'])} | {_safe(items)} |")
    if len(entries) > TOP:
        lines += ["", f"... and {plain.things(len(entries) - TOP, 'more label')}."]
    return lines


def _headline(release: Release, facts: dict[str, Any]) -> list[str]:
    """What to say first of a release that is nearly worthless."""
    found = facts["worthless"]
    if found is None:
        return []
    lines = [f"> **{_safe(found['title'])}: {_safe(found['why'])}**"]
    if found["forced_by"]:
        lines += [">", f"> What forced it: {_safe(found['forced_by']['sentence'])}"]
    for one in found["better"]:
        lines += [">", f"> {_safe(headline.sentence(release, one))}", ">", f">     {one['command']}"]
    if found["otherwise"]:
        lines += [">", f"> {_safe(found['otherwise'])}"]
    return [*lines, ""]


def _data(facts: dict[str, Any]) -> str:
    """The data in figures."""
    data = facts["data"]
    rows = plain.things(data["rows"], "record")
    if facts["relational"]:
        return f"{rows}. {words.described(facts)}"
    return (
        f"{rows} ({plain.count(data['non_empty'])} not empty"
        f"{'' if facts['sensitive'] is None else ', sensitive values apart'}), "
        f"{plain.things(data['occurrences'], 'item')}, {plain.count(data['items'])} different."
    )


def _labels(facts: dict[str, Any]) -> list[str]:
    """How many labels there are, and what their counts are worth."""
    data = facts["data"]
    if not words.sets_changed(facts):
        return []
    return [
        f"- {words.overlap(facts)}",
        f"- Labels in use: {plain.count(data['items'])} before, {plain.count(data['labels_after'])} after.",
    ]


def _columns(facts: dict[str, Any]) -> list[str]:
    """What became of the columns, and the classes."""
    made, rows = facts["relational"], max(1, facts["data"]["rows"])
    if made is None:
        return []
    lines = [
        "## What became of the columns",
        "",
        "| Column | Taken as | Different values before | Now | Published as it was | Weight | Mean NCP |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for one in made["columns"]:
        missing = f"; missing in {plain.things(one['missing'], 'record')}" if one["missing"] else ""
        figures = (
            plain.count(one["values"]),
            plain.count(one["values_after"]),
            plain.share(one["intact"] / rows),
            plain.count(one["weight"]),
            plain.share(one["ncp"]),
        )
        lines.append(f"| {_label(one['name'])} | {_label(relational.taken_as(one))}{missing} | {' | '.join(figures)} |")
    others = [f"- {told}: {', '.join(map(_label, names))}." for told, names in relational.other_columns(made)]
    lines += ["", *others, *([""] if others else []), relational.classes(made), ""]
    if len(made["classes"]["sizes"]) > 1:
        lines += ["| Records in a class | Classes |", "|---:|---:|"]
        sizes = made["classes"]["sizes"]
        lines += [f"| {plain.band(size['low'], size['high'])} | {plain.count(size['classes'])} |" for size in sizes]
        lines.append("")
    return lines


def _sensitive(facts: dict[str, Any]) -> list[str]:
    """The most frequent sensitive values."""
    found = facts["sensitive"]
    if not found or not found["values"]:
        return []
    if "after" in found:
        head, now = "| Sensitive item | Records before | Records as published |", found["after"]["values"]
    else:
        head, now = "| Sensitive value | Records | Share of all |", {}
    rows = [
        f"| {_label(value)} | {plain.count(number)} | "
        f"{plain.count(now[value]) if value in now else plain.share(number / max(1, facts['data']['rows']))} |"
        for value, number in list(found["values"].items())[:TOP]
    ]
    rest = len(found["values"]) - TOP
    more = ["", f"... and {plain.things(rest, 'more value')}."] if rest > 0 else []
    return [head, "|---|---:|---:|", *rows, *more, ""]


def _made_up(release: Release, facts: dict[str, Any]) -> list[str]:
    """What is published that is not true."""
    notes = wording.falsehoods(release)
    if not notes:
        return []
    return [f"**{flips.heading(facts['flips'])}.**", "", *(f"- {_safe(note)}" for note in notes), ""]


def _flips(facts: dict[str, Any]) -> list[str]:
    """What was added and deleted, or dealt anew, item by item."""
    made = facts["flips"]
    if made is None:
        return []
    dealt = made["kind"] == "dealt"
    lines = [
        f"## {'What was dealt anew' if dealt else 'What was added and deleted'}",
        "",
        f"- {flips.formed(made)}",
    ]
    if not dealt:
        given = f", of them sensitive: {plain.count(made['sensitive_additions'])}" if facts["sensitive"] else ""
        lines += [
            f"- Records that are not published as they were: {plain.count(made['records_changed'])}.",
            f"- Items added: {plain.count(flips.additions(made))}{given}.",
            f"- Items deleted: {plain.count(flips.deletions(made))}.",
        ]
    if made.get("listed"):
        lines += ["", "| Item | Records before | Added | Deleted | Records as published |", "|---|---:|---:|---:|---:|"]
        for one in made["listed"][:TOP]:
            figures = " | ".join(plain.count(one[key]) for key in ("before", "added", "deleted", "after"))
            lines.append(f"| {_label(one['label'])}{' (sensitive)' if one['sensitive'] else ''} | {figures} |")
        if more := max(0, len(made["listed"]) - TOP) + made["unnamed"]:
            lines += ["", f"... and {plain.things(more, 'more item')}."]
    return [*lines, ""]


def _listed(options: dict[str, Any]) -> str:
    """Options behind a name."""
    return f", {_safe(words.options(options))}" if options else ""


def _explained(one: dict[str, Any]) -> str:
    """A row of the table of reasons."""
    witness, group = one["witness"], _label(one["group"])
    if witness is None:
        return f"| {group} | nothing would become too rare: it is not needed | |"
    return f"| {group} | {', '.join(map(_label, witness['labels']))} | {plain.count(witness['support'])} |"


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
