"""``shoal compare`` and ``shoal recommend`` as people type them.

Covers: cli/compared.py, evaluation/recommend.py.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

import shoal
from shoal.errors import Infeasible
from shoal.evaluation import figures, grid_file, results, runner
from shoal.evaluation.recommend import candidates, recommend
from shoal.jobs.dataset_spec import DatasetSpec
from tests.conftest import Shell
from tests.evaluation.test_runner import GRID, toy

pytestmark = pytest.mark.usefixtures("no_processes")


@pytest.fixture
def lab(shell: Shell) -> Shell:
    toy(shell.folder)
    shell.write("grid.toml", GRID)
    shell.write("h.csv", "".join(f"{item};{'low' if item < 5 else 'high'};*\n" for item in range(1, 9)))
    return shell


def test_data_files_with_options(lab: Shell) -> None:
    words = ("compare", "toy.dat", "-o", "out", "--hierarchy", "h.csv", "-a", "aa", "-a", "lra", "--vary", "k=2,12")
    code, out, err = lab(*words, "--vary", "lra.chunks=2,3", "--queries", "5", "--known", "2", "--mining", "5,9")
    assert code == 0, err
    assert "6 runs, all verified" in out
    rows = results.load(lab.folder / "out" / "results.csv")
    assert [(row["k"], row["method"]) for row in rows] == [
        (k, method) for k in (2, 12) for method in ("aa", "lra, chunks 2", "lra")
    ]
    assert all(row[name] is not None for row in rows for name in ("are", "ml2", "dml2", "average_after", "ncp"))
    assert (lab.folder / "out" / "index.html").exists()
    problem = shoal.Problem(
        shoal.read(lab.folder / "toy.dat"), shoal.hierarchies.load(lab.folder / "h.csv"), shoal.Km(k=12)
    )
    assert rows[3]["ncp"] == shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).losses["ncp"]


def test_without_names_all_methods_of_the_model_run(lab: Shell) -> None:
    code, out, err = lab("compare", "toy.dat", "-o", "out", "--vary", "k=3", "--vary", "time_limit=5")
    assert code == 0, err
    rows = results.load(lab.folder / "out" / "results.csv")
    assert {row["algorithm"] for row in rows} == {
        *("aa", "da", "hghs", "lra", "mhghs", "mm", "optimal", "optimal-suppress", "vpa")
    }
    assert all(row["data.order"] == "frequency" and row["data.fanout"] == 5 for row in rows)
    assert all(row["gap"] is not None for row in rows if row["algorithm"] != "lra")
    assert "verified" in out


def test_a_list_of_labels_is_one_value(lab: Shell) -> None:
    words = ("compare", "toy.dat", "-o", "out", "--model", "sensitive-k", "--vary", "sensitive=1,2", "--vary", "k=2,3")
    code, _, err = lab(*words)
    assert code == 0, err
    rows = results.load(lab.folder / "out" / "results.csv")
    assert {(row["sensitive"], row["k"]) for row in rows} == {("1;2", 2), ("1;2", 3)}


def test_rows_can_be_varied_and_many_runs_are_told_by_method(lab: Shell) -> None:
    lab.monkeypatch.setattr(figures, "draw", lambda rows: [])  # other tests look at the charts
    words = ("compare", "toy.dat", "-o", "out", "-a", "aa", "-a", "da", "--vary", "k=2,3", "--vary", "m=1,2")
    code, out, err = lab(*words, "--vary", "rows=20,40", "--order", "label,frequency", "--fanout", "3")
    assert code == 0, err
    assert "32 runs, all verified" in out
    assert " of 16" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Nothing to compare"),
        (("toy.dat",), "Name a folder: -o lab"),
        (("toy.dat", "-o", "grid.toml"), "is a file, but the results need a folder"),
        (("nothing.dat", "-o", "out"), "'nothing.dat' is neither a file nor a grid"),
        (("leaderbord", "-o", "out"), "did you mean 'leaderboard'?"),
        (("leaderboard", "-o", "out", "--data-folder", "none"), "none is not a folder: pass --data-folder"),
        (("grid.toml", "-o", "out", "--vary", "k=2"), "--vary is for data files, but grid.toml describes its own runs"),
        (("grid.toml", "toy.dat", "-o", "out"), "Only one grid can run at a time, got 2"),
        (("none.toml", "-o", "out"), "none.toml"),
        (("toy.dat", "-o", "out", "--vary", "k"), "--vary must be a name and its values, such as k=2,5,10, got 'k'"),
        (("toy.dat", "-o", "out", "--vary", "k=1,2"), "--k must be at least 2, got 1"),
        (("toy.dat", "-o", "out", "-a", "aa", "--vary", "chunks=2"), "none of km, aa has such an option"),
        (("toy.dat", "-o", "out", "-a", "stn"), "stn solves none of the compared models"),
        (("toy.dat", "-o", "out", "--seeds", "a"), "--seeds must be whole numbers"),
        (("toy.dat", "-o", "out", "--mining", "x"), "mining must be numbers, got 'x'"),
        (("toy.dat", "-o", "out", "--loss", "nope"), "Unknown loss 'nope'"),
        (("toy.dat", "-o", "out", "--hierarchy", "none.csv"), "none.csv"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(lab: Shell, words: tuple[str, ...], said: str) -> None:
    code, _, err = lab("compare", *words)
    assert code == 2, err
    assert said in err
    assert not (lab.folder / "out").exists()


def test_the_grids_that_come_along_are_listed(lab: Shell) -> None:
    code, out, _ = lab("compare", "--list")
    assert code == 0
    assert all(name in out for name in grid_file.named())


def test_if_nothing_gives_a_release_the_exit_code_says_so(lab: Shell) -> None:
    code, out, _ = lab("compare", "toy.dat", "-o", "out", "-a", "aa", "--vary", "k=100")
    assert code == 1
    assert "1 run; 1 without a release" in out


def test_recommend_explains_its_pick_with_commands_that_work(lab: Shell) -> None:
    code, out, err = lab("recommend", "toy.dat", "--hierarchy", "h.csv", "--k", "12", "--m", "2")
    assert code == 0, err
    assert "Take auto" in out
    assert "--suppress" not in out  # it would lose more
    command = next(line.strip() for line in out.splitlines() if "shoal anonymize" in line)
    code, _, err = lab(*command.split()[1:])
    assert code == 0, err


def test_recommend_without_a_hierarchy_says_how_to_build_it(lab: Shell) -> None:
    code, out, err = lab("recommend", "toy.dat", "--k", "12", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["rows"] == found["sampled_rows"] == 60
    assert found["trials"][0]["algorithm"] == found["algorithm"]
    for command in found["commands"]:
        code, _, err = lab(*command.split()[1:])
        assert code == 0, err
    losses = [one["all"]["score"] for one in found["trials"] if one["allowed"] and one["all"]]
    assert losses[0] == min(losses)


@pytest.mark.filterwarnings("ignore:Items in column")  # every record of the release has one label
def test_columns_have_roles_in_both_commands(lab: Shell) -> None:
    lines = "".join(f"{row},{row % 7},{'m' if row % 3 else 'f'},a{row % 4} b{row % 3}\n" for row in range(60))
    lab.write("t.csv", "name,age,sex,items\n" + lines)
    reading = ("--sets", "items", "--item-delimiter", " ", "--drop-items", "b2", "--identifiers", "name")
    roles = (*reading, "--hierarchy", "age=width:2,4", "--model", "k-km")
    code, out, err = lab("recommend", "t.csv", *roles, "--k", "4", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert "--identifiers name" in found["commands"][-1]
    assert "--drop-items b2" in found["commands"][-1]
    code, _, err = lab(*shlex.split(found["commands"][-1])[1:])
    assert code == 0, err
    assert "name" not in (lab.folder / "published.csv").read_text(encoding="utf-8").splitlines()[0]
    code, _, err = lab("compare", "t.csv", *roles, "--vary", "k=4", "-a", "rfirst", "-a", "rmerge-r", "-o", "out")
    assert code == 0, err
    rows = {row["algorithm"]: row for row in results.load(lab.folder / "out" / "results.csv")}
    told = {one["algorithm"]: one["all"]["score"] for one in found["trials"] if one["all"]}
    assert {name: row["score"] for name, row in rows.items()} == {name: told[name] for name in rows}


def test_a_file_that_cannot_be_read_is_refused_before_any_run(lab: Shell) -> None:
    lab.write("binary.dat", bytes(range(256)) * 4)
    lab.write("flat.csv", "1;*\n")
    for words in (("binary.dat",), ("toy.dat", "--hierarchy", "binary.dat")):
        code, _, err = lab("compare", *words, "-o", "out")
        assert code == 2, err
        assert not (lab.folder / "out").exists()


def test_recommend_says_that_time_ran_out_on_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    big = DatasetSpec(label="big", generate="quest", generator={"rows": 400, "items": 20, "seed": 1}, fanout=4)
    run = runner.run
    monkeypatch.setattr(
        runner,
        "run",
        lambda cases, *limits: run(cases, *limits) if cases[0].data.sample else iter(()),
    )
    with pytest.raises(Infeasible, match="finished on the sample, but not on all rows"):
        recommend(big, shoal.Km(k=3, m=2), sample=100)


def test_recommend_confirms_on_all_rows_what_a_sample_suggests() -> None:
    big = DatasetSpec(label="big", generate="quest", generator={"rows": 400, "items": 20, "seed": 1}, fanout=4)
    found = recommend(big, shoal.Km(k=3, m=2), sample=100)
    assert (found.rows, found.sampled) == (400, 100)
    assert found.pick.whole is not None
    assert found.pick.whole["records"] == 400
    assert found.pick.sample is not None
    assert found.pick.sample["records"] == 100
    whole = [one for one in found.trials if one.whole and one.ok]
    assert {one.algorithm.name for one in whole} == {"aa", "auto", "lra", "optimal", "vpa"}
    assert found.pick.score == min(one.score for one in whole)
    assert any("drawn at random" in reason for reason in found.reasons)
    assert not any(one.whole for one in found.trials if one.algorithm.suppresses)


def test_recommend_takes_other_kinds_only_if_allowed_or_if_nothing_else_does(tmp_path: Path) -> None:
    rows = ["a b"] * 20 + ["a c"] * 20 + ["b c"] * 20 + ["a x", "b x", "c x"]  # x is rare, its neighbours are not
    (tmp_path / "rare.dat").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (tmp_path / "h.csv").write_text("a;1;*\nx;1;*\nb;2;*\nc;2;*\n", encoding="utf-8")
    rare = DatasetSpec(label="rare", file=str(tmp_path / "rare.dat"), hierarchy={"": str(tmp_path / "h.csv")})
    km = shoal.Km(k=5, m=2)
    strict, free = (recommend(rare, km, suppress=suppress) for suppress in (False, True))
    assert not strict.pick.algorithm.suppresses
    assert free.pick.algorithm.suppresses
    assert free.pick.score < strict.pick.score
    made = DatasetSpec(label="made", generate="quest", generator={"rows": 200, "items": 12, "seed": 1}, fanout=3)
    only = shoal.models.SensitiveK(k=3, sensitive=("1",))
    assert not any(method.truthful for method in candidates(only))
    found = recommend(made, only)
    assert found.measure == "items added and deleted"
    assert found.pick.algorithm.name in ("gsc", "knn", "stn")


def test_recommend_says_when_nothing_can_be_done() -> None:
    few = DatasetSpec(label="few", generate="quest", generator={"rows": 5, "items": 8, "seed": 1}, fanout=3)
    with pytest.raises(Infeasible, match="allow methods that remove items"):
        recommend(few, shoal.Km(k=10, m=2))
