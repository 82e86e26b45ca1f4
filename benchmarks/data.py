"""The benchmarks' data: real files where they are at hand, and generated ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import shoal
from shoal import hierarchies
from shoal.generators.quest import Quest

REAL = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def real(name: str, folder: Path, fanout: int = 5) -> tuple[str, str]:
    """The files of a real data set and of a balanced hierarchy over its ids in ascending order."""
    data = REAL / name / "transactions.dat"
    tree = folder / f"{name}-{fanout}.csv"
    if not tree.exists():
        hierarchies.save(hierarchies.balanced(shoal.read(data).transactions.labels, fanout=fanout), tree)
    return str(data), str(tree)


def quest(folder: Path, rows: int, items: int = 1_650, mean_size: float = 6.5, fanout: int = 5) -> tuple[str, str]:
    """The files of a generated set and its hierarchy."""
    generator = Quest(rows=rows, items=items, mean_size=mean_size, mean_pattern=3, seed=1)
    return _files(generator, folder, f"quest-{rows}-{items}-{mean_size}", fanout)


def pos_shape(folder: Path, rows: int = 500_000, fanout: int = 5) -> tuple[str, str]:
    """The files of a generated set with the shape of BMS-POS (heavy tail, 1,657 items, mean 6.5)."""
    return _files(Quest.like("bms-pos", rows=rows), folder, f"pos-{rows}", fanout)


def by_command(
    folder: Path, name: str, options: Sequence[str], generator: str = "quest", suffix: str = ".dat"
) -> tuple[str, str]:
    """The files of a generated set and its hierarchy, written row by row: millions of rows need little memory."""
    data, tree = folder / f"{name}{suffix}", folder / f"{name}.csv"
    if not data.exists() or not tree.exists():
        words = [sys.executable, "-m", "shoal.cli", "generate", generator, *options, "--quiet"]
        words += ["-o", str(data), "--hierarchy", str(tree)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return str(data), str(tree)


def _files(generator: Quest, folder: Path, name: str, fanout: int) -> tuple[str, str]:
    """Make the files unless they are there."""
    data, tree = folder / f"{name}.dat", folder / f"{name}-{fanout}.csv"
    if not data.exists():
        shoal.write(shoal.Dataset(generator.transactions()), data)
    if not tree.exists():
        hierarchies.save(generator.hierarchy(fanout=fanout), tree)
    return str(data), str(tree)
