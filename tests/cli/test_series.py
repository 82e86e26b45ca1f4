"""``shoal series`` as its users type it. Covers: cli/series_output.py."""

from __future__ import annotations

import re

import pytest

import shoal
from shoal.evidence.keys import new_keys
from tests.conftest import Shell

BASKETS = ["ale|rye", "stout|rye", "ale|rye", "lager|bun", "ale|bun", "fig", "fig", "pear", "pear"]
TREE = "ale;beer;*\nstout;beer;*\nlager;beer;*\nrye;bread;*\nbun;bread;*\nfig;fruit;*\npear;fruit;*\n"
FIRST = ("--hierarchy", "tree.csv", "--k", "2", "--m", "2", "--algorithm", "optimal", "--record-id", "id")


@pytest.fixture(name="shop")
def shop_(shell: Shell) -> Shell:
    """A series with one release, and data for the next."""
    shell.write("tree.csv", TREE)
    shell.write("other.csv", "card,items\nc1,ale\nc2,ale\n")
    for name, first, baskets in (
        ("jan", 0, BASKETS),
        ("feb", 100, BASKETS),
        ("grown", 0, [*BASKETS, "ale|rye", "lager|bun"]),
    ):
        rows = "".join(f"{first + row},c{row},{basket}\n" for row, basket in enumerate(baskets))
        shell.write(f"{name}.csv", f"id,card,items\n{rows}")
    code, _, err = shell("series", "start", "shop", "jan", "jan.csv", *FIRST)
    assert code == 0, err
    return shell


def words(text: str) -> str:
    return " ".join(text.split())


def test_months_are_published_and_checked(shop: Shell) -> None:
    code, out, err = shop("series", "add", "shop", "feb", "feb.csv", "--report", "feb.html")
    assert code == 0, err
    assert "written shop/feb/feb.csv" in words(out)
    assert "report feb.html" in words(out)
    code, out, _ = shop("series", "show", "shop")
    assert code == 0
    assert re.search(r"jan\s+9\s+1\s+0\s+shop/jan/jan.csv\n\s*feb\s+9\s+1\s+0\s+shop/feb/feb.csv", out)
    assert out.startswith("2 releases. An attacker who knows up to 2 items")
    code, out, _ = shop("series", "check", "shop")
    assert code == 0
    assert "Holds for somebody who has all releases." in out
    assert "Together, if somebody links the same record by id" in out
    assert shop("series", "check", "shop", "--link", "card")[0] == 0
    assert "by the column 'card'" in shop("series", "check", "shop", "--link", "card")[1]
    code, out, _ = shop("series", "check", "shop", "--link", "none")
    assert "compares what they say" in out
    assert shop("series", "check", "shop", "--quiet", "--link", "position")[0] == 0


def test_a_release_that_breaks_the_promise_is_refused_with_the_way_out(shop: Shell) -> None:
    code, out, err = shop("series", "add", "shop", "feb", "grown.csv", "--report", "feb.html")
    assert code == 1
    assert out.startswith("Broken. This promise does not hold for somebody who has all releases")
    assert re.search(r"feb\s+2\s+NO\s+1\s+100 %", out)
    assert "Error: 'feb' was not published. 2 records are in feb only." in err
    assert "generalize further with --hide-new." in err
    assert not (shop.folder / "feb.html").exists()
    assert not (shop.folder / "shop/feb").exists()
    assert shop("series", "add", "shop", "feb", "grown.csv", "--hide-new")[0] == 0
    assert shop("series", "check", "shop")[0] == 0


def test_releases_are_signed(shop: Shell) -> None:
    private, public, _ = new_keys(shop.folder / "k")
    assert shop("series", "add", "shop", "feb", "feb.csv", "--key", str(private))[0] == 0
    folder = shop.folder / "shop/feb"
    assert shoal.verify_certificate(folder / "feb.csv", folder / "certificate.json", public_key=public).signed
    message = "The certificate of 'jan' is not signed with the key"
    assert message in words(shop.fails("series", "check", "shop", "--public-key", str(public)))
    signed = ("series", "start", "signed", "jan", "jan.csv", *FIRST, "--key", str(private))
    assert shop(*signed)[0] == 0
    assert shop("series", "check", "signed", "--public-key", str(public))[0] == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("add", "none", "feb", "feb.csv"), "none does not exist"),
        (("add", "tree.csv", "feb", "feb.csv"), "is no series: it has no series.json. Start one with 'shoal series"),
        (("add", "shop", "jan", "feb.csv"), "has a release 'jan' already"),
        (("add", "shop", "../feb", "feb.csv"), "A release cannot be called '../feb'"),
        (("add", "shop", "feb", "feb.csv", "--assume-new"), "--assume-new is for a series of new records"),
        (("add", "shop", "feb", "feb.csv", "--k", "3"), "No such option '--k'"),
        (("add", "shop", "feb", "other.csv"), "no column 'id'"),
        (("add", "shop", "feb", "feb.csv", "--report", "shop/x.html"), "is for the files of the series"),
        (("add", "shop", "feb", "feb.csv", "--hierarchy", "tree.csv", "--report", "tree.csv"), "tree.csv"),
        (("check", "shop", "--link", "phone"), "No column 'phone'"),
        (("start", "shop", "jan", "jan.csv", *FIRST), "shop holds a series already"),
        (("start", "new", "jan", "jan.csv", "--rule", "none"), "'none' is not one of 'same-recoding', 'new-records'"),
        (("start", "new", "jan", "jan.csv", "--algorithm", "lra"), "lra does not: choose one that does"),
    ],
)
def test_wrong_commands_end_with_2_and_write_nothing(shop: Shell, command: tuple[str, ...], message: str) -> None:
    before = {path: path.read_bytes() for path in shop.folder.rglob("*") if path.is_file()}
    assert message in words(shop.fails("series", *command))
    assert {path: path.read_bytes() for path in shop.folder.rglob("*") if path.is_file()} == before
    assert not (shop.folder / "new").exists()


def test_equal_data_give_equal_bytes_with_any_number_of_workers(shop: Shell) -> None:
    assert shop("series", "add", "shop", "feb", "feb.csv", "--workers", "1")[0] == 0
    assert shop("series", "start", "twin", "jan", "jan.csv", *FIRST, "--workers", "2")[0] == 0
    assert shop("series", "add", "twin", "feb", "feb.csv", "--workers", "2")[0] == 0
    for file in ("jan/jan.csv", "feb/feb.csv", "private/feb/recoding.json"):
        assert (shop.folder / "twin" / file).read_bytes() == (shop.folder / "shop" / file).read_bytes()
