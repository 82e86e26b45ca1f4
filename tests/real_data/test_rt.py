"""P2's methods on real patients: everything verified by anonymize, read back from files, and as the bounds promise."""

from __future__ import annotations

import csv
import functools
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from shoal import discovery, hierarchies
from shoal.algorithms.clustering import ClusteringAlgorithm
from shoal.models.base import PrivacyModel

ALGORITHMS = discovery.find("shoal.algorithms", ClusteringAlgorithm)
MORE = ((5, 2), (25, 1), (100, 2))
COLUMNS = ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"]


@functools.cache
def load(folder: Path) -> tuple[shoal.Dataset, shoal.Hierarchy]:
    """INFORMS 2005."""
    data = shoal.read(
        folder / "informs-2005" / "records.csv", sets="items", item_delimiter=" ", drop_items=["-1", "-9"]
    )
    return data.keep_columns(COLUMNS), hierarchies.load(folder / "informs-2005" / "hierarchy_items.csv")


def informs(folder: Path, model: PrivacyModel, rows: int | None = None) -> shoal.Problem:
    """All of it, or its first rows."""
    data, tree = load(folder)
    if rows is not None:
        data = data.take(np.arange(rows))
    return shoal.Problem(data, tree, model, columns={"RACEX": shoal.Column(type="category")})


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize(("k", "m"), [(25, 2), *(pytest.param(*one, marks=pytest.mark.slow) for one in MORE)])
def test_all_methods(real_data: Path, name: str, k: int, m: int) -> None:
    problem = informs(real_data, shoal.KKm(k=k, m=m), 3000)
    options: dict[str, Any] = {"within": "sets", **({"delta": 0.65} if "merge" in name else {})}
    release = shoal.anonymize(problem, algorithm=ALGORITHMS[name](**options))
    assert release.verdict.holds
    if name.startswith("rmerge"):
        assert release.losses["relational_ncp"] <= 0.65
    if name.startswith("tmerge"):
        assert release.losses["ul"] <= 0.65


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rmerge-t", "rmerge-rt", "tmerge-t", "tmerge-rt"])
def test_the_exact_distance(real_data: Path, name: str) -> None:
    problem = informs(real_data, shoal.KKm(k=25, m=2), 800)
    release = shoal.anonymize(problem, algorithm=ALGORITHMS[name](distance="ul"))  # type: ignore[call-arg]
    assert release.verdict.holds


def test_sensitive_codes(real_data: Path) -> None:
    """Diabetes and depression are frequent; in no class do more than a third have either."""
    model = shoal.KLm(k=25, l=3, m=2, sensitive=("250", "311"))
    release = shoal.anonymize(informs(real_data, model, 3000))
    assert release.verdict.holds


def test_the_whole_file_as_anybody_reads_it(real_data: Path, tmp_path: Path) -> None:
    """The published CSV, read with nothing of ours: every class has k records, every pair of labels in it k holders."""
    k = 25
    problem = informs(real_data, shoal.KKm(k=k, m=2))
    with pytest.warns(UserWarning, match="Items in column 'items' are now separated"):
        release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT(within="sets")).save(
            tmp_path / "out.csv"
        )
    mark = release.provenance["output"]["read_options"]["item_delimiter"]
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 26_854
    assert list(rows[0]) == [*COLUMNS, "items"]
    values = [tuple(row[name] for name in COLUMNS) for row in rows]
    assert min(Counter(values).values()) >= k
    sets = [row["items"].split(mark) if row["items"] else [] for row in rows]
    for size in (1, 2):
        counts = Counter(
            (value, some) for value, row in zip(values, sets, strict=True) for some in combinations(row, size)
        )
        assert min(counts.values()) >= k
    assert release.losses["relational_ncp"] <= 0.25
    assert release.losses["ncp"] <= 0.062  # the hierarchy would end at its root: everything lost
