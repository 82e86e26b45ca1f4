"""What a release says about how good it is: what is proved, and about which recodings."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

import shoal
from shoal import report
from shoal.data.hierarchy import Hierarchy
from shoal.recoding.solution import Optimality
from shoal.report import proofs
from shoal.report.story import Story


def release(name: str = "products.csv", *, grouped: bool = False, method: Any = None, **found: Any) -> shoal.Release:
    tree = replace(Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}}), name=name)
    data = shoal.read([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    made = shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=2, m=2)), algorithm=method or shoal.algorithms.AA())
    if grouped:
        made.problem.__dict__["hierarchy"] = replace(tree, refines=tree)
    proof = Optimality(**{"loss": 0.05, "lower_bound": 0.04, "ended": "proven", "rounds": 1, "clauses": 1, **found})
    return replace(made, solution=replace(made.solution, optimality=proof))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "Best of all cuts of products.csv (proved)."),
        ({"name": "hierarchy"}, "Best of all cuts of the hierarchy (proved)."),
        (
            {"ended": "time limit"},
            "At most 25 % above the best cut of products.csv (lower bound 0.040000); the time limit ended the search.",
        ),
        (
            {"ended": "time limit", "lower_bound": 0.05},
            "Best of all cuts of products.csv (proved); the time limit ended the search.",
        ),
        (
            {"ended": "time limit", "lower_bound": 0.05, "grouped": True},
            "Best of all cuts of the refined hierarchy (proved); the time limit ended the search for better groups.",
        ),
        ({"ended": "interrupted", "lower_bound": 0.0}, "How much less the best cut of products.csv"),
        ({"grouped": True, "groupings_bound": 0.05}, "No grouping of siblings of products.csv loses less (proved)."),
        (
            {"grouped": True, "groupings_bound": 0.048},
            "At most 4.2 % above the best possible grouping of siblings of products.csv (lower bound 0.048000). "
            "Best of all cuts of the refined hierarchy (proved).",
        ),
        ({"grouped": True}, "Best of all cuts of the refined hierarchy (proved). How much less"),
        (
            {"grouped": True, "groupings_bound": 1e-7},
            "Best of all cuts of the refined hierarchy (proved). How much less",
        ),
        ({"grouped": True, "groupings_bound": 0.05, "name": "no hierarchy"}, "No grouping of all items loses less"),
        ({"loss": 0.0, "lower_bound": 0.0}, "Nothing was lost, so no other recoding loses less."),
        (
            {"method": shoal.algorithms.MHgHs()},
            "Best of all cuts of products.csv, with or without items removed (proved).",
        ),
        (
            {"method": shoal.algorithms.MHgHs(max_suppressed=90.0)},
            "Best of all cuts of products.csv, with or without items removed within the given limits (proved).",
        ),
    ],
)
def test_a_proof_names_what_it_speaks_of(options: dict[str, Any], sentence: str) -> None:
    assert proofs.optimality(release(**options)).startswith(sentence)


@pytest.mark.parametrize(
    "options", [{}, {"ended": "time limit"}, {"grouped": True}, {"grouped": True, "groupings_bound": 0.05}]
)
def test_a_proof_says_that_it_is_about_one_generalization_for_all_records(options: dict[str, Any]) -> None:
    assert "recodings that change an item in the same way in every record." in proofs.optimality(release(**options))


def test_the_table_of_bounds_agrees_with_the_sentence() -> None:
    """Both give the loss above a bound as a share of that bound, and no bound is rounded up."""
    made = release(ended="time limit", lower_bound=0.0419999, groupings_bound=0.0319999)
    page = report.as_html(Story.of(made)).replace("\N{NO-BREAK SPACE}", " ")
    cells = re.findall(r'<th scope="row">([^<]*)</th><td class="n">([^<]*)</td>', page)
    assert [value for name, value in cells if name == "Loss above that bound"] == ["19 %", "56.3 %"]
    assert [value for name, value in cells if name.startswith("Lower bound")] == ["0.041999", "0.031999"]
    assert "At most 19 % above the best cut of products.csv (lower bound 0.041999)" in page
