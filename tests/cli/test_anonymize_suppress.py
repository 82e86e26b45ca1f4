"""The command line where items may be suppressed: what is shown, written, reported, explained and refused."""

from __future__ import annotations

import json
import re

import pytest

from tests.conftest import Shell

TREE = "a1;A;ALL\na2;A;ALL\na3;A;ALL\nb1;B;ALL\nb2;B;ALL\n"
ROWS = "a1,b1\n" * 4 + "a2,b1\n" * 4 + "a2,b2\n" * 4 + "a1,b2\n" * 4 + "a3\n"


@pytest.fixture
def shop(shell: Shell) -> Shell:
    """One outlier, a3, in a record of its own."""
    shell.write("tree.csv", TREE)
    shell.write("rows.basket", ROWS)
    return shell


MAKE = ("anonymize", "rows.basket", "-o", "out.basket", "--hierarchy", "tree.csv", "--k", "3")
BEST = ("--algorithm", "optimal-suppress")


@pytest.mark.parametrize("algorithm", ["optimal-suppress", "mhghs", "hghs", "mm"])
def test_an_outlier_is_suppressed_and_its_record_stays(shop: Shell, algorithm: str) -> None:
    reports = ("--report", "r.json", "--report", "r.md", "--report", "r.html")
    code, out, err = shop(*MAKE, "--algorithm", algorithm, *reports)
    assert code == 0, err
    assert "1 (1 time, 3.030 %)" in out
    assert "1 record has lost all its items to suppression. It is still published." in " ".join(err.split())
    rows = (shop.folder / "out.basket").read_text(encoding="utf-8").split("\n")
    assert rows == [*ROWS.split("\n")[:16], "", ""]
    assert shop("verify", "out.basket", "--k", "3")[0] == 0
    facts = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))
    assert facts["suppressed"] == {
        "different_items": 1,
        "total_items": 1,
        "share": 1 / 33,
        "emptied_records": 1,
        "unnamed": 0,
        "listed": [{"label": "a3", "records": 1}],
    }
    assert facts["explanations"] == [
        {
            "group": "a3",
            "items": 1,
            "records": 1,
            "suppressed": True,
            "witness": {"labels": ["a3"], "support": 1},
        }
    ]
    text = (shop.folder / "r.md").read_text(encoding="utf-8")
    assert "| a3 | 1 |" in text
    assert "| Removed | Without it" in text
    assert "| a3 | a3 | 1 |" in text
    assert "1 item was removed from every record, 1 time in all (3 %). 1 record lost all its items." in text
    page = (shop.folder / "r.html").read_text(encoding="utf-8")
    assert "The removed items" in page
    assert "or removed, in the same way in every record" in page


def test_without_explanations_no_suppressed_item_is_named(shop: Shell) -> None:
    reports = ("--report", "r.json", "--report", "r.md", "--report", "r.html", "--no-explanations")
    assert shop(*MAKE, *BEST, *reports)[0] == 0
    for name in ("r.json", "r.md", "r.html"):
        text = (shop.folder / name).read_text(encoding="utf-8")
        assert not re.search(r"\ba3\b", text)
    assert json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["suppressed"]["different_items"] == 1


def test_explain_finds_what_was_suppressed_and_why(shop: Shell) -> None:
    assert shop(*MAKE, *BEST)[0] == 0
    code, out, err = shop("explain", "rows.basket", "out.basket", "--hierarchy", "tree.csv", "--k", "3")
    assert code == 0, err
    assert "a3 (suppressed)" in out
    assert "or published" in out
    one = shop("explain", "rows.basket", "out.basket", "--hierarchy", "tree.csv", "--k", "3", "--label", "a3", "--json")
    assert json.loads(one[1])["groups"][0]["suppressed"]


def test_the_proof_speaks_of_suppression_and_limits(shop: Shell) -> None:
    out = " ".join(shop(*MAKE, *BEST)[1].split())
    assert "Best of all cuts of tree.csv, with or without items removed (proved)." in out
    out = " ".join(shop(*MAKE, *BEST, "--max-suppressed", "1")[1].split())
    assert "removed within the given limits (proved)." in out


