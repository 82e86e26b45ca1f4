"""The fuzzer itself: it runs, it repeats what it saved, and it notices what it is there to notice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shoal
from fuzz import saved
from fuzz.problems import definitions, run
from fuzz.problems.case import Case
from fuzz.problems.check import check
from fuzz.problems.definitions import View
from fuzz.problems.draw import draw, pairs
from fuzz.problems.shrink import shrink
from fuzz.problems.trees import Tree
from fuzz.problems.world import World, set_members
from shoal import discovery, report
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.models.base import PrivacyModel, Verdict

pytestmark = pytest.mark.filterwarnings("ignore")

BASKETS = Case(
    sets={"items": [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]},
    parents={"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "*", "B": "*", "*": None},
    model="km",
    algorithm="aa",
    model_options={"k": 2, "m": 2},
)


@pytest.mark.parametrize("path", saved.every(), ids=lambda path: path.stem)
def test_what_was_found_once_stays_mended(path: Path) -> None:
    from fuzz.__main__ import replay_one

    assert replay_one(str(path)) == []


def test_random_problems_come_out_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    released = 0
    for at in range(35):
        case = draw(f"default:{at}")
        result = check(case)
        assert result.failures == [], case.as_json()
        released += result.released
    assert released > 10


def test_every_model_has_its_definition() -> None:
    assert set(discovery.find("shoal.models", PrivacyModel)) == set(definitions.DEFINITIONS)
    assert {model.name for _, model in pairs()} == set(definitions.DEFINITIONS)


def test_the_same_seed_is_the_same_case() -> None:
    case = draw("7:3")
    assert draw("7:3") == case
    assert Case.from_json(case.as_json()) == case


def test_a_release_that_is_not_safe_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoal.Km, "verify", lambda *_, **__: Verdict(True, 1))
    monkeypatch.setattr(shoal.algorithms.AA, "cut", lambda _, problem, __: _untouched(problem))
    assert "privacy: km by aa" in run.kinds_of(BASKETS)
    assert any(kind.startswith("verdict on the original") for kind in run.kinds_of(BASKETS))


def test_a_release_that_is_safe_for_records_alone_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(BASKETS, sets={"items": [["a1"], ["a1"], ["b1"], ["b1"]]}, persons=[0, 0, 0, 1])
    assert run.kinds_of(case) == set()
    monkeypatch.setattr(Transactions, "of_persons", lambda rows, _: rows)
    assert "privacy: km by aa" in run.kinds_of(case)
    assert "verdict on the original: km" in run.kinds_of(case)


def test_an_order_that_tells_persons_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(BASKETS, sets={"items": [["a1"], ["b1"], ["a1"], ["b1"], ["a1"]]}, persons=[0, 2, 0, 3, 1])
    assert run.kinds_of(case) == set()
    monkeypatch.setattr(shoal.Release, "order", property(lambda _: np.arange(5)))
    assert run.kinds_of(case) == {"order"}
    by_number = property(lambda one: np.argsort(one.problem.persons.of, kind="stable"))
    monkeypatch.setattr(shoal.Release, "order", by_number)
    assert [failure.detail for failure in check(case).failures] == ["other numbers of persons change it"]


@pytest.mark.parametrize(
    ("model", "options", "people"),
    [
        ("km", {"k": 2, "m": 1}, [0, 0, 1, 2]),
        ("km-negative", {"k": 2, "m": 1}, [0, 0, 1, 2]),
        ("k", {"k": 2}, [0, 0, 1, 2]),
        ("k-km", {"k": 2, "m": 1}, [0, 0, 1, 2]),
        ("lm", {"l": 2, "m": 1}, [0, 1, 2, 2]),  # all who have b have s
    ],
)
def test_definitions_count_persons(model: str, options: dict[str, Any], people: list[int]) -> None:
    rows = [frozenset({label}) for label in "aabb"]
    values = [frozenset({"s"}), frozenset[str](), frozenset({"s"}), frozenset[str]()]
    assert definitions.holds(model, options, View(rows, values, "xxyy", (), range(4)))
    assert not definitions.holds(model, options, View(rows, values, "xxyy", (), people))


def test_lm_is_by_records_as_well() -> None:
    rows, values = [frozenset({"c"})] * 6, [frozenset({"s"})] * 4 + [frozenset[str]()] * 2
    assert not definitions.holds("lm", {"l": 2, "m": 1}, View(rows, values, (), (), [0, 0, 0, 0, 1, 2]))


def test_a_wrong_loss_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shoal.metrics.NCP, "of", lambda *_: {"ncp": 0.1})
    assert run.kinds_of(BASKETS) == {"loss: ncp"}


def test_a_false_label_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [["A", "b1"]] * 4
    monkeypatch.setattr(shoal.Release, "data", property(lambda _: rows))
    assert "false label" in run.kinds_of(BASKETS)
    monkeypatch.setattr(shoal.Release, "data", property(lambda _: rows[:3]))
    assert "row count" in run.kinds_of(BASKETS)


def test_a_refusal_of_what_can_be_done_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise shoal.errors.Infeasible("There is nothing that could be done about this: give other data.")

    monkeypatch.setattr(shoal.Km, "feasible", refuse)
    assert run.kinds_of(BASKETS) == {"refused though feasible: km by aa"}


def test_a_false_proof_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = shoal.recoding.solution.Optimality(1.0, 1.0, "proven", 1, 1)
    worst = shoal.recoding.solution.Solution
    monkeypatch.setattr(
        shoal.algorithms.Optimal,
        "solve",
        lambda _, problem, __: worst(
            shoal.recoding.GlobalCut.raising(problem.hierarchy, [problem.hierarchy.root]), proof
        ),
    )
    assert run.kinds_of(replace(BASKETS, algorithm="optimal")) == {"lower bound too high: optimal"}


def test_a_bug_behind_the_command_line_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "write", lambda *_: 1 / 0)
    kinds = run.kinds_of(replace(BASKETS, format="csv"))
    assert [kind for kind in kinds if kind.startswith("command line: exit 3")]


@pytest.mark.parametrize("form", ["basket", "csv", "feather", "fimi", "jsonl", "long", "parquet", "tsv"])
def test_files_of_every_format(form: str) -> None:
    assert run.kinds_of(replace(BASKETS, format=form)) == set()


@pytest.mark.parametrize("form", ["csv", "jsonl", "long", "parquet"])
def test_files_with_persons(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = replace(BASKETS, sets={"items": [["a1"], ["b1"], ["a1"], ["b1"], ["a1"]]}, persons=[0, 2, 0, 3, 1])
    case = replace(case, format=form)
    assert run.kinds_of(case) == set()
    right = Persons.ids_of_rows
    monkeypatch.setattr(Persons, "ids_of_rows", lambda persons: right(persons)[::-1])
    assert run.kinds_of(case) >= {"command line: other records than the library"}


def test_cases_become_small() -> None:
    small = shrink(BASKETS, lambda case: any("a2" in row for row in case.sets["items"]))
    assert small.sets == {"items": [["a2"]]}
    assert small.parents is None


def test_persons_shrink_with_their_records() -> None:
    case = replace(BASKETS, persons=[7, 3, 7, 7])
    small = shrink(case, lambda one: one.persons is not None and len(set(one.persons)) < one.n_rows)
    assert small.n_rows == 2
    assert small.persons == [0, 0]
    assert shrink(case, lambda one: one.n_rows == 4).persons is None


def test_trees_and_sets() -> None:
    tree = Tree(BASKETS.parents or {})
    assert len(list(tree.cuts())) == tree.n_cuts() == 5
    assert tree.is_sibling_group(frozenset({"a1", "a2"}))
    assert not tree.is_sibling_group(frozenset({"a1", "b1"}))
    assert set_members('(a,"b, c","d""e")') == ["a", "b, c", 'd"e']
    assert World(BASKETS).known[1] == {"a2", "b1"}


def _untouched(problem: shoal.Problem) -> shoal.recoding.solution.Solution:
    return shoal.recoding.solution.Solution(shoal.recoding.GlobalCut.raising(problem.hierarchy, []))
