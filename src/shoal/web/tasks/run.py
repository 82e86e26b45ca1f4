"""A run: the job of a problem file, as ``shoal run`` carries it out, and what can be said before it begins."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import OptionError
from shoal.evidence.keys import PrivateKey
from shoal.files import atomic_output
from shoal.files.lock import exclusive_lock
from shoal.jobs import problem_file
from shoal.jobs.dry_run import dry_run
from shoal.progress import engine_with
from shoal.report.story import Story
from shoal.web.tasks.told import told
from shoal.web.worker import Session

REPORT = "report.json"  # each run writes it
SHOWN = ("model", "algorithm", "verdict", "usefulness", "optimality", "risk", "timings")
ORDER = "order.npy"  # the input row of each published record, if the order is not that of the input
TOLD = "result.json"  # what the page of the result shows; it quotes the original data
OWN = ("run.json", "problem.toml", "message.txt", ORDER, TOLD)  # files that the workbench itself writes


def run(session: Session, tables: dict[str, Any], folder: str, passphrase: str = "") -> dict[str, Any]:
    """Anonymize as the tables of a problem file describe, and return the outputs and the figures.

    Paths are relative to the workspace. Nothing is written unless the result is verified.
    """
    job = problem_file.of_tables(tables, f"{folder}/problem.toml", Path())
    job = replace(job, passphrase=passphrase or None)
    here = exclusive_lock(Path(folder), "Another process carries out this run: wait until it has ended.")
    working = engine_with(progress=session.progress, memory=session.memory or None)
    with here, working as engine, _remarks() as remarks:
        story = job.run(engine)
        session.progress("describing the result", 0.0)
        values = told(story)
        values["warnings"] += [str(one.message) for one in remarks if issubclass(one.category, UserWarning)]
        with atomic_output(Path(folder) / TOLD, private=True) as file:
            file.write(json.dumps(values, ensure_ascii=False, allow_nan=False).encode())
    if story.release.order is not None:
        with atomic_output(Path(folder) / ORDER, private=True) as file:
            np.save(file, story.release.order)
    return {"outputs": sorted(set(os.listdir(folder)) - set(OWN)), "figures": figures(story, Path(folder) / REPORT)}


@contextmanager
def _remarks() -> Iterator[list[warnings.WarningMessage]]:
    """A list for what is remarked while the release is written, such as another character between items."""
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always", UserWarning)
        yield remarks


def figures(story: Story, report: Path) -> dict[str, Any]:
    """Return the figures that lists of runs show, from a run and its report. They hold nothing of single records."""
    content = json.loads(report.read_text(encoding="utf-8"))
    poor, release = content["worthless"], story.release
    loss, measure = release.problem.model.primary_loss(release.losses, release.problem.loss.name)
    return {name: content[name] for name in SHOWN} | {
        "promise": content["model"]["description"],
        "loss": {"value": loss if loss is not None and isfinite(loss) else None, "measure": measure},
        "worthless": poor and {"title": poor["title"], "reason": poor["reason"]},
        "warnings": len(content["warnings"]),
        "reading": content["provenance"]["output"]["read_options"],
        "input": {name: content["provenance"]["input"][name] for name in ("sha256", "joined")},
    }


def check(session: Session, tables: dict[str, Any]) -> dict[str, Any]:
    """Return what a job would do, how long it takes and how much memory it needs, or raise what is wrong."""
    job = problem_file.of_tables(tables, "This project", Path())
    with engine_with(progress=session.progress, memory=session.memory or None) as engine:
        found = dry_run(job, engine)
    return {
        "read": found.summary,
        "promise": found.model.describe(found.persons),
        "hierarchy": found.hierarchy,
        "unchanged": list(found.unchanged),
        "estimate": found.estimate.sentences(),
        "basis": found.estimate.basis,
        "seconds": found.estimate.seconds,
    }


def check_key(session: Session, key: str, passphrase: str) -> str:
    """Return the fingerprint of a key, or raise why it cannot sign."""

    def missing(path: str) -> str:
        raise OptionError(f"{Path(path).name} is encrypted: type its passphrase.")

    return PrivateKey.load(key, passphrase or missing).public.fingerprint