def test_limits(shop: Shell) -> None:
    """3 % of 33 occurrences is less than one; and the outlier may be named, or its group."""
    for limit in (("--max-suppressed", "3"), ("--never-suppress", "a3"), ("--never-suppress", "A")):
        code, out, err = shop(*MAKE, *BEST, *limit)
        assert code == 0, err
        assert "items suppressed" not in out
    assert shop(*MAKE, *BEST, "--max-suppressed", "3.1")[1].count("items suppressed") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--never-suppress", "a1x"), "'a1x' is neither an item nor a group of the hierarchy tree.csv (did you mean"),
        (("--max-suppressed", "101"), "max-suppressed must be at most 100, got 101"),
        (("--max-suppressed", "-1"), "max-suppressed must be at least 0, got -1"),
        (("--max-suppressed", "few"), "max-suppressed must be a number, got 'few'"),
        (("--never-suppress", "none.txt"), "none.txt does not exist"),
        (("--time-limit", "soon"), "time-limit must be a number or 'none', got 'soon'"),
        (("--k", "18", "--max-suppressed", "50"), "18^2-anonymity cannot be reached within the limits on suppression"),
        (("--model", "km-negative"), "does not solve the model km-negative"),
    ],
)
def test_bad_input(shop: Shell, options: tuple[str, ...], told: str) -> None:
    assert told in shop.fails(*MAKE, *BEST, *options)


def test_too_few_records_are_published_empty_and_that_is_said(shop: Shell) -> None:
    code, _, err = shop(*MAKE[:-1], "18", *BEST)
    assert code == 0
    assert "Every item was suppressed. All records are published empty" in " ".join(err.split())
    assert set((shop.folder / "out.basket").read_text(encoding="utf-8")) == {"\n"}


def test_emptied_records_of_a_one_column_table_are_no_blank_lines(shop: Shell) -> None:
    """Many tools skip blank lines, and rows would no longer fit those of the original."""
    shop.write("rows.csv", "items\n" + ROWS.replace(",", "|"))
    assert shop("anonymize", "rows.csv", "-o", "out.csv", *MAKE[4:], *BEST)[0] == 0
    assert (shop.folder / "out.csv").read_text(encoding="utf-8").endswith('a1|b2\n""\n')
    assert shop("verify", "out.csv", "--k", "3")[0] == 0
    code, out, err = shop("measure", "rows.csv", "out.csv", "--hierarchy", "tree.csv", "--json")
    assert code == 0, err
    figures = json.loads(out)
    assert (figures["different_suppressed_items"], figures["suppressed_items"], figures["emptied_records"]) == (1, 1, 1)
    assert figures["unchanged_items"] == figures["total_items"] - 1 == 32


def test_hkp_says_when_nothing_is_private(shop: Shell) -> None:
    assert "--sensitive names no label" in shop.fails(*MAKE, "--model", "hkp", "--sensitive", "")
    code, _, err = shop(*MAKE, "--model", "hkp")
    assert code == 0
    assert "No item was declared private with --sensitive." in err
    assert (
        "No item was declared private with --sensitive."
        in shop("verify", "out.basket", "--model", "hkp", "--k", "3")[2]
    )


def test_private_values_that_stay_are_not_called_empty_records(shop: Shell) -> None:
    """mm removes every public item; the sensitive ones are published all the same."""
    shop.write("ward.basket", "a1,HIV\na2\nb1,HIV\n")
    made = ("anonymize", "ward.basket", "-o", "out.basket", "--hierarchy", "tree.csv", "--model", "hkp", "--k", "2")
    code, _, err = shop(*made, "--sensitive", "HIV", "--report", "r.md")
    assert code == 0
    assert (shop.folder / "out.basket").read_text(encoding="utf-8") == "HIV\n\nHIV\n"
    text = (shop.folder / "r.md").read_text(encoding="utf-8")
    assert "published empty" not in text + err
    assert "records are empty" not in text + err
    assert "The published records hold nothing but sensitive values" in text


def test_items_that_only_the_raw_data_know_are_counted_not_named(shop: Shell) -> None:
    shop.write("odd.basket", ROWS + "secret\nsecret2\n")
    made = ("anonymize", "odd.basket", "-o", "out.basket", *MAKE[4:], *BEST, "--unknown-items", "root")
    code, _, err = shop(*made, "--report", "r.json", "--report", "r.md", "--report", "r.html")
    assert code == 0, err
    gone = json.loads((shop.folder / "r.json").read_text(encoding="utf-8"))["suppressed"]
    assert (gone["different_items"], gone["unnamed"], len(gone["listed"])) == (3, 2, 1)
    for name in ("r.json", "r.md", "r.html"):
        assert "secret" not in (shop.folder / name).read_text(encoding="utf-8")
