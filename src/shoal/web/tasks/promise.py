"""What a promise means for the data: its sentence, what is weak or impossible, what it costs, and what is sensitive."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal import discovery
from shoal.data import Dataset
from shoal.data.columns import values_of
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError, ShoalError
from shoal.evaluation.frontier import frontier as exact_frontier
from shoal.evaluation.sweep import Point, sweep
from shoal.jobs import problem_file
from shoal.jobs.choose_model import K, M, advice, knowledge, strength
from shoal.jobs.dry_run import BUDGET, estimated
from shoal.jobs.job import Job
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.progress import engine_with
from shoal.release.pipeline import refuse_unfit
from shoal.report.wording import worded
from shoal.web.tasks.data import data_key, found
from shoal.web.words import in_page
from shoal.web.worker import Session, file_key

FOUND = 50  # results of a search that are shown
SECONDS = 20.0  # for all searches of a frontier together
EACH = 2.0  # for each search of a model without a frontier of its own
WITHIN = 60.0  # for all of them, on a sample
Tables = dict[str, Any]


def _job(tables: Tables) -> Job:
    """Return the job that the choices describe."""
    return problem_file.of_tables({**tables, "output": {"file": "release.csv", **tables.get("output", {})}}, "", Path())


def _in_memory(session: Session, tables: Tables) -> Job:
    """Return the job on the data that the session keeps."""
    job = _job(tables)
    return replace(job, data=replace(job.data, file="", source=found(session, tables["data"]).data))


def check(session: Session, tables: Tables) -> dict[str, Any]:
    """Return what is promised, in one sentence, and what is weak or impossible about it."""
    try:
        job = _in_memory(session, tables)
    except OptionError as error:
        return {"refused": _plain(error)}
    dataset = found(session, tables["data"]).data
    persons, unprotected = dataset.transactions.persons, []
    if not job.model.covers_sets and dataset.transactions.total_items:
        unprotected = ["It does not protect the items: they are published unchanged, and may give people away."]
    told = {
        "sentence": job.model.describe(persons if job.model.counts_persons else None),
        "short": job.model.short,
        "title": job.model.title,
        "caveats": job.model.caveats(persons if job.model.counts_persons else None),
        "advice": [*unprotected, *advice(job.model), *(worded(note) for note in job.model.notes)],
        "refused": "",
    }
    session.progress("checking", 0.0)
    try:
        refuse_unfit(job.problem(), job.algorithm)
    except ShoalError as error:
        told["refused"] = _plain(error)
    return told


def _plain(error: ShoalError) -> str:
    """Return an error without the name of the problem file, which the page does not have."""
    text = str(error)
    for start in (": ", ".: "):
        text = text.removeprefix(start)
    return in_page(text.removeprefix("[model] ").removeprefix("[algorithm] "))


def estimate(session: Session, tables: Tables) -> dict[str, Any]:
    """Estimate the time and the memory of a run from searches on samples."""
    job = _in_memory(session, tables)
    with engine_with(progress=session.progress) as engine:
        problem = job.problem()
        refuse_unfit(problem, job.algorithm)
        session.progress("trying samples", 0.0)
        about = estimated(problem, job.algorithm, engine, BUDGET)
    return {"sentences": about.sentences(), "basis": about.basis}


def frontier(session: Session, tables: Tables, sample: int) -> dict[str, Any]:
    """Return what each choice of the main options costs: for k and m with proofs, for other models as tried.

    ``sample``: the number of records, drawn by the seed; 0: all.
    """
    job = _in_memory(session, tables)
    rows = len(found(session, tables["data"]).data)
    few = sample if 0 < sample < rows else 0
    job = replace(job, data=replace(job.data, sample=few))
    first, second = strength(type(job.model)), knowledge(type(job.model))
    if first is None:
        raise OptionError("This promise has no number to vary.")
    strengths = _near(K, job.model.values()[first.name])
    known = M if second is None else _near(M, job.model.values()[second.name])
    with engine_with(progress=session.progress) as engine:
        if job.model.shares_searches:
            points, measure, kind = _exact(job, strengths, known, engine)
        else:
            problem = job.problem()
            within = WITHIN if few else math.inf
            tried = sweep(problem, strengths, known, engine, seconds=EACH, within=within)
            points = sorted(tried, key=lambda one: (one.knowledge or 0, one.strength))
            measure, kind = problem.model.primary_loss({}, problem.loss.name)[1], ""
    return {
        "strength": first.name,
        "knowledge": None if second is None else second.name,
        "points": [{**vars(one), "failure": in_page(one.failure)} for one in points],
        "measure": measure,
        "proved_for": kind,
        "records": few or rows,
        "rows": rows,
        "sampled": bool(few),
    }


def _near(values: Iterable[int], own: Any) -> tuple[int, ...]:
    """Return the values with the user's own among them."""
    return tuple(sorted({*values, *([own] if isinstance(own, int) else [])}))


