"""Transactional k-anonymity and Partition: each clause of the rule, a second implementation of it, and its verifier.

Covers: models/transactional_k.py, published.py.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import HierarchyError, Infeasible, OptionError
from shoal.models.witness import RareRecord
from shoal.published import Published
from shoal.recoding import LocalNodes
from shoal.testing import check_privacy_model, check_truthful, problems
from tests import oracles
from tests.budget import examples
from tests.conftest import Shell
from tests.real_data.test_cuts import load

Sets = list[frozenset[str]]
models = st.builds(shoal.models.TransactionalK, k=st.integers(2, 5))
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3", "a4"], "B": ["b1", "b2"]}})
FLAT = shoal.Hierarchy.from_tree({"ALL": ["a", "b", "c"]})


def problem_of(
    rows: list[list[str]], tree: shoal.Hierarchy, k: int, weights: shoal.Weights | None = None
) -> shoal.Problem:
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows))
    return shoal.Problem(data, tree, shoal.models.TransactionalK(k=k), weights=weights)


def published(rows: list[list[str]], tree: shoal.Hierarchy, k: int) -> list[str]:
    release = shoal.anonymize(problem_of(rows, tree, k))
    return [" ".join(sorted(row)) for row in release.published.rows.sets()]


def holds(rows: Sets, k: int) -> bool:
    return all(count >= k for count in Counter(rows).values())


# ---- the rule, clause by clause


def test_rows_that_agree_become_specific_together() -> None:
    rows = [["a1"], ["a2"], ["b1"], ["a1"], ["b2"], ["a2"], ["a1"]]
    assert published(rows, TREE, 2) == ["a1", "a2", "B", "a1", "B", "a2", "a1"]


def test_small_groups_stay_behind_with_the_label() -> None:
    assert published([["a"], ["a"], ["b"], ["c"]], FLAT, 2) == ["a", "a", "ALL", "ALL"]


def test_a_group_gives_the_rows_that_it_can_spare() -> None:
    """The first of equal rows goes; the smallest group that has rows to spare gives, though it is the second."""
    assert published([["a"], ["a"], ["a"], ["b"]], FLAT, 2) == ["ALL", "a", "a", "ALL"]
    rows = [["a"]] * 2 + [["b"]] * 3 + [["a", "b"]] * 4 + [["c"]]
    assert published(rows, FLAT, 2) == ["a", "a", "ALL", "b", "b", *["a b"] * 4, "ALL"]


def test_rows_that_gain_least_are_given() -> None:
    """Row 0 has two items below A: to leave it there would lose twice as much."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1", "b2"]}})
    rows = [["a1", "a2"], ["a2", "a3"], ["a3"], ["b1"]]
    assert published(rows, tree, 2) == ["A", "A", "ALL", "ALL"]


def test_the_smallest_group_joins_as_a_whole_where_spare_rows_are_too_few() -> None:
    assert published([["b"], ["a"], ["c"], ["a"], ["b"]], FLAT, 2) == ["b", "ALL", "ALL", "ALL", "b"]


def test_an_expansion_that_leaves_too_few_is_undone() -> None:
    assert published([["a"], ["a"], ["b"]], FLAT, 2) == ["ALL"] * 3
    assert published([["a"]] * 5 + [["b"]], FLAT, 4) == ["ALL"] * 6


def test_a_label_that_cannot_be_expanded_does_not_stop_the_others() -> None:
    rows = [[f"a{at}", "b1"] for at in range(1, 5)]
    assert published(rows, TREE, 2) == ["A b1"] * 4
    assert published(rows[:3], TREE, 2) == ["A b1"] * 3


def test_what_stays_behind_may_expand_its_other_labels() -> None:
    """a3 and a4 are rare, so their rows keep A, but not B."""
    rows = [["a1", "b1"], ["a1", "b1"], ["a3", "b2"], ["a4", "b2"]]
    assert published(rows, TREE, 2) == ["a1 b1", "a1 b1", "A b2", "A b2"]


