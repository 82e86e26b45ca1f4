"""``shoal measure`` and ``shoal verify`` on files as Amnesia, ARX and SECRETA write them; made by hand.

Covers: jobs/published_file.py.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import BASKETS, HIERARCHY, Shell

NCP = 2.5 / 11  # P3's Fig. 2: a1 and a2 as A
TABLE = "id;items\n" + "".join(f"{at};{row.replace(',', '|')}\n" for at, row in enumerate(BASKETS.split(), 1))


@pytest.fixture
def lab(shell: Shell) -> Shell:
    shell.write("in.basket", BASKETS)
    shell.write("in.csv", TABLE)
    shell.write("h.csv", HIERARCHY)
    return shell


def measured(lab: Shell, *words: str, notes: str = "") -> dict[str, Any]:
    code, out, err = lab("measure", *words, "--hierarchy", "h.csv", "--json")
    assert code == 0, err
    assert notes in err if notes else not err
    found: dict[str, Any] = json.loads(out)
    return found


FULL = {
    "hierarchy labels": ("out.basket", "A,b1,b2\nA,b1\nA,b1,b2\nA,b2\n", ()),
    "quoted": ("out.basket", '"A","b1","b2"\n"A","b1"\n"A","b1","b2"\n"A","b2"\n', ()),
    "sets, spaces between items": (
        "out.txt",
        "(a1,a2) b1 b2\n(a1,a2) b1\n(a1,a2) b1 b2\n(a1,a2) b2\n",
        ("--published-format", "basket", "--published-delimiter", " "),
    ),
    "sets, quoted": (
        "out.basket",
        '"(a1,a2)",b1,b2\n"(a1,a2)",b1\n"(a1,a2)",b1,b2\n"(a1,a2)",b2\n',
        (),
    ),
    "another delimiter": ("out.basket", "A;b1;b2\nA;b1\nA;b1;b2\nA;b2\n", ()),
    "windows line ends and a mark": ("out.basket", "\ufeffA,b1,b2\r\nA,b1\r\nA,b1,b2\r\nA,b2\r\n", ()),
}


@pytest.mark.parametrize(("name", "text", "words"), FULL.values(), ids=FULL)
def test_baskets(lab: Shell, name: str, text: str, words: tuple[str, ...]) -> None:
    lab.write(name, text)
    values = measured(lab, "in.basket", name, *words)
    assert values["ncp"] == pytest.approx(NCP, abs=1e-12)
    assert (values["unchanged_items"], values["suppressed_items"]) == (6, 0)


TABLES = {
    "the same": ("id;items\n1;A|b1|b2\n2;A|b1\n3;A|b1|b2\n4;A|b2\n", ()),
    "another item delimiter": ("id;items\n1;A b1 b2\n2;A b1\n3;A b1 b2\n4;A b2\n", ("--published-item-delimiter", " ")),
    "another name and delimiter": (
        'id,Items\n1,"A,b1,b2"\n2,"A,b1"\n3,"A,b1,b2"\n4,"A,b2"\n',
        ("--published-sets", "Items"),
    ),
    "named delimiter": (
        'id,items,x;y\n1,"A|b1|b2",1\n2,A|b1,1\n3,A|b1|b2,1\n4,A|b2,1\n',
        ("--published-delimiter", ","),
    ),
}


@pytest.mark.parametrize(("text", "words"), TABLES.values(), ids=TABLES)
def test_tables(lab: Shell, text: str, words: tuple[str, ...]) -> None:
    lab.write("out.csv", text)
    assert measured(lab, "in.csv", "out.csv", "--sets", "items", *words)["ncp"] == pytest.approx(NCP, abs=1e-12)


def test_a_table_against_baskets(lab: Shell) -> None:
    """The original of one kind, what is published of another."""
    lab.write("out.csv", TABLES["the same"][0])
    values = measured(lab, "in.basket", "out.csv", "--published-sets", "items")
    assert values["ncp"] == pytest.approx(NCP, abs=1e-12)


STAR = "'*' is in 1 record of "


@pytest.mark.parametrize(
    ("name", "text", "words", "notes"),
    [
        ("out.basket", "A,b1,b2\n*\nA,b1,b2\nA,b2\n", (), STAR),
        ("out.basket", "A,b1,b2\n\nA,b1,b2\nA,b2\n", (), ""),
        ("out.basket", "A,b1,b2\n(null)\nA,b1,b2\nA,b2\n", ("--suppressed", "(null)"), ""),
        ("out.basket", "A,b1,b2\nNULL,-\nA,b1,b2\nA,b2\n", ("--suppressed", "NULL,-"), ""),
    ],
    ids=["star", "empty line", "another mark", "two marks"],
)
def test_a_suppressed_record(lab: Shell, name: str, text: str, words: tuple[str, ...], notes: str) -> None:
    """Record 2 lost a2 and b1: of the rest, a2 and two of a1 (3 of 4 of the a) are generalized."""
    lab.write(name, text)
    values = measured(lab, "in.basket", name, *words, notes=notes)
    assert values["ncp"] == pytest.approx((4 * 0.5 + 2) / 11, abs=1e-12)
    assert (values["emptied_records"], values["suppressed_items"]) == (1, 2)


def test_a_suppressed_record_of_a_table(lab: Shell) -> None:
    """ARX suppresses all cells of a record."""
    lab.write("out.csv", "id;items\n1;A|b1|b2\n*;*\n3;A|b1|b2\n4;A|b2\n")
    values = measured(lab, "in.csv", "out.csv", "--sets", "items", notes=STAR)
    assert (values["emptied_records"], values["suppressed_items"]) == (1, 2)


def test_a_suppressed_item(lab: Shell) -> None:
    lab.write("out.basket", "A,*,b2\nA,b1\nA,b1,b2\nA,b2\n")
    values = measured(lab, "in.basket", "out.basket", notes=STAR)
    assert (values["emptied_records"], values["suppressed_items"]) == (0, 1)
    assert values["ncp"] == pytest.approx((2.5 + 1) / 11, abs=1e-12)


def test_a_star_that_is_the_root_or_an_item_is_what_it_is(lab: Shell) -> None:
    lab.write("out.basket", "*\n*\n*\n*\n")
    lab.write("h.csv", HIERARCHY.replace("ALL", "*"))
    note = "'*' is in 4 records of out.basket: taken as the root of the hierarchy"
    values = measured(lab, "in.basket", "out.basket", notes=note)
    assert (values["ncp"], values["suppressed_items"]) == (1, 0)
    values = measured(lab, "in.basket", "out.basket", "--suppressed", "*")
    assert (values["ncp"], values["suppressed_items"]) == (1, values["total_items"])
    assert values["emptied_records"] == 4
    lab.write("in.basket", "*\n*\n*\na1\n")
    lab.write("h.csv", HIERARCHY + "*;A;ALL\n")
    lab.write("out.basket", "*\n*\n*\na1\n")
    assert measured(lab, "in.basket", "out.basket")["unchanged_items"] == 4


def test_without_a_hierarchy_a_star_is_suppressed_too(lab: Shell) -> None:
    lab.write("out.basket", "a1,b1,b2\n*\na2,b1,b2\na1,a2,b2\n")
    code, out, err = lab("measure", "in.basket", "out.basket", "--json")
    assert code == 0
    assert STAR in err
    assert json.loads(out)["ncp"] == pytest.approx(2 / 11, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("A,b1,b2\nA,b1\nA,c9\nA,b2\n", (), "Published label 'c9' (line 3) is neither an item nor a group"),
        ("A,b1\n(a1;b9)\nA\nA\n", ("--delimiter", ","), "Published label '(a1;b9)' (line 2)"),
        ("(a1,a2),b1\nb2\nb2\nb2\n", (), "Label '(a1' (line 1) looks like a piece of a set such as (a,b)"),
        ("A\nA\nA\n", (), "The original data have 4 rows and the published data 3"),
        ("A\nA\nA\nA\n", ("--suppressed", "x"), "--suppressed names 'x', which is in no record of out.basket"),
        (
            "A\nA\nA\nA\n",
            ("--suppressed", "A"),
            "--suppressed names 'A', which is an item, or a group of the hierarchy",
        ),
    ],
)
def test_what_cannot_be_read(lab: Shell, text: str, words: tuple[str, ...], said: str) -> None:
    lab.write("out.basket", text)
    assert said in lab.fails("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", *words)


def test_verify_does_not_take_pieces_of_sets_for_items(lab: Shell) -> None:
    """With m = 2 a set of two items would take up all that is known, and the file would seem to be fine."""
    lab.write("out.basket", "(a1,a2),b1\n(a1,a2),b1\n(a1,a2),b2\n(a1,a3),b2\n")
    assert "looks like a piece of a set" in lab.fails("verify", "out.basket", "--k", "2", "--m", "2")
    lab.write("quoted.basket", '"(a1,a2)",b1\n"(a1,a2)",b1\n"(a1,a2)",b2\n"(a1,a2)",b2\n')
    assert lab("verify", "quoted.basket", "--k", "2", "--m", "2")[0] == 0


def test_verify_says_what_to_do_about_a_star(lab: Shell) -> None:
    lab.write("out.basket", "A,b1\n*\nA,b1\n")
    code, _, err = lab("verify", "out.basket", "--k", "2", "--m", "2")
    assert code == 1
    assert "pass --drop-items '*'" in err
    code, _, err = lab("verify", "out.basket", "--k", "2", "--m", "2", "--drop-items", "*")
    assert (code, err) == (0, "")


def test_everything_at_once(lab: Shell) -> None:
    """Mining, risk and queries by size, for machines and for people."""
    lab.write("out.basket", FULL["hierarchy labels"][1])
    words = ("--mining", "50,75%", "--known", "2", "--k", "2", "--queries", "5", "--query-items", "1,2")
    values = measured(lab, "in.basket", "out.basket", *words)
    assert values["ml2"] == pytest.approx((5 / 11 + 1 / 6) / 2, abs=1e-12)
    assert [(one["least"], one["itemsets"], one["found"]) for one in values["mining"]] == [(2, 11, 6), (3, 6, 5)]
    assert values["risk"]["k"] == 2
    assert [(one["known_items"], one["below_k"], one["unique"]) for one in values["risk"]["before"]] == [
        (1, 0, 0),
        (2, 2, 2),
    ]
    assert [one["prosecutor"] for one in values["risk"]["after"]] == [1 / 3, 1 / 2]
    assert [one["average"] for one in values["risk"]["before"]] == pytest.approx([5 / 12, 3 / 4])
    assert set(values["are_by_size"]) == {"1 item", "2 items"}
    assert values["queries"] == 10
    assert values["are"] == pytest.approx(sum(values["are_by_size"].values()) / 2)
    code, out, err = lab("measure", "in.basket", "out.basket", "--hierarchy", "h.csv", *words)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "2 records (50 %) 11 6 0.454545 0.454545 1.000000" in lines
    assert "up to 2 items before 2 (50 %) 2 (50 %) 1.000000 0.750000" in lines
    assert "after 0 (0 %) 0 (0 %) 0.500000 0.416667" in lines
    assert f"1 item {values['are_by_size']['1 item']:.6f}" in lines


def test_mining_by_default_at_one_two_and_three_percent(lab: Shell) -> None:
    values = measured(lab, "in.basket", "in.basket", "--mining")
    assert [one["threshold"] for one in values["mining"]] == [0.01, 0.02, 0.03]
    assert (values["ml2"], values["dml2"], values["dml2_missed"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mining", "5"), "--mining needs --hierarchy"),
        (("--mining", "x", "--hierarchy", "h.csv"), "--mining must be percentages above 0 and up to 100"),
        (("--mining", "0", "--hierarchy", "h.csv"), "got '0'"),
        (("--mining", "1/0", "--hierarchy", "h.csv"), "got '1/0'"),
        (("--mining", "101", "--hierarchy", "h.csv"), "got '101'"),
        (("--queries", "3", "--query-items", "1,x"), "--query-items must be a number, or several such as 1,2,3"),
        (("--queries", "3", "--query-items", "2,2"), "--query-items must be different numbers"),
        (("--queries", "3", "--query-items", "1,4"), "queries cannot ask for 4 items"),
        (("--query-items", "1,2"), "--query-items needs --queries"),
        (("--known", "0"), "'--known': 0 is not in the range"),
    ],
)
def test_options_that_make_no_sense(lab: Shell, words: tuple[str, ...], said: str) -> None:
    assert said in lab.fails("measure", "in.basket", "in.basket", *words)


def test_a_saved_workload(lab: Shell) -> None:
    """Without any columns; the same seed draws the same."""
    words = ("workload", "in.basket", "--queries", "4", "--query-items", "1,3")
    code, out, _ = lab(*words, "-o", "q.jsonl", "--seed", "1")
    assert code == 0
    assert "8 queries drawn from 4 records: q.jsonl" in out
    queries = [json.loads(line)["items"] for line in (lab.folder / "q.jsonl").read_text().splitlines()]
    assert [len(items) for items in queries] == [1] * 4 + [3] * 4
    lab(*words, "-o", "again.jsonl", "--seed", "1")
    lab(*words, "-o", "other.jsonl", "--seed", "2")
    first, again, other = ((lab.folder / f"{name}.jsonl").read_text() for name in ("q", "again", "other"))
    assert first == again != other
    lab.write("out.basket", FULL["hierarchy labels"][1])
    values = measured(lab, "in.basket", "out.basket", "--workload", "q.jsonl")
    assert set(values["are_by_size"]) == {"1 item", "3 items"}
    assert "is an input too" in lab.fails("workload", "in.basket", "-o", "in.basket")


def test_a_workload_about_columns_and_without_sensitive_items(lab: Shell) -> None:
    lab.write("people.csv", "age,items\n20,a|HIV\n30,b|HIV\n40,a|b\n")
    words = ("--sets", "items", "--quasi-identifiers", "age", "--sensitive", "HIV", "--queries", "30")
    code, _, err = lab("workload", "people.csv", "-o", "q.jsonl", *words, "--query-items", "0,1")
    assert code == 0, err
    queries = [json.loads(line) for line in (lab.folder / "q.jsonl").read_text().splitlines()]
    assert {query["age"] for query in queries} == {"20", "30", "40"}
    assert {item for query in queries for item in query.get("items", ())} == {"a", "b"}
    code, out, err = lab("measure", "people.csv", "people.csv", *words[:6], "--workload", "q.jsonl", "--json")
    assert code == 0, err
    assert json.loads(out)["are_by_size"] == {"1 value": 0, "1 value, 1 item": 0}
    assert "'--categorical' " not in err
    assert "not named as a quasi-identifier" in lab.fails("workload", "people.csv", "-o", "x", "--categorical", "age")
