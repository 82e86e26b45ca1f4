"""Repairing a cut by persons: examples by hand, and persons with one row each.

Covers: kernels/search/repair/repair_diversity.py, kernels/search/repair/repair_negative.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType

import pytest
from hypothesis import given

from tests.kernels.search.repair.test_repair import TREE, Case, any_case, sizes, small


@dataclass(frozen=True)
class OfPersons:
    """Rows of words, each with its person, and what becomes of them."""

    rows: list[tuple[str, str, int]]  # items, sensitive values, person
    parameter: int
    negative: bool
    raised: list[str]


EXAMPLES = {
    "by rows alone": OfPersons([("a1", "0", 1)] * 100 + [("a1 a2", "", p) for p in range(2, 11)], 5, False, ["ALL"]),
    "by persons alone": OfPersons(
        [("a1", "0", p) for p in range(3)] + [("a1", "", 3)] * 9 + [("a2", "", p) for p in range(4, 12)],
        2,
        False,
        ["A"],
    ),
    "a1 of two persons, a1 without a2 of one": OfPersons(
        [("a1", "", 1), ("a1 a2", "", 1), ("a1 a2", "", 2), ("a2", "", 2), ("a2", "", 3)], 2, True, ["A"]
    ),
    "without a2 are two persons, though three of three have it": OfPersons(
        [("a1", "", 1), ("a1 a2", "", 1), ("a1", "", 2), ("a1 a2", "", 2), ("a1 a2", "", 3)], 2, True, []
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_persons_by_hand(kernel: ModuleType, name: str) -> None:
    """One person with 100 x {a1, s} and nine others with {a1}: 0.92 of the rows, 0.1 of the persons."""
    example = EXAMPLES[name]
    plain = small([(items, values) for items, values, _ in example.rows], TREE, example.parameter)
    rows = plain.problem.data.transactions.of_persons([person for _, _, person in example.rows])
    problem = replace(plain.problem, data=plain.problem.data.with_transactions(rows))
    case = Case(problem, None if example.negative else plain.sensitive, (), example.parameter)
    done = case.repair(kernel, 1, 2)
    if example.raised == ["ALL"]:  # not even that helps
        assert done.unrepairable is not None
    else:
        assert [case.hierarchy.labels[node] for node in done.raised] == example.raised


@given(case=any_case, sizes=sizes)
def test_persons_with_a_row_each_change_nothing(kernel: ModuleType, case: Case, sizes: list[int]) -> None:
    rows = case.problem.data.transactions
    results = []
    for people in (None, range(len(rows))[::-1]):
        problem = replace(case.problem, data=case.problem.data.with_transactions(rows.of_persons(people)))
        results.append(replace(case, problem=problem).repair(kernel, *sizes))
    assert results[0] == results[1]
