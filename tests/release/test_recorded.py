"""A saved recoding repeats its release, and repairs only generalize. Covers: release/recorded.py, search/coarsen.py."""

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
from shoal.algorithms.base import Algorithm
from shoal.data.dataset import Dataset
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL
from shoal.errors import Infeasible, RecodingFails
from shoal.jobs.apply import release_of
from shoal.models.base import PrivacyModel
from shoal.problem import Problem
from shoal.published import Published
from shoal.recoding import GlobalCut
from shoal.release import recoding_file
from shoal.release.pipeline import make_release
from shoal.release.recorded import Recorded, Repaired
from shoal.release.release import Release
from shoal.release.saved_recoding import SavedRecoding
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
def test_the_same_data_give_the_same_release(case: tuple[Algorithm, Problem[Any], list[int]], tmp_path_factory: pytest.TempPathFactory) -> None:
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


def can_be_repaired(problem: Problem[Any], saved: SavedRecoding) -> bool:
    """Whether the root would do, with the same items removed."""
    prepared = problem.prepared
    if saved.method.suppresses and saved.method.values().get("max_suppressed") == 100:
        return False  # it found that even this is not allowed
    cut = saved.on(prepared.hierarchy)
    root = GlobalCut.raising(cut.hierarchy, [cut.hierarchy.root], cut.suppressed.tolist())
    on = prepared.on(cut.hierarchy)
    return bool(prepared.model.verify(root.apply(on.items, on.sensitive_part)).holds)
