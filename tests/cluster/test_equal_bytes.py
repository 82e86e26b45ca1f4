"""The cluster publishes the bytes that one machine publishes, whatever the parts of the input.

Covers: engines/dask.py data/spread.py io/spread.py jobs/on_cluster.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.engines import Engine
from shoal.engines.cluster import Cluster
from shoal.jobs.arguments import as_algorithm, describe_data
from shoal.jobs.generate import generate
from shoal.jobs.job import Job
from shoal.jobs.on_cluster import run_on_cluster
from shoal.models.base import PrivacyModel
from shoal.report import Story
from tests.cluster.processes import split

PARTS = (1, 2, 3, 7)
GATHERED = "gathering rows"  # the stage in which all rows come to one worker
pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]


def losses(story: Story) -> dict[str, float]:
    return dict(story.release.losses)


def both(
    client: Any,
    folders: Sequence[Path],
    model: PrivacyModel,
    method: str,
    out: Path,
    suffix: str,
    options: dict[str, Any] | None = None,
    output_parts: int | None = None,
    **given: Any,
) -> set[str]:
    """Publish the same data, in several ways to split it into parts, on this machine and on the cluster.

    Return the stages of the work on the cluster.
    """
    expected: dict[str, Any] = {}
    stages: set[str] = set()
    for at, data in enumerate([folders[0], *folders]):
        folder = out / str(at)
        folder.mkdir()
        algorithm = as_algorithm(method, model, dict(options or {}))
        job = Job(
            data=describe_data(data, **given),
            output=folder / f"public{suffix}",
            model=model,
            algorithm=algorithm,
            recoding=folder / "recoding.json" if algorithm.reusable else None,
            reports=(folder / "report.md",),
            output_parts=output_parts,
        )
        if at:
            engine = Engine(progress=lambda stage, _: stages.add(stage))
            found: dict[str, Any] = run_on_cluster(job, Cluster(client=client), engine, losses)
        else:
            found = losses(job.run(Engine(workers=2)))
        files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        assert len(files.pop("report.md")) > 500
        assert (folder / "report.md").stat().st_mode & 0o777 == 0o600  # it quotes raw data
        expected = expected or {"losses": found, "files": files}
        assert found == expected["losses"]
        assert files == expected["files"]
    return stages


@pytest.mark.parametrize("method", ["aa", "auto", "mhghs"])
def test_groceries(real_data: Path, client: Any, tmp_path: Path, out: Path, method: str) -> None:
    lines = (real_data / "groceries" / "transactions.basket").read_text(encoding="utf-8").splitlines()
    data = [split(lines, parts, tmp_path / str(parts), ".basket") for parts in PARTS]
    tree = str(real_data / "groceries" / "hierarchy.csv")
    both(client, data, shoal.Km(k=5, m=2), method, out, ".basket", hierarchy=tree)


@pytest.mark.parametrize(
    ("method", "options", "numbers"),
    [("aa", {}, PARTS), ("auto", {"siblings": "none"}, PARTS), ("auto", {}, (3,)), ("mhghs", {}, PARTS)],
    ids=["aa", "auto-cuts", "auto", "mhghs"],
)
def test_clicks(
    real_data: Path, client: Any, tmp_path: Path, out: Path, method: str, options: Any, numbers: tuple[int, ...]
) -> None:
    file = real_data / "bms-webview-2" / "transactions.dat"
    lines = file.read_text(encoding="ascii").splitlines()
    data = [split(lines, parts, tmp_path / str(parts), ".dat") for parts in numbers]
    tree = shoal.hierarchies.balanced(shoal.read(file).transactions.labels, fanout=5)
    both(client, data, shoal.Km(k=5, m=2), method, out, ".dat", options, hierarchy=tree)


def test_a_table_with_sets(real_data: Path, client: Any, tmp_path: Path, out: Path) -> None:
    head, *lines = (real_data / "informs-2005" / "records.csv").read_text(encoding="utf-8").splitlines()
    data = [split(lines[:2000], parts, tmp_path / str(parts), ".csv", [head]) for parts in PARTS]
    known = ["DOBMM", "DOBYY", "RACEX", "EDUCYEAR", "income"]
    tree = str(real_data / "informs-2005" / "hierarchy_items.csv")
    reading: dict[str, Any] = {"sets": "items", "item_delimiter": " ", "columns": known, "quasi_identifiers": known}
    both(client, data, shoal.KKm(k=5, m=2), "rfirst", out, ".csv", {"within": "sets"}, hierarchy=tree, **reading)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """So many rows that tables are counted on the workers: enough items of records."""
    data = generate("quest", rows=300_000, items=200, mean_size=8, seed=3)
    return [" ".join(data.transactions.labels[code] for code in row) for row in data.transactions]


@pytest.mark.parametrize("method", ["aa", "auto", "mhghs"])
def test_many_rows(large: Sequence[str], client: Any, tmp_path: Path, out: Path, method: str) -> None:
    data = [split(large, parts, tmp_path / str(parts), ".dat") for parts in (1, 5)]
    assert GATHERED not in both(client, data, shoal.Km(k=5, m=2), method, out, ".dat")


def test_many_rows_of_persons(large: Sequence[str], client: Any, tmp_path: Path, out: Path) -> None:
    """Records of a person are in all parts. Persons are counted where their records have been brought together."""
    who = np.random.default_rng(1).integers(0, 100_000, len(large))
    lines = [f"{person},{row}" for person, row in zip(who, large, strict=True)]
    data = [split(lines, parts, tmp_path / str(parts), ".csv", ["customer,items"]) for parts in (1, 5)]
    reading: dict[str, Any] = {"person": "customer", "item_delimiter": " "}
    stages = both(client, data, shoal.Km(k=5, m=2), "aa", out, ".csv", **reading)
    assert {"counting sets", "verifying"} <= stages


def test_order_lines(real_data: Path, client: Any, tmp_path: Path, out: Path) -> None:
    """Lines of a real shop, whose baskets are in several parts, with the product types of another file."""
    folder = real_data / "complete-journey"
    lines = pq.read_table(folder / "transactions.parquet", filters=[("week", "<=", 3)])
    lines = lines.take(np.random.default_rng(1).permutation(lines.num_rows))
    data = []
    for parts in (1, 3):
        data.append(tmp_path / str(parts))
        data[-1].mkdir()
        for at in range(parts):
            start, stop = at * lines.num_rows // parts, (at + 1) * lines.num_rows // parts
            pq.write_table(lines.slice(start, stop - start), data[-1] / f"{at}.parquet")
    reading: dict[str, Any] = {
        "join": f"{folder / 'products.parquet'}:product_id",
        "where": "week <= 2",
        "id_column": "basket_id",
        "item_column": "department",
        "drop_null_items": True,
        "person": "household_id",
        "columns": "none",
    }
    both(client, data, shoal.Km(k=5, m=2), "aa", out, ".parquet", **reading)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_folder_of_parts(client: Any, tmp_path: Path, out: Path, layout: str) -> None:
    """Its parts are neither those of the input nor those of the workers."""
    rows = generate("quest", rows=2_000, items=30, mean_size=4, seed=1)
    data = [tmp_path / str(parts) for parts in (2, 3)]
    for parts, folder in zip((2, 3), data, strict=True):
        shoal.io.write_parts(rows, folder, parts, format="csv", layout=layout)
    how: dict[str, Any] = {"id_column": "id", "item_column": "item"} if layout == "long" else {"item_delimiter": "|"}
    both(client, data, shoal.Km(k=5, m=2), "aa", out, "", output_parts=5, **how)
    assert len(list((out / "1" / "public").iterdir())) == 5


@pytest.mark.parametrize(
    ("model", "method"),
    [
        (shoal.models.Lm(l=4, m=2, sensitive=("1", "2")), "aa"),
        (shoal.models.KmNegative(k=5, m=2), "aa"),
        (shoal.models.Hkp(h=0.5, k=5, p=2, sensitive=("1", "2")), "mm"),
        (shoal.Km(k=5, m=3), "aa"),
    ],
    ids=["lm", "km-negative", "hkp", "km-3"],
)
def test_other_models_on_many_rows(
    large: Sequence[str], client: Any, tmp_path: Path, out: Path, model: PrivacyModel, method: str
) -> None:
    data = split(large[:270_000], 3, tmp_path / "data", ".dat")
    assert "counting sets" in both(client, [data], model, method, out, ".dat")


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".csv", ".dat.gz"])
def test_other_formats(client: Any, tmp_path: Path, out: Path, suffix: str) -> None:
    rows = generate("quest", rows=2_000, items=30, mean_size=4, seed=1)
    folder = tmp_path / "data"
    folder.mkdir()
    for at in range(3):
        part = rows.take(np.arange(at * 600, (at + 1) * 600))
        shoal.io.write(part, folder / f"part-{at}{suffix}")
    both(client, [folder], shoal.Km(k=5, m=2), "aa", out, suffix)
