"""AA from file to verified file, beside the least that any method must do: read and count the raw itemsets once."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import case, data


def rows(folder: Path, repeats: int = 5) -> Iterator[dict[str, Any]]:
    """Both, in turn, on the same machine in the same minute; medians."""
    sets = {"pos-shape": data.pos_shape(folder)}
    if data.REAL.is_dir():
        sets = {name: data.real(name, folder) for name in ("bms-webview-1", "bms-webview-2")} | sets
    for name, (file, tree) in sets.items():
        for m in (2, 3):
            turns = 1 if name == "pos-shape" else repeats
            pairs = [
                (
                    case.run(what="count", file=file, m=m),
                    case.run(what="anonymize", file=file, hierarchy=tree, k=5, m=m),
                )
                for _ in range(turns)
            ]
            base = statistics.median(one["seconds"] for one, _ in pairs)
            ours = statistics.median(two["seconds"] for _, two in pairs)
            yield {
                "data": name,
                "m": m,
                "read + count": f"{base:.2f} s",
                "anonymize": f"{ours:.2f} s",
                "of it AA": f"{statistics.median(two['solve'] for _, two in pairs):.2f} s",
                "ratio": f"{ours / base:.1f}",
                "peak memory": f"{max(two['peak_mb'] for _, two in pairs)} MB",
                "NCP": f"{pairs[0][1]['ncp']:.5f}",
            }
