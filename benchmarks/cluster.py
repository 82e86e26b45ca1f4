"""A Dask cluster beside one machine: time, memory, and how many bytes travel.

A scheduler and two workers with one thread each run on this machine, as processes of their own. The whole command runs
on the cluster and on this machine with two threads, in turn, on the same parts. Of several turns the least time counts.
The bytes are those that the workers have sent to each other, and to the lead. :func:`expected` calculates them, and the
memory, for any number of rows: the page shows both.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

from benchmarks import data, launch
from benchmarks.papers.common import DOCS, put
from benchmarks.scale_cases import quest
from shoal.data.spread import MOST_ROWS

Row = dict[str, Any]
PAGE = DOCS / "how-to" / "cluster.md"
WORKERS, PARTS, ITEMS, MEAN = 2, 10, 1_000, 8.2
SIZES = {1_000_000: 3, 5_000_000: 3, 10_000_000: 2, 50_000_000: 1}  # rows, and how often they are measured
LARGE = 50_000_000
COLUMNS = (
    "rows",
    "local, s",
    "cluster, s",
    "ratio",
    "worker, MB",
    "calculated, MB",
    "lead received, MB",
    "calculated lead, MB",
    "between workers, MB",
    "client, MB",
)
ADDRESS = "tcp://127.0.0.1:{port}"


@dataclass(frozen=True)
class Expected:
    """What a run with AA, m=2 and a folder of parts takes."""

    worker: float  # bytes of memory for the rows of a worker
    lead: float  # bytes that the lead receives


def expected(rows: int, workers: int, *, items: int = ITEMS, mean: float = MEAN, parts: int = PARTS) -> Expected:
    """Calculate the bytes from what is held and sent. They are upper bounds.

    A worker holds its rows up to three times: as read, coded by the hierarchy, and published. Each takes 4 bytes an
    item and 8 bytes a row. The lead gets labels and counts of each part (15 bytes an item), sums of each task (24 bytes
    an item; a task has at most 524,288 rows), and two tables of pairs with a byte each: of all nodes from the search,
    and of all labels from the verifier.
    """
    held = 3 * rows / workers * (4 * mean + 8)
    tasks = parts * -(-rows // (parts * MOST_ROWS))
    nodes = items * 5 // 4
    return Expected(held, items * (15 * parts + 24 * tasks) + comb(nodes, 2) + comb(items, 2))


def rows(folder: Path, *, large: bool = False) -> Iterator[Row]:
    """One row for each size, then the small file."""
    for size, turns in SIZES.items():
        if size < LARGE or large:
            row = measured(folder, size, turns)
            print(json.dumps(row), flush=True)
            yield row


def measured(folder: Path, size: int, turns: int) -> Row:
    """Run the command on the cluster and here, in turn."""
    file, tree = data.by_command(folder, f"quest-{size}", quest(size))
    parts = _split(Path(file), folder / f"quest-{size}-parts")
    words = ["anonymize", str(parts), "--hierarchy", tree, "--k", "5", "--m", "2", "--algorithm", "aa", "--quiet"]
    local, there = [], []
    with tempfile.TemporaryDirectory(dir=folder) as room, _cluster(Path(room)) as (address, client):
        for turn in range(turns):
            results = [Path(room) / f"{name}-{turn}" for name in ("local", "there")]
            local.append(_run([*words, "--workers", "2", "-o", f"{results[0]}/"]))
            there.append(_run([*words, "--engine", "dask", "--cluster", address, "-o", f"{results[1]}/"]))
            assert _digest(results[0]) == _digest(results[1]), "the cluster publishes other bytes"
        before = sum(client.run(_sent).values())
        received = _received(client, parts, tree, Path(room) / "traffic")
        between = sum(client.run(_sent).values()) - before
        peak = max(client.run(_peak).values())
    here, cluster = (min(run.wall for run in runs) for runs in (local, there))
    calculated = expected(size, WORKERS)
    numbers = (
        here,
        cluster,
        cluster / here,
        peak / 1e6,
        calculated.worker / 1e6,
        received / 1e6,
        calculated.lead / 1e6,
        between / 1e6,
        max(run.peak_mb for run in there),
    )
    return dict(zip(COLUMNS, (size, *(round(number, 2) for number in numbers)), strict=True))


def _run(words: Sequence[str]) -> launch.Run:
    """Run ``shoal``, which must succeed."""
    run = launch.run([sys.executable, "-m", "shoal.cli", *words])
    if run.error:
        raise RuntimeError(run.error)
    return run


def _split(file: Path, folder: Path) -> Path:
    """Split a file into parts, once. They end with lines."""
    if not folder.exists():
        folder.mkdir()
        words = ["split", "-n", f"l/{PARTS}", "-d", "--additional-suffix=.dat", str(file), str(folder / "part-")]
        subprocess.run(words, check=True)
    return folder


def _digest(folder: Path) -> str:
    """The bytes of all parts."""
    digest = hashlib.sha256()
    for part in sorted(folder.iterdir()):
        digest.update(part.read_bytes())
        part.unlink()
    return digest.hexdigest()


@contextlib.contextmanager
def _cluster(folder: Path) -> Iterator[tuple[str, Any]]:
    """A scheduler and two workers, as processes. Yield its address, and a client."""
    from distributed import Client

    folder = folder.resolve()  # the processes run there
    file = folder / "scheduler.json"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}  # workers run functions of this module
    common: dict[str, Any] = {"cwd": folder, "env": here, **quiet}
    program = [sys.executable, "-m"]
    host = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    started = [subprocess.Popen([*program, "distributed.cli.dask_scheduler", *host], **common)]
    try:
        while not file.exists() or not file.read_text(encoding="utf-8"):
            if started[0].poll() is not None:
                raise RuntimeError("the scheduler did not start")
            time.sleep(0.1)
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
        worker = ["distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
        started += [subprocess.Popen([*program, *worker], **common) for _ in range(WORKERS)]
        with Client(address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(WORKERS, timeout=60)
            yield address, client
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def _sent(dask_worker: Any) -> int:
    """The bytes that a worker has sent."""
    return int(dask_worker.transfer_outgoing_bytes_total)


def _peak() -> int:
    """The largest resident size of this process, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _received(client: Any, parts: Path, tree: str, output: Path) -> int:
    """The bytes that the lead receives in one more run."""
    import logging

    import shoal
    from shoal.engines import Engine
    from shoal.engines.cluster import Cluster
    from shoal.jobs.arguments import describe_data
    from shoal.jobs.job import Job
    from shoal.jobs.on_cluster import run_on_cluster

    sizes: list[int] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.msg.startswith("the lead received") and isinstance(record.args, tuple):
                sizes.append(int(str(record.args[0])))

    log, handler = logging.getLogger("shoal"), Handler()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        job = Job(
            data=describe_data(parts, hierarchy=tree),
            output=output,
            output_parts=0,
            model=shoal.Km(k=5, m=2),
            algorithm=shoal.algorithms.AA(),
        )
        run_on_cluster(job, Cluster(client=client), Engine(), str)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    return sum(sizes)


def write(measured_rows: Sequence[Mapping[str, Any]], page: Path = PAGE) -> None:
    """Put the measured and the calculated figures into the page."""
    put(page, "measured", "\n".join(_table(COLUMNS, [[row[name] for name in COLUMNS] for row in measured_rows])))
    header = ("records", "workers", "memory of a worker, GB", "lead receives, MB")
    lines = []
    for size, workers in ((10**9, 20), (10**9, 100), (10**10, 100), (10**10, 1_000)):
        told = expected(size, workers, parts=workers * 4)
        lines.append([size, workers, round(told.worker / 1e9, 1), round(told.lead / 1e6, 1)])
    put(page, "calculated", "\n".join(_table(header, lines)))


def _table(header: Sequence[str], lines: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'--:|' * len(header)}"
    for line in lines:
        yield f"| {' | '.join(f'{number:,}' for number in line)} |"
