"""The report as one HTML file for a data protection officer, and a card for notebooks.

Jinja2 renders ``report.html`` as one self-contained file: no network, no scripts, no fonts. Labels are untrusted text,
so the templates escape everything they print and make control characters visible. The charts are lists with bars in
CSS, which screen readers can read aloud.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.models.base import Verdict
from shoal.release.release import Release
from shoal.report import formatting, headline, patterns, proofs, relational, risks, sentences, wording
from shoal.report.card_charts import charts
from shoal.report.context import context
from shoal.report.facts import Facts
from shoal.report.figures import gather, group_codes
from shoal.report.flips import flips
from shoal.report.formats import ReportFormat
from shoal.report.officer.public import PublicFacts
from shoal.report.sections import Group
from shoal.report.story import Story
from shoal.report.templates import HERE, templates
from shoal.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LISTED = 1_000  # groups in the full list; the JSON report has all of them
SPELLED = 12  # items named for a group


class Html(ReportFormat):
    """A self-contained page for a data protection officer."""

    name = "html"
    suffixes = (".html", ".htm")

    def render(self, story: Story) -> str:
        """Return the report as one self-contained HTML file."""
        release, facts = story.release, gather(story)
        return (
            environment()
            .get_template("report.html")
            .render(
                context(story, facts),
                LISTED=LISTED,
                drawn=patterns,
                css=(HERE / "report.css").read_text(encoding="utf-8"),
                tiles=tiles(facts),
                was_at_risk=any(counts[-1] for _, counts in release.risk_before.degrees.values()),
                risk_base=risks.base(facts),
                worst_case=risks.worst_case(facts),
                bars=facts.changes.bars(facts) if facts.changes else [],
                hidden=hidden_bars(facts),
                groups=_groups(release, facts),
                parents={one.label: one.parent for one in facts.codebook or ()},
                bound_of=proofs.bound_of(release),
                bounded=proofs.bounded,
                suppresses=release.algorithm.suppresses,
                references=list(dict.fromkeys(facts.model.references + facts.algorithm.references)),
            )
        )

    def render_public(self, facts: PublicFacts) -> str:
        """Return the public report as one self-contained HTML file."""
        css = (HERE / "report.css").read_text(encoding="utf-8")
        return environment().get_template("public.html").render(facts.for_templates(), css=css)


def summary_html(story: Story) -> str:
    """Return a card for notebooks. It leaves out the risk, which takes time on large data."""
    release = story.release
    problem, published = release.problem, release.published
    sets = problem.model.covers_sets
    figures = [
        ("records", formatting.count(len(published.rows))),
        *([] if problem.persons is None else [(problem.persons.nouns, formatting.count(problem.persons.count()))]),
        *([("items", formatting.count(published.n_items)), *_groups_and_changes(release)] if sets else []),
        ("checks", formatting.count(release.verdict.checked)),
        *_felt(release),
        *(_lost(release) if problem.relational is None else relational.card(release)),
    ]
    return (
        environment()
        .get_template("summary.html")
        .render(
            holds=release.verdict.holds,
            title=problem.model.title,
            options=problem.model.values(),
            description=problem.model.describe(problem.persons),
            algorithm=release.algorithm.title,
            time=formatting.seconds(sum(release.timings.values())),
            figures=figures,
            charts=charts(release),
            best=proofs.optimality(release),
            poor=headline.worthless(story),
            made_up=story.messages(wording.falsehoods(release)),
            warnings=story.messages(wording.cautions(release)),
        )
    )


def _felt(release: Release) -> list[tuple[str, str]]:
    """Return how many items are unchanged, and how many items a label represents."""
    useful = release.usefulness
    if not release.algorithm.truthful or not release.problem.model.covers_sets or not useful.items:
        return []
    median = (
        [] if useful.median_items is None else [("median items behind a label", formatting.count(useful.median_items))]
    )
    return [("of all items unchanged", formatting.share(useful.unchanged_share)), *median]


def _lost(release: Release) -> list[tuple[str, str]]:
    """Return the losses of the sets."""
    of = "" if release.algorithm.truthful else " (deletions only)"
    losses = release.losses.items()
    return [(f"{name.upper()}{of}", sentences.loss(name, value)) for name, value in losses if name in ("ncp", "lm")]


def _groups_and_changes(release: Release) -> list[tuple[str, str]]:
    """Return the number of groups, or the numbers of added and deleted items."""
    changed = flips(release, named=False)
    return [("groups", formatting.count(len(group_codes(release))))] if changed is None else changed.card()


def checks(verdict: Verdict) -> str:
    """Return the caption of the number of checks.

    >>> checks(Verdict(True, 1)), checks(Verdict(True, 20)), checks(Verdict(False, 20, 3))
    ('check, which passed', 'checks, all passed', 'checks, 3 failed')
    """
    if not verdict.holds:
        return f"{'check' if verdict.checked == 1 else 'checks'}, {formatting.count(verdict.violations)} failed"
    return "check, which passed" if verdict.checked == 1 else "checks, all passed" if verdict.checked else "checks"


def tiles(facts: Facts) -> list[tuple[str, str]]:
    """Return the figures for the tiles at the top."""
    data, ncp = facts.data, facts.losses.get("ncp")
    of = "" if facts.persons is None else f", of {facts.persons.called}"
    first = [
        (f"{'record' if data.rows == 1 else 'records'} published{of}", formatting.count(data.rows)),
        (checks(facts.verdict), formatting.count(facts.verdict.checked)),
    ]
    if facts.changes is not None:
        return first + facts.changes.tiles(facts)
    unchanged = formatting.share(facts.unchanged_share) if data.total_items else "–"
    median = None if facts.usefulness is None else facts.usefulness.median_items
    behind = [] if median is None else [("items behind a label (median)", formatting.count(median))]
    readable = [("of all items published unchanged", unchanged), *behind]
    if facts.relational is not None:
        lost_here = relational.tiles(facts.relational, facts.losses)
        return [*first, *lost_here, *(readable if facts.relational.sets_changed else [])]
    return [*first, *readable, ("information lost (NCP)", formatting.share(ncp) if ncp is not None else "–")]


def _groups(release: Release, facts: Facts) -> list[tuple[Group, str]]:
    """Return the groups with some of the items of each."""
    problem = release.problem
    shown = []
    for code, group in zip(group_codes(release)[:LISTED], facts.generalized.groups, strict=False):
        items = release.published.cover(code)
        known = items[~problem.secret_items[items]][:SPELLED]
        named = [formatting.label(problem.hierarchy.labels[item]) for item in known]
        shown.append((group, formatting.some(named, group.items - len(named))))
    return shown


def hidden_bars(facts: Facts) -> list[tuple[str, float, int]]:
    """Return the bars on how items are published: label, share and count."""
    generalized, total = facts.generalized, max(1, facts.data.total_items)
    if facts.changes or not generalized.hidden_among or not facts.sets_changed:
        return []
    unchanged, *hidden = generalized.hidden_among
    rows = [("unchanged", unchanged.share, unchanged.items)]
    for band in hidden:
        if band.items:
            rows.append((f"in a group of {formatting.band(band.low, band.high)} items", band.share, band.items))
    if generalized.suppressed:
        rows.append(("removed", generalized.suppressed / total, generalized.suppressed))
    return rows


@functools.cache
def environment(folder: Path = HERE) -> Environment:
    """Return Jinja2 for HTML, with the templates of a folder and those of reports."""
    filters: dict[str, Callable[..., Any]] = {
        "share": lambda part: _tied(formatting.share(part)),
        "options": lambda values: _tied(sentences.options(values)),
        "tied": _tied,
        "powers": powers,
    }
    return templates([folder, HERE], visible, filters)


def _tied(text: str) -> str:
    """Keep a number and its unit, and an option and its value, on the same line."""
    return re.sub(r"(?<=[\d<>]) (?=[%\d])|(?<=\w) (?== )|(?<= =) ", "\N{NO-BREAK SPACE}", text)


def powers(title: str) -> Markup:
    """Return a title as HTML, with powers raised.

    >>> str(powers("k^m-anonymity <b>"))
    'k<sup>m</sup>-anonymity &lt;b&gt;'
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\^(\w+)", r"<sup>\1</sup>", str(escape(visible(title)))))
