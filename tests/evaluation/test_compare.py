"""Comparisons and recommendations as calls of the library."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

import shoal
from shoal.errors import OptionError, OutputError
from shoal.evaluation import results
from shoal.evaluation.compare import compare, data_sets, grid_of, load_grid
from shoal.evaluation.grid import Case
from shoal.evaluation.recommend import Recommendation, Trial, recommend
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from tests.conftest import Shell
from tests.evaluation.test_runner import data_set, toy


def test_a_grid_is_run_into_a_folder_and_goes_on_from_there(tmp_path: Path) -> None:
    grid = grid_of([data_set(tmp_path)], "km", ["aa"], {"k": [2, 3], "m": [1]})
    seen: list[int] = []
    read: list[str] = []

    def on_read(data: shoal.Dataset) -> shoal.Dataset:
        read.append(data.origin.name)
        return data

    one = compare(grid, tmp_path / "lab", on_read=on_read, progress=lambda at: seen.append(at.done), workers=1)
    assert (one.failed, [row["k"] for row in one.rows], sorted(seen), read) == (0, [2, 3], [1, 2], ["toy.dat"])
    assert one.page.exists()
    assert (one.folder / "results.parquet").exists()
    assert results.load(one.table) == one.rows
    again = compare(grid, str(tmp_path / "lab"), limit=50, progress=lambda at: seen.append(at.done))
    assert (again.rows, again.grid.limit, len(seen)) == (one.rows, 50, 2)


def test_what_cannot_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = grid_of([data_set(tmp_path)], "km", ["aa"])
    with pytest.raises(OptionError, match="limit= must be a number of seconds"):
        compare(grid, tmp_path / "lab", limit=float("inf"))
    with pytest.raises(OutputError, match="is a file, but the results need a folder"):
        compare(grid, tmp_path / "toy.dat")
    assert not (tmp_path / "lab").exists()
    monkeypatch.delenv("SHOAL_DATA", raising=False)
    with pytest.raises(OptionError, match="needs its data sets, but no folder is named"):
        load_grid("p0-fig8")
    with pytest.raises(OptionError, match=r"vary= names .n.: none of km, aa has such an option"):
        grid_of([data_set(tmp_path)], "km", ["aa"], {"n": [1]})


def test_every_method_of_a_model_and_options_of_one_of_them(tmp_path: Path) -> None:
    toy(tmp_path)
    spec = DatasetSpec(file=str(tmp_path / "toy.dat"))
    sets = data_sets([tmp_path / "toy.dat"], spec, {"fanout": [2, 3], "order": "frequency"})
    assert [(one.label, one.fanout) for one in sets] == [("toy", 2), ("toy", 3)]
    methods = {case.algorithm.name for case in grid_of(sets, "km").cases}
    assert {"aa", "lra", "optimal"} <= methods
    assert not methods & {"auto", "oa"}
    cases = grid_of(sets[:1], "km", ["lra", "aa"], {"lra.chunks": ["4", "5"]}).cases
    assert [case.method for case in cases] == ["lra, chunks 4", "lra, chunks 5", "aa"]


def test_a_file_is_enough_for_a_recommendation(shell: Shell) -> None:
    path = toy(shell.folder)
    found = recommend(path, shoal.Km(k=2, m=1), budget=30, workers=2)
    assert found.case is not None
    assert found.case.data.label == "toy"
    for command in found.commands:
        code, _, err = shell(*shlex.split(command)[1:])
        assert code == 0, err
    with pytest.raises(OptionError, match=r"Data 'no': no\.dat does not exist"):
        recommend("no.dat", shoal.Km())


def test_the_commands_of_a_recommendation() -> None:
    row = {"status": "ok", "score": 0.1, "scored_by": "NCP", "seconds": 1.0, "peak_mb": None, "value": 0.1}
    spec = DatasetSpec(file="my data.csv.gz", reading=ReadOptions(sets="items"), fanout=4, order="frequency")
    method = shoal.algorithms.Optimal(time_limit=30.0)
    case = Case(spec, shoal.Km(k=5, m=2), method, seed=3, loss="lm")
    pick = Trial(method, True, whole={**row, "ended": "time limit"})
    found = Recommendation(pick, (pick,), 9, 9, None, case)
    build, publish = found.commands
    assert build == ("shoal hierarchy build 'my data.csv.gz' --sets items --by frequency --fanout 4 -o hierarchy.csv")
    assert publish == (
        "shoal anonymize 'my data.csv.gz' -o published.csv.gz --sets items --hierarchy hierarchy.csv --loss lm "
        "--seed 3 --report report.html --model km --k 5 --m 2 --algorithm optimal --time-limit 30"
    )
    proven = replace(found, pick=replace(pick, whole={**row, "ended": "proven"}))
    assert proven.commands[-1].endswith("--algorithm optimal")
    assert replace(found, pick=replace(pick, whole={**row, "worthless": "gone"})).commands == []
    assert replace(found, case=None).commands == []
