"""Run and measure one case of a comparison: a row of the table of results."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.errors import Infeasible, ShoalError
from shoal.evaluation.grid import Case
from shoal.metrics.are import are
from shoal.metrics.ml2 import mining_loss, summed_up
from shoal.metrics.risk import Risk
from shoal.metrics.workload import Workload
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.recoding.solution import Optimality
from shoal.release.pipeline import make_release
from shoal.release.release import Release, peak_memory
from shoal.report import headline
from shoal.search.direct import BUILT, COUNTED

# What every row tells, in this order, after its place in the grid.
FIGURES = (
    "status",  # ok; infeasible; error; time limit
    "error",
    "verified",
    "records",  # |D|
    "items",  # |I|, as far as they are used
    "mean_size",
    "height",  # h of the hierarchy
    "seconds",  # the search alone
    "total_seconds",  # from data in memory to a verified and measured release
    "cpu_seconds",  # of that, on all processors
    "search_cpu_seconds",  # of the search alone, the least if it was repeated
    "peak_mb",
    "counted_itemsets",  # by the search, in its largest pass: the papers' count-tree nodes
    "built_nodes",  # of the largest count-tree that the paper's algorithm would build, if that was asked for
    "checked_itemsets",  # by the verifier
    "value",  # of the loss that was minimised
    "score",  # what releases of the model are compared by, and ..
    "scored_by",  # .. its name
    "lower_bound",  # nothing of its kind loses less
    "ended",  # why a search for the optimum stopped
    "suppressed",  # share of the items that no published label covers, for a method that suppresses
    "worthless",  # why the release is nearly worthless; empty: it is not
)
K = 5  # below which a crowd is small, for models that do not say
VOLATILE = (
    "seconds",
    "total_seconds",
    "cpu_seconds",
    "search_cpu_seconds",
    "peak_mb",
    "statistics",
)  # differ from run to run


def run_case(case: Case, workers: int = 1) -> dict[str, Any]:
    """Make the release and measure it. An error becomes part of the row, not an exception."""
    try:
        return _measured(case, workers)
    except Infeasible as reason:
        return {"status": "infeasible", "error": _line(reason)}
    except ShoalError as error:
        return {"status": "error", "error": _line(error)}
    except MemoryError:
        return {"status": "error", "error": "out of memory"}
    except (Exception, SystemExit) as error:
        return {"status": "error", "error": f"{type(error).__name__}: {_line(error)}"}


def _measured(case: Case, workers: int) -> dict[str, Any]:
    """Return the figures of a verified release."""
    engine = Engine(workers=workers)
    given = case.problem()
    problem, rows = given.prepared, given.prepared.items
    used, start = time.process_time(), time.perf_counter()
    release = make_release(given, case.algorithm, engine)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    peak = peak_memory()
    search, search_cpu = _repeated(case, problem, engine, release.timings["solve"], release.cpu_timings["solve"])
    proof = release.optimality
    statistics = release.solution.statistics | _built(case, problem, release, engine)
    return {
        "status": "ok",
        "error": "",
        "verified": release.verdict.holds,
        "records": len(rows),
        "items": int(np.count_nonzero(rows.supports)),
        "mean_size": float(rows.sizes.mean()) if len(rows) else 0.0,
        "height": problem.hierarchy.height,
        "seconds": search,
        "total_seconds": round(seconds, 6),
        "cpu_seconds": round(used, 6),
        "search_cpu_seconds": search_cpu,
        "peak_mb": None if peak is None else round(peak / 1e6, 1),
        "counted_itemsets": statistics.get(COUNTED),
        "built_nodes": statistics.get(BUILT),
        "checked_itemsets": release.verdict.checked,
        "value": release.losses.get(f"weighted_{problem.loss.name}", release.losses.get(problem.loss.name)),
        **dict(zip(("score", "scored_by"), score(case.model, case.algorithm, release.losses, case.loss), strict=True)),
        "lower_bound": None if proof is None else _bound(case.algorithm, proof),
        "ended": "" if proof is None else proof.ended,
        "suppressed": _suppressed(release) if case.algorithm.suppresses else None,
        "worthless": headline.why(release) if release.worthless else "",
        **release.losses,
        **dict(_extra(case, problem, release, engine)),
        **_mined(case, problem, release, engine),
        **dict(_risks(case, problem, release, engine)),
        "statistics": json.dumps(statistics),
    }


def _bound(algorithm: Algorithm, proof: Optimality) -> float | None:
    """Return a lower bound on the loss of every recoding of the same kind: every cut, or every sibling grouping."""
    if not algorithm.groups_siblings:
        return proof.lower_bound
    return proof.groupings_bound if proof.loss else 0.0


def _suppressed(release: Release) -> float:
    """The share of what was there before."""
    outcome = release.comparison.outcome
    return outcome.suppressed / max(1, outcome.items)


def score(
    model: PrivacyModel, algorithm: Algorithm, losses: Mapping[str, float], loss: str
) -> tuple[float | None, str]:
    """Return the score that releases of a model are compared by, and its name: the loss of what the model covers.

    A method that adds items has none if it would be compared with truthful methods.
    """
    value, name = model.primary_loss(losses, loss)
    if model.relational:
        return value, name
    known = discovery.find("shoal.algorithms", Algorithm).values()
    if not any(method.truthful for method in known if isinstance(model, method.solves)):
        return losses.get("operations"), "items added and deleted"
    return value if algorithm.truthful else None, name


def _extra(
    case: Case, problem: Prepared[PrivacyModel], release: Release, engine: Engine
) -> Iterator[tuple[str, float]]:
    """Return the additional measures."""
    asked = case.extras
    if asked.queries:
        means: dict[str, list[float]] = {}
        for kind, (values, items) in asked.kinds.items():
            drawn = Workload.generated(problem.original, asked.queries, values, items, seed=asked.query_seed)
            answers = are(problem.original, release.published, drawn)
            error_of = {"are": answers.mean}
            if asked.query_bound:
                least = np.maximum(answers.true, asked.query_bound * len(problem.original.rows))
                error_of["bounded_are"] = float(np.mean(np.abs(answers.true - answers.expected) / least))
            for name, error in error_of.items():
                means.setdefault(name, []).append(error)
                if len(asked.kinds) > 1:
                    yield f"{name}_{kind}", error
        for name, errors in means.items():
            yield name, sum(errors) / len(errors)


def _repeated(
    case: Case, problem: Prepared[PrivacyModel], engine: Engine, seconds: float, cpu: float
) -> tuple[float, float]:
    """Return the smallest wall time and processor time of the search over its repetitions."""
    spent: list[float] = []
    for _ in range(case.extras.repeats):
        used, start = time.process_time(), time.perf_counter()
        case.algorithm.solve(problem, engine)
        seconds = min(seconds, round(time.perf_counter() - start, 6))
        spent.append(round(time.process_time() - used, 6))
    return seconds, min(spent, default=cpu)


def _built(case: Case, problem: Prepared[PrivacyModel], release: Release, engine: Engine) -> dict[str, float]:
    """Count the nodes of the papers' count-trees, if requested. A second search does it, because it takes time."""
    if not case.extras.built_trees or COUNTED not in release.solution.statistics:
        return {}
    again = case.algorithm.solve(problem, replace(engine, built_trees=True))
    return {name: value for name, value in again.statistics.items() if name.startswith(BUILT)}


