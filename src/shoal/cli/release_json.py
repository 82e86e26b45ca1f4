"""A release as ``--json`` shows it: the figures of the summary, without those only for reports."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.jobs.job import Job
from shoal.models.base import PrivacyModel, Verdict
from shoal.options import Spec
from shoal.release.release import Release
from shoal.report import Story, headline, proofs
from shoal.report.facts import plain
from shoal.report.wording import worded


def document(story: Story, job: Job) -> dict[str, Any]:
    """Return the release, its losses, and the files that were written."""
    release = story.release
    model, algorithm = release.problem.model, release.algorithm
    before, after = release.problem.items, release.published.rows
    useful = release.usefulness if algorithm.truthful and model.covers_sets else None
    told: dict[str, Any] = plain(
        {
            "model": {**_named(model), "description": model.describe(release.problem.persons)},
            "algorithm": {**_named(algorithm), "truthful": algorithm.truthful},
            "verdict": release.verdict,
            "records": len(after),
            "labels": {"before": _used(before.supports), "after": _used(after.supports)},
            "losses": release.losses,
            "usefulness": useful,
            "worthless": headline.worthless(story) is not None,
            "optimality": _optimality(release),
            "seconds": {"total": sum(release.timings.values()), **release.timings},
            "files": _files(release, job),
            "notes": [{"text": worded(note), "untrue": note.untrue} for note in release.note_values],
        }
    )
    return told


def refusal(model: PrivacyModel, verdict: Verdict) -> dict[str, Any]:
    """Return why data were not published: what violates the guarantee."""
    told: dict[str, Any] = plain({"model": _named(model), "verdict": verdict})
    return {**told, "witnesses": [witness.as_dict() for witness in verdict.witnesses]}


def _named(spec: Spec) -> dict[str, Any]:
    """Return a model or an algorithm with its options."""
    return {"name": spec.name, "options": spec.values()}


def _used(supports: Any) -> int:
    """Return the number of labels that occur."""
    return int(np.count_nonzero(supports))


def _optimality(release: Release) -> dict[str, Any] | None:
    """Return what is proved about the loss, or None."""
    proof = release.optimality
    if proof is None:
        return None
    figures = {name: getattr(proof, name) for name in ("proven", "loss", "lower_bound", "gap", "ended")}
    return {**figures, "sentence": proofs.optimality(release)}


def _files(release: Release, job: Job) -> dict[str, Any]:
    """Return the path of each written file, or None."""
    names = ("codebook", "persons", "certificate", "recoding")
    book, persons, certificate, recoding = (release.provenance.get(name) or {} for name in names)
    return {
        "data": str(job.output),
        "codebook": book.get("name"),
        "persons": persons.get("file"),
        "certificate": certificate.get("name"),
        "recoding": recoding.get("name"),
        "proof": job.proof and str(job.proof),
        "reports": [str(path) for path in job.reports],
        "public_reports": [str(path) for path in job.public_reports],
    }
