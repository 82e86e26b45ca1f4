"""Every algorithm on every model gives the same bytes, whatever the engine: its parts, its memory, its workers."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.data import Transactions
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.models import set_counting
from shoal.models.base import PrivacyModel
from shoal.search import listing, thinning
from shoal.testing import check_engine, models, problems, tables
from tests.budget import examples

PAIRS = [(one, model) for one in discovery.find("shoal.algorithms", Algorithm).values() for model in one.solves]


@pytest.mark.parametrize(("algorithm", "model"), PAIRS, ids=[f"{a.name}-{m.name}" for a, m in PAIRS])
@examples(15)
@given(data=st.data(), part_rows=st.sampled_from([1, 2, 7]), workers=st.integers(1, 3))
def test_any_engine_gives_the_same_bytes(
    algorithm: type[Algorithm], model: type[PrivacyModel], data: st.DataObject, part_rows: int, workers: int
) -> None:
    """All arrays are in files, and the ways of large data are taken for small ones."""
    problem = data.draw(problems(models(model)))
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in (
            (thinning, "LARGE", 0),
            (thinning, "PAYS", 0),
            (listing, "LARGE", 0),
            (listing, "PAYS", 0),
            (set_counting, "LARGE", 0),
        ):
            patch.setattr(module, name, value)
        check_engine(Engine(workers=workers, memory=1_000, part_rows=part_rows), algorithm(), problem)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("long", [False, True], ids=["wide", "long"])
@examples(25)
@given(data=st.data(), part_rows=st.sampled_from([1, 2, 7]), workers=st.integers(1, 3))
def test_files_with_columns_are_written_with_the_same_bytes(
    suffix: str, long: bool, data: st.DataObject, part_rows: int, workers: int
) -> None:
    """From the file that is read to the file that is written. All columns are in files, also those of long data."""
    rows = data.draw(st.integers(2, 20))
    table, _ = data.draw(tables(rows))
    sets = data.draw(st.lists(st.sets(st.sampled_from("abc"), min_size=1), min_size=rows, max_size=rows))
    several = data.draw(st.permutations([(row, item) for row in range(rows) for item in sorted(sets[row])]))
    records = [row for row, _ in several] if long else range(rows)
    columns = table.arrow.take(pa.array(records)).append_column("id", pa.array(records))
    columns = columns.append_column("item", pa.array([item for _, item in several] if long else map(sorted, sets)))
    wide: dict[str, Any] = {"sets": "item", "columns": table.names}
    how = {"id_column": "id", "item_column": "item"} if long else wide
    written = list[bytes]()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "in.parquet")
        pq.write_table(columns, source, row_group_size=3)
        for engine in (Engine(workers=1), Engine(workers=workers, memory=1_000, part_rows=part_rows)):
            out = Path(folder, f"{part_rows}-{len(written)}.{suffix}")
            with engine.in_use():
                release = shoal.anonymize(source, model="k-km", k=2, m=1, algorithm="rfirst", engine=engine, **how)
                release.save(out, codebook=False)
            written.append(out.read_bytes())
    assert written[0] == written[1]


MEASURED = """
from shoal.cli import main
from shoal.release.release import peak_memory
try:
    main()
finally:
    print(peak_memory())
"""


@pytest.mark.slow
def test_a_table_of_300_000_rows_in_little_memory(tmp_path: Path) -> None:
    """With 64 MB for data and one worker, it takes less memory, and publishes the same bytes."""

    def peak(*arguments: str) -> int:
        command = [sys.executable, "-c", MEASURED, *arguments]
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return int(done.stdout.split()[-1])

    peak("generate", "videos", "--rows", "300000", "-o", "in.parquet", "--hierarchy", "tree.csv")
    how = [
        "--hierarchy",
        "tree.csv",
        "--model",
        "k-km",
        "--k",
        "25",
        "--m",
        "2",
        "--algorithm",
        "rmerge-rt",
        "--within",
        "sets",
        "--quiet",
    ]
    whole = peak("anonymize", "in.parquet", "-o", "a.parquet", "--workers", "2", *how)
    little = peak("anonymize", "in.parquet", "-o", "b.parquet", "--workers", "1", "--memory", "64M", *how)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert little < min(whole, 500_000_000)


@pytest.mark.parametrize("rows", [3, 100])
@pytest.mark.parametrize(("codes", "labels"), [([0, 2], ["a", "b"]), ([0], ["a", "b"]), ([0, 1], ["a", "a"])])
def test_codes_without_a_label_are_refused(rows: int, codes: list[int], labels: list[str]) -> None:
    """Recoded rows are not checked again, so the codes are checked before."""
    data = Transactions.from_sets([["x", "y"]] * rows)
    with Engine(part_rows=10).in_use(), pytest.raises(DataError, match="Transactions"):
        data.recode(np.array(codes, dtype=np.int32), labels)
