"""The exact search beside AA: time, peak memory and loss of the search alone, and what is proved.

The import of OR-Tools is inside "solving", but not that of pandas, which it needs: pyarrow has imported it on reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import case, data

CASES = [(2, 5), (3, 5), (3, 2), (3, 10)]  # m, fanout
TIME_LIMIT = 60.0
SHORT = 5.0  # seconds below which a case is run again for a median
PARTS = ("counting", "lifting", "solving", "polishing")


def rows(folder: Path, repeats: int = 3) -> Iterator[dict[str, Any]]:
    """Both, in turn; of several runs the one with the median time, and the largest memory."""
    cases = [("pos-shape", 3, 5)]
    if data.REAL.is_dir():
        views = [(name, m, fanout) for name in ("bms-webview-1", "bms-webview-2") for m, fanout in CASES]
        cases = [*views, ("t10i4d100k", 3, 5), *cases]
    for name, m, fanout in cases:
        file, tree = data.pos_shape(folder, fanout=fanout) if name == "pos-shape" else data.real(name, folder, fanout)
        at: dict[str, Any] = {"what": "solve", "file": file, "hierarchy": tree, "k": 5, "m": m}
        pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []
        while len(pairs) < repeats:
            pairs.append(
                (
                    case.run(**at, algorithm="aa"),
                    case.run(**at, algorithm="optimal", options={"time_limit": TIME_LIMIT}),
                )
            )
            if any("error" in one or one["seconds"] >= SHORT for one in pairs[-1]):
                break
        limited = fanout == 5 and name.startswith("bms-webview")
        yield {"data": name, "fanout": fanout, "m": m, **_compared(pairs, limited)}


def _compared(pairs: list[tuple[dict[str, Any], dict[str, Any]]], limited: bool) -> dict[str, Any]:
    """The columns of a case; ``limited``: the proof is to be there within 5 x AA + 1 s."""
    names = ["AA s", "AA loss", "optimal s", *PARTS, "rest", "rounds", "clauses", "proof", "loss", "saved"]
    names += ["5 x AA + 1 s", "met", "AA MB", "optimal MB", "runs"]
    errors = [one["error"] for pair in pairs for one in pair if "error" in one]
    if errors:
        return {**dict.fromkeys(names, ""), "proof": errors[0]}
    aa, best = (sorted(runs, key=lambda one: one["seconds"])[len(pairs) // 2] for runs in zip(*pairs, strict=True))
    parts = [best.get(f"seconds_{part}", 0.0) for part in PARTS]
    limit = 5 * aa["seconds"] + 1
    values = [
        f"{aa['seconds']:.2f}",
        f"{aa['loss']:.5f}",
        f"{best['seconds']:.2f}",
        *(f"{part:.2f}" for part in parts),
        f"{best['seconds'] - sum(parts):.2f}",  # greedy cuts and, where it is asked, AA
        best["rounds"],
        best["clauses"],
        "proven" if best["ended"] == "proven" else f"gap {best['gap']:.2%}",
        f"{best['loss']:.5f}",
        f"{1 - best['loss'] / aa['loss']:.1%}",
        f"{limit:.2f}" if limited else "",
        ("yes" if best["ended"] == "proven" and best["seconds"] <= limit else "no") if limited else "",
        *(max(one["peak_mb"] for one in runs) for runs in zip(*pairs, strict=True)),
        len(pairs),
    ]
    return dict(zip(names, values, strict=True))
