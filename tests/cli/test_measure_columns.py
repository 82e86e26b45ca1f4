"""``shoal measure`` with quasi-identifiers and queries, and what is said about columns.

Covers: cli/columns.py, cli/workload.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from shoal.cli.columns import parse_column_specs, trees
from shoal.data.columns import Column
from shoal.data.table import Role
from shoal.errors import OptionError
from tests.conftest import Shell

RAW = "age,origin,zip,items\n19,France,007,a b\n22,Greece,008,a c\n70,Algeria,?,b c\n55,Nigeria,008,a b\n"
PUBLIC = "age,origin,zip,items\n[19:22],Europe,*,(a,b) c\n[19:22],Europe,*,(a,b) c\n[55:70],Africa,*,(a,b) c\n"
PUBLIC += "[55:70],Africa,*,(a,b)\n"


@pytest.fixture
def lab(shell: Shell) -> Shell:
    shell.write("in.csv", RAW)
    shell.write("out.csv", PUBLIC.replace("(a,b)", '"(a,b)"').replace('"(a,b)" c', '"(a,b) c"'))
    shell.write("origin.csv", "Algeria;Africa;All\nNigeria;Africa;All\nFrance;Europe;All\nGreece;Europe;All\n")
    shell.write("flat.csv", "a;ALL\nb;ALL\nc;ALL\n")
    return shell


MEASURE = ("measure", "in.csv", "out.csv", "--sets", "items", "--item-delimiter", " ", "--hierarchy", "flat.csv")
KNOWN = (*MEASURE, "--quasi-identifiers", "age,origin", "--hierarchy", "origin=origin.csv")


def test_columns_are_measured(lab: Shell) -> None:
    code, out, err = lab(*KNOWN, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["relational_ncp:age"] == pytest.approx((3 + 3 + 15 + 15) / 4 / 51, abs=1e-12)
    assert found["relational_ncp:origin"] == pytest.approx(0.5, abs=1e-12)
    assert found["relational_ncp"] == pytest.approx((9 / 51 + 0.5) / 2, abs=1e-12)
    assert found["ul"] == pytest.approx((3 * 3 / 7 + 1) / 4, abs=1e-12)
    assert [found[name] for name in ("discernibility", "average_class_size", "smallest_class")] == [8, 2, 2]
    assert found["uncovered_records"] == 0
    assert "are" not in found
    table = lab(*KNOWN)[1]
    assert "relational_ncp:age" in table
    assert "uncovered records" in table


def test_without_quasi_identifiers_only_the_sets(lab: Shell) -> None:
    found = json.loads(lab(*MEASURE, "--json")[1])
    assert "ul" in found
    assert not [name for name in found if "relational" in name or "class" in name or "uncovered" in name]


def test_missing_values_and_categories(lab: Shell) -> None:
    words = ("--quasi-identifiers", "zip", "--missing", "?", "--categorical", "zip", "--json")
    code, out, err = lab(*MEASURE, *words)
    assert (code, err) == (0, "")
    assert json.loads(out)["relational_ncp:zip"] == 1


def test_values_that_do_not_cover(lab: Shell) -> None:
    lab.write("out.csv", (lab.folder / "out.csv").read_text(encoding="utf-8").replace("[19:22]", "[20:22]"))
    code, out, err = lab(*KNOWN, "--json")
    assert code == 0
    assert "Warning: In 1 record the published values do not cover the original ones" in err
    assert json.loads(out)["uncovered_records"] == 1


def test_are_by_a_workload(lab: Shell) -> None:
    lab.write("w.jsonl", '{"age": "[19:20]", "items": ["a", "c"]}\n{"origin": "Africa"}\n')
    code, out, err = lab(*KNOWN, "--workload", "w.jsonl", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["are"] == pytest.approx((2 * 2 / 4 * 2 / 3 / 1 + 0) / 2, abs=1e-12)
    assert found["queries"] == 2


def test_are_by_queries_that_are_drawn(lab: Shell) -> None:
    words = (*KNOWN, "--queries", "20", "--query-values", "1", "--query-items", "2", "--json")
    found = [json.loads(lab(*words, "--seed", seed)[1]) for seed in ("1", "1", "2")]
    assert found[0] == found[1] != found[2]
    assert found[0]["queries"] == 20
    assert found[0]["are"] > 0
    same = (
        "measure",
        "in.csv",
        "in.csv",
        *MEASURE[3:],
        "--quasi-identifiers",
        "age,origin",
        "--queries",
        "9",
        "--json",
    )
    assert json.loads(lab(*same)[1])["are"] == 0
    sets = json.loads(lab(*MEASURE, "--queries", "9", "--json")[1])
    assert sets["queries"] == 9


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--quasi-identifiers", "aeg"), "No column 'aeg' (did you mean 'age'?) in in.csv"),
        (("--categorical", "zip"), "--categorical is about 'zip', which is not named as a quasi-identifier"),
        (
            ("--hierarchy", "aeg=width:5"),
            "A hierarchy is given for 'aeg' (did you mean 'age'?), but in.csv has no such",
        ),
        (("--missing", "?"), "--missing is about columns, of which none is named"),
        (
            ("--quasi-identifiers", "origin"),
            "out.csv: Column 'origin': 'Europe' is neither a value of the column nor a collection",
        ),
        (("--seed", "3"), "--seed needs --queries"),
        (("--query-items", "3"), "--query-items needs --queries"),
        (("--queries", "3", "--workload", "w.jsonl"), "--workload cannot be combined with --queries"),
        (("--workload", "none.jsonl"), "none.jsonl does not exist"),
        (("--queries", "3", "--query-values", "1"), "there are 0 quasi-identifiers"),
        (("--queries", "3", "--query-items", "9"), "ask for at most 2"),
    ],
)
def test_bad_options(lab: Shell, words: tuple[str, ...], told: str) -> None:
    assert told in lab.fails(*MEASURE, *words)


def test_columns_of_both_files(lab: Shell) -> None:
    lab.write("out.csv", "items\na\na\na\na\n")
    assert "No column 'age' in out.csv" in lab.fails(*KNOWN)
    words = ("measure", "in.basket", "in.basket", "--quasi-identifiers", "age")
    assert "No column 'age' in in.basket; other columns: none" in lab.fails(*words)


def test_what_is_said_about_columns() -> None:
    given: dict[str, Any] = {
        "quasi_identifiers": 'age,"a, b"',
        "identifiers": "name",
        "plain": None,
        "column_weights": "age=0.5",
        "other": 1,
    }
    known = Role.QUASI_IDENTIFIER
    assert parse_column_specs(given) == (
        {"age": Column(known, weight=0.5), "a, b": Column(known), "name": Column(Role.IDENTIFIER)},
        (),
    )
    assert given == {"other": 1}
    assert parse_column_specs({"plain": "note", "missing": "?"}) == ({"note": Column(Role.PLAIN)}, ("?",))
    assert parse_column_specs({"categorical": "zip"}) == ({"zip": Column(type="category")}, ())
    for wrong in ({"plain": "a", "identifiers": "a"}, {"plain": "a", "quasi_identifiers": "a"}):
        with pytest.raises(OptionError, match="Column 'a' has two roles"):
            parse_column_specs(dict(wrong))
    with pytest.raises(OptionError, match="--column-weights must be numbers from 0 to 1"):
        parse_column_specs({"column_weights": "age"})
    with pytest.raises(OptionError, match="two hierarchies of column 'a'"):
        trees(["a=x", "a=y"])
    with pytest.raises(OptionError, match="two hierarchies of the items"):
        trees(["x", "y"])
