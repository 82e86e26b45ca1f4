"""What stands first if a release is nearly worthless: why, what forced it, and what does better."""

from __future__ import annotations

from typing import Any

from shoal.privacy import Witness
from shoal.release.release import Release
from shoal.report import formatting
from shoal.report.formatting import count, share, things
from shoal.report.remedies import Remedy
from shoal.report.story import Story

TITLE = "Nearly worthless"


def worthless(story: Story) -> dict[str, Any] | None:
    """The headline of a nearly worthless release as figures and sentences; None: the release is useful."""
    release, findings = story.release, story.findings
    if release.worthless is None:
        return None
    found, forced = release.usefulness, findings.witness if story.explained else None
    return {
        "reason": release.worthless,
        "title": title(release),
        "why": why(release),
        "share_hidden": found.hidden / found.items,
        "share_removed": found.removed / found.items,
        "emptied_records": found.emptied,
        "labels": [{"label": label, "items": items} for label, items in found.broad],
        "loss": release.loss,
        "forced_by": forced and _forced(release, forced),
        "tried": [_told(story, one) for one in findings.tried],
        "better": [_told(story, one) for one in findings.better],
        "otherwise": "" if findings.better else nothing_better(story),
    }


def title(release: Release) -> str:
    """The heading: what is nearly worthless."""
    if release.published.relational is not None:
        return f"{TITLE} sets"
    return f"{TITLE}, apart from the sensitive values" if release.published.sensitive is not None else TITLE


def why(release: Release) -> str:
    """One sentence on what is left of the items."""
    found, gone = release.usefulness, "removed" if release.algorithm.truthful else "deleted"
    if found.worthless == "emptied":
        return f"{count(found.emptied)} of {things(found.records, 'record')} lost all their items."
    label, items = found.broad[0] if found.broad else ("", 0)
    all_of = "all" if items == found.domain else f"{count(items)} of"
    under = f"published as '{formatting.label(label)}', which covers {all_of} {things(found.domain, 'item')}"
    if len(found.broad) > 1:
        under = f"published under labels that cover more than half of all {things(found.domain, 'item')}"
    if found.worthless == "one label":
        return f"{share(found.hidden / found.items)} of all items are {under}."
    also = f", and {share(found.hidden / found.items)} are {under}" if found.hidden else ""
    return f"{share(found.removed / found.items)} of all items were {gone}{also}."


def nothing_better(story: Story) -> str:
    """What to say if no way that was tried loses less."""
    tried = [_way(one) for one in story.findings.tried]
    other = ", more data, or another hierarchy" if story.release.algorithm.generalizes else " or more data"
    advice = f"A weaker guarantee{other} would keep more."
    return f"Nothing that was tried does better ({', '.join(tried)}). {advice}" if tried else advice


def remedy_line(story: Story) -> str:
    """What loses less, in one line."""
    if not story.findings.better:
        return nothing_better(story)
    best = story.findings.better[0]
    return f"This loses {best.loss:.6f} ({_way(best)}): {story.spelled(best)}"


def sentence(release: Release, remedy: dict[str, Any]) -> str:
    """What a way that does better loses."""
    return f"{release.loss_name} {remedy['loss']:.6f} instead of {release.loss:.6f} with {remedy['how']}:"


def _forced(release: Release, found: Witness) -> dict[str, Any]:
    """The set that forced it."""
    k = release.problem.privacy.values().get("k")
    few = f", fewer than k = {k}" if k is not None and found.sensitive is None else ""
    return {"labels": found.labels, "support": found.support, "sentence": f"{found}{few}."}


def _way(remedy: Remedy) -> str:
    """A way in a few words."""
    if remedy.way == "smaller m":
        return f"a weaker guarantee, m = {remedy.model_options['m']}"
    if remedy.way == "suppression":
        return f"{share(remedy.removed)} of the items removed" if remedy.loss is not None else "items removed"
    return "groups of siblings"


def _told(story: Story, remedy: Remedy) -> dict[str, Any]:
    """A way in figures."""
    return {
        "how": _way(remedy),
        "command": story.spelled(remedy),
        "loss": remedy.loss,
        "removed": remedy.removed,
        "worthless": remedy.worthless,
    }