def test_the_label_that_gains_most_is_expanded_first() -> None:
    """Either A or B can be expanded, not both. A gains more, unless the items below B matter more."""
    rows = [["a1", "b1"], ["a1", "b2"], ["a2", "b1"], ["a2", "b2"]]
    assert published(rows, TREE, 2) == ["B a1", "B a1", "B a2", "B a2"]
    release = shoal.anonymize(problem_of(rows, TREE, 2, shoal.Weights({"B": 10})))
    assert [" ".join(sorted(row)) for row in release.published.rows.sets()] == ["A b1", "A b2", "A b1", "A b2"]
    even = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    assert published(rows, even, 2)[0] == "B a1"  # a tie: the lower id
    wide = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3", "a4", "a5", "a6"], "B": ["b1", "b2", "b3"]}})
    rows = [["a1", "b1", "b2"], ["a1", "b1", "b3"], ["a2", "b1", "b2"], ["a2", "b1", "b3"]]
    assert published(rows, wide, 2)[0] == "A b1 b2"  # a tie of 1 of 6 with 2 of 3: fewer leaves


def test_chains_and_items_at_any_depth() -> None:
    tree = shoal.Hierarchy.from_tree({"TOP": {"ALL": {"A": {"AA": {"AAA": ["a1", "a2"]}}, "b": [], "C": ["c"]}}})
    rows = [["a1", "b"], ["a2", "b"], ["c"], ["c"], ["a1", "b"]]
    assert published(rows, tree, 2) == ["AAA b", "AAA b", "c", "c", "AAA b"]
    alone = shoal.Hierarchy.from_tree({"TOP": {"ALL": ["a"]}})
    assert published([["a"], [], ["a"], []], alone, 2) == ["a", "", "a", ""]


def test_many_children() -> None:
    """More than fit into the bits of a word."""
    items = [f"i{at:03}" for at in range(200)]
    tree = shoal.Hierarchy.from_tree({"ALL": items})
    rows = [items[:150], items[:149], items[:150], items[1:150], items[:149], items[1:150], ["i199"], items]
    made = shoal.anonymize(problem_of(rows, tree, 2)).published.rows.sets()
    assert made == [*map(frozenset, rows[:6]), {"ALL"}, {"ALL"}]


def test_degenerate_data() -> None:
    assert published([], FLAT, 3) == []
    assert published([[]] * 3, FLAT, 3) == [""] * 3
    assert published([["a", "c"]] * 9, FLAT, 3) == ["a c"] * 9


def test_local_labels_are_not_exclusive_and_it_is_said(tmp_path: Path) -> None:
    release = shoal.anonymize(problem_of([["a"], ["a"], ["a"], ["b"]], FLAT, 2))
    assert not release.published.exclusive  # "a" stands beside "ALL", which covers it
    assert release.recoding.summary().as_dict() == {
        "kind": "local labels",
        "labels": 2,
        "different_unchanged_items": 0,
        "unchanged_items": 2,
        "groups": 1,
        "different_records": 2,
    }
    assert release.solution.statistics == {"buckets": 2, "expansions": 1, "leftover_rows": 2}
    for name in ("r.md", "r.html", "r.json"):
        release.report(tmp_path / name)
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "so that records became equal. 2 different records remain." in text
    assert "Some items appear under more than one label" in text
    assert "even an attacker who knows the whole record" in text
    assert "Naughton" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_an_interrupt_is_heard() -> None:
    def stop(stage: str, share: float) -> None:
        if stage == "partitioning":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        shoal.anonymize(problem_of([["a"]] * 3, FLAT, 2), engine=shoal.Engine(progress=stop))


# ---- a second implementation: slow and obvious


