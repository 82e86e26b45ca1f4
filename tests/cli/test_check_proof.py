"""``--proof`` and ``shoal check-proof``: files, exit codes, and what is refused. Covers: cli/check_proof.py."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

import shoal
from shoal.engines.cluster import Cluster
from shoal.evidence.proof import rc2
from shoal.evidence.proof.document import Proof
from shoal.jobs.job import Job
from shoal.jobs.on_cluster import run_on_cluster
from tests.conftest import Shell
from tests.evidence.proof.golden import PROOF

RUN = ("anonymize", "in.basket", "-o", "o.basket", "--hierarchy", "h.csv", "--k", "2", "--m", "2")


@pytest.fixture
def proof(shell: Shell) -> Path:
    code, out, _ = shell(*RUN, "--algorithm", "optimal", "--proof", "p.json")
    assert code == 0
    assert "proof, not to be published" in out
    return shell.folder / "p.json"


def test_the_proof_of_the_command_line_is_that_of_python(proof: Path) -> None:
    assert Proof.load(proof) == PROOF
    assert stat.S_IMODE(proof.stat().st_mode) == 0o600


def test_a_proof_that_holds(shell: Shell, proof: Path) -> None:
    code, out, _ = shell("check-proof", "p.json", "in.basket", "--hierarchy", "h.csv")
    assert code == 0
    assert [line.partition(": ")[0] for line in out.splitlines()[:6]] == [
        *("hierarchy", "data", "rare sets", "costs", "cut", "bound")
    ]
    assert out.splitlines()[6].startswith("Holds. No k^m-anonymous cut of this hierarchy (k = 2, m = 2) loses less")


def test_a_wrong_proof_has_exit_code_1(shell: Shell, proof: Path) -> None:
    proof.write_text(proof.read_text(encoding="utf-8").replace('"support": 1', '"support": 2'), encoding="utf-8")
    code, out, _ = shell("check-proof", "p.json", "in.basket")
    assert code == 1
    assert "rare sets: WRONG (rare set 1 is said to be in 2 records, but is in 1)" in out
    assert "costs: not checked" in out
    shell.write("other.basket", "a1,b1\na2,b2\n")
    assert shell("check-proof", "p.json", "other.basket")[0] == 1


@pytest.mark.parametrize(
    "words", [("--no-solver",), ("--solver-time", "0")], ids=lambda words: words[0].removeprefix("--")
)
def test_what_was_not_checked_has_exit_code_2(shell: Shell, proof: Path, words: tuple[str, ...]) -> None:
    code, out, _ = shell("check-proof", "p.json", "in.basket", *words)
    assert code == 2
    assert out.splitlines()[-1].startswith("Not checked: bound: ")


def test_an_interrupt_has_exit_code_2(shell: Shell, proof: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> rc2.Bounded:
        raise KeyboardInterrupt

    monkeypatch.setattr(rc2, "minimum", interrupted)
    code, out, _ = shell("check-proof", "p.json", "in.basket")
    assert code == 2
    assert out.splitlines()[-1] == "Not checked: bound: interrupted."


def test_files_that_cannot_be_checked(shell: Shell, proof: Path) -> None:
    text = proof.read_text(encoding="utf-8")
    for damaged, why in (
        (text[:-40], "this is not JSON"),
        (text.replace("shoal/proof/1", "shoal/proof/2"), "its schema is 'shoal/proof/2'"),
        (text.replace('"lower_bound": 10', '"lower_bound": 10,\n"lower_bound": 10'), "the key 'lower_bound' twice"),
    ):
        proof.write_text(damaged, encoding="utf-8")
        assert why in shell.fails("check-proof", "p.json", "in.basket")


def test_problems_for_other_solvers(shell: Shell, proof: Path) -> None:
    code, _, _ = shell("check-proof", "p.json", "in.basket", "--opb", "p.opb", "--wcnf", "p.wcnf")
    assert code == 0
    for name in ("p.opb", "p.wcnf"):
        assert stat.S_IMODE((shell.folder / name).stat().st_mode) == 0o600
        assert "Do not publish" in (shell.folder / name).read_text(encoding="utf-8")
    assert "p.json is an input too" in shell.fails("check-proof", "p.json", "in.basket", "--opb", "p.json")
    assert "in.basket is an input too" in shell.fails("check-proof", "p.json", "in.basket", "--wcnf", "in.basket")
    assert "must be different files" in shell.fails("check-proof", "p.json", "in.basket", "--opb", "x", "--wcnf", "x")


def test_a_time_limit_that_is_none_or_no_number(shell: Shell, proof: Path) -> None:
    assert shell("check-proof", "p.json", "in.basket", "--solver-time", "none")[0] == 0
    for wrong in ("soon", "-1", "nan"):
        assert "--solver-time" in shell.fails("check-proof", "p.json", "in.basket", "--solver-time", wrong)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--algorithm", "aa"), "not for aa: choose one of them, or leave out --proof"),
        (("--model", "lm", "--sensitive", "a1", "--l", "2"), "not for the model lm: leave out --proof"),
    ],
)
def test_other_releases_are_refused_before_any_work(shell: Shell, words: tuple[str, ...], why: str) -> None:
    shown = ("anonymize", "in.basket", "-o", "o.basket", "--hierarchy", "h.csv", *words, "--proof", "p.json")
    assert why in shell.fails(*shown)
    assert not (shell.folder / "o.basket").exists()


def test_a_proof_is_not_another_output(shell: Shell) -> None:
    assert "must be different files" in shell.fails(*RUN, "--proof", "o.basket")
    assert "is an input too" in shell.fails(*RUN, "--proof", "in.basket")


def test_problem_files_name_a_proof(shell: Shell) -> None:
    shell.write(
        "p.toml",
        '[data]\nfile = "in.basket"\n[items]\nhierarchy = "h.csv"\n[model]\nk = 2\nm = 2\n[algorithm]\n'
        'name = "optimal"\n[output]\nfile = "o.basket"\nproof = "p.json"\n',
    )
    code, out, _ = shell("run", "p.toml", "--json")
    assert code == 0
    assert json.loads(out)["files"]["proof"].endswith("p.json")
    assert Proof.load(shell.folder / "p.json") == PROOF
    assert "p.json" in shell("run", "p.toml", "--dry-run")[1]


def test_persons_are_counted_again(shell: Shell) -> None:
    shell.write("p.csv", "who;items\n1;a1|b1|b2\n1;a2|b1\n2;a2|b1|b2\n3;a1|a2|b2\n3;b1\n")
    read = ("--person", "who", "--sets", "items")
    made = ("anonymize", "p.csv", "-o", "o.csv", *read, "--hierarchy", "h.csv", "--k", "2", "--m", "2")
    assert shell(*made, "--algorithm", "optimal", "--proof", "p.json")[0] == 0
    assert Proof.load(shell.folder / "p.json").persons
    assert shell("check-proof", "p.json", "p.csv", *read)[0] == 0
    assert "counts persons: name their column with --person" in shell.fails("check-proof", "p.json", "p.csv", *read[2:])


def test_a_cluster_makes_no_proof() -> None:
    job = Job(
        data=shoal.DatasetSpec(file="in.basket"),
        output=Path("o.basket"),
        model=shoal.Km(),
        algorithm=shoal.algorithms.Optimal(),
        proof=Path("p.json"),
    )
    with pytest.raises(shoal.errors.OptionError, match="made on one machine, not on a cluster: leave out proof="):
        run_on_cluster(job, Cluster(), shoal.Engine(), lambda story: None)
