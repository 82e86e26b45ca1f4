"""Parts of a problem, and a problem on another hierarchy, are as if they had been made so: nothing stale is left.

Covers: problem/prepared.py, problem/preparation.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import OptionError
from shoal.hierarchies.codebook import CodeBook, Entry
from shoal.problem import Prepared, Problem

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"]}})
SETS = [["a1", "b1"], ["a2"], ["a1", "a2", "a3"], [], ["b2", "HIV"], ["a3", "b1", "HIV"]]
DATA = shoal.read(pa.table({"age": [20, 30, 40, 50, 60, 70], "items": SETS}), sets="items")
KNOWN = shoal.read([[item for item in row if item != "HIV"] for row in SETS])
KNOWN_WITH_AGES = replace(DATA, transactions=KNOWN.transactions)
ROWS = np.array([5, 2, 0])
CACHED = ("occurrences", "costs", "scale", "original")


def made(model: shoal.models.PrivacyModel, data: shoal.Dataset = DATA, tree: shoal.Hierarchy = TREE) -> Prepared:
    weights = shoal.Weights({"a2": 3.0, "B": 2.0})
    columns = {"age": "quasi-identifier"} if model.relational else {}
    return Problem(data, tree, model, weights=weights, columns=columns).prepared


def used(problem: Prepared) -> Prepared:
    """With everything in its caches."""
    for name in CACHED:
        getattr(problem, name)
    return problem


def same(found: Prepared, wanted: Prepared) -> None:
    assert found.items.labels == wanted.items.labels
    assert found.items.sets() == wanted.items.sets()
    for name in ("occurrences", "costs", "item_weights"):
        assert getattr(found, name).tolist() == getattr(wanted, name).tolist(), name
    assert found.scale == wanted.scale
    assert found.original.rows.sets() == wanted.original.rows.sets()
    assert found.original.items == wanted.original.items
    assert found.sensitive.sets() == wanted.sensitive.sets()
    published = (found.original.relational, wanted.original.relational)
    for ours, theirs in ((found.relational, wanted.relational), published):
        assert (ours is None) == (theirs is None)
        if ours is not None and theirs is not None:
            assert ours.columns() == theirs.columns()


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (shoal.Km(k=2, m=2), KNOWN),
        (shoal.Lm(l=2, m=1, sensitive=("HIV",)), DATA),
        (shoal.KLm(k=2, l=2, m=1, sensitive=("HIV",)), DATA),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_some_of_the_rows_are_a_problem_of_their_own(model: shoal.models.PrivacyModel, data: shoal.Dataset) -> None:
    part = used(made(model, data)).take(ROWS)
    same(part, made(model, data.take(ROWS)))
    assert len(part.data) == len(ROWS)


def test_a_model_of_sets_alone_has_no_columns() -> None:
    problem = used(made(shoal.KKm(k=2, m=1), KNOWN_WITH_AGES))
    part = problem.take(ROWS).under(shoal.Km(k=2, m=1))
    assert part.model.name == "km"
    assert part.relational is None
    assert part.original.relational is None
    assert problem.relational is not None


@pytest.mark.parametrize("group", [("a2", "a3"), ("a1", "a3")], ids=["same order", "another order"])
def test_on_a_refined_hierarchy_it_is_a_problem_of_its_own(group: tuple[str, ...]) -> None:
    """Items of a group of siblings stand together, so others may change their places."""
    tree = CodeBook.of([Entry("Z", "A", group)]).tree(TREE)
    assert (tree.items == TREE.items) == (group == ("a2", "a3"))
    model = shoal.Km(k=2, m=2)
    same(used(made(model, KNOWN)).on(tree), made(model, KNOWN, tree))


def test_costs_that_floating_point_cannot_compare_are_refused() -> None:
    weights = shoal.Weights({"a1": 1e6, "a2": 1.000001})
    data = shoal.read([["a1"]] * 2000)
    with pytest.raises(OptionError, match="too large to be compared exactly"):
        Problem(data, TREE, shoal.Km(k=2), weights=weights).prepared.costs  # noqa: B018


def test_a_sensitive_value_is_no_label_of_the_hierarchy() -> None:
    """The value of a column and a group would be told apart by nobody."""
    data = shoal.read(pa.table({"illness": ["A", "flu"], "items": [["a1"], ["b1"]]}), sets="items")
    model = shoal.Lm(l=2, m=1, sensitive_column=("illness",))
    with pytest.raises(OptionError, match="is also a label of the hierarchy"):
        Problem(data, shoal.Hierarchy.from_tree({"ALL": {"illness=A": ["a1"], "B": ["b1"]}}), model)


def test_the_loss_of_the_search_is_the_loss_of_the_report() -> None:
    problem = Problem(KNOWN, TREE, shoal.Km(k=2, m=1))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.Optimal(time_limit=60))
    assert release.optimality is not None
    assert release.optimality.loss == release.losses["ncp"] > 0
    root = int(problem.prepared.costs[-1])
    assert root == problem.prepared.scale


def test_another_seed_changes_nothing_else() -> None:
    """What follows from the inputs follows from a copy of them, too: groups, added items, what is missed."""
    model = shoal.Lm(l=2, m=1, sensitive=("B", "HIV", "none such"))
    problem = Problem(DATA, TREE, model, unknown_items="root", allow_missing=True)
    copied = replace(problem, seed=1)
    assert copied.prepared.sensitive_groups == problem.prepared.sensitive_groups == {"B": 2}
    assert copied.prepared.missing_sensitive == problem.prepared.missing_sensitive == ("none such",)
    assert copied.model is model
    assert copied.hierarchy is TREE
    unknown = Problem(shoal.read([["a1", "x"], ["a1", "y"]]), TREE, shoal.Km(k=2), unknown_items="root")
    assert replace(unknown, seed=1).prepared.added_items == unknown.prepared.added_items == 2


def test_another_model_sets_its_own_values_apart() -> None:
    tree = TREE.with_items_under_root(["HIV", "none such"])
    diverse = shoal.Lm(l=2, m=1, sensitive=("HIV", "none such"))
    problem = Problem(DATA, tree, diverse, allow_missing=True)
    plain = problem.prepared.take(ROWS).under(shoal.Km(k=2, m=1))
    assert (plain.sensitive_part, plain.missing_sensitive) == (None, ())
    assert plain.items.sets() == [frozenset(SETS[row]) for row in ROWS]
    kept = problem.prepared.take(ROWS).under(diverse.changed(l=3))
    assert kept.missing_sensitive == ("none such",)
    assert kept.sensitive.sets() == [frozenset({"HIV"}), frozenset(), frozenset()]
