"""The lab where it was broken once: bounds within limits, torn files, two writers, odd ends, what is typed wrongly."""

from __future__ import annotations

import json
import math
import random
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import shoal
from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.engines import Engine
from shoal.errors import DataError, OptionError, OutputError
from shoal.evaluation import page, results, runner
from shoal.evaluation.grid import Case, Extras, Grid, combinations
from shoal.evaluation.recommend import recommend
from shoal.evaluation.run_case import run_case
from shoal.files.lock import exclusive_lock
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from tests import lab_algorithms as wrong
from tests.conftest import Shell
from tests.evaluation.test_runner import data_set, toy


@pytest.mark.parametrize("seed", range(12))
def test_nothing_of_its_kind_loses_less_than_the_optimum(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    names = [str(one) for one in range(1, rng.randint(4, 9))]
    rows = [names, *(rng.sample(names, rng.randint(1, 3)) for _ in range(rng.randint(6, 24)))]
    path = tmp_path / "rows.dat"
    path.write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    one = DatasetSpec(label="rows", file=str(path), fanout=rng.choice([2, 3]))
    model = shoal.Km(k=rng.randint(2, 4), m=rng.randint(1, 3))
    methods: list[Algorithm] = []
    for cls in discovery.find("shoal.algorithms", Algorithm).values():
        if isinstance(model, cls.solves) and cls.name != "oa":
            methods.append(cls())
            if cls.suppresses:
                some = tuple(rng.sample(names, 2))
                methods += [cls().changed(max_suppressed=limit) for limit in (0.0, 20.0)]
                methods.append(cls().changed(never_suppress=some))
    cases = list(combinations([one], [model], methods))
    found = [run_case(case) for case in cases]
    for case, row, told in zip(cases, found, runner.gaps(cases, found), strict=True):
        if told["optimum"] is not None:
            assert row["value"] >= told["optimum"] - 1e-12, case.method


def test_a_bound_within_narrower_limits_is_none_for_wider_ones(tmp_path: Path) -> None:
    one, km = data_set(tmp_path), shoal.Km(k=2, m=2)
    exact = [shoal.algorithms.OptimalSuppress(max_suppressed=percent) for percent in (0.0, 10.0)]
    kept = shoal.algorithms.OptimalSuppress(never_suppress=("1",))
    cases = [Case(one, km, method) for method in (*exact, kept, shoal.algorithms.MHgHs(), shoal.algorithms.AA())]
    told = [(0.5, 0.5), (0.3, 0.3), (0.4, 0.4), (0.2, None), (0.6, None)]
    rows: list[results.Row] = [{"value": loss, "lower_bound": bound} for loss, bound in told]
    assert [one["optimum"] for one in runner.gaps(cases, rows)] == [0.5, 0.3, 0.4, None, 0.5]


def test_bounds_are_not_taken_from_other_data_of_the_same_name(tmp_path: Path) -> None:
    km, other = shoal.Km(k=2, m=2), tmp_path / "other.dat"
    other.write_text("1 2\n1 2\n", encoding="utf-8")
    cases = [
        Case(data_set(tmp_path), km, shoal.algorithms.Optimal()),
        Case(DatasetSpec(label="toy", file=str(other), fanout=3), km, shoal.algorithms.AA()),
    ]
    rows: list[results.Row] = [{"value": 0.5, "lower_bound": 0.5}, {"value": 0.1, "lower_bound": None}]
    assert runner.gaps(cases, rows)[1] == {"optimum": None, "gap": None}


def test_a_line_torn_anywhere_is_left_out(tmp_path: Path) -> None:
    path, columns = tmp_path / "results.csv", ["key", "data"]
    kept = results.Results(path, columns)
    kept.append({"key": "a", "data": "x"})
    first = path.stat().st_size
    kept.append({"key": "b", "data": 'é, "€" 𝄞'})
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        assert set(results.Results(path, columns).rows) == ({"a"} if end >= first else set()), end


@pytest.mark.parametrize("way", ["\r\n", "\r", "bom"])
def test_what_a_spreadsheet_saved_is_read(tmp_path: Path, way: str) -> None:
    path = tmp_path / "results.csv"
    text = "key,data,status\na,é,ok\n"
    path.write_bytes(text.encode("utf-8-sig") if way == "bom" else text.replace("\n", way).encode())
    assert results.Results(path, ["key", "data", "status"]).rows["a"] == {"key": "a", "data": "é", "status": "ok"}


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_bytes("key,data\na,é\n".encode("cp1252"))
    with pytest.raises(DataError, match="or it is damaged"):
        results.load(path)
    assert path.read_bytes() == "key,data\na,é\n".encode("cp1252")


@pytest.mark.usefixtures("no_processes")
def test_a_row_without_a_status_is_made_anew(tmp_path: Path) -> None:
    (case,) = combinations([data_set(tmp_path)], [shoal.Km(k=3, m=2)], [shoal.algorithms.AA()])
    path = tmp_path / "results.csv"
    path.write_text(f"key,k\n{case.key},3\n", encoding="utf-8")
    (row,) = runner.compare(Grid((case,)), path)
    assert row["status"] == "ok"


@pytest.mark.usefixtures("no_processes")
def test_two_at_once_in_a_folder_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    (case,) = combinations([data_set(tmp_path)], [shoal.Km(k=3, m=2)], [shoal.algorithms.AA()])
    path = tmp_path / "results.csv"
    with exclusive_lock(path.parent, "held"), pytest.raises(OutputError, match="Another comparison is writing"):
        runner.compare(Grid((case,)), path)
    assert not path.exists()
    assert runner.compare(Grid((case,)), path)[0]["status"] == "ok"


@dataclass(frozen=True)
class Leaves(wrong._Wrong):
    name = "leaves"

    def solve(self, problem: Prepared, engine: Engine) -> Solution:
        sys.exit(0)


def test_a_method_that_leaves_is_told_at_once(tmp_path: Path) -> None:
    (case,) = combinations([data_set(tmp_path)], [shoal.Km(k=3, m=2)], [Leaves()])
    ((_, row),) = runner.run([case], 1, 60.0)
    assert row == {"status": "error", "error": "SystemExit: 0"}


def test_percentages_are_exact(tmp_path: Path) -> None:
    path = tmp_path / "thousand.dat"
    path.write_text("1\n" * 11 + "2\n" * 989, encoding="utf-8")
    one = DatasetSpec(label="t", file=str(path), fanout=2)
    row = run_case(Case(one, shoal.Km(k=12, m=1), shoal.algorithms.AA(), extras=Extras(mining=("1.1",))))
    assert row["ml2"] == 1.0, "both items are frequent at 11 of 1,000 rows, and neither is found"


@pytest.mark.parametrize("percent", ["0", "-1", "101", "nan", "inf"])
def test_percentages_are_checked_before_anything_runs(percent: str) -> None:
    with pytest.raises(OptionError, match="above 0 and up to 100"):
        Extras(mining=("1", percent))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "rows=x"), "--vary rows must be whole numbers"),
        (("--fanout", "1"), "--fanout must be whole numbers from 2 on"),
        (("--seeds", "-1"), "--seeds must be whole numbers from 0 on"),
        (("--limit", "inf"), "--limit must be a number of seconds"),
        (("--limit", "nan"), "--limit must be a number of seconds"),
    ],
)
def test_wrong_words_are_refused(shell: Shell, words: tuple[str, ...], said: str) -> None:
    toy(shell.folder)
    assert said in shell.fails("compare", "toy.dat", "-a", "aa", "-o", "out", *words)


