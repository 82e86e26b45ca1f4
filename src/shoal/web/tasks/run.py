"""A run: the job of a problem file, as ``shoal run`` carries it out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.files import atomic_output
from shoal.jobs import problem_file
from shoal.progress import engine_with
from shoal.web.worker import Session

REPORT = "report.json"  # each run writes it, and the page of its result shows it
SHOWN = (
    "model",
    "algorithm",
    "verdict",
    "losses",
    "usefulness",
    "optimality",
    "worthless",
    "risk",
    "warnings",
    "timings",
)
ORDER = "order.npy"  # the input row of each published record, if the order is not that of the input


def run(session: Session, tables: dict[str, Any], folder: str, passphrase: str = "") -> dict[str, Any]:
    """Anonymize as the tables of a problem file describe, and return the outputs and the figures.

    Paths are relative to the workspace. Nothing is written unless the result is verified.
    """
    job = problem_file.of_tables(tables, f"{folder}/problem.toml", Path())
    job = replace(job, passphrase=passphrase or None)
    with engine_with(progress=session.progress, memory=session.memory or None) as engine:
        story = job.run(engine)
    if story.release.order is not None:
        with atomic_output(Path(folder) / ORDER, private=True) as file:
            np.save(file, story.release.order)
    here = sorted(one.name for one in Path(folder).iterdir() if one.name not in ("run.json", "problem.toml", ORDER))
    return {"outputs": here, "figures": figures(Path(folder) / REPORT)}


def figures(report: Path) -> dict[str, Any]:
    """Return the figures that lists of runs show, from the report of a run."""
    content = json.loads(report.read_text(encoding="utf-8"))
    return {name: content[name] for name in SHOWN} | {"promise": content["model"]["description"]}
