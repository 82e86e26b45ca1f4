"""How the methods of P1 grow with rows, with the share of sensitive rows and with k: time and peak memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import shoal
from benchmarks import case
from shoal.data.arrays import row_ids
from shoal.evaluation.quest import Quest

ITEMS = 1_000
SIZES = (62_500, 125_000, 250_000, 500_000)
SHARES = (0.01, 0.02, 0.05, 0.1)
BASE = {"rows": SIZES[-1], "share": 0.05, "k": 5}
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "STN": ("stn", {}),
    "GSC": ("gsc", {}),
    "K-NN, GSC order": ("knn", {"order": "gsc"}),
    "GraySort": ("graysort", {}),
    "Sort APX Cover": ("apx-cover", {}),
}
LIMIT = 900.0  # seconds for a run
REPEATS = 3  # of the cases over rows, to take the median


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """One axis at a time."""
    for size in SIZES:
        yield "rows", {**BASE, "rows": size}
    for share in SHARES:
        if share != BASE["share"]:
            yield "share", {**BASE, "share": share}
    for share in (0.02, 0.04):
        yield "scarcity", {**BASE, "share": share, "k": 20}  # up to almost all rows are needed
    yield "k", {**BASE, "k": 20}


def rows(folder: Path, sizes: tuple[int, ...] = SIZES) -> Iterator[dict[str, Any]]:
    """One row for each case and method, each in a process of its own; smaller sizes for a quick look."""
    for axis, at in cases():
        if at["rows"] not in sizes:
            continue
        file, secret, holders = made(folder, at["rows"], at["share"])
        words = -(-(ITEMS - len(secret)) // 64)
        for method, (algorithm, options) in METHODS.items():
            if axis in ("share", "scarcity") and algorithm == "apx-cover":
                continue  # knows no sensitive items: nothing would change
            if axis == "scarcity" and algorithm != "gsc":
                continue  # its windows grow when free rows get rare
            wanted = {"file": file, "algorithm": algorithm, "k": at["k"], "sensitive": secret, "options": options}
            times = [case.run(limit=LIMIT, what="group", **wanted) for _ in range(REPEATS if axis == "rows" else 1)]
            found = sorted(times, key=lambda one: one.get("solve", LIMIT))[len(times) // 2]  # the median
            print(axis, at, method, found.get("solve"), found.get("peak_mb"), found.get("error", ""), flush=True)
            yield {
                "axis": axis,
                **at,
                "sensitive items": len(secret),
                "sensitive rows": holders,
                "method": method,
                "words": holders * (at["rows"] - holders) * words,
                **{name: found.get(name) for name in ("solve", "seconds", "peak_mb", "groups", "joined_rows", "error")},
            }


def made(folder: Path, size: int, share: float) -> tuple[str, list[str], int]:
    """A file of Quest data (T10.I4, 1,000 items), its rarest items that so many rows hold, and these rows' number."""
    generator = Quest(rows=size, items=ITEMS, mean_size=10, mean_pattern=4, seed=1)
    file = folder / f"quest-sensitive-{size}.dat"
    data = generator.transactions()
    if not file.exists():
        shoal.write(shoal.Dataset(data), file)
    holders = np.zeros(size, dtype=bool)
    chosen: list[str] = []
    ids = row_ids(data.indptr)
    for item in np.argsort(data.supports, kind="stable").tolist():
        if holders.sum() >= share * size:
            break
        if data.supports[item]:
            holders[ids[data.items == item]] = True
            chosen.append(data.labels[item])
    return str(file), chosen, int(holders.sum())


def exponent(results: list[dict[str, Any]], method: str, axis: str = "rows", measure: str = "solve") -> float:
    """The slope of the straight line through the logarithms."""
    points = [row for row in results if row["axis"] == axis and row["method"] == method and row[measure]]
    if axis == "share":  # the base is among the cases of rows
        points += [r for r in results if r["axis"] == "rows" and r["rows"] == BASE["rows"] and r["method"] == method]
    place = "rows" if axis == "rows" else "sensitive rows"
    across, up = (np.log(np.array([row[name] for row in points], dtype=np.float64)) for name in (place, measure))
    return float(np.polyfit(across, up, 1)[0])
