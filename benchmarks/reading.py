"""Reading alone: CPU time and peak memory of ``shoal.read``, each file in its own process (research/benchmarks.md).

``--against PYTHON`` lets another installation of Shoal read the same files in turn, say that of an earlier version. If
it cannot read order lines, it gets the glue code that a user would have written with pandas.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shoal
from benchmarks.data import REAL
from shoal.generators.quest import Quest

LONG = {"id_column": "basket_id", "item_column": "product_id"}
TURNS, MOST_TURNS = 3, 9
NOISE = 1.15  # the two least times may differ by this factor, or more turns are taken

READ = "import shoal; data = shoal.read(file, **options)"
GLUE = """
import pandas as pd, shoal
frame = pd.read_parquet(file) if file.endswith(".parquet") else pd.read_csv(file)
data = shoal.read(frame.groupby("basket_id")["product_id"].agg(set).tolist())
"""
MEASURED = """
import json, sys, time
file, options = json.loads(sys.argv[1])
{work}
cpu = time.process_time()
with open("/proc/self/status", encoding="ascii") as status:
    peak = next(line for line in status if line.startswith("VmHWM:")).split()[1]
items = len(data.transactions.items)
print(json.dumps({{"cpu": cpu, "mb": int(peak) * 1024 / 1e6, "rows": len(data), "occurrences": items}}))
"""


def rows(folder: Path, against: str | None = None) -> Iterator[dict[str, Any]]:
    """One row for each file; the least of some turns."""
    for name, file, options in files(folder):
        ours: list[dict[str, Any]] = []
        others: list[dict[str, Any]] = []
        while len(ours) < TURNS or (len(ours) < MOST_TURNS and not (_steady(ours) and _steady(others))):
            if against is not None:
                others.append(measured(against, GLUE if options else READ, file, {}))
            ours.append(measured(sys.executable, READ, file, options))
        row = {"data": name, "file": f"{Path(file).stat().st_size / 1e6:.3g} MB", "records": f"{ours[0]['rows']:,}"}
        if others:
            same = [(one["rows"], one["occurrences"]) for one in (ours[0], others[0])]
            assert same[0] == same[1], (name, same)
            row |= {"before": _least(others), "before MB": _memory(others)}
        yield row | {"CPU": _least(ours), "MB": _memory(ours)}


def files(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What is read, and with which options."""
    formats = {"fimi": "dat", "basket": "basket", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet"}
    for count, title in ((10, "10 rows"), (1_000_000, "1 M rows")):
        data = None
        for format, suffix in formats.items():
            path = folder / f"reading-{count}.{suffix}"
            if not path.exists():
                data = data or shoal.Dataset(Quest(rows=count, items=1_000, mean_size=8).transactions())
                shoal.write(data, path, format=format)
            yield f"{title}, {format}", str(path), {}
    if REAL.is_dir():
        lines = REAL / "complete-journey" / "transactions.parquet"
        yield "order lines, parquet", str(lines), LONG
        for name, path in copies(lines, folder).items():
            yield f"order lines, {name}", str(path), LONG


def copies(lines: Path, folder: Path) -> dict[str, Path]:
    """The order lines as CSV, and in random order."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as pv
    import pyarrow.parquet as pq

    csv, shuffled = folder / "reading-lines.csv", folder / "reading-shuffled.parquet"
    if not csv.exists() or not shuffled.exists():
        table = pq.read_table(lines)
        pv.write_csv(table, csv)
        order = np.random.default_rng(1).permutation(len(table))
        pq.write_table(table.take(pa.array(order)), shuffled)
    return {"csv": csv, "parquet, random order": shuffled}


def measured(python: str, work: str, file: str, options: dict[str, Any]) -> dict[str, Any]:
    """CPU seconds since the start of the process, and its peak memory."""
    words = [python, "-c", MEASURED.format(work=work), json.dumps([file, options])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=Path(file).parent)
    if done.returncode:
        raise RuntimeError(f"{python}, {file}: {done.stderr.strip().splitlines()[-1]}")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def _steady(turns: list[dict[str, Any]]) -> bool:
    """Whether the least time was seen twice, but for noise."""
    times = sorted(turn["cpu"] for turn in turns)
    return len(times) < 2 or times[1] <= NOISE * times[0]


def _least(turns: list[dict[str, Any]]) -> str:
    return f"{min(turn['cpu'] for turn in turns):.2f} s"


def _memory(turns: list[dict[str, Any]]) -> str:
    return f"{min(turn['mb'] for turn in turns):.0f} MB"
