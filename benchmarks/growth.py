"""How AA's time, memory and loss grow with |D|, |I|, m, k and the height of the hierarchy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import case, data

AXES: dict[str, list[int]] = {
    "rows": [31_250, 62_500, 125_000, 250_000, 500_000],
    "items": [200, 400, 800, 1_650, 3_300, 6_600],
    "m": [1, 2, 3, 4],
    "k": [2, 5, 20, 100, 1_000],
    "fanout": [2, 3, 5, 10, 40],
}
BASE = {"rows": 100_000, "items": 1_650, "m": 3, "k": 5, "fanout": 5}


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """One axis at a time, the others at their base; the height h of the hierarchy follows from the fanout."""
    for axis, values in AXES.items():
        for value in values:
            at = {**BASE, axis: value}
            file, tree = data.quest(folder, rows=at["rows"], items=at["items"], fanout=at["fanout"])
            result = case.run(what="anonymize", file=file, hierarchy=tree, k=at["k"], m=at["m"])
            yield {
                "axis": axis,
                **at,
                **{
                    name: result.get(name)
                    for name in ("height", "seconds", "solve", "peak_mb", "ncp", "labels", "error")
                },
            }


def draw(results: list[dict[str, Any]], target: Path) -> None:
    """One column of panels for each axis: time, memory, loss."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    titles = {"rows": "|D|, records", "items": "|I|, items", "m": "m", "k": "k", "fanout": "h, height of the hierarchy"}
    measures = {"seconds": "time, file to file (s)", "peak_mb": "peak memory (MB)", "ncp": "loss, NCP"}
    figure, panels = plt.subplots(3, len(AXES), figsize=(15, 8), layout="constrained")
    for column, axis in enumerate(AXES):
        points = [row for row in results if row["axis"] == axis and row["error"] is None]
        for line, (measure, label) in enumerate(measures.items()):
            panel = panels[line][column]
            places = [row["height" if axis == "fanout" else axis] for row in points]
            panel.plot(places, [row[measure] for row in points], color="#0b62a4", marker="o")
            if axis in ("items", "k"):
                panel.set_xscale("log")
            ticks = [place for place in places if axis != "rows" or place >= 125_000]  # the small ones would overlap
            panel.set_xticks(
                ticks, [f"{tick:,}" for tick in ticks], rotation=0 if axis in ("m", "fanout") else 40, fontsize=8
            )
            panel.minorticks_off()
            panel.set_ylim(0, 1.1 * max(row[measure] for row in points) or 1)
            panel.grid(alpha=0.3)
            panel.spines[["top", "right"]].set_visible(False)
            if column == 0:
                panel.set_ylabel(label)
            if line == 2:
                panel.set_xlabel(titles[axis])
    base = ", ".join(f"{name} {value:,}" for name, value in BASE.items())
    figure.suptitle(f"AA on generated data, one parameter at a time (else {base})", fontsize=12)
    figure.savefig(target, dpi=110)