def slow_partition(problem: shoal.Problem, k: int) -> Sets:
    """The rule as the documentation tells it; every label is tried in every bucket, whatever was tried before."""
    tree = problem.hierarchy
    rows = [row.tolist() for row in problem.prepared.items]
    penalty = problem.loss.penalty(tree.leaves, tree.n_leaves).tolist()
    weights = [1] * tree.n_leaves if problem.prepared.item_weights is None else problem.prepared.item_weights.tolist()
    made: Sets = [frozenset()] * len(rows)

    def passed(node: int) -> int:
        return passed(tree.children[node][0]) if len(tree.children[node]) == 1 else node

    def present(row: int, label: int) -> tuple[int, ...]:
        kids = map(passed, tree.children[label])
        return tuple(sorted(kid for kid in kids if any(tree.covers(kid, item) for item in rows[row])))

    def gain(row: int, label: int) -> int:
        kids = present(row, label)
        pairs = [(item, kid) for item in rows[row] for kid in kids if tree.covers(kid, item)]
        return sum(weights[item] * (penalty[label] - penalty[kid]) for item, kid in pairs)

    def expand(bucket: list[int], label: int) -> tuple[dict[tuple[int, ...], list[int]], list[int]]:
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in bucket:
            groups.setdefault(present(row, label), []).append(row)
        left = [row for group in groups.values() if len(group) < k for row in group]
        groups = {kids: group for kids, group in groups.items() if len(group) >= k}
        order = sorted(groups, key=lambda kids: (len(groups[kids]), len(kids), kids))
        if 0 < len(left) < k and len(left) + sum(len(group) - k for group in groups.values()) < k:
            left += groups.pop(order[0]) if order else []
        while groups and 0 < len(left) < k:
            giver = next(groups[kids] for kids in order if len(groups[kids]) > k)
            row = min(giver, key=lambda row: (gain(row, label), rows[row], row))
            giver.remove(row)
            left.append(row)
        return groups, left

    def settle(bucket: list[int], labels: frozenset[int]) -> None:
        best = None
        for label in labels:
            if tree.children[label]:
                groups, left = expand(bucket, label)
                won = sum(gain(row, label) for group in groups.values() for row in group)
                rank = (-won, int(tree.leaves[label]), label)
                if groups and (best is None or rank < best[0]):
                    best = rank, label, groups, left
        if best is None:
            for row in bucket:
                made[row] = frozenset(tree.labels[label] for label in labels)
            return
        _, label, groups, left = best
        for kids, group in groups.items():
            settle(group, labels - {label} | set(kids))
        if left:
            settle(left, labels)

    full = [row for row in range(len(rows)) if rows[row]]
    if full:
        settle(full, frozenset({passed(tree.root)}))
    return made


@examples(400)
@given(data=st.data())
def test_it_is_the_rule(data: st.DataObject) -> None:
    problem = data.draw(problems(models, max_leaves=12, max_rows=18))
    k = problem.model.values()["k"]
    assert isinstance(k, int)
    if data.draw(st.booleans()):
        weights = {label: data.draw(st.integers(0, 3)) for label in problem.hierarchy.items}
        problem = shoal.Problem(
            problem.data, problem.hierarchy, problem.model, problem.loss, weights=shoal.Weights(weights)
        )
    try:
        release = shoal.anonymize(problem)
    except Infeasible:
        empty = sum(not row for row in problem.prepared.items.sets())
        assert 0 < empty < k or 0 < len(problem.prepared.items) - empty < k
        return
    made = release.published.rows.sets()
    assert made == slow_partition(problem, k)
    assert holds(made, k)
    check_truthful(problem.prepared.items, release.published)
    longest = max(map(len, made), default=0)
    assert oracles.is_km_anonymous(made, k, longest)  # and so k^m-anonymous for every m
    assert shoal.Km(k=k, m="all").verify(release.published).holds
    assert shoal.models.KmNegative(k=k, m=2).verify(release.published).holds


@examples(100)
@given(problem=problems(models))
def test_the_order_of_rows_decides_between_equal_ones_only(problem: shoal.Problem) -> None:
    sets = problem.data.transactions.sets()
    turned = shoal.Problem(
        shoal.Dataset(shoal.data.Transactions.from_sets(sets[::-1])), problem.hierarchy, problem.model, problem.loss
    )
    try:
        one, other = (shoal.anonymize(which).published.rows.sets() for which in (problem, turned))
    except Infeasible:
        return
    assert Counter(zip(sets, one, strict=True)) == Counter(zip(sets[::-1], other, strict=True))


# ---- the model


@given(rows=st.lists(st.frozensets(st.sampled_from("abcd"), max_size=3), max_size=30), k=st.integers(2, 5))
def test_the_verifier_is_exact(rows: Sets, k: int) -> None:
    verdict = shoal.models.TransactionalK(k=k).verify(Published.plain(shoal.data.Transactions.from_sets(rows, "abcd")))
    counts = Counter(rows)
    rare = [(len(row), count, sorted(row)) for row, count in counts.items() if count < k]
    assert verdict.holds == holds(rows, k)
    assert (verdict.checked, verdict.violations) == (len(counts), len(rare))
    found = [(len(one.labels), one.support, list(one.labels)) for one in verdict.witnesses]
    assert found == sorted(rare)[:20]
    assert all(isinstance(one, RareRecord) for one in verdict.witnesses)


def test_the_model() -> None:
    model = shoal.models.TransactionalK(k=2)
    check_privacy_model(model, [["a"], ["a"], [], []], [["a", "b"], ["a", "b"], ["a"]])
    assert model.short == "transactional 2-anonymity"
    assert "at least 1 other:" in model.describe()
    assert str(RareRecord(("a",), 1)) == "the exact record {a} occurs 1 time"


