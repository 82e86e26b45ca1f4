"""What stands first if a release is nearly worthless: why, what forced it, and what does better."""

from __future__ import annotations

from typing import Any

from shoal.privacy import Witness
from shoal.release.release import Release
from shoal.report import formatting, remedies
from shoal.report.formatting import count, share, things
from shoal.report.remedies import Remedy

TITLE = "Nearly worthless"


def worthless(release: Release, *, named: bool) -> dict[str, Any] | None:
    """The headline of a nearly worthless release as figures and sentences; None: the release is useful.

    ``named``: with the set of labels that forced it, which is taken from the raw data.
    """
    if release.worthless is None:
        return None
    found, forced = release.usefulness, remedies.witness(release) if named else None
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
        "tried": [_told(release, one) for one in release.tried],
        "better": [_told(release, one) for one in better(release)],
        "otherwise": "" if better(release) else nothing_better(release),
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


def better(release: Release) -> tuple[Remedy, ...]:
    """The ways that lose less."""
    return remedies.better(release, release.tried)


def nothing_better(release: Release) -> str:
    """What to say if no way that was tried loses less."""
    tried = [_way(one) for one in release.tried]
    other = ", more data, or another hierarchy" if release.algorithm.generalizes else " or more data"
    advice = f"A weaker guarantee{other} would keep more."
    return f"Nothing that was tried does better ({', '.join(tried)}). {advice}" if tried else advice


def remedy_line(release: Release) -> str:
    """What loses less, in one line."""
    found = better(release)
    if not found:
        return nothing_better(release)
    return f"This loses {found[0].loss:.6f} ({_way(found[0])}): {spelled(release, found[0])}"


def spelled(release: Release, remedy: Remedy) -> str:
    """How to do it: a command line, or a call if the release was made from Python."""
    if release.command is None:
        return remedies.python(release, remedy)
    return release.command.spelled(remedy.algorithm, remedy.model_options)


def sentence(release: Release, remedy: dict[str, Any]) -> str:
    """What a way that does better loses."""
    return f"{release.loss_name} {remedy['loss']:.6f} instead of {release.loss:.6f} with {remedy['how']}:"


def _forced(release: Release, found: Witness) -> dict[str, Any]:
    """The set that forced it."""
    k = release.problem.privacy.values().get("k")
    few = f", fewer than k = {k}" if k is not None and found.too_few else ""
    return {"labels": found.labels, "support": found.support, "sentence": f"{found}{few}."}


def _way(remedy: Remedy) -> str:
    """A way in a few words."""
    if remedy.way == "smaller m":
        return f"a weaker guarantee, m = {remedy.model_options['m']}"
    if remedy.way == "suppression":
        return f"{share(remedy.removed)} of the items removed" if remedy.loss is not None else "items removed"
    return "groups of siblings"


def _told(release: Release, remedy: Remedy) -> dict[str, Any]:
    """A way in figures."""
    return {
        "how": _way(remedy),
        "command": spelled(release, remedy),
        "loss": remedy.loss,
        "removed": remedy.removed,
        "worthless": remedy.worthless,
    }
