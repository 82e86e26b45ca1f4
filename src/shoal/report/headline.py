"""The headline of a report on a nearly worthless release: why it is so, what forced it, and what does better."""

from __future__ import annotations

from shoal.models.base import Witness
from shoal.release.release import Release
from shoal.report import formatting
from shoal.report.formatting import count, count_noun, share
from shoal.report.remedies import Remedy
from shoal.report.sections import BroadLabel, ForcedBy, Headline, TriedWay
from shoal.report.story import Story

TITLE = "Nearly worthless"


def worthless(story: Story) -> Headline | None:
    """Return the headline of a nearly worthless release, or None if the release is useful."""
    release, findings = story.release, story.findings
    if release.worthless is None:
        return None
    useful, witness = release.usefulness, findings.witness if story.explained else None
    return Headline(
        reason=release.worthless,
        title=title(release),
        why=why(release),
        share_hidden=useful.hidden / useful.items,
        share_removed=useful.removed / useful.items,
        emptied_records=useful.emptied,
        labels=tuple(BroadLabel(label, items) for label, items in useful.broad),
        loss=release.loss,
        forced_by=None if witness is None else _forced_by(release, witness),
        tried=tuple(_told(story, one) for one in findings.tried),
        better=tuple(_told(story, one) for one in findings.better),
        otherwise="" if findings.better else nothing_better(story),
    )


def title(release: Release) -> str:
    """Return the heading: what is nearly worthless."""
    if release.published.relational is not None:
        return f"{TITLE} sets"
    return f"{TITLE}, not counting sensitive values" if release.published.sensitive is not None else TITLE


def why(release: Release) -> str:
    """Return one sentence on what is left of the items."""
    useful, gone = release.usefulness, "removed" if release.algorithm.truthful else "deleted"
    if useful.worthless == "emptied":
        return f"{count(useful.emptied)} of {count_noun(useful.records, 'record')} lost all their items."
    label, items = useful.broad[0] if useful.broad else ("", 0)
    all_of = "all" if items == useful.domain else f"{count(items)} of"
    under = f"published as '{formatting.label(label)}', which represents {all_of} {count_noun(useful.domain, 'item')}"
    if len(useful.broad) > 1:
        under = f"published under labels that represent more than half of all {count_noun(useful.domain, 'item')}"
    if useful.worthless == "one label":
        return f"{share(useful.hidden / useful.items)} of all items are {under}."
    also = f", and {share(useful.hidden / useful.items)} are {under}" if useful.hidden else ""
    return f"{share(useful.removed / useful.items)} of all items were {gone}{also}."


def nothing_better(story: Story) -> str:
    """Return the advice if no remedy that was tried loses less."""
    if story.release.algorithm.repeats is not None:
        return (
            "The labels are at least as general as those of the earlier release. A new recoding may keep more, but do "
            "not publish the same records with both."
        )
    tried = [_way(one) for one in story.findings.tried]
    other = ", more data, or another hierarchy" if story.release.algorithm.generalizes else " or more data"
    advice = f"A weaker guarantee{other} would keep more."
    return f"No alternative that was tried loses less ({', '.join(tried)}). {advice}" if tried else advice


def remedy_line(story: Story) -> str:
    """Return one line on what loses less, for a release that loses too much."""
    if story.release.algorithm.repeats is not None:
        return "Allow a larger loss, or start anew with a new recoding, but do not publish the same records with both."
    if not story.findings.better:
        return nothing_better(story)
    best = story.findings.better[0]
    return f"This loses {best.loss:.6f} ({_way(best)}): {story.spelled(best)}"


def sentence(release: Release, way: TriedWay) -> str:
    """Return a sentence on how much less a remedy loses."""
    return f"{release.loss_name} {way.loss:.6f} instead of {release.loss:.6f} with {way.how}:"


def _forced_by(release: Release, witness: Witness) -> ForcedBy:
    """Return the set that forced a release to be nearly worthless."""
    k = release.problem.model.values().get("k")
    few = f", fewer than k = {k}" if k is not None and witness.too_few else ""
    return ForcedBy(witness.labels, witness.support, f"{witness}{few}.")


def _way(remedy: Remedy) -> str:
    """Describe a remedy in a few words."""
    if remedy.way == "smaller m":
        return f"a weaker guarantee, m = {remedy.model_options['m']}"
    if remedy.way == "suppression":
        return f"{share(remedy.removed)} of the items removed" if remedy.loss is not None else "items removed"
    return "groups of siblings"


def _told(story: Story, remedy: Remedy) -> TriedWay:
    """Return the figures of a remedy."""
    return TriedWay(_way(remedy), story.spelled(remedy), remedy.loss, remedy.removed, remedy.worthless)