def _mined(case: Case, problem: Prepared[PrivacyModel], release: Release, engine: Engine) -> dict[str, float]:
    """Return the loss for mining, if requested: in total, and at each of several thresholds."""
    asked = case.extras.mining
    if not asked:
        return {}
    mined = mining_loss(problem.original, release.published, problem.hierarchy, case.extras.thresholds, engine)
    figures = summed_up(mined)
    for percent, loss in zip(asked, mined, strict=True) if len(asked) > 1 else ():
        figures |= {
            f"ml2_{percent}": loss.ml2,
            f"dml2_{percent}": loss.dml2,
            f"dml2_missed_{percent}": loss.dml2_missed,
        }
    return figures


def _risks(
    case: Case, problem: Prepared[PrivacyModel], release: Release, engine: Engine
) -> Iterator[tuple[str, float]]:
    """Return the risk of re-identification before and after, for so many known items, if requested."""
    if not case.extras.known:
        return
    k = case.model.values().get("k", K)
    for when, rows in (("before", problem.original.rows), ("after", release.published.rows)):
        risk = Risk.of(rows, k, case.extras.known, engine)
        yield f"below_k_{when}", risk.share_below_k[-1]
        yield f"unique_{when}", risk.share_unique[-1]
        yield f"prosecutor_{when}", risk.prosecutor[-1]
        yield f"average_{when}", risk.average[-1]


def _line(error: BaseException) -> str:
    """Return a message on one line."""
    return " ".join(str(error).split())
