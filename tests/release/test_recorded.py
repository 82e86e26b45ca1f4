"""A saved recoding repeats its release, and repairs only generalize.

Covers: release/saved_recoding.py, search/coarsen.py.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import discovery
from shoal.algorithms import Optimal
from shoal.algorithms.base import Algorithm
from shoal.engines import LOCAL
from shoal.errors import Infeasible, Untruthful
from shoal.jobs.apply import release_of
from shoal.metrics.comparison import Comparison
from shoal.models import Km, TransactionalK
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.published import Published
from shoal.recoding import GlobalCut
from shoal.release import recoding_file
from shoal.release.pipeline import make_release
from shoal.release.recorded import Recorded
from shoal.release.release import Release
from shoal.release.saved_recoding import SavedRecoding
from shoal.search.coarsen import Coarser, coarsened
from shoal.testing import all_cuts, models, problems
from tests.budget import examples

REUSABLE = {name: cls for name, cls in discovery.find("shoal.algorithms", Algorithm).items() if cls.reusable}


def variants(cls: type[Algorithm]) -> list[Algorithm]:
    """An algorithm with and without groups of siblings."""
    if "siblings" not in {one.name for one in cls.options()}:
        return [cls()]
    return [cls(siblings=how) for how in ("none", "frequency", "best")]  # type: ignore[call-arg]


METHODS = [one for cls in REUSABLE.values() for one in variants(cls)]


def reread(saved: SavedRecoding, folder: Path) -> SavedRecoding:
    recoding_file.save(saved, folder / "recoding.json")
    return recoding_file.load(folder / "recoding.json")


def other_data(problem: Problem[Any], rows: list[int]) -> Problem[Any]:
    """The problem with some of its rows, some of them several times."""
    return replace(problem, data=problem.data.take(np.array(rows) % len(problem.data)), allow_missing=True)


def as_map(published: Published) -> dict[str, frozenset[str]]:
    """The items that stand behind each label that occurs."""
    rows = published.rows
    used = np.flatnonzero(rows.supports).tolist()
    return {rows.labels[code]: frozenset(published.items[at] for at in published.cover(code)) for code in used}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Algorithm, Problem[Any], list[int]]:
    method = draw(st.sampled_from(METHODS))
    model = draw(st.sampled_from(method.solves))
    problem = draw(problems(models(model)))
    return method, problem, draw(st.lists(st.integers(0, 50), min_size=1, max_size=12))


def first_release(method: Algorithm, problem: Problem[PrivacyModel]) -> Release | None:
    try:
        return make_release(problem, method)
    except Infeasible:
        return None


@given(case=cases())
@examples(700)
def test_the_same_data_give_the_same_release(
    case: tuple[Algorithm, Problem[Any], list[int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    method, problem, _ = case
    release = first_release(method, problem)
    if release is None:
        return
    saved = reread(release.saved_recoding, tmp_path_factory.mktemp("saved"))
    again = make_release(replace(problem, hierarchy=saved.tree), Recorded(recoding=saved))
    assert again.dataset.transactions.sets() == release.dataset.transactions.sets()
    assert as_map(again.published) == as_map(release.published)
    assert again.losses == release.losses or problem.unknown_items == "root"
    assert again.codebook.entries == release.codebook.entries
    twice = again.saved_recoding
    assert (twice.raised, twice.groups, twice.suppressed) == (saved.raised, saved.groups, saved.suppressed)


@given(case=cases())
@examples(1400)
def test_a_repair_ends_holds_and_never_tells_more(case: tuple[Algorithm, Problem[Any], list[int]]) -> None:
    method, problem, rows = case
    release = first_release(method, problem)
    if release is None:
        return
    saved, other = release.saved_recoding, other_data(problem, rows)
    try:
        repaired = release_of(other, saved, LOCAL, repair=True, time_limit="none")
    except Infeasible:
        assert not can_be_repaired(other, saved)
        return
    assert repaired.verdict.holds
    after = repaired.saved_recoding
    for label, items in saved.represents.items():
        now = {new for new, some in after.represents.items() if set(some) & set(items)}
        assert len(now) <= 1, f"{label} was split"
        assert not now or set(items) <= set(after.represents[now.pop()]) | set(after.suppressed)
    assert set(saved.suppressed) <= set(after.suppressed)
    for label in after.represents.keys() & saved.represents.keys():
        assert set(after.represents[label]) == set(saved.represents[label]), "an old label means something else"
    assert not set(after.represents) & set(saved.retired)


@given(
    method=st.sampled_from([one for one in METHODS if Km in one.solves]),
    problem=problems(models(Km)),
    rows=st.lists(st.lists(st.integers(0, 20), max_size=4), min_size=1, max_size=12),
    places=st.lists(st.integers(0, 20), min_size=1, max_size=4),
)
@examples(700)
def test_a_repair_with_new_items_keeps_what_the_labels_mean(
    method: Algorithm, problem: Problem[Any], rows: list[list[int]], places: list[int]
) -> None:
    release = first_release(method, problem)
    if release is None:
        return
    saved, old = release.saved_recoding, release.saved_recoding.tree
    groups = old.labels[old.n_leaves :]
    below = {f"new {at}": groups[place % len(groups)] for at, place in enumerate(places)} if groups else {}
    larger = shoal.Hierarchy.from_parents({**old.parents_by_label(), **below})
    data = [[larger.items[code % larger.n_leaves] for code in row] for row in rows]
    try:
        repaired = shoal.apply(saved, data, hierarchy=larger, repair=True, time_limit="none")
    except Infeasible:
        return
    after = repaired.saved_recoding
    label_of = {item: label for label, items in after.represents.items() for item in items}
    own = [{label_of[item] for item in row if item in label_of} for row in data]
    assert repaired.published.rows.sets() == own
    assert Km.verify(problem.model, repaired.published).holds
    assert not saved.refined_by(after)
    for label in saved.groups.keys() & after.groups.keys():
        assert saved.groups[label] == after.groups[label]  # no new item joins a group that has its old name
    again = shoal.apply(after, data)
    assert again.published.rows.sets() == own
    assert again.saved_recoding.represents == after.represents


def test_a_repair_leaves_labels_alone_that_do_not_occur() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": [f"a{n}" for n in range(8)], "B": [f"b{n}" for n in range(8)]}})
    first = shoal.anonymize([[item] for item in tree.items for _ in range(4)], k=4, m=1, hierarchy=tree)
    assert first.saved_recoding.raised == ()
    rows = [["a0"], ["a7"], ["a7"], ["a7"], *[["a3"], ["a4"], ["b3"]] * 9]
    repaired = shoal.apply(first.saved_recoding, rows, repair=True).saved_recoding
    assert repaired.groups == {"a0 or a7": ("a0", "a7")}
    assert repaired.raised == ("a0 or a7",)
    none = replace(first.saved_recoding, method=Optimal())
    whole = shoal.apply(none, rows, repair=True).saved_recoding
    assert (whole.raised, whole.groups) == (("A",), {})  # without groups of siblings, a node is all or nothing


def can_be_repaired(problem: Problem[Any], saved: SavedRecoding) -> bool:
    """Whether the root would do, with the same items removed."""
    prepared = problem.prepared
    if saved.method.suppresses and saved.method.values().get("max_suppressed") == 100:
        return False  # it found that even this is not allowed
    cut = saved.on(prepared.hierarchy)
    root = GlobalCut.raising(cut.hierarchy, [cut.hierarchy.root], cut.suppressed.tolist())
    on = prepared.on(cut.hierarchy)
    return bool(prepared.model.verify(root.apply(on.items, on.sensitive_part)).holds)


@given(problem=problems(models(Km)), rows=st.lists(st.integers(0, 50), min_size=2, max_size=12))
@examples(700)
def test_a_repair_loses_as_little_as_possible(problem: Problem[Any], rows: list[int]) -> None:
    release = first_release(Optimal(), problem)
    if release is None:
        return
    saved, other = release.saved_recoding, other_data(problem, rows)
    try:
        repaired = release_of(other, saved, LOCAL, repair=True, time_limit="none")
    except Infeasible:
        return
    floor = [set(items) for items in saved.represents.values()]
    losses = []
    for cut in all_cuts(problem.hierarchy):
        labels = [set(cut.hierarchy.items[slice(*cut.hierarchy.span[node])]) for node in cut.nodes]
        published = cut.apply(repaired.problem.items)
        if all(any(items <= label for label in labels) for items in floor) and problem.model.verify(published).holds:
            total, scale = problem.loss.total(Comparison(repaired.problem.original, published))
            losses.append(total / scale)
    assert repaired.loss == pytest.approx(min(losses), abs=1e-12)


def test_what_is_said_to_be_reusable_is_one_cut_for_all_records() -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    rows = [["a1", "b1"], ["a2", "b1"], ["a1", "b2"], ["a2", "b2"]] * 3
    found = set()
    for name, cls in discovery.find("shoal.algorithms", Algorithm).items():
        if any(issubclass(one, (Km, TransactionalK)) for one in cls.solves):
            model = TransactionalK(k=2) if cls.solves == (TransactionalK,) else Km(k=2, m=2)
            release = shoal.anonymize(rows, model, hierarchy=tree, algorithm=name)
            assert (release.recoding.global_cut is not None) == cls.reusable, name
            found.add(cls.reusable)
    assert found == {True, False}


def test_names_of_groups_are_never_used_again() -> None:
    items = [f"i{number}" for number in range(12)]
    tree = shoal.Hierarchy.flat(items, "flat.csv")
    rows = [[item] for item in items for _ in range(3)]
    first = shoal.anonymize(rows, k=9, m=1, hierarchy=tree, algorithm="auto").saved_recoding
    meanings = dict(first.represents)
    for left in (9, 6, 4):
        few = shoal.read(rows[: 3 * left])
        first = shoal.apply(first, few, repair=True).saved_recoding
        for label, some in first.represents.items():
            assert meanings.setdefault(label, some) == some
    assert len(first.retired) > 0


def tells_more(before: SavedRecoding, after: SavedRecoding) -> bool:
    """Whether a reader learns more about some item from the second recoding, item by item."""
    told = {item: set(some) for some in before.represents.values() for item in some}
    for items in after.represents.values():
        for item in items:
            if item in before.suppressed or not told[item] <= {*items}:
                return True
    return False


@given(case=cases(), rows=st.lists(st.integers(0, 50), min_size=1, max_size=12))
@examples(700)
def test_a_recoding_that_tells_more_is_known(case: tuple[Algorithm, Problem[Any], list[int]], rows: list[int]) -> None:
    method, problem, others = case
    releases = [first_release(method, other_data(problem, some)) for some in (rows, others)]
    one, two = (None if release is None else release.saved_recoding for release in releases)
    if one is not None and two is not None and one.tree.items == two.tree.items:
        assert one.refined_by(two) == tells_more(one, two)
        assert two.refined_by(one) == tells_more(two, one)
        assert not one.refined_by(one)


def test_a_search_that_goes_below_the_floor_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    saved = shoal.anonymize([["a1", "b1"], ["a2", "b1"]], k=2, m=1, hierarchy=tree, algorithm="optimal").saved_recoding
    assert saved.raised == ("A",)
    found = coarsened

    def finer(*given: Any) -> Coarser:
        return replace(found(*given), blocks=(("a1",), ("a2",), ("B",)))

    monkeypatch.setattr("shoal.release.recorded.coarsened", finer)
    with pytest.raises(Untruthful, match="tells more than the first"):
        shoal.apply(saved, [["a1", "b1"], ["a2", "b2"]], repair=True)


def test_the_number_of_a_group_that_is_gone_is_not_used_again() -> None:
    items = [f"i{number}" for number in range(10, 26)]
    tree, often = shoal.Hierarchy.flat(items, "flat.csv"), [[item] for item in items for _ in range(4)]
    names = ("*: group 1 of 2 (4 items)", "*: group 2 of 2 (4 items)")
    plain = shoal.anonymize(often, k=4, m=1, hierarchy=tree).saved_recoding
    first = replace(plain, groups={names[0]: tuple(items[:4]), names[1]: tuple(items[4:8])}, raised=names)
    half = [[items[0]]] * 2 + [[items[4]]] * 2
    second = shoal.apply(first, half + often[32:], repair=True).saved_recoding
    assert set(second.groups) == {"*: group 3 of 3 (8 items)"}
    assert second.retired == names
    third = shoal.apply(second, half + [[item] for item in items[8:12]] + often[48:], repair=True).saved_recoding
    assert tuple(items[8:12]) in third.groups.values()
    assert not set(third.groups) & set(names)  # one group of two, of four items: the name would be free otherwise
