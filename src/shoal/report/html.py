"""The report as one HTML file for a data protection officer, and a card for notebooks.

Jinja2 renders ``report.html`` with everything inside it: no network, no scripts, no fonts. Labels are untrusted text,
so autoescape is on for all that the templates print, and control characters are spelled out. The charts are lists with
bars of CSS: they can be read aloud.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.release.release import Release
from shoal.report import formatting, headline, proofs, relational, risks, sentences, wording
from shoal.report.facts import Facts
from shoal.report.figures import gather, group_codes
from shoal.report.flips import flips
from shoal.report.formats import ReportFormat
from shoal.report.sections import Group
from shoal.report.story import Story
from shoal.visible import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TOP = 10  # groups in the table
LISTED = 1_000  # groups in the full list; the JSON has them all
SPELLED = 12  # items named for a group
HERE = Path(__file__).parent


@dataclass(frozen=True)
class ShownGroup(Group):
    """A group with the names of some of its items."""

    named: tuple[str, ...]
    more: int  # items that are not named


class Html(ReportFormat):
    """One page for a data protection officer."""

    name = "html"
    suffixes = (".html", ".htm")

    def render(self, story: Story) -> str:
        """The whole report, in one self-contained file."""
        release, facts = story.release, gather(story)
        was, now = risks.both(facts)
        return (
            environment()
            .get_template("report.html")
            .render(
                vars(facts),
                TOP=TOP,
                css=(HERE / "report.css").read_text(encoding="utf-8"),
                groups=_groups(release, facts),
                parents={one.label: one.parent for one in facts.codebook or ()},
                codebook_told=f"{sentences.CODEBOOK}{sentences.codebook_file(facts)}",
                risk_charts=_risk_charts(release, facts),
                was_at_risk=any(counts[-1] for _, counts in release.risk_before.degrees.values()),
                risk_base=risks.base(facts),
                described=sentences.described(facts),
                has_sets=facts.has_sets,
                sets_changed=facts.sets_changed,
                columns=_columns(facts),
                taken_as=relational.taken_as,
                recoded=sentences.recoded(facts),
                overlap=sentences.overlap(facts),
                sentence_before=was,
                sentence_now=now,
                worst_case=risks.worst_case(facts),
                reach=risks.reach(release),
                limits=release.problem.privacy.caveats(),
                proof=sentences.proof(release),
                command=sentences.verify_command(release),
                change=sentences.change(facts),
                counted=release.problem.privacy.counted,
                made_up=wording.falsehoods(release),
                says=[headline.sentence(release, one) for one in facts.worthless.better] if facts.worthless else [],
                felt=sentences.felt(facts),
                bound_of=proofs.bound_of(release),
                other_warnings=wording.cautions(release),
                tiles=_tiles(facts),
                has_hierarchy=facts.hierarchy is not None,
                bars=facts.flips.bars(facts) if facts.flips else [],
                best=sentences.optimality(release),
                explained=sentences.EXPLAINED,
                LISTED=LISTED,
                hidden=_hidden(facts),
                suppresses=release.algorithm.suppresses,
                losses=sentences.losses(facts),
                references=list(dict.fromkeys(facts.model.references + facts.algorithm.references)),
            )
        )


def summary_html(story: Story) -> str:
    """A card for notebooks. It leaves the risk out, which takes its time on large data."""
    release = story.release
    problem, published = release.problem, release.published
    sets = problem.privacy.covers_sets
    figures = [
        ("records", formatting.count(len(published.rows))),
        *([("items", formatting.count(published.n_items)), *_groups_and_changes(release)] if sets else []),
        ("views checked", formatting.count(release.verdict.checked)),
        *_felt(release),
        *(_lost(release) if problem.relational is None else relational.card(release)),
    ]
    return (
        environment()
        .get_template("summary.html")
        .render(
            holds=release.verdict.holds,
            title=problem.privacy.title,
            options=problem.privacy.values(),
            description=problem.privacy.describe(),
            algorithm=release.algorithm.title,
            time=formatting.seconds(sum(release.timings.values())),
            figures=figures,
            best=sentences.optimality(release),
            poor=headline.worthless(story),
            made_up=wording.falsehoods(release),
            warnings=wording.cautions(release),
        )
    )


def _felt(release: Release) -> list[tuple[str, str]]:
    """How much of the items can still be read."""
    useful = release.usefulness
    if not release.algorithm.truthful or not release.problem.privacy.covers_sets or not useful.items:
        return []
    median = (
        [] if useful.median_items is None else [("median items behind a label", formatting.count(useful.median_items))]
    )
    return [("of all items unchanged", formatting.share(useful.unchanged_share)), *median]


def _lost(release: Release) -> list[tuple[str, str]]:
    """What was lost in the sets."""
    of = "" if release.algorithm.truthful else " (deletions only)"
    losses = release.losses.items()
    return [(f"{name.upper()}{of}", sentences.loss(name, value)) for name, value in losses if name in ("ncp", "lm")]


def _groups_and_changes(release: Release) -> list[tuple[str, str]]:
    """How many groups there are, and what was added and deleted, where that was done."""
    changed = flips(release, named=False)
    return [("groups", formatting.count(len(group_codes(release))))] if changed is None else changed.card()


def _tiles(facts: Facts) -> list[tuple[str, str]]:
    """The figures at the top."""
    data, ncp = facts.data, facts.losses.get("ncp")
    first = [
        ("record published" if data.rows == 1 else "records published", formatting.count(data.rows)),
        ("adversary views checked", formatting.count(facts.verdict.checked)),
    ]
    if facts.flips is not None:
        return first + facts.flips.tiles(facts)
    if facts.relational is not None:
        return first + relational.tiles(facts.relational, facts.losses)
    unchanged = formatting.share(facts.unchanged_share) if data.occurrences else "–"
    lost = formatting.share(ncp) if ncp is not None else "–"
    median = None if facts.usefulness is None else facts.usefulness.median_items
    behind = [] if median is None else [("items behind a label (median)", formatting.count(median))]
    return [*first, ("of all items published unchanged", unchanged), *behind, ("information lost (NCP)", lost)]


def _columns(facts: Facts) -> dict[str, Any] | None:
    """What the section about the columns and classes shows beside the figures."""
    table = facts.relational
    if table is None:
        return None
    return {
        "missing": any(one.missing and one.type != "category" for one in table.columns),
        "others": relational.other_columns(table),
        "classes": relational.classes(table.classes, len(table.columns)),
    }


def _groups(release: Release, facts: Facts) -> list[ShownGroup]:
    """The groups with the names of some of their items."""
    problem, published = release.problem, release.published
    hierarchy = problem.hierarchy
    shown = []
    for code, group in zip(group_codes(release)[:LISTED], facts.generalized.groups, strict=False):
        items = published.cover(code)
        if problem.unknown_items == "root":
            # Leaves right below the root may be items that only the raw data know: a rare one must not be named.
            items = items[~hierarchy.right_below_root[items]]
        named = tuple(formatting.label(hierarchy.labels[item]) for item in items[:SPELLED])
        shown.append(ShownGroup(group.label, group.items, group.records, named, group.items - len(named)))
    return shown


def _risk_charts(release: Release, facts: Facts) -> list[dict[str, Any]]:
    """A chart for each degree of exposure; a pair of bars for each number of known items."""
    before, after = release.risk_before, release.risk_after
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


def _hidden(facts: Facts) -> list[tuple[str, float, int]]:
    """How well items are hidden, one bar each: its label, its share and its count."""
    generalized, total = facts.generalized, max(1, facts.data.occurrences)
    if facts.flips or not generalized.hidden_among or not facts.sets_changed:
        return []
    intact, *hidden = generalized.hidden_among
    rows = [("published unchanged", intact.share, intact.occurrences)]
    for band in hidden:
        if band.occurrences:
            rows.append((f"among {formatting.band(band.low, band.high)} items", band.share, band.occurrences))
    if generalized.suppressed:
        rows.append(("removed", generalized.suppressed / total, generalized.suppressed))
    return rows


@functools.cache
def environment(folder: Path = HERE) -> Environment:
    """Jinja2 with the templates of a folder and those of reports, loaded when the first page is made."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, HERE]),
        autoescape=True,
        finalize=lambda value: visible(value) if type(value) is str else value,  # markup was made of such values
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": formatting.count,
        "share": lambda part: _tied(formatting.share(part)),
        "tied": _tied,
        "powers": _powers,
        "label": formatting.label,
        "seconds": formatting.seconds,
        "memory": formatting.memory,
        "options": lambda values: _tied(sentences.options(values)),
    }
    environment.globals |= {"things": formatting.things, "band": formatting.band}
    return environment


def _tied(text: str) -> str:
    """Keep a number and its unit, and an option and its value, on one line."""
    return re.sub(r"(?<=[\d<>]) (?=[%\d])|(?<=\w) (?== )|(?<= =) ", "\N{NO-BREAK SPACE}", text)


def _powers(title: str) -> Markup:
    """A title, escaped, with powers raised.

    >>> str(_powers("k^m-anonymity <b>"))
    'k<sup>m</sup>-anonymity &lt;b&gt;'
    """
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\^(\w+)", r"<sup>\1</sup>", str(escape(visible(title)))))
