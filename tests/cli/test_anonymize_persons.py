"""Persons from the command line.

Covers: cli/verify.py, cli/profile.py, jobs/job.py, jobs/problem_file.py, jobs/command.py.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal.jobs.command import Command
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.jobs.job import Job
from shoal.jobs.problem_file import load
from tests.conftest import Shell

LINES = [
    (basket, f"h{basket % 7 + basket % 3}", basket % 4, product, price)
    for basket in range(100, 140)
    for price, product in enumerate(["ale", "tea"] if basket % 3 else ["ale", "oats", "tea"])
]
ORDERS = "basket_id,household_id,week,product,price\n" + "".join(f"{','.join(map(str, line))}\n" for line in LINES)
HOUSEHOLDS = "basket,who\n" + "".join(
    f"{basket},{house}\n" for basket, house in dict.fromkeys(line[:2] for line in LINES)
)
LONG = ("--id-column", "basket_id", "--item-column", "product")
PERSON = ("--person", "household_id")
MODEL = ("--k", "2", "--m", "2", "--algorithm", "aa")
TREE = "ale,drinks,*\ntea,drinks,*\noats,food,*\n"


@pytest.fixture
def shop(shell: Shell) -> Shell:
    shell.write("orders.csv", ORDERS)
    shell.write("tree.csv", TREE)
    return shell


def anonymized(shop: Shell, *more: str) -> tuple[str, str]:
    code, out, err = shop(
        "anonymize", "orders.csv", "-o", "public.csv", "--hierarchy", "tree.csv", *LONG, *MODEL, *more
    )
    assert code == 0, err
    return out, err


def fails(shop: Shell, *more: str) -> str:
    return shop.fails("anonymize", "orders.csv", "-o", "public.csv", "--hierarchy", "tree.csv", *LONG, *MODEL, *more)


def text(shop: Shell, name: str) -> str:
    return (shop.folder / name).read_text(encoding="utf-8")


def test_persons_are_counted_and_not_published(shop: Shell) -> None:
    out, err = anonymized(shop, *PERSON, "--columns", "week", "--persons-out", "persons.txt", "--report", "report.md")
    header, *lines = text(shop, "public.csv").splitlines()
    assert header == "basket_id,week,product"
    assert [line.split(",")[1] for line in lines] == sorted(line.split(",")[1] for line in lines)
    assert "40 of 9 households" in out
    assert "40 records of 9 households" in shop.was_read[0]
    assert "persons in 'household_id'" in shop.was_read[0]
    for told in ("published sorted by their content", "of one record", "--id-column household_id", "counts households"):
        assert told in err
    assert len(text(shop, "persons.txt").splitlines()) == 40
    assert (shop.folder / "persons.txt").stat().st_mode & 0o777 == 0o600
    assert "--persons persons.txt" in text(shop, "report.md")


def test_verify_counts_persons_if_it_knows_them(shop: Shell) -> None:
    anonymized(shop, *PERSON, "--columns", "week", "--persons-out", "persons.txt")
    words = ("verify", "public.csv", *LONG, "--k", "2", "--m", "2")
    code, out, err = shop(*words)
    assert (code, out[:6]) == (0, "Holds.")
    assert "\nPersons were not checked: if a person may have several records, give --persons FILE" in out
    assert err == ""
    assert "not checked" not in shop(*words, "--persons", "persons.txt")[1]
    code, out, err = shop(*words, "--persons", "persons.txt", "--json")
    assert (code, err) == (0, "")
    assert {name: json.loads(out)[name] for name in ("persons", "persons_checked")} == {
        "persons": 9,
        "persons_checked": True,
    }
    code, out, _ = shop(*words, "--json")
    assert {name: json.loads(out)[name] for name in ("persons", "persons_checked")} == {
        "persons": None,
        "persons_checked": False,
    }
    shop.write("one.txt", "h1\n" * 40)
    code, out, _ = shop(*words, "--persons", "one.txt")
    assert code == 1, "all records are of one person"
    shop.write("few.txt", "h1\n" * 39)
    assert "few.txt has 39 persons, but public.csv has 40 records" in shop.fails(*words, "--persons", "few.txt")
    assert "--persons and --person both name" in shop.fails(*words, "--persons", "persons.txt", "--person", "week")
    for person in ("household_id", "basket"):
        assert "pass --persons FILE instead" in shop.fails(*words, "--person", person)
    hkp = shop.fails(*words[:-4], "--model", "hkp", "--persons", "persons.txt")
    assert "The model hkp counts records, not persons" in hkp


def test_a_joined_column_and_one_of_several_ids_may_be_the_person(shop: Shell) -> None:
    anonymized(shop, *PERSON, "--columns", "week")
    expected = text(shop, "public.csv")
    shop.write("households.csv", HOUSEHOLDS)
    anonymized(shop, "--join", "households.csv:basket_id=basket", "--person", "who", "--columns", "week")
    assert text(shop, "public.csv") == expected
    anonymized(shop, *PERSON, "--id-column", "household_id", "--columns", "week")  # beside that of LONG
    assert sorted(text(shop, "public.csv").splitlines()[1:]) != []
    assert "household_id" not in text(shop, "public.csv").splitlines()[0]


def test_a_problem_file_and_a_printed_command_know_persons(shop: Shell) -> None:
    anonymized(shop, *PERSON, "--columns", "week", "--persons-out", "persons.txt")
    expected = [text(shop, name) for name in ("public.csv", "persons.txt")]
    shop.write(
        "problem.toml",
        '[data]\nfile = "orders.csv"\nid_column = "basket_id"\nitem_column = "product"\nperson = "household_id"\n'
        '[items]\nhierarchy = "tree.csv"\n[model]\nk = 2\n[algorithm]\nname = "aa"\n'
        '[output]\nfile = "public.csv"\ncolumns = ["week"]\npersons = "persons.txt"\n',
    )
    code, _, err = shop("run", "problem.toml")
    assert code == 0, err
    assert [text(shop, name) for name in ("public.csv", "persons.txt")] == expected
    job = load(shop.folder / "problem.toml")
    words = Command.of(job).words
    assert words[words.index("--person") + 1] == "household_id"
    assert words[words.index("--persons-out") + 1].endswith("persons.txt")
    assert isinstance(job, Job)


def test_one_record_for_each_person_changes_nothing(shop: Shell) -> None:
    anonymized(shop, "--columns", "week")
    expected = text(shop, "public.csv")
    _, err = anonymized(shop, "--columns", "week", "--person", "basket_id")
    assert text(shop, "public.csv") == expected
    assert "No person (column 'basket_id') has more than one record, so --person has no effect." in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--person", "houshold_id"), "orders.csv has no column 'houshold_id' (did you mean 'household_id'?)"),
        (
            ("--person", "price"),
            "Column 'price' differs within a record, so it cannot be the person column of orders.csv (--person)",
        ),
        ((*PERSON, "--columns", "household_id,week"), "Column 'household_id' is the person column (--person)"),
        ((*PERSON, "--plain", "household_id"), "Column 'household_id' is the person column (--person)"),
        ((*PERSON, "--keep-ids", "--plain", "basket_id"), "--keep-ids would publish 'basket_id'"),
        (("--persons-out", "persons.txt"), "--persons-out needs the persons of the records: name their column"),
        ((*PERSON, "--persons-out", "public.csv"), "must be different files"),
        ((*PERSON, "--persons-out", "orders.csv"), "orders.csv is an input too"),
        ((*PERSON, "--persons-out", "tree.csv"), "tree.csv is an input too"),
    ],
)
def test_what_makes_no_sense_is_refused(words: tuple[str, ...], told: str, shop: Shell) -> None:
    assert told in fails(shop, *words)


def test_blanks_are_refused_with_the_first_place(shop: Shell) -> None:
    shop.write("orders.csv", ORDERS.replace("101,h5,", "101,,").replace("104,h8,", "104, ,"))
    err = fails(shop, *PERSON)
    assert "orders.csv, basket_id 101: the person column 'household_id' is empty (2 such records)" in err
    wide = shop.write("wide.csv", "who,items\na,x|y\n,x\nb,y\n ,x\n")
    err = shop.fails("anonymize", wide, "-o", "o.csv", "--sets", "items", "--k", "2", "--m", "1", "--person", "who")
    assert "wide.csv, line 3: the person column 'who' is empty (2 such records)" in err


def test_a_column_that_tells_the_person_is_refused_with_the_ways_out(shop: Shell) -> None:
    rows = ORDERS.splitlines()
    cards = [f"{line},{'card' if at == 0 else 'c' + line.split(',')[1]}" for at, line in enumerate(rows)]
    shop.write("orders.csv", "\n".join(cards) + "\n")
    err = fails(shop, *PERSON)
    assert "Column 'card' of orders.csv links the records of a household: each of its 9 values belongs to one" in err
    assert "--identifiers card" in err
    assert "--id-column household_id" in err
    anonymized(shop, *PERSON, "--identifiers", "card")


def test_a_model_of_columns_reads_order_lines_too(shop: Shell) -> None:
    words = (*LONG, *PERSON, "--columns", "week", "--model", "k", "--hierarchy", "week=width:2,4")
    err = shop.fails("anonymize", "orders.csv", "-o", "public.csv", *words, "--k", "10")
    assert "k-anonymity with k=10 needs at least 10 households, got 9" in err


def test_formats_without_columns_have_no_persons(shop: Shell) -> None:
    shop.write("rows.dat", "1 2\n2 3\n")
    err = shop.fails("profile", "rows.dat", "--person", "who")
    assert "Format fimi has no option --person" in err


def test_profile_tells_how_many_persons_can_be_found(shop: Shell) -> None:
    code, out, _ = shop("profile", "orders.csv", *LONG, *PERSON, "--k", "2", "--m", "1")
    assert code == 0
    assert "households" in out
    assert "records of one household, most" in out
    assert "to fewer than 2 households" in out
    code, out, _ = shop("profile", "orders.csv", *LONG, *PERSON, "--k", "2", "--m", "1", "--json")
    persons = json.loads(out)["persons"]
    assert (persons["persons"], persons["column"]) == (9, "household_id")


def test_generated_data_have_no_persons(tmp_path: Path) -> None:
    from shoal.errors import OptionError
    from shoal.io.read_options import ReadOptions

    with pytest.raises(OptionError, match="person is for files"):
        DatasetSpec(generate="quest", reading=ReadOptions(person="who"))
