"""The public report: for recipients and regulators. It is made of facts that name nothing but what is published.

Templates see only :class:`PublicFacts`. So a public report cannot quote a rare set, a removed item, a path or the seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from shoal import kernels
from shoal._version import __version__
from shoal.metrics.kl import KLDivergence
from shoal.metrics.operations import Operations
from shoal.metrics.privacy_value import PrivacyValue
from shoal.release import dates
from shoal.release.release import Release
from shoal.report import headline as poor
from shoal.report import public_notes
from shoal.report.facts import plain
from shoal.report.officer.context import Context
from shoal.report.officer.discretion import Discretion
from shoal.report.officer.facts import gather as gather_officer
from shoal.report.officer.sections import OfficerFacts
from shoal.report.sentences import loss_rows, shell_word
from shoal.report.story import Story

VERSION = 1
GROUPS = 10  # labels that are listed


@dataclass(frozen=True)
class Published:
    """A published label that stands for several items."""

    label: str
    items: int
    records: int


@dataclass(frozen=True)
class PublicFacts:
    """All facts of a public report."""

    report: str
    title: str
    command: str  # that checks the data
    created: str
    software: str
    worthless: str | None  # why the data are nearly worthless
    officer: OfficerFacts
    promise: str
    model: Mapping[str, Any]
    method: Mapping[str, Any]
    checked: int
    records: int
    persons: str | None
    labels: int  # different published labels
    items: int  # of all records, published
    unchanged: float | None  # share of items that are published as they were
    groups: tuple[Published, ...]  # the labels in the most records that stand for several items
    losses: Mapping[str, float | None]
    optimality: Mapping[str, Any] | None
    notes: tuple[str, ...]

    def for_templates(self) -> dict[str, Any]:
        """Return the variables of the templates."""
        return {**vars(self), "loss_rows": loss_rows(dict(self.losses))}


def gather(story: Story) -> PublicFacts:
    """Return the facts of a public report."""
    release, context = story.release, story.context or Context()
    model, algorithm = release.problem.model, release.algorithm
    rows, persons = release.published.rows, release.problem.persons
    useful = release.usefulness if algorithm.truthful and model.covers_sets and release.usefulness.items else None
    return PublicFacts(
        report=f"shoal/public-report/{VERSION}",
        title=_name(release, "output", "Anonymized data"),
        command=_command(release),
        created=f"{dates.now():%Y-%m-%d}",
        software=f"Shoal {__version__} ({kernels.KIND} kernels)",
        worthless=f"{poor.title(release)}: {poor.why(release)}" if release.worthless else None,
        officer=gather_officer(release, context, story.thresholds, public=True, compared_with=story.compared_with),
        promise=model.describe(persons),
        model={"name": model.name, "title": model.title, "short": model.short},
        method={"name": algorithm.name, "title": algorithm.title, "truthful": algorithm.truthful},
        checked=release.verdict.checked,
        records=len(release.dataset),
        persons=None if persons is None else persons.name(persons.count()),
        labels=int(np.count_nonzero(rows.supports)),
        items=rows.total_items,
        unchanged=None if useful is None else Discretion(True, len(rows)).loss(useful.unchanged_share),
        groups=_groups(release),
        losses=public_losses(release),
        optimality=public_optimality(release),
        notes=tuple(public_notes.for_recipients(release)),
    )


def _name(release: Release, role: str, otherwise: str) -> str:
    """Return the name of a written file, without its folder, or another text if none was written."""
    return str((release.provenance.get(role) or {}).get("name", otherwise))


def _command(release: Release) -> str:
    """Return the command that checks the data: by the certificate, if one was written."""
    file, certificate = _name(release, "output", "FILE"), release.provenance.get("certificate")
    if certificate is None:
        guarantee = " ".join(
            f"--{name} {value}"
            for name, value in release.problem.model.values().items()
            if isinstance(value, int | float | str)
        )
        return f"shoal verify {shell_word(file)} --model {release.problem.model.name} {guarantee}"
    key = " --public-key KEY" if certificate["signer"] else ""
    return f"shoal verify {shell_word(file)} --certificate {shell_word(certificate['name'])}{key}"


def public_losses(release: Release) -> dict[str, float | None]:
    """Return the losses that may be published.

    If items were added or moved, their numbers are left out: "no sensitive item was added" says that all holders are
    true.
    """
    measures = () if release.algorithm.truthful else (Operations, PrivacyValue, KLDivergence)
    secret = {name for measure in measures for name in measure.meanings}
    values: dict[str, float | None] = plain({name: one for name, one in release.losses.items() if name not in secret})
    return Discretion(True, len(release.dataset)).losses(values)


def _groups(release: Release) -> tuple[Published, ...]:
    """Return the published labels that stand for several items, the most frequent first."""
    published, supports = release.published, release.published.rows.supports
    codes = np.flatnonzero((published.cover_sizes > 1) & (supports > 0))
    order = np.lexsort((codes, -published.cover_sizes[codes], -supports[codes]))
    return tuple(
        Published(published.rows.labels[code], int(published.cover_sizes[code]), int(supports[code]))
        for code in codes[order][:GROUPS].tolist()
    )


def public_optimality(release: Release) -> dict[str, Any] | None:
    """Return what is proved about the loss, rounded and without the name of a file."""
    proof = release.optimality
    if proof is None:
        return None
    told = Discretion(True, len(release.dataset))
    return {
        "proven": proof.proven,
        "best_grouping": proof.best_grouping or release.problem.hierarchy.refines is None,
        "compared_with": compared_with(release),
        **{name: told.loss(getattr(proof, name)) for name in ("loss", "lower_bound", "gap")},
    }


def compared_with(release: Release) -> str:
    """Return the class of recodings that a proof is about, without the name of a file."""
    groups = release.problem.hierarchy.refines is not None
    return "cuts of the hierarchy with the same groups of siblings" if groups else "cuts of the hierarchy"


def as_dict(facts: PublicFacts) -> dict[str, Any]:
    """Return the facts as values for strict JSON."""
    return {one.name: plain(getattr(facts, one.name)) for one in fields(facts)}