@pytest.mark.usefixtures("no_processes")
def test_values_of_repeated_options_add_up(shell: Shell) -> None:
    toy(shell.folder)
    code, _, err = shell("compare", "toy.dat", "-a", "aa", "-o", "out", "--vary", "k=2", "--vary", "k=3,4")
    assert code == 0, err
    assert [row["k"] for row in results.load(shell.folder / "out" / "results.csv")] == [2, 3, 4]


@pytest.mark.usefixtures("no_processes")
def test_recommended_commands_read_the_data_as_they_were_read(shell: Shell) -> None:
    rng = random.Random(1)
    lines = [f"{row},{rng.randint(1, 3)},{'|'.join(rng.sample(['a', 'b', 'c c', 'd', '-9'], 2))}" for row in range(40)]
    shell.write("my data.csv", "\n".join(["id,x,what I buy", *lines]) + "\n")
    words = ("--sets", "what I buy", "--item-delimiter", "|", "--drop-items=-9", "--loss", "lm", "--seed", "3")
    code, out, err = shell("recommend", "my data.csv", "--k", "3", "--identifiers", "id", "--json", *words)
    assert code == 0, err
    *_, publish = commands = json.loads(out)["commands"]
    for command in commands:
        code, _, err = shell(*shlex.split(command)[1:])
        assert code == 0, err
    assert "--loss lm --seed 3" in publish
    published = (shell.folder / "published.csv").read_text(encoding="utf-8").splitlines()
    assert len(published) == 41
    assert not any("-9" in line for line in published)


@pytest.mark.usefixtures("no_processes")
def test_a_sample_that_is_too_small_does_not_decide() -> None:
    many = DatasetSpec(label="many", generate="quest", generator={"rows": 400, "items": 8, "seed": 1}, fanout=3)
    found = recommend(many, shoal.Km(k=120, m=1), sample=100, budget=60.0)
    assert found.pick.whole is not None
    assert found.pick.sample is not None
    assert found.pick.sample["status"] == "infeasible"
    assert any("lost least" in reason for reason in found.reasons)


def test_charts_take_any_label_and_leave_out_what_is_endless(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows: list[results.Row] = [
        {
            **{"key": f"{label}{k}", "data": "d", "model": "lm", "sensitive": label, "k": k, "algorithm": "aa"},
            **{"method": "aa", "loss": "ncp", "seed": 0, "status": "ok", "error": "", "verified": True},
            **{"seconds": 0.1, "value": math.inf if k == 4 else 0.5, "peak_mb": 1.0, "gap": None},
        }
        for label in ("a$^$", "$_</text><script>b")
        for k in (2, 3, 4)
    ]
    page.write(Grid(()), rows, tmp_path / "index.html")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "a$^$" in text
    assert "<script>b" not in text
