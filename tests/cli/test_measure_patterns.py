"""``shoal measure --mining --rules`` says what analysts still find. Covers: cli/patterns_output.py."""

from __future__ import annotations

import json

import pytest

from shoal.cli.patterns_output import LISTED
from tests.conftest import Shell
from tests.metrics.test_patterns import AFTER, BEFORE

TREE = "beer;drinks;*\nwine;drinks;*\ndiapers;care;*\nsoap;care;*\nbread;food;*\n"


@pytest.fixture
def shop(shell: Shell) -> Shell:
    for name, rows in (("in", BEFORE), ("out", AFTER)):
        shell.write(f"{name}.basket", "".join(",".join(row) + "\n" for row in rows))
    shell.write("tree.csv", TREE)
    return shell


def shown(shell: Shell, *words: str) -> list[str]:
    code, out, err = shell("measure", *words, "-q")
    assert code == 0, err
    return [" ".join(line.split()) for line in out.splitlines()]


def test_the_sets_and_the_rules_in_words(shop: Shell) -> None:
    shop.own_consoles()
    shop.monkeypatch.setenv("COLUMNS", "110")
    lines = shown(shop, "in.basket", "out.basket", "--hierarchy", "tree.csv", "--mining", "40", "--rules")
    start = lines.index("the 3 most frequent sets of items")
    assert lines[start + 1 : start + 11] == [
        "still there: 0 as items, 2 as groups, 1 not visible",
        "mean error of support: 27.8 % of those that are visible, 27.8 % of those as groups",
        "the 2 most frequent sets of the published file include 2 of these sets",
        "",
        "the sets whose support is most wrong (2 of 2)",
        "items published as records estimate at most",
        "diapers, soap not visible 2",
        "beer, diapers drinks, care 3 1 3",
        "",
        "the 6 rules with the highest lift",
    ]
    assert lines[start + 11] == "(sets in at least 2 records, confidence of at least 20 %)"
    assert "wine -> bread drinks -> bread 100 % 60 % 2.00 1.20" in lines


@pytest.mark.parametrize("columns", ["60", "80", "110"])
def test_lines_fit_the_terminal(shop: Shell, columns: str) -> None:
    shop.own_consoles()
    shop.monkeypatch.setenv("COLUMNS", columns)
    out = shop("measure", "in.basket", "out.basket", "--hierarchy", "tree.csv", "--mining", "--rules", "-q")[1]
    assert max(len(line.rstrip()) for line in out[out.index("the 3 most") :].splitlines()) <= int(columns)


def test_without_a_hierarchy_sets_and_rules_are_still_looked_for(shop: Shell) -> None:
    facts = json.loads(shop("measure", "in.basket", "in.basket", "--mining", "--rules", "--json")[1])
    assert facts["patterns"]["sets"]["as_items"] == 3
    assert facts["patterns"]["rules"]["as_items"] == 6
    assert "mining" not in facts
    lines = shown(shop, "in.basket", "in.basket", "--mining", "--rules")
    assert not [line for line in lines if "most wrong" in line]
    assert "needs --hierarchy" in shop.fails("measure", "in.basket", "in.basket", "--mining", "5")


def test_long_lists_end_and_json_goes_on(shell: Shell) -> None:
    """A release that removed every second item."""
    rows = [[f"i{at}" for at in range(start, start + 6)] for start in range(8) for _ in range(3)]
    shell.write("in.basket", "".join(",".join(row) + "\n" for row in rows))
    shell.write("out.basket", "".join(",".join(row[1:]) + "\n" for row in rows))
    lines = shown(shell, "in.basket", "out.basket", "--mining", "--rules")
    [title] = [line for line in lines if line.startswith("the sets whose support")]
    assert title.startswith(f"the sets whose support is most wrong ({LISTED} of ")
    facts = json.loads(shell("measure", "in.basket", "out.basket", "--mining", "--rules", "--json")[1])
    assert len(facts["patterns"]["sets"]["listed"]) == 100


def test_data_without_frequent_sets_say_so(shell: Shell) -> None:
    shell.write("in.basket", "a\nb\na,b\n")
    lines = shown(shell, "in.basket", "in.basket", "--mining", "--rules")
    assert lines[-2:] == ["the 0 most frequent sets of items", "(no two items are together in two records)"]


def test_a_number_of_sets_without_a_question(shop: Shell) -> None:
    assert "--top needs --mining or --rules" in shop.fails("measure", "in.basket", "in.basket", "--top", "5")
    assert "--top" in shop.fails("measure", "in.basket", "in.basket", "--mining", "--top", "1001")
