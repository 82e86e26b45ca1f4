"""``shoal anonymize``, ``verify`` and ``profile`` on columns and sets, as a user types it."""

from __future__ import annotations

import csv
import json

import pytest

from tests.conftest import Shell

ROWS = [
    ("ann", "19", "France", "E|F|B|G"),
    ("bob", "22", "Greece", "E|F|D|H"),
    ("cas", "28", "Germany", "B|C|E|G"),
    ("dot", "39", "Spain", "F|D|H"),
    ("eva", "70", "Algeria", "E|G"),
    ("fay", "55", "Nigeria", "A|F|H"),
]
TREE = "".join(
    f"{land};{group};All\n"
    for group, lands in {
        "Africa": ["Algeria", "Nigeria"],
        "Europe": ["Greece", "France", "Germany", "Spain"],
    }.items()
    for land in lands
)


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """P2's Fig. 1a, with names."""
    shell.write("in.csv", "name,age,origin,items\n" + "".join(",".join(row) + "\n" for row in ROWS))
    shell.write("origin.csv", TREE)
    return shell


ANONYMIZE = ("anonymize", "in.csv", "-o", "out.csv", "--model", "k-km", "--k", "2", "--m", "2", "--identifiers", "name")
TREES = ("--hierarchy", "origin=origin.csv")


