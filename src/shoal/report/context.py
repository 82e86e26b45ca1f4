"""The variables of the report templates: figures, and sentences about them."""

from __future__ import annotations

from typing import Any

from shoal.report import headline, patterns, proofs, public_notes, relational, risks, sentences, wording
from shoal.report.facts import Facts
from shoal.report.story import Story

TOP = 10  # rows of a table


def context(story: Story, facts: Facts) -> dict[str, Any]:
    """Return the variables that the templates of all formats use."""
    release = story.release
    was, now = risks.both(facts)
    counted = "records" if facts.persons is None else facts.persons.nouns
    return {
        **vars(facts),
        "TOP": TOP,
        "has_sets": facts.has_sets,
        "sets_changed": facts.sets_changed,
        "has_hierarchy": facts.hierarchy is not None,
        "says": [headline.sentence(release, one) for one in facts.worthless.better] if facts.worthless else [],
        "made_up": story.messages(wording.falsehoods(release)),
        "other_warnings": story.messages(wording.cautions(release)),
        "described": sentences.described(facts),
        "recoded": sentences.recoded(facts),
        "overlap": sentences.overlap(facts),
        "sentence_before": was,
        "sentence_now": now,
        "reach": risks.reach(release),
        "risk_charts": _risk_charts(facts),
        "limits": public_notes.limits(release),
        "counted": sentences.counted(release),
        "proof": sentences.proof(release),
        "command": sentences.verify_command(release),
        "columns": _columns(facts),
        "taken_as": relational.taken_as,
        "change": sentences.change(facts),
        "losses": sentences.losses(facts),
        "felt": sentences.felt(facts),
        "analysts": patterns.parts(facts.patterns),
        "analysts_missing": patterns.too_large(release),
        "assumed": patterns.ASSUMED,
        "codebook_told": f"{sentences.CODEBOOK}{sentences.codebook_file(facts)}",
        "best": proofs.optimality(release),
        "searched_groups": facts.optimality is not None and facts.optimality.searched == "sibling groups",
        "unnamed": sentences.unnamed,
        "explained": sentences.explained(counted),
        "records": sentences.records(facts),
        "moved": sentences.moved(facts),
        "rare_in": sentences.rare_in(counted),
    }


def _risk_charts(facts: Facts) -> list[dict[str, Any]]:
    """Return a chart for each degree of exposure, with a pair of bars for each number of known items."""
    before, after = facts.risk.before, facts.risk.after
    return [
        {
            "title": title,
            "rows": [
                {"label": risks.known(facts, known), "before": was, "now": now}
                for known, (was, now) in enumerate(zip(before.shares(key), after.shares(key), strict=True), 1)
            ],
        }
        for key, (title, _) in before.degrees.items()
    ]


def _columns(facts: Facts) -> dict[str, Any] | None:
    """Return what the section on columns shows in addition to the figures."""
    table = facts.relational
    if table is None:
        return None
    return {
        "missing": any(one.missing and one.type != "category" for one in table.columns),
        "others": relational.other_columns(table),
        "classes": relational.classes(
            table.classes, len(table.columns), "" if facts.persons is None else facts.persons.nouns
        ),
    }
