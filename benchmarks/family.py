"""AA, LRA and VPA for k^m, and the models beside it: time on one worker and on two, memory, itemsets, loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import shoal
from benchmarks import case, data

KM = {"model": "km", "k": 5}
METHODS: list[tuple[str, dict[str, Any]]] = [
    ("aa", {}),
    ("lra", {}),
    ("lra", {"chunks": 8}),
    ("vpa", {}),
    ("vpa", {"level": 2}),
    ("vpa", {"level": 2, "parts": 8}),
]
SHORT = 20.0  # seconds below which a case is run again for a median
REPEATS = 3


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """Every method on one worker and on two, in turn."""
    for name in [*(("bms-webview-1", "bms-webview-2", "t10i4d100k") if data.REAL.is_dir() else ()), "pos-shape"]:
        file, tree = data.pos_shape(folder) if name == "pos-shape" else data.real(name, folder)
        at = {"what": "solve", "file": file, "hierarchy": tree}
        for method, options in METHODS:
            yield _row(name, {**at, **KM, "m": 3, "algorithm": method, "options": options})
        if name == "pos-shape":
            continue
        hidden = _frequent(file)
        for l, m, methods in ((5, 2, ("aa", "da", "lra", "vpa", "optimal")), (2, 3, ("aa", "optimal"))):
            guarantee = {"model": "lm", "l": l, "m": m, "sensitive": hidden}
            for method in methods:
                yield _row(name, {**at, **guarantee, "algorithm": method, "options": {}})
        for method in ("aa", "optimal"):
            yield _row(name, {**at, "model": "km-negative", "k": 5, "m": 2, "algorithm": method, "options": {}})


def _frequent(file: str) -> list[str]:
    """The 10th, 20th and 30th most frequent items: to be sensitive."""
    transactions = shoal.read(file).transactions
    order = (-transactions.supports).argsort(kind="stable")
    return [transactions.labels[order[at]] for at in (9, 19, 29)]


def _row(name: str, at: dict[str, Any]) -> dict[str, Any]:
    """Medians of one worker and of two, which must agree in all but time."""
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = []
    while len(pairs) < REPEATS:
        pairs.append((case.run(**at, workers=1), case.run(**at, workers=2)))
        if any("error" in one or one["seconds"] >= SHORT for one in pairs[-1]):
            break
    options = "".join(f" {key} {value}" for key, value in at["options"].items())
    wanted = f"{at['model']} {'l' if 'l' in at else 'k'}={at.get('l', at.get('k'))} m={at['m']}"
    start = {"data": name, "model": wanted, "method": at["algorithm"] + options}
    names = [
        "1 worker s",
        "2 workers s",
        "ratio",
        "verify s",
        "loss",
        "proof",
        "counted itemsets",
        "MB 1",
        "MB 2",
        "runs",
    ]
    errors = [one["error"] for pair in pairs for one in pair if "error" in one]
    if errors:
        return {**start, **dict.fromkeys(names, ""), "loss": errors[0]}
    one, two = (sorted(runs, key=lambda run: run["seconds"])[len(pairs) // 2] for runs in zip(*pairs, strict=True))
    assert (one["loss"], one["count_tree_nodes"]) == (two["loss"], two["count_tree_nodes"])
    values = [
        f"{one['seconds']:.2f}",
        f"{two['seconds']:.2f}",
        f"{one['seconds'] / two['seconds']:.2f}",
        f"{two['verify']:.2f}",
        f"{one['loss']:.5f}",
        one.get("ended", ""),
        f"{one['count_tree_nodes']:,}",
        one["peak_mb"],
        two["peak_mb"],
        len(pairs),
    ]
    return {**start, **dict(zip(names, values, strict=True))}
