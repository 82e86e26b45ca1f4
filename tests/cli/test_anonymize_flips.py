"""The command line for sensitive-k, privacy-degree and apx-cover."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.conftest import Shell

TREE = "child,parent\nbread,food\nmilk,food\nbeer,drinks\ntea,drinks\ninsulin,medicines\naspirin,medicines\n"
TREE += "food,all\ndrinks,all\nmedicines,all\n"
ROWS = [
    "bread milk insulin",
    "bread milk",
    "bread beer",
    "tea",
    "tea milk aspirin",
    "tea milk",
    "beer tea",
    "bread tea milk",
    "beer",
    "milk",
]


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("tree.csv", TREE)
    shell.write("rows.basket", "\n".join(row.replace(" ", ",") for row in ROWS) + "\n")
    shell.write("rows.csv", "age,items\n" + "".join(f"{20 + at},{row}\n" for at, row in enumerate(ROWS)))
    return shell


def rows_of(shop: Shell, name: str) -> list[frozenset[str]]:
    return [frozenset(row.split(",")) for row in (shop.folder / name).read_text().splitlines()]


SECRET = ("--sensitive", "insulin,aspirin")
MODEL = ("--model", "sensitive-k", "--k", "3")
MAKE = ("anonymize", "rows.basket", "-o", "out.basket", *MODEL)
DEGREE = ("--model", "privacy-degree", "--p", "3", *SECRET)


@pytest.mark.parametrize("algorithm", ["stn", "gsc", "knn"])
def test_sensitive_records_become_the_same(shop: Shell, algorithm: str) -> None:
    code, out, err = shop(*MAKE, *SECRET, "--algorithm", algorithm, "--report", "r.json", "--report", "r.html")
    assert code == 0, err
    assert "Verified" in out
    rows = rows_of(shop, "out.basket")
    counts = Counter(rows)
    assert len(rows) == len(ROWS)
    assert all(counts[row] >= 3 for row in rows if row & {"insulin", "aspirin"})
    assert shop("verify", "out.basket", *MODEL, *SECRET)[0] == 0
    code, out, _ = shop("measure", "rows.basket", "out.basket", *SECRET, "--json")
    assert code == 0
    losses = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["losses"]
    measured = json.loads(out)
    assert {name: measured[name] for name in losses} == pytest.approx(losses)
    assert losses["sensitive_additions"] >= 4


def test_groups_of_the_hierarchy_name_their_items(shop: Shell) -> None:
    assert shop(*MAKE, *SECRET)[0] == 0
    wanted = rows_of(shop, "out.basket")
    code, _, err = shop(*MAKE, "--sensitive", "medicines", "--hierarchy", "tree.csv", "--report", "r.md")
    assert code == 0, err
    check = ("verify", "out.basket", *MODEL, "--sensitive", "medicines")
    assert shop(*check, "--hierarchy", "tree.csv")[0] == 0
    assert "'medicines' is not in out.basket" in shop.fails(*check)
    assert "--sensitive aspirin,insulin" in (shop.folder / "r.md").read_text(encoding="utf-8")
    assert rows_of(shop, "out.basket") == wanted
    assert shop("verify", "rows.basket", *MODEL, "--sensitive", "medicines", "--hierarchy", "tree.csv")[0] == 1


def test_privacy_degree_publishes_groups(shop: Shell) -> None:
    make = ("anonymize", "rows.csv", "-o", "out.csv", "--sets", "items", *DEGREE)
    code, out, err = shop(*make, "--report", "r.html", "--report", "r.md")
    assert code == 0, err
    assert "Verified" in out
    assert "The column 'age' is published unchanged" in err
    assert "'group'" not in err
    header, *lines = (shop.folder / "out.csv").read_text().splitlines()
    assert header == "age,items,group"
    secret = {"insulin", "aspirin"}
    assert [set(line.split(",")[1].split()) - secret for line in lines] == [set(row.split()) - secret for row in ROWS]
    assert shop("verify", "out.csv", "--sets", "items", *DEGREE)[0] == 0
    code, out, _ = shop("verify", "out.csv", "--sets", "items", *DEGREE[:3], "4", *SECRET, "--json")
    assert code == 1
    assert json.loads(out)["witnesses"][0]["group"] == "1"
    assert shop("measure", "rows.csv", "out.csv", "--sets", "items", *SECRET, "--group-column", "group")[0] == 0


def test_a_file_of_bare_sets_cannot_hold_groups(shop: Shell) -> None:
    said = shop.fails("anonymize", "rows.basket", "-o", "out.basket", *DEGREE)
    assert "Format basket cannot hold the column 'group', which will be published: write csv" in said
    assert shop("anonymize", "rows.basket", "-o", "out.csv", *DEGREE)[0] == 0
    assert shop("verify", "out.csv", *DEGREE)[0] == 0


def test_apx_cover(shop: Shell) -> None:
    model = ("--model", "transactional-k", "--k", "3")
    code, _, err = shop("anonymize", "rows.basket", "-o", "out.basket", *model, "--algorithm", "apx-cover")
    assert code == 0, err
    assert shop("verify", "out.basket", *model)[0] == 0
    code, _, err = shop("anonymize", "rows.basket", "-o", "cut.basket", *model)  # by partition, which needs a hierarchy
    assert code == 0, err
    assert "No hierarchy was given, so one was built" in err
    assert shop("verify", "cut.basket", *model)[0] == 0


def test_mm_needs_no_hierarchy(shop: Shell) -> None:
    words = ("--model", "km", "--k", "2", "--m", "2", "--algorithm", "mm")
    assert shop("anonymize", "rows.basket", "-o", "out.basket", *words, "--report", "r.html")[0] == 0
    page = (shop.folder / "r.html").read_text(encoding="utf-8")
    assert "none was given" in page
    assert "The groups come from the hierarchy" not in page


def test_nobody_is_sensitive(shop: Shell) -> None:
    assert "'morphine' is not in the data" in shop.fails(*MAKE, "--sensitive", "morphine")
    code, _, err = shop(*MAKE, "--sensitive", "morphine", "--allow-missing")
    assert code == 0
    assert "These sensitive labels are not in the data: morphine" in err
    assert rows_of(shop, "out.basket") == rows_of(shop, "rows.basket")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "sensitive k-anonymity needs sensitive items: name them with --sensitive"),
        (("--sensitive", "insulin", "--k", "1"), "--k must be at least 2, got 1"),
        (
            ("--sensitive", "insulin", "--k", "11"),
            "needs no records with sensitive items, or at least 11 records in all",
        ),
        (("--sensitive", "insuline"), "'insuline' (did you mean 'insulin'?) is not in the data"),
        (
            ("--sensitive", "insulin,milk", "--qid", "milk,bread"),
            "both sensitive (--sensitive) and as a quasi-identifier (--qid): milk",
        ),
        (
            ("--sensitive", "insulin", "--qid", "milk,bread"),
            "Item 'aspirin' (line 5) is neither sensitive nor in --qid",
        ),
        (("--sensitive", "insulin", "--algorithm", "gsc", "--alpha", "0"), "--alpha must be at least 1, got 0"),
        (
            ("--sensitive", "insulin", "--algorithm", "knn", "--order", "best"),
            "--order must be one of random, stn, gsc",
        ),
        (
            ("--sensitive", "insulin", "--algorithm", "aa", "--hierarchy", "tree.csv"),
            "Algorithm aa does not solve the model sensitive-k",
        ),
        (("--sensitive", "insulin", "--p", "3"), "--p is an option of"),
        (("--sensitive", "none.txt"), "none.txt does not exist"),
    ],
)
def test_bad_input(shop: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in shop.fails(*MAKE, *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--p", "6"), "'aspirin' is in 1 of 5 (20.0%): choose a smaller p"),
        (("--group-column", "age"), "has a column 'age' already, which privacy degree p adds"),
    ],
)
def test_bad_degrees(shop: Shell, words: tuple[str, ...], said: str) -> None:
    shop.write("short.csv", "\n".join((shop.folder / "rows.csv").read_text().splitlines()[:6]) + "\n")
    make = ("anonymize", "short.csv", "-o", "out.csv", "--sets", "items", "--model", "privacy-degree")
    assert said in shop.fails(*make, *SECRET, *words)


def test_what_verify_cannot_see_it_says(shop: Shell) -> None:
    """Raw data with any column of groups pass the count; a label that looks like a sensitive one is pointed out."""
    shop.write("raw.csv", "items,group\na HIV,1\nb hiv,1\n")
    check = ("verify", "raw.csv", "--sets", "items", "--model", "privacy-degree", "--p", "2", "--sensitive", "HIV")
    code, out, err = shop(*check)
    assert code == 0
    assert "nothing tells" not in out
    said = " ".join(err.split())
    assert "A file cannot show whether these items were shuffled" in said
    assert "'hiv' looks like 'HIV' but was not declared sensitive" in said


def test_counted_items_are_sensitive_by_their_name(shop: Shell) -> None:
    shop.write("many.basket", "bread,insulin,insulin\nbread,insulin\nbread\nmilk,bread\n")
    make = ("anonymize", "many.basket", "-o", "out.basket", "--multiset", "--model", "sensitive-k", "--k", "2")
    code, _, err = shop(*make, "--sensitive", "insulin")
    assert code == 0, err
    assert "'insulin' represents 2 sensitive items." in err
    told = shop("measure", "many.basket", "out.basket", "--multiset", "--sensitive", "insulin", "--json")
    assert json.loads(told[1])["sensitive_additions"] > 0


def test_only_items_that_vanish_are_suppressed(shop: Shell) -> None:
    assert shop(*MAKE, *SECRET)[0] == 0
    code, out, _ = shop("measure", "rows.basket", "out.basket", *SECRET, "--json")
    assert code == 0
    assert json.loads(out)["qid_deletions"] > 0
    assert json.loads(out)["suppressed_items"] == 0


def test_groups_that_a_file_does_not_tell(shop: Shell) -> None:
    check = ("verify", "g.csv", "--sets", "items", *DEGREE)
    shop.write("g.csv", "group,items\n1,a insulin\n,b aspirin\n")
    assert "Column 'group' of g.csv has no group for line 3: every record needs one" in shop.fails(*check)
    assert "has no column 'bundle'" in shop.fails(*check, "--group-column", "bundle")
