"""A small shop that publishes its baskets every month."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
