"""A small shop that publishes its baskets every month."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import shoal
from shoal.series import Series

TREE = shoal.Hierarchy.from_tree(
    {"ALL": {"beer": ["ale", "stout", "lager"], "bread": ["rye", "bun"], "fruit": ["fig", "pear"]}}
)
BASKETS = ["ale|rye", "stout|rye", "ale|rye", "lager|bun", "ale|bun", "fig", "fig", "pear", "pear"]
FEBRUARY = ["stout|bun"] * 3 + ["lager|rye"] * 3 + ["pear|rye"] * 3
OPTIONS: dict[str, Any] = {"k": 2, "m": 2, "hierarchy": TREE, "algorithm": "optimal", "sets": "items"}


def table(path: Path, first: int = 0, baskets: list[str] = BASKETS, **more: list[str]) -> Path:
    names = ["basket", *more, "items"]
    columns = [[str(first + row) for row in range(len(baskets))], *more.values(), baskets]
    path.write_text("\n".join([",".join(names), *map(",".join, zip(*columns, strict=True)), ""]), "utf-8")
    return path


def files_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def start(folder: Path, **more: Any) -> Series:
    data = table(folder / "jan.csv")
    return Series.start(folder / "shop", "jan", data, **{**OPTIONS, "record_id": "basket", **more})


def drawn(seed: int, rows: int = 300) -> list[list[str]]:
    """Baskets of 24 items."""
    rng = np.random.default_rng(seed)
    items = [f"i{at:02}" for at in range(24)]
    return [sorted(set(rng.choice(items, rng.integers(2, 6)).tolist())) for _ in range(rows)]


def shuffled(rows: list[list[str]]) -> list[list[str]]:
    return [rows[at] for at in np.random.default_rng(5).permutation(len(rows))]
