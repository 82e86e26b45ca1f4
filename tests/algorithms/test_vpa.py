"""VPA: parts of the hierarchy, what waits for the last pass, and that committed cuts stay.

Covers: search/vertical.py, search/direct.py.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data.arrays import Counts
from shoal.models.people import with_items
from shoal.published import Published
from shoal.search.direct import CutInput, level_by_level
from shoal.search.vertical import part_of, split_units, units
from shoal.testing import hierarchies, problems
from tests.budget import examples

km = st.builds(shoal.Km, k=st.integers(2, 5), m=st.integers(1, 3))


def heights(h: shoal.Hierarchy) -> list[int]:
    return [
        max(len(h.ancestors(leaf)) - len(h.ancestors(node)) for leaf in range(*h.span[node])) for node in range(len(h))
    ]


@given(h=hierarchies(), level=st.integers(0, 4))
def test_units_tile_the_leaves(h: shoal.Hierarchy, level: int) -> None:
    found, height = units(h, level), heights(h)
    assert [leaf for node in found for leaf in range(*h.span[node])] == list(range(h.n_leaves))
    for node in found:
        assert height[node] <= level
        assert node == h.root or height[h.parent[node]] > level


@given(h=hierarchies(), level=st.integers(0, 3), parts=st.integers(1, 10))
def test_parts_are_whole_units(h: shoal.Hierarchy, level: int, parts: int) -> None:
    found = split_units(h, level, parts)
    assert [leaf for part in found for leaf in part] == list(range(h.n_leaves))
    ends = [int(h.span[node, 1]) for node in units(h, level)]
    assert all(part.stop in ends and len(part) for part in found)
    assert len(found) == min(parts, len(ends))


def test_parts_of_even_size() -> None:
    h = shoal.Hierarchy.from_tree({"ALL": {f"g{g:02}": [f"i{g:02}-{i}" for i in range(5)] for g in range(10)}})
    assert [len(part) for part in split_units(h, 1, 3)] == [15, 20, 15]
    assert [len(part) for part in split_units(h, 0, 3)] == [17, 16, 17]


@examples(200)
@given(problem=problems(km), data=st.data())
def test_a_part_is_what_the_whole_would_do_inside_it(problem: shoal.Problem, data: st.DataObject) -> None:
    """No node outside is raised, and every set left in breach is one that no node inside could lift to k."""
    k, h = problem.model.values()["k"], problem.hierarchy
    first = data.draw(st.integers(0, h.n_leaves - 1))
    leaves = range(first, data.draw(st.integers(first + 1, h.n_leaves)))
    part = part_of(CutInput.of(problem.prepared), leaves)
    done = level_by_level(part.cut_input, problem.model, shoal.Engine(), bounded=True)
    raised = [int(part.nodes[node]) for node in done.raised]
    for node in raised:
        assert node != h.root
        assert leaves.start <= h.span[node, 0] < h.span[node, 1] <= leaves.stop
    tops = [node for node in part.nodes.tolist() if h.parent[node] not in part.nodes.tolist()]
    inside = np.isin(problem.prepared.items.items, leaves)
    top_of = {leaf: top for top in tops for leaf in range(*h.span[top])}
    single: Counts = problem.prepared.items.supports
    for leaf in set(problem.prepared.items.items[inside].tolist()):
        holders = sum(
            any(top_of.get(item, -1) == top_of.get(leaf) for item in row.tolist()) for row in problem.prepared.items
        )
        covered = any(h.covers(node, leaf) for node in raised)
        assert covered or single[leaf] >= k or holders < k  # a rare item was raised, or waits as nothing inside helps


@examples(150)
@given(problem=problems(km), parts=st.integers(1, 5), level=st.integers(0, 3))
def test_any_parts_and_levels(problem: shoal.Problem, parts: int, level: int) -> None:
    if 0 < with_items(problem.prepared.items) < problem.model.values()["k"]:
        return
    one = shoal.anonymize(
        problem, algorithm=shoal.algorithms.VPA(parts=parts, level=level), engine=shoal.Engine(workers=1)
    )
    two = shoal.anonymize(
        problem, algorithm=shoal.algorithms.VPA(parts=parts, level=level), engine=shoal.Engine(workers=3)
    )
    assert one.published.rows.sha256 == two.published.rows.sha256
    assert one.provenance["search"] == two.provenance["search"]


def test_one_part_is_aa() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    problem = shoal.Problem(shoal.Dataset(shoal.data.Transactions.from_sets(rows)), tree, shoal.Km(k=2, m=2))
    assert (
        shoal.anonymize(problem, algorithm=shoal.algorithms.VPA(parts=1)).losses
        == shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).losses
    )
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.VPA()).losses["ncp"] == pytest.approx(2.5 / 11)


def test_polish_works_on_its_cut() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [["a1", "b1"], ["a2", "b1"], ["a1", "b2"], ["a2", "b2"]] * 2
    problem = shoal.Problem(shoal.Dataset(shoal.data.Transactions.from_sets(rows)), tree, shoal.Km(k=2, m=2))
    assert shoal.anonymize(problem, algorithm=shoal.algorithms.VPA(polish=True)).losses["ncp"] == 0


def test_parts_do_not_settle_what_is_known_to_be_missing() -> None:
    """Both projections are safe for 2^2 with negative knowledge, all records are not: the last pass repairs them."""
    rows = shoal.data.Transactions.from_sets([["a", "b"], ["a", "b"], ["a"], ["b"], ["b"], [], []])
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a"], "B": ["b"]}})
    model = shoal.models.KmNegative(k=2, m=2)
    for item in "ab":
        part = shoal.data.Transactions.from_sets(
            [[label for label in row if label == item] for row in rows.sets()], [item]
        )
        assert model.verify(Published.plain(part)).holds
    assert not model.verify(Published.plain(rows)).holds
    release = shoal.anonymize(shoal.Problem(shoal.Dataset(rows), tree, model), algorithm=shoal.algorithms.VPA(parts=2))
    assert release.verdict.holds
    assert release.published.rows.labels == ("ALL",)
