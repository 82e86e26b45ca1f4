"""``shoal risk``: what it prints, and what it refuses. Covers: cli/risk_output.py."""

from __future__ import annotations

import re

import pytest

from shoal.risk import crowds
from tests.conftest import Shell

PEOPLE = "age,dx,items,who\n20,flu,a b,p\n20,flu,a b,p\n20,cold,a,q\n30,cold,a b,q\n30,flu,a b,r\n"


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("t.csv", PEOPLE)
    return shell


def test_a_sentence_and_a_table_for_each_question(desk: Shell) -> None:
    code, out, err = desk("risk", "t.csv", "--sets", "items", "--m", "1", "--threshold", "0.3", "--sensitive", "b")
    assert (code, err) == (0, "")
    assert out.startswith("5 records. A crowd is everything that fits what an attacker knows of a record.")
    for sentence in (
        "Crowds: an attacker who knows 1 item can narrow a record down to 5 of 5 records.",
        "an attacker who knows 1 item picks the right one with a chance of up to 20 %. If every record is attacked, "
        "20 % are found.",
        "Above the threshold 0.3: an attacker who knows 1 item has a better chance for 0 % of the records.",
        "Learning 'b': 80 % of all have it.",
        "All figures are exact.",
    ):
        assert sentence in out
    assert "journalist" not in out


def test_columns_persons_population_and_the_original(desk: Shell) -> None:
    desk.write("raw.csv", PEOPLE.replace("a b", "a c"))
    desk.write("all.csv", PEOPLE + "20,flu,a b,s\n30,flu,a b,s\n")
    words = ("--sets", "items", "--m", "1", "--quasi-identifiers", "age", "--person", "who")
    code, out, err = desk("risk", "t.csv", *words, "--population", "all.csv")
    assert (code, err) == (0, "Note: Not checked, because --quasi-identifiers does not name them: dx.\n")
    assert out.startswith("5 records of 3 persons.")
    assert "an attacker who knows the columns and 1 item can narrow a record down to 1 of 3 persons." in out
    assert "among all 4 persons of the population, the chance is up to 50 %." in out
    code, out, _ = desk("risk", "t.csv", *words[:4], "--original", "raw.csv")
    header = next(line for line in out.splitlines() if line.startswith("knowing"))
    titles = ["smallest", "median, worst", "median, random"]
    assert re.split(" {2,}", header) == ["knowing", *(f"original: {title}" for title in titles), *titles]


def test_estimates_are_called_so(desk: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"MOST": 0, "WORK": 0, "DRAWS": 50, "WORST_DRAWS": 40, "FEWEST_DRAWS": 1}.items():
        monkeypatch.setattr(crowds, name, value)
    _, out, _ = desk("risk", "in.basket", "--m", "1")
    assert "Figures with a range are estimated from 40 or 50 draws. The range is a 95 % interval." in out
    assert "–" in out


def test_all_items_and_no_items(desk: Shell) -> None:
    _, out, _ = desk("risk", "in.basket", "--m", "all")
    assert "an attacker who knows 3 items can narrow a record down to 1 of 4 records." in out
    desk.write("empty.csv", "age,items\n1,\n2,\n")
    code, out, _ = desk("risk", "empty.csv", "--sets", "items")
    assert code == 0
    assert "an attacker who knows nothing can narrow a record down to 2 of 2 records." in out


def test_a_table_needs_no_sets_if_columns_are_known(desk: Shell) -> None:
    desk.write("k.csv", "age,zip\n20,1\n20,1\n30,2\n")
    code, out, _ = desk("risk", "k.csv", "--quasi-identifiers", "age,zip")
    assert code == 0
    assert "an attacker who knows the columns can narrow a record down to 1 of 3 records." in out
    code, out, _ = desk("risk", "k.csv", "--quasi-identifiers", "age", "--sensitive-column", "zip")
    assert code == 0
    assert "Learning 'zip=1': 66.7 % of all have it." in out
    assert "which column holds the sets?" in desk.fails("risk", "k.csv")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--m", "0"), "m must be a number from 1 on, or 'all', got '0'"),
        (("--m", "x"), "m must be a number from 1 on, or 'all', got 'x'"),
        (("--threshold", "emma"), "did you mean 'ema'"),
        (("--threshold", "2"), "above 0 and up to 1"),
        (("--sensitive", "zz"), "Sensitive 'zz' is not in in.basket"),
        (("--population", "h.csv", "--format", "basket"), "population: it must contain the data"),
    ],
)
def test_bad_input(desk: Shell, words: tuple[str, ...], message: str) -> None:
    assert message in desk.fails("risk", "in.basket", *words)
