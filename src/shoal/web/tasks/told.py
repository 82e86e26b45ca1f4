"""What a run tells about its release: the sentences and figures of its reports, and what became of each group."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.options import changed
from shoal.release.release import Release
from shoal.report import html, risks
from shoal.report.context import context
from shoal.report.facts import Facts, plain
from shoal.report.figures import gather, group_codes
from shoal.report.sentences import options
from shoal.report.story import Story

ITEMS, FEWEST = 500_000, 50  # items that are listed for all groups together, and at least for each
SENTENCES = (  # of a report
    "made_up",
    "described",
    "recoded",
    "moved",
    "overlap",
    "sentence_before",
    "sentence_now",
    "reach",
    "risk_charts",
    "limits",
    "counted",
    "proof",
    "change",
    "losses",
    "felt",
    "best",
)


def told(story: Story) -> dict[str, Any]:
    """Return what the page of a result shows, as plain values.

    It quotes the original data: keep it with the run, and do not publish it.
    """
    facts = gather(story)
    words = context(story, facts)
    values: dict[str, Any] = plain(
        {
            **{name: words[name] for name in SENTENCES},
            "warnings": words["other_warnings"],
            "holds": facts.verdict.holds,
            "checked": facts.verdict.checked,
            "title": facts.model.title,
            "options": options(facts.model.options),
            "promise": facts.model.description,
            "method": facts.algorithm.title,
            "headline": None if facts.officer is None else facts.officer.headline,
            "not_promised": () if facts.officer is None else facts.officer.not_promised,
            "tiles": html.tiles(facts),
            "bars": _bars(facts),
            "risk_base": risks.base(facts),
            "worst_case": risks.worst_case(facts),
            "worthless": _worthless(story, facts, words["says"]),
            "columns": None if facts.relational is None else facts.relational.columns,
            "explained": story.explained,
        }
    )
    return values | {"groups": groups(story, facts)}


def _bars(facts: Facts) -> list[tuple[str, float, int]]:
    """Return what became of the items: name, share and number."""
    if facts.changes is not None:
        return [(one.label, one.share, one.count) for one in facts.changes.bars(facts)]
    return html.hidden_bars(facts)


def _worthless(story: Story, facts: Facts, says: list[str]) -> dict[str, Any] | None:
    """Return why a release is nearly worthless, and the choices that lose less; None if it is useful."""
    poor = facts.worthless
    if poor is None:
        return None
    better = [
        {
            "says": said.removesuffix(":"),
            "algorithm": {"name": one.algorithm.name, **plain(changed(one.algorithm))},
            "model": plain(one.model_options),
        }
        for said, one in zip(says, story.findings.better, strict=True)
    ]
    forced = None if poor.forced_by is None else poor.forced_by.sentence
    return {"title": poor.title, "why": poor.why, "forced_by": forced, "better": better, "otherwise": poor.otherwise}


def groups(story: Story, facts: Facts) -> list[dict[str, Any]]:
    """Return what became of each group of items, and of the items that were removed; the largest loss comes first.

    A group has its label, its items with the number of original records that hold each, the number of published
    records, its part of the loss (None if it is not known) and why it is needed.
    """
    release = story.release
    problem, published = release.problem, release.published
    if not release.algorithm.truthful or not problem.model.covers_sets:
        return []
    why = {one.group: str(one) for one in facts.explanations or () if not one.suppressed}
    gone = {one.group: str(one) for one in facts.explanations or () if one.suppressed}
    supports, labels, records = problem.items.supports, problem.hierarchy.labels, published.rows.supports
    lost = _lost(release)
    codes, found = group_codes(release), []
    most = max(FEWEST, ITEMS // max(1, len(codes)))
    for code in codes:
        cover = published.cover(code)
        named = cover[~problem.secret_items[cover]]
        members = sorted(((labels[item], int(supports[item])) for item in named), key=lambda one: (-one[1], one[0]))
        label = published.rows.labels[code]
        weight = len(cover) * int(supports[cover].sum() if published.exclusive else records[code])
        found.append(
            {
                "label": label,
                "items": members[:most],
                "unnamed": len(cover) - len(members[:most]),
                "before": int(supports[cover].sum()),
                "after": int(records[code]),
                "lost": None if lost is None else weight / lost,
                "weight": weight,
                "why": why.get(label),
                "removed": False,
            }
        )
    for one in (() if facts.suppressed is None else facts.suppressed.listed) or ():
        weight = published.n_items * one.records
        found.append(
            {
                "label": one.label,
                "items": [(one.label, one.records)],
                "unnamed": 0,
                "before": one.records,
                "after": 0,
                "lost": None if lost is None else weight / lost,
                "weight": weight,
                "why": gone.get(one.label),
                "removed": True,
            }
        )
    return sorted(found, key=lambda one: (-one["weight"], one["label"]))


def _lost(release: Release) -> float | None:
    """Return the sum of the NCP of all items of records, times the number of items; None if it has no parts."""
    total = release.losses.get("ncp", 0.0) * release.problem.items.total_items * release.published.n_items
    return float(total) if release.published.exclusive and total > 0 and np.isfinite(total) else None
