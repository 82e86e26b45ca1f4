"""``shoal.measure`` from Python: the same as the command."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.errors import DataError, OptionError
from shoal.hierarchies.codebook import CodeBook, Entry
from tests.conftest import BASKETS, Shell

BEFORE = [line.split(",") for line in BASKETS.split()]
AFTER = [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
DELETED = [["a1", "b1"], ["a2", "b1"], ["a2", "b1"], ["a1", "a2", "b2"]]
TABLES = [
    pa.table({"age": ages, "items": [["a"], ["b"], ["a"]]}) for ages in (["20", "25", "30"], ["[20:25]", "20", "30"])
]


def written(shell: Shell, rows: list[list[str]]) -> str:
    return shell.write("out.basket", "".join(",".join(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("rows", "words", "options"),
    [
        (AFTER, (), {}),
        (AFTER, ("--known", "9", "--k", "2"), {"known": 9, "k": 2}),
        (AFTER, ("--mining", "30,50"), {"mining": [0.3, 0.5], "top_sets": 100}),
        (AFTER, ("--rules", "--mining"), {"mining": [0.01, 0.02, 0.03], "top_sets": 100, "rules": 100}),
        (AFTER, ("--rules", "--top", "3"), {"rules": 3}),
        (AFTER, ("--weights", "w.csv"), {"weights": shoal.Weights({"A": 2.5})}),
        (
            AFTER,
            ("--queries", "5", "--query-items", "1,2", "--seed", "3"),
            {"queries": 5, "query_items": (1, 2), "seed": 3},
        ),
        (AFTER, ("--workload", "q.jsonl"), {"workload": "q.jsonl"}),
        (DELETED, ("--k", "3"), {"k": 3}),
        (DELETED, ("--sensitive", "a1"), {"sensitive": ["a1"]}),
        ([["A", "b1", "x"], ["A", "b1"], ["x"], ["A", "b2"]], ("--suppressed", "x"), {"suppressed": ["x"]}),
        ([["A", "b1", "*"], ["A", "b1"], ["*"], ["A", "b2"]], (), {}),
    ],
)
def test_the_command_prints_the_dict(
    shell: Shell, rows: list[list[str]], words: tuple[str, ...], options: dict[str, Any]
) -> None:
    shell.write("w.csv", "A,2.5\n")
    shell.write("q.jsonl", '{"items": ["a1"]}\n')
    code, out, err = shell("measure", "in.basket", written(shell, rows), "--hierarchy", "h.csv", "--json", *words)
    assert code == 0, err
    for before, after, tree in (("in.basket", "out.basket", "h.csv"), (BEFORE, rows, TREE)):
        result = shoal.measure(before, after, hierarchy=tree, **options)
        assert json.dumps({"schema": "shoal/measure/1", **result.as_dict()}, indent=2) + "\n" == out
    notes = shoal.measure("in.basket", "out.basket", hierarchy="h.csv", **options).notes
    assert err == "".join(f"Note: {note}\n" for note in notes)


def test_figures_have_names() -> None:
    result = shoal.measure(BEFORE, AFTER, hierarchy=TREE, known=1, queries=3)
    assert (result.total_items, result.unchanged_items, result.emptied_records) == (11, 6, 0)
    assert result.answers is not None
    assert result.losses["are"] == result.answers.mean
    assert result.risk_before is not None
    assert result.risk_after is not None
    assert result.risk_after.k == 5
    assert result.uncovered_records is None


def test_columns_are_measured_if_they_are_named() -> None:
    result = shoal.measure(*TABLES, quasi_identifiers=["age"])
    assert result.uncovered_records == 1
    said = {"age": shoal.Column(hierarchy="width:5,10")}
    assert shoal.measure(*TABLES, quasi_identifiers=said).losses["relational_ncp"] > 0
    with pytest.raises(DataError, match="No column 'zip'"):
        shoal.measure(*TABLES, quasi_identifiers=["zip"])


def test_a_code_book_instead_of_a_hierarchy() -> None:
    book = CodeBook.of([Entry("G", "", ("a1", "a2"))])
    after = [["G", *(item for item in row if item[0] == "b")] for row in BEFORE]
    by_book = shoal.measure(BEFORE, after, codebook=book)
    assert by_book.losses == shoal.measure(BEFORE, shoal.read(after, codebook=book)).losses
    with pytest.raises(DataError, match=r"'G' .* is not an item of data"):
        shoal.measure(BEFORE, after)


def test_an_error_carries_the_notes_that_were_taken_before() -> None:
    with pytest.raises(DataError, match="Published label 'zz'") as caught:
        shoal.measure(BEFORE, [["*"], ["zz"], ["A"], ["A"]], hierarchy=TREE)
    assert caught.value.__notes__ == [
        "'*' is in 1 record of data, and is neither an item nor a group: taken as what was suppressed."
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workload": "q.jsonl", "queries": 3}, "cannot be combined with queries="),
        ({"query_items": 2}, "query_items= needs queries="),
        ({"seed": 2}, "seed= needs queries="),
        ({"mining": [0.1]}, "mining= needs hierarchy="),
        ({"known": 0}, "measure: known must be at least 1, got 0"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        shoal.measure(BEFORE, BEFORE, **options)


def test_an_item_called_like_the_mark_of_suppression_stays_an_item() -> None:
    rows = [["*", "a"], ["*"]]
    result = shoal.measure(rows, rows)
    assert (result.unchanged_items, result.notes) == (3, ())
    with pytest.raises(OptionError, match=r"suppressed= names '\*', which is an item"):
        shoal.measure(rows, rows, suppressed=["*"])