def _exact(
    job: Job, strengths: tuple[int, ...], known: tuple[int, ...], engine: Engine
) -> tuple[list[Point], str, str]:
    """Return the choices of ``shoal frontier``."""
    seen: dict[str, None] = {}
    pairs, tell = len(strengths) * len(known), engine.progress

    def progress(stage: str, share: float) -> None:
        """Count the choices that were begun: each has a stage of its own, such as "k=5, m=2"."""
        if stage.startswith("k="):
            seen[stage] = None
        tell("trying choices", min(0.99, len(seen) / pairs))

    loss = discovery.get("shoal.metrics", AdditiveLoss, job.loss)()
    problem = job.data.problem(job.model, loss, job.seed, publish=False)
    few = {one: why for one in strengths if (why := _infeasible(problem, one))}
    points = [Point(one, other, None, None, failure=few[one]) for one in few for other in known]
    possible = [one for one in strengths if one not in few]
    if not possible:
        return points, loss.name.upper(), ""
    result = exact_frontier(problem, k=possible, m=known, time_limit=SECONDS, engine=replace(engine, progress=progress))
    points += [
        Point(one.k, one.m, one.loss, one.unchanged, worthless=one.worthless, proven=one.proven)
        for one in result.choices
    ]
    points.sort(key=lambda one: (one.knowledge or 0, one.strength))
    return points, result.measure, result.kind


def _infeasible(problem: Problem[PrivacyModel], k: int) -> str:
    """Return why no release can satisfy this k, or an empty string."""
    try:
        problem.model.changed(k=k).feasible(problem.prepared.original)
    except Infeasible as error:
        return str(error)
    return ""


def search(
    session: Session,
    tables: Tables,
    text: str,
    columns: list[str],
    picked: list[str],
    groups: bool,
) -> dict[str, Any]:
    """Find items, groups of items, and values of sensitive columns whose label holds a text.

    ``columns``: whose values are searched. ``picked``: labels that are left out. ``groups``: whether to find groups.
    """
    dataset = found(session, tables["data"]).data
    entries = _entries(session, tables, dataset, columns)
    wanted = text.casefold().strip()
    hits = [
        (lower != wanted, not lower.startswith(wanted), kind != "group", at)
        for at, (lower, kind, label, _) in enumerate(entries)
        if wanted in lower and label not in picked and (groups or kind != "group")
    ]
    shown = [entries[at] for *_, at in sorted(hits)[:FOUND]]
    return {
        "total": len(hits),
        "results": [{"label": label, "kind": kind, "count": count} for _, kind, label, count in shown],
    }


def _entries(session: Session, tables: Tables, dataset: Dataset, columns: list[str]) -> list[tuple[str, str, str, int]]:
    """Return all that can be found: in small letters, what it is, its label, and how many records or items it has."""
    rows = dataset.transactions
    about = tables.get("items", {})
    files = about.get("hierarchy", "")
    paths = [files] if isinstance(files, str) else list(files.values())
    key = [data_key(tables["data"]), file_key(*filter(None, paths)), about, columns]

    def make() -> list[tuple[str, str, str, int]]:
        made = [
            (label.casefold(), "item", label, count)
            for label, count in zip(rows.labels, rows.supports.tolist(), strict=True)
        ]
        tree, items = _tree(tables, dataset), set(rows.labels)
        if tree is not None:
            made += [
                (tree.labels[node].casefold(), "group", tree.labels[node], len(tree.items_of(tree.labels[node])))
                for node in range(tree.n_leaves, len(tree))
                if node != tree.root and tree.labels[node] not in items
            ]
        for column in columns:
            texts, codes = values_of(dataset, column)
            counts = [0] * len(texts)
            for code in codes.tolist():
                counts[code] += 1
            made += [
                (f"{column}={text}".casefold(), "value", f"{column}={text}", count)
                for text, count in zip(texts, counts, strict=True)
                if text
            ]
        return made

    kept: list[tuple[str, str, str, int]] = session.keep("entries", key, make)
    return kept


def _tree(tables: Tables, dataset: Dataset) -> Hierarchy | None:
    """Return the hierarchy of the items, or None if there is none or it is wrong: the step Hierarchy tells."""
    if not tables.get("items", {}).get("hierarchy"):
        return None
    try:
        spec = _job({"data": tables["data"], "items": tables["items"]}).data
        return spec.load_item_hierarchy(dataset)
    except ShoalError:
        return None