def published(shop: Shell, name: str = "out.csv") -> list[dict[str, str]]:
    with (shop.folder / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_columns_and_sets(shop: Shell) -> None:
    code, out, _ = shop(*ANONYMIZE, *TREES, "--report", "r.html", "--report", "r.json")
    assert code == 0
    assert "An attacker who knows the values of a record in all quasi-identifying columns and up to 2 items" in out
    for line in ("classes of equal values", "loss of the columns, NCP", "  age", "  origin", "loss of the sets, UL"):
        assert line in out
    rows = published(shop)
    assert list(rows[0]) == ["age", "origin", "items"]  # names are gone
    assert "ann" not in (shop.folder / "out.csv").read_text() + (shop.folder / "r.json").read_text()
    assert {row["origin"] for row in rows} <= {"All", "Africa", "Europe", *(row[2] for row in ROWS)}
    code, out, _ = shop("verify", "out.csv", "--model", "k-km", "--k", "2", "--m", "2")
    assert (code, out[:6]) == (0, "Holds.")
    command = json.loads((shop.folder / "r.json").read_text())["provenance"]
    assert command["columns"]["age"] == {
        "role": "quasi-identifier",
        "type": "number",
        "hierarchy": None,
        "missing": [],
        "weight": 0.5,
    }
    assert command["columns"]["name"] == {"role": "identifier"}


def test_the_same_bytes_whoever_works(shop: Shell) -> None:
    for name, workers in (("a.csv", "1"), ("b.csv", "2"), ("c.csv", "5")):
        words = [word.replace("out.csv", name) for word in ANONYMIZE]
        assert shop(*words, *TREES, "--workers", workers, "--seed", "3")[0] == 0
    texts = {(shop.folder / name).read_bytes() for name in ("a.csv", "b.csv", "c.csv")}
    assert len(texts) == 1


def test_witnesses(shop: Shell) -> None:
    code, out, _ = shop("verify", "in.csv", "--model", "k-km", "--k", "2", "--quasi-identifiers", "age")
    assert code == 1
    assert "6 combinations of values leave too few records:" in out
    assert "age=19" in out
    shop.write("two.csv", "age,items\n1,a\n1,b\n2,a\n2,b\n")
    code, out, _ = shop("verify", "two.csv", "--model", "k-km", "--k", "2")
    assert code == 1
    assert "4 combinations of values and 1 item leave too few records:" in out
    assert shop("verify", "two.csv", "--model", "k", "--k", "2")[0] == 0
    assert shop("verify", "two.csv", "--model", "km", "--k", "2")[0] == 0
    shop.write("told.csv", "age,items\n1,a|s\n1,a|s\n1,a\n2,b\n2,b\n2,b|s\n")
    words = ("verify", "told.csv", "--model", "k-lm", "--k", "2", "--l", "2", "--m", "1", "--sensitive", "s")
    code, out, _ = shop(*words)
    assert code == 1
    assert "a sensitive item is too frequent in its group" in out
    assert "age=1" in out
    shop.write("more.csv", "age,items\n1,a|s\n1,a|s\n1,a\n1,b\n1,b\n1,c\n1,c\n")
    code, out, _ = shop("verify", "more.csv", *words[2:])
    assert code == 1
    assert "1 combination of values and 1 item reveals too much:" in out


def test_tables_without_sets(shop: Shell) -> None:
    shop.write("plain.csv", "age;town\n1;x\n2;x\n8;y\n9;y\n")
    words = ("anonymize", "plain.csv", "-o", "p.csv", "--model", "k", "--k", "2", "--algorithm")
    for algorithm in ("cluster", "mondrian"):
        code, out, err = shop(*words, algorithm)
        assert (code, err) == (0, "")
        assert "loss of the sets" not in out
        assert (shop.folder / "p.csv").read_text() == "age;town\n[1:2];x\n[1:2];x\n[8:9];y\n[8:9];y\n"
    assert shop("verify", "p.csv", "--model", "k", "--k", "2")[0] == 0
    assert "protects sets, but plain.csv was read as a table" in shop.fails("verify", "plain.csv", "--no-sets")
    code, out, err = shop("anonymize", "in.csv", "-o", "q.csv", "--model", "k", "--k", "2", "--identifiers", "name")
    assert code == 0
    assert "The sets are published unchanged" in err
    assert [set(row["items"].split("|")) for row in published(shop, "q.csv")] == [
        set(row[3].split("|")) for row in ROWS
    ]


def test_levels_dates_and_missing_values(shop: Shell) -> None:
    rows = "born,pay,items\n2001-03-09,5,a\n2001-03-30,,a\n1999-12-31,12.5,a\n1999-01-01,-9,a\n"
    shop.write("d.csv", rows)
    code, _, _ = shop(
        "anonymize", "d.csv", "-o", "e.csv", "--model", "k-km", "--k", "2", "--algorithm", "rfirst", "--missing", "-9",
        "--hierarchy", "born=calendar:month,year", "--hierarchy", "pay=breaks:0,10",
    )  # fmt: skip
    assert code == 0
    found = [(row["born"], row["pay"]) for row in published(shop, "e.csv")]
    assert ("[2001-03-01:2001-03-31]", "*") in found
    assert ("[1999-01-01:1999-12-31]", "*") in found


def test_several_columns_of_sets(shop: Shell) -> None:
    shop.write("s.csv", "age,drugs,tests\n1,a|b,x\n1,a,x|y\n2,b,y\n2,b|a,x\n")
    shop.write("drugs.csv", "a;any\nb;any\n")
    words = ("anonymize", "s.csv", "-o", "t.csv", "--model", "k-km", "--k", "2", "--sets", "drugs,tests")
    code, _, _ = shop(*words, "--algorithm", "tfirst", "--hierarchy", "drugs=drugs.csv")
    assert code == 0
    assert list(published(shop, "t.csv")[0]) == ["age", "drugs", "tests"]
    code, out, _ = shop("verify", "t.csv", "--model", "k-km", "--k", "2", "--sets", "drugs,tests")
    assert code == 0, out
    assert "has no such" in shop.fails(*words, "--hierarchy", "pills=drugs.csv")


def test_profile_with_columns(shop: Shell) -> None:
    code, out, _ = shop("profile", "in.csv", "--k", "2", "--m", "2", "--quasi-identifiers", "origin")
    assert code == 0
    assert "the columns and up to 2 items" in out
    found = json.loads(shop("profile", "in.csv", "--k", "2", "--quasi-identifiers", "origin", "--json")[1])
    assert found["risk_by_columns"] == {"below_k": 6, "unique": 6, "k": 2}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--quasi-identifiers", "age"), "No role is given for 'origin'"),
        (("--quasi-identifiers", "aeg"), "No column 'aeg' (did you mean 'age'?)"),
        (("--plain", "name"), "Column 'name' has two roles"),
        (("--hierarchy", "origin=none.csv"), "none.csv does not exist"),
        (("--hierarchy", "age=width:0"), "Column 'age': 'width:0' does not describe ranges"),
        (("--hierarchy", "origin=width:5"), "Column 'origin'"),
        (("--delta", "2"), "--delta must be at most 1, got 2"),
        (("--delta", "0.01"), "cannot be kept within --delta 0.01"),
        (("--k", "7"), "needs at least 7 records, got 6"),
        (("--column-weights", "age=3"), "--column-weights must be numbers from 0 to 1"),
        (
            ("--model", "km", "--hierarchy", "age=width:5"),
            "A hierarchy is given for column 'age', which is not a quasi-identifier",
        ),
    ],
)
def test_bad_options(shop: Shell, words: tuple[str, ...], told: str) -> None:
    assert told in shop.fails(*ANONYMIZE, *words)


def test_a_value_that_the_hierarchy_does_not_know(shop: Shell) -> None:
    shop.write("origin.csv", TREE.replace("Spain", "Portugal"))
    told = shop.fails(*ANONYMIZE, *TREES)
    assert "in.csv, line 5: Column 'origin': 'Spain' is neither a value nor a group of the hierarchy" in told