def test_what_cannot_be() -> None:
    with pytest.raises(Infeasible, match=r"no empty records or at least 3, got 2, .* remove these records"):
        shoal.anonymize(problem_of([["a"]] * 3 + [[]] * 2, FLAT, 3))
    with pytest.raises(Infeasible, match=r"no non-empty records or at least 3, got 2, .* smaller k, or add data"):
        shoal.anonymize(problem_of([["a"]] * 2 + [[]] * 3, FLAT, 3))
    with pytest.raises(OptionError, match="does not solve the model transactional-k"):
        shoal.anonymize(problem_of([["a"]] * 3, FLAT, 3), algorithm=shoal.algorithms.AA())


def test_labels_that_do_not_fit_their_rows_are_refused() -> None:
    rows = TREE.encode(shoal.data.Transactions.from_sets([["a1", "b1"], ["a2"]]))
    code = TREE.code_of
    good = [["A", "b1"], ["a2"]]
    bad = [
        [["A"], ["a2"]],  # b1 is lost
        [["A", "b1"], ["a2", "B"]],  # B is invented
        [["A", "a1", "b1"], ["a2"]],  # a1 twice
        [["A", "b1"], ["a1"]],  # another item
        [["A", "b1"]],  # a row is missing
    ]
    for labels in [good, *bad]:
        nodes = np.array([code[label] for row in labels for label in row], dtype=np.int32)
        recoding = LocalNodes(TREE, rows, np.cumsum([0, *map(len, labels)]), nodes)
        if labels is good:
            assert recoding.apply(rows).rows.sets() == [{"A", "b1"}, {"a2"}]
            assert "3 labels of 2 rows" in repr(recoding)
        else:
            with pytest.raises(HierarchyError, match="cover each item exactly once"):
                recoding.apply(rows)


# ---- real data


@pytest.mark.parametrize("k", [5, 50])
@pytest.mark.parametrize("name", ["groceries", "bms-webview-1"])
def test_real_data(real_data: Path, name: str, k: int) -> None:
    data, tree = load(real_data, name)
    problem = shoal.Problem(data, tree, shoal.models.TransactionalK(k=k))
    release = shoal.anonymize(problem)
    assert holds(release.published.rows.sets(), k)
    assert shoal.Km(k=k, m="all").verify(release.published).holds
    rows = release.published.rows
    assert Counter(map(len, rows)).keys() >= {1}
    assert release.losses["ncp"] < 0.65


# ---- the command line


def test_the_command_line(shell: Shell) -> None:
    shell.write("many.basket", "a1,b1\n" * 3 + "a2,b1\na2,b2\na1,b2\n")
    model = ("--model", "transactional-k", "--k", "2")
    code, out, err = shell("anonymize", "many.basket", "-o", "out.basket", "--hierarchy", "h.csv", *model)
    assert code == 0, err
    assert "different records" in out + err
    assert "items published unchanged" in out + err
    assert holds(shoal.read(shell.folder / "out.basket").transactions.sets(), 2)
    code, out, _ = shell("verify", "out.basket", *model)
    assert code == 0
    assert "Every record is exactly the same as at least 1 other" in out
    code, out, _ = shell("verify", "many.basket", *model)
    assert code == 1
    assert "3 different records occur too rarely:" in out
    code, out, _ = shell("verify", "many.basket", *model, "--json")
    assert json.loads(out)["witnesses"][0] == {"labels": ["a1", "b2"], "support": 1, "whole": True}


def test_bad_input_by_the_command_line(shell: Shell) -> None:
    start = ("anonymize", "in.basket", "-o", "out.basket", "--hierarchy", "h.csv", "--model", "transactional-k")
    assert "needs no non-empty records or at least 5, got 4" in shell.fails(*start)
    assert "--m is an option of" in shell.fails(*start, "--k", "2", "--m", "2")
    assert "at least 2" in shell.fails(*start, "--k", "1")
    assert "does not solve" in shell.fails(*start, "--k", "2", "--algorithm", "aa")
    assert "does not solve" in shell.fails(*start[:-1], "km", "--algorithm", "partition", "--k", "2")
    assert "Only cuts for the model km" in shell.fails(
        "explain", "in.basket", "in.basket", "--hierarchy", "h.csv", "--model", "transactional-k"
    )
