"""Millions of rows: the whole command, in a process of its own, beside the least that any method must do.

Every row has CPU and wall seconds and peak memory of ``shoal anonymize``, its loss, how the search ended, and the
same times of the floor: one process that reads the file, encodes it by the hierarchy and counts all sets of up to m
items once. Of several turns the least times count, and the largest memory.
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import launch
from benchmarks.launch import Run
from benchmarks.scale_cases import GROWTH, Case, Data, cases

Row = dict[str, Any]
TIMES = ("CPU s", "wall s", "peak MB")
FLOOR = ("floor, CPU s", "floor, wall s", "x floor, CPU", "x floor, wall")
COLUMNS = ("name", "case", *TIMES, "NCP", "result", *FLOOR, "now", "aim", "error")
EXPONENT, WORKERS = "exponent", ("workers-1", "workers-2")
NAMES = (*(case.name for case in cases()), EXPONENT, *WORKERS)  # the order of the table
CHOICES = (*(case.name for case in cases()), EXPONENT, "workers")
LARGE = "50m-m2"
ALTERNATIONS = 2  # turns of one worker and two


def rows(folder: Path, only: Collection[str] = (), *, large: bool = False, shrink: int = 1) -> Iterator[Row]:
    """One row for each case, then the exponent and the workers; or only those that are named."""
    wanted = {*(only or CHOICES)}
    if EXPONENT in wanted:
        wanted |= {*GROWTH}
    if not large and LARGE not in only:
        wanted -= {LARGE}
    for row in _rows(folder, wanted, shrink):
        if shrink > 1:
            row |= {"now": "", "aim": ""}
        print(json.dumps(row), flush=True)  # a run takes long
        yield row


def _rows(folder: Path, wanted: Collection[str], shrink: int) -> Iterator[Row]:
    """The rows of the wanted cases. The exponent is that of the sizes that were measured in this run."""
    points: dict[int, float] = {}
    for case in (case for case in cases(shrink) if case.name in wanted):
        row = measured(case, folder)
        if case.name in GROWTH and row["CPU s"]:
            points[case.data.rows] = row["CPU s"]
        yield row
    if EXPONENT in wanted:
        yield exponent(points)
    if "workers" in wanted:
        yield from workers(Data("quest", 5_000_000 // shrink), folder)


def measured(case: Case, folder: Path) -> Row:
    """Run the floor and the command in turn."""
    empty = _row(case.name, case.title, now=case.now, aim=case.aim)
    try:
        file, tree = case.data.files(folder)
    except (OSError, RuntimeError) as error:
        return empty | {"error": str(error)}
    floors, runs = [], []
    for _ in range(case.turns):
        if case.floor:
            floors.append(launch.run(case.count(file, tree)))
        runs.append(command(case, file, tree, folder)[0])
        if runs[-1].error:
            break
    return empty | _figures(runs) | _compared(runs, floors)


def command(case: Case, file: str, tree: str, folder: Path) -> tuple[Run, str]:
    """Run ``shoal anonymize``; also return a digest of what it publishes, which is then removed."""
    with tempfile.TemporaryDirectory(dir=folder) as room:
        output = Path(room) / f"out{case.data.suffix}"
        run = launch.run([sys.executable, "-m", "shoal.cli", *case.words(file, tree, str(output))])
        if run.error:
            return run, ""
        with open(output, "rb") as published:
            return run, hashlib.file_digest(published, "sha256").hexdigest()


def workers(data: Data, folder: Path) -> list[Row]:
    """One worker and two in turn, over the whole command: how much sooner it ends."""
    pair = [Case(name, data, "aa", 2, ("--workers", name[-1])) for name in WORKERS]
    told = [_row(case.name, case.title) for case in pair]
    told[1]["aim"] = "1.6 times as fast as one"
    try:
        file, tree = data.files(folder)
    except (OSError, RuntimeError) as error:
        return [row | {"error": str(error)} for row in told]
    turns = [[command(case, file, tree, folder) for case in pair] for _ in range(ALTERNATIONS)]
    one, two = ([run for run, _ in runs] for runs in zip(*turns, strict=True))
    told = [row | _figures(runs) for row, runs in zip(told, (one, two), strict=True)]
    if not any(row["error"] for row in told):
        told[1]["result"] = f"{told[0]['wall s'] / told[1]['wall s']:.2f} times as fast as one"
        if len({digest for turn in turns for _, digest in turn}) > 1:
            told[1]["error"] = "one worker and two publish different bytes"
    return told


def exponent(points: Mapping[int, float]) -> Row:
    """The slope of log CPU seconds over log rows."""
    row = _row(EXPONENT, "exponent of CPU s, aa, m=2", now="1.08-1.12", aim="1.1")
    if len(points) < 2:
        return row | {"error": "needs two sizes"}
    slope = statistics.linear_regression([*map(math.log, points)], [*map(math.log, points.values())]).slope
    return row | {"case": f"{row['case']}, {min(points):,} to {max(points):,} rows", "result": f"{slope:.3f}"}


def ended(told: Mapping[str, Any]) -> str:
    """How the search ended, from the JSON of the command."""
    proof = told["optimality"]
    if proof is None:
        return "no bound"
    return "proven" if proof["proven"] else f"gap {proof['gap']:.1%}, {proof['ended']}"


def _figures(runs: Sequence[Run]) -> Row:
    """The columns of the command, or its error."""
    errors = [run.error for run in runs if run.error]
    if errors:
        return {"error": errors[0]}
    told = json.loads(runs[0].printed)
    times = (min(run.cpu for run in runs), min(run.wall for run in runs), max(run.peak_mb for run in runs))
    return {**dict(zip(TIMES, times, strict=True)), "NCP": told["losses"]["ncp"], "result": ended(told)}


def _compared(runs: Sequence[Run], floors: Sequence[Run]) -> Row:
    """The columns of the floor, as far as there is one."""
    if not floors or any(run.error for run in runs):
        return {}
    errors = [run.error for run in floors if run.error]
    if errors:
        return {"error": f"floor: {errors[0]}"}
    cpu, wall = min(run.cpu for run in floors), min(run.wall for run in floors)
    ratios = (min(run.cpu for run in runs) / cpu, min(run.wall for run in runs) / wall)
    return dict(zip(FLOOR, (cpu, wall, *ratios), strict=True))


def _row(name: str, title: str, **known: str) -> Row:
    """All columns, empty but for what is known before."""
    return {**dict.fromkeys(COLUMNS, ""), "name": name, "case": title, **known}
