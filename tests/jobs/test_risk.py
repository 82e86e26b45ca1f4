"""``shoal.assess_risk`` from Python: the same as the command, for raw and published data."""

from __future__ import annotations

import json
from typing import Any

import pytest

import shoal
from shoal.errors import OptionError, ShoalError
from tests.conftest import Shell

PEOPLE = "age,dx,items,who\n20,flu,a b,p\n20,flu,a b,p\n20,cold,a,q\n30,cold,a b,q\n30,flu,a b,r\n"


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("t.csv", PEOPLE)
    return shell


def test_the_command_prints_the_dict(desk: Shell) -> None:
    words = ("--m", "1", "--threshold", "0.3", "--threshold", "ema", "--sensitive", "b", "--seed", "3")
    _, out, _ = desk("risk", "t.csv", "--sets", "items", *words, "--original", "t.csv", "--json")
    result = shoal.assess_risk(
        "t.csv", sets="items", m=1, thresholds=[0.3, "ema"], sensitive="b", seed=3, original="t.csv"
    )
    assert json.dumps({"schema": "shoal/risk/1", **result.as_dict()}, indent=2) + "\n" == out
    assert result.original == result.assessment
    assert result.assessment.thresholds == (0.3, 1 / 11)


def test_columns_persons_and_sensitive_values_are_seen(desk: Shell) -> None:
    data = shoal.read("t.csv", sets="items")
    result = shoal.assess_risk(data, m=1, quasi_identifiers=["age"], sensitive_column="dx", person="who")
    found = result.assessment
    assert (found.records, found.persons, found.counted) == (5, 3, "persons")
    alone = found.scenario(0, "worst", columns=True)
    assert alone.smallest.value == 2
    assert [one.value for one in found.inferences] == ["dx=cold", "dx=flu"]
    assert found.inferences[0].prior.value == pytest.approx(1 / 3)


def test_persons_of_a_published_file(desk: Shell) -> None:
    desk.write("persons.txt", "p\np\nq\nq\nr\n")
    for persons in ("persons.txt", ["p", "p", "q", "q", "r"]):
        found = shoal.assess_risk("t.csv", sets="items", m=1, persons=persons).assessment
        assert found.persons == 3
        assert found.scenario(1, "worst").smallest.value == 3
    _, out, _ = desk("risk", "t.csv", "--sets", "items", "--m", "1", "--persons", "persons.txt", "--json")
    assert json.loads(out)["assessment"]["persons"] == 3


def test_a_release_is_data(desk: Shell) -> None:
    release = shoal.anonymize("in.basket", k=2, m=2, hierarchy="h.csv")
    result = shoal.assess_risk(release, m=2, original="in.basket")
    assert result.assessment.scenario(2, "worst").smallest.value >= 2
    assert result.original is not None
    assert result.original.scenario(2, "worst").smallest.value == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"m": 0}, "m must be at least 1"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"thresholds": "emma"}, "did you mean 'ema'"),
        ({"sensitive": "zz"}, "Sensitive 'zz' is not in"),
        ({"quasi_identifiers": ["zip"]}, "zip"),
        ({"person": "who", "persons": ["p"] * 5}, "persons= and person= both name"),
        ({"population": [["c"]]}, "population"),
    ],
)
def test_bad_input(desk: Shell, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ShoalError, match=message):
        shoal.assess_risk(shoal.read("t.csv", sets="items"), **options)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(OptionError, match="There is no argument 'sensitiv'"):
        shoal.assess_risk([["a"]], sensitiv="a")
