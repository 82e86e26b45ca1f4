"""Run a grid, several cases at once, and continue an interrupted one."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.evaluation.grid import Case, Grid
from shoal.evaluation.results import FINGERPRINT, KEY, Results, Row, value
from shoal.evaluation.run_case import FIGURES
from shoal.evaluation.worker import Worker
from shoal.files.lock import exclusive_lock


@dataclass(frozen=True)
class Progress:
    """The progress of a comparison."""

    done: int
    total: int
    case: Case  # that has just ended
    row: Mapping[str, Any]


def compare(
    grid: Grid,
    target: Path,
    *,
    workers: int = 0,
    again: bool = False,
    retry: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> list[Row]:
    """Run all cases that ``target`` does not hold yet. Return the rows of the grid, in its order.

    ``workers`` cases run at once, each in a process of its own with one thread. ``again`` runs all again, ``retry``
    those that failed. Finished rows stay in the file, whatever ends the run. The same call continues from there.
    """
    threads = Engine(workers=workers).threads
    busy = f"Another comparison is writing to {target.parent}: wait until it has ended, or name another folder."
    with exclusive_lock(target.parent, busy):
        known = Results(target, columns(grid.cases))
        if again:
            known.forget(case.key for case in grid.cases)
        open_ = [case for case in grid.cases if not _stands(known.rows.get(case.key), grid.limit, retry=retry)]
        done = len(grid) - len(open_)
        for case, row in run(open_, threads, grid.limit):
            done += 1
            known.append({KEY: case.key, **_of_data(case), **case.place, **row})
            progress(Progress(done, len(grid), case, row))
        order = [case.key for case in grid.cases]
        derived = gaps(grid.cases, [_typed(known.rows[key]) for key in order])
        known.finish(
            order, {case.key: {**_of_data(case), **more} for case, more in zip(grid.cases, derived, strict=True)}
        )
    return [{name: value(name, known.rows[key].get(name, "")) for name in known.columns} for key in order]


def _of_data(case: Case) -> dict[str, str]:
    """Return a hash that distinguishes rows measured before and after the data changed."""
    return {FINGERPRINT: case.data.content}


def columns(cases: Iterable[Case]) -> list[str]:
    """Return the columns that are known before anything has run."""
    places = dict.fromkeys(name for case in cases for name in case.place)
    return [KEY, FINGERPRINT, *places, *FIGURES]


def gaps(cases: Sequence[Case], rows: Sequence[Row]) -> list[dict[str, float | None]]:
    """For each row the best proved lower bound for recodings of its kind, and the share of its loss above that.

    Bounds hold for the same data, model and loss. A bound for all groupings of siblings holds for cuts too, but one for
    cuts does not hold for groupings. Global cuts are measured by the optimum of cuts, cuts with
    suppression by that of both together (which is a bound for cuts too) within the same limits or wider ones; others by
    none.
    """
    proofs: dict[str, list[tuple[Algorithm, float]]] = {}
    for case, row in zip(cases, rows, strict=True):
        if row.get("lower_bound") is not None:
            proofs.setdefault(_setting(case), []).append((case.algorithm, row["lower_bound"]))
    results: list[dict[str, float | None]] = []
    for case, row in zip(cases, rows, strict=True):
        loss, method = row.get("value"), case.algorithm
        cuts = method.suppresses or row.get("lower_bound") is not None or method.cuts
        known = proofs.get(_setting(case), []) if cuts else []
        bounds = [bound for prover, bound in known if _speaks_of(prover, method)]
        bound = max(bounds) if bounds and loss is not None else None
        gap = None if bound is None or loss is None else 0.0 if loss <= bound else 1 - bound / loss
        results.append({"optimum": bound, "gap": gap})
    return results


def _speaks_of(prover: Algorithm, method: Algorithm) -> bool:
    """Return whether a bound found for one case holds for the other."""
    if method.groups_siblings and not prover.groups_siblings:
        return False
    return not method.suppresses or _covers(prover, method)


def _covers(prover: Algorithm, method: Algorithm) -> bool:
    """Return whether one method may suppress everything that the other may."""
    if not prover.suppresses:
        return False
    (most, never), (least, kept) = prover.suppression_limits, method.suppression_limits
    return most >= least and never <= kept


def _setting(case: Case) -> str:
    """Return what two cases must have in common for a bound of one to hold for the other."""
    return str((case.data.fingerprint, case.model, case.loss, case.data.seeded and case.seed))


def _typed(row: Mapping[str, str]) -> Row:
    return {name: value(name, cell) for name, cell in row.items()}


def _stands(row: Mapping[str, str] | None, limit: float, *, retry: bool) -> bool:
    """Return whether a row can be kept. One that ended at a lower limit must run again."""
    if row is None or not row.get("status"):
        return False
    if row["status"] == "time limit":
        return not retry and float(row["error"].split()[1]) >= limit
    return row["status"] in ("ok", "infeasible") or not retry


def run(
    cases: Sequence[Case], workers: int, limit: float, deadline: float = float("inf")
) -> Iterator[tuple[Case, Row]]:
    """Yield rows as they finish, until the deadline (of ``time.monotonic``). Closing the generator ends all runs."""
    todo: queue.SimpleQueue[Case] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[Case, Row] | BaseException] = queue.SimpleQueue()
    for case in cases:
        todo.put(case)
    hands = [Worker() for _ in range(min(workers, len(cases)))]

    def work(worker: Worker) -> None:
        try:
            while True:
                case = todo.get_nowait()
                finished.put((case, worker.run(case, limit)))
        except queue.Empty:
            pass
        except BaseException as error:
            finished.put(error)
        finally:
            worker.close()

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in hands]
    for thread in threads:
        thread.start()
    try:
        for _ in cases:
            while True:
                try:
                    result = finished.get(timeout=0.2)  # in short turns, so that Ctrl-C is heard everywhere
                    break
                except queue.Empty:
                    if time.monotonic() > deadline:
                        return
            if isinstance(result, BaseException):
                raise result
            yield result
    finally:
        for worker in hands:
            worker.close()
        for thread in threads:
            thread.join()
