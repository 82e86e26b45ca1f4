"""MM: minimal moles against brute force, the greedy choice against a slow one, limits, and real data.

Covers: kernels/search/suppress/choose_suppressed.py, kernels/search/suppress/minimal_moles.py.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal import hierarchies, kernels
from shoal.data import Transactions
from shoal.data.arrays import Codes
from shoal.errors import Infeasible, OptionError
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.kernels.search.suppress.choose_suppressed import choose_suppressed
from shoal.kernels.search.suppress.minimal_moles import minimal_moles
from shoal.testing import models, problems
from tests import oracles
from tests.budget import examples
from tests.conftest import implementations
from tests.kernels.rows import plain

label_sets = st.sets(st.sampled_from("abcdefg"), max_size=6)
value_sets = st.sets(st.sampled_from("xyz"), max_size=2)
Pairs = list[tuple[set[str], set[str]]]
pair_lists = st.lists(st.tuples(label_sets, value_sets, st.integers(1, 4)), min_size=1, max_size=12).map(
    lambda groups: [(row, values) for row, values, copies in groups for _ in range(copies)]
)
shares = st.tuples(st.integers(1, 5), st.integers(5, 6))


def interrupt(share: float) -> None:
    raise KeyboardInterrupt


def arrays(pairs: Pairs) -> tuple[Any, Any, int, Any, Any, int]:
    rows, values = (Transactions.from_sets(part) for part in zip(*pairs, strict=True))
    return rows.indptr, rows.items, len(rows.labels), values.indptr, values.items, len(values.labels)


def for_kernel(pairs: Pairs) -> tuple[Any, ...]:
    indptr, items, *rest = arrays(pairs)
    return indptr, items, NOBODY, *rest


def sets_of(found: tuple[list[int], Codes], labels: tuple[str, ...]) -> list[frozenset[str]]:
    counts, rest = found
    sets = []
    for size, count in enumerate(counts, 1):
        sets += [frozenset(labels[code] for code in mole) for mole in rest[: size * count].reshape(-1, size)]
        rest = rest[size * count :]
    assert not len(rest)
    return sets


# Mining


@examples(300)
@given(pairs=pair_lists, k=st.integers(1, 5), share=shares, p=st.integers(1, 6), threads=st.integers(1, 4))
@example(pairs=[(set(), {"x"})], k=2, share=(1, 1), p=2, threads=1)
def test_minimal_moles(kernel: ModuleType, pairs: Pairs, k: int, share: tuple[int, int], p: int, threads: int) -> None:
    rows, values = [frozenset(row) for row, _ in pairs], [frozenset(own) for _, own in pairs]
    found = sets_of(
        kernel.minimal_moles(*for_kernel(pairs), k, *share, p, 10**6, threads, no_progress),
        Transactions.from_sets(rows).labels,
    )
    assert len(found) == len(set(found))
    assert set(found) == oracles.minimal(oracles.moles(rows, values, Fraction(*share), k, p))


@given(pairs=pair_lists, k=st.integers(1, 5), share=shares, p=st.integers(1, 6), most=st.integers(0, 20))
def test_twins_find_the_same_moles(pairs: Pairs, k: int, share: tuple[int, int], p: int, most: int) -> None:
    results = [
        plain(kernel.minimal_moles(*for_kernel(pairs), k, *share, p, most, threads, no_progress))
        for kernel in implementations()
        for threads in (1, 3)
    ]
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("k", "share", "p"), [(4, (1, 2), 4), (20, (1, 3), 5), (2, (9, 10), 3), (60, (1, 1), 4)])
def test_moles_of_larger_data(kernel: ModuleType, k: int, share: tuple[int, int], p: int) -> None:
    rng = np.random.default_rng(k)
    has = rng.random((800, 12)) < np.linspace(0.05, 0.6, 12)
    secret = rng.random((800, 4)) < 0.25
    expected = set[frozenset[int]]()
    for size in range(1, p + 1):
        for codes in itertools.combinations(range(12), size):
            held = has[:, codes].all(axis=1)
            together, support = int(secret[held].sum(axis=0).max()), int(held.sum())
            breach = 0 < support < k or together * share[1] > support * share[0]
            if breach and not any(mole < set(codes) for mole in expected):
                expected.add(frozenset(codes))
    csr: list[Any] = [
        part
        for table in (has, secret)
        for part in (
            np.concatenate([[0], table.sum(axis=1).cumsum()]),
            np.nonzero(table)[1].astype(np.int32),
            table.shape[1],
        )
    ]
    csr.insert(2, NOBODY)
    results = [kernel.minimal_moles(*csr, k, *share, p, 10**6, threads, no_progress) for threads in (1, 2, 5)]
    assert plain(results[0]) == plain(results[1]) == plain(results[2])
    assert set(sets_of(results[0], tuple(map(str, range(12))))) == {frozenset(map(str, mole)) for mole in expected}
    assert len(results[0][0]) > 1  # not only single items


def test_a_mole_inside_a_set_that_is_none(kernel: ModuleType) -> None:
    """{b, c} tells x, {a, b, c} does not; with d it is rare, but not a minimal mole."""
    pairs: Pairs = [({"b", "c"}, {"x"})] * 4 + [({"a", "b", "c"}, set())] * 2 + [({"a", "b", "c", "d"}, set())]
    pairs += [({label}, set[str]()) for label in "abcd" for _ in range(9)]
    found = sets_of(kernel.minimal_moles(*for_kernel(pairs), 2, 1, 2, 4, 100, 1, no_progress), ("a", "b", "c", "d"))
    assert set(found) == {frozenset(pair) for pair in ("bc", "ad", "bd", "cd")}


def test_no_rows_have_no_moles() -> None:
    indptr, items = np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32)
    assert minimal_moles(indptr, items, 0, indptr, items, 0, 5, (1, 2), 3) == []


def test_huge_options() -> None:
    found = minimal_moles(*arrays([({"a"}, {"x"}), ({"a", "b"}, set())]), 10**30, (1, 2), 10**30)
    assert found is not None
    assert [moles.tolist() for moles in found] == [[[1], [0]]]


def test_an_exception_in_the_callback_stops_the_search(kernel: ModuleType) -> None:
    has = np.random.default_rng(0).random((300, 60)) < 0.5
    rows = (np.concatenate([[0], has.sum(axis=1).cumsum()]), np.nonzero(has)[1].astype(np.int32), 60)
    nothing = (np.zeros(301, dtype=np.int64), np.zeros(0, dtype=np.int32), 0)
    with pytest.raises(KeyboardInterrupt):
        kernel.minimal_moles(*rows[:2], NOBODY, rows[2], *nothing, 2, 1, 1, 6, 10**9, 2, interrupt)


# Choosing


def slowly(moles: list[frozenset[int]], lost: list[int], barred: list[bool]) -> list[int] | None:
    """One item at a time, all ratios computed anew."""
    chosen = sorted(item for mole in moles if len(mole) == 1 for item in mole)
    if any(barred[item] for item in chosen):
        return None
    left = [mole for mole in moles if not mole & set(chosen)]
    while left:
        counts = Counter(item for mole in left for item in mole if not barred[item])
        if not all(any(item in counts for item in mole) for mole in left):
            return None
        ratio = {item: Fraction(count, lost[item]) if lost[item] else np.inf for item, count in counts.items()}
        best = min(counts, key=lambda item: (-ratio[item], lost[item], item))
        chosen.append(best)
        left = [mole for mole in left if best not in mole]
    return chosen


@examples(300)
@given(
    moles=st.sets(st.frozensets(st.integers(0, 8), min_size=1, max_size=4), max_size=25),
    lost=st.lists(st.integers(0, 6) | st.sampled_from([2**53, 2**62, 2**63 - 1]), min_size=9, max_size=9),
    barred=st.lists(st.sampled_from([False, False, False, True]), min_size=9, max_size=9),
)
def test_the_greedy_choice(kernel: ModuleType, moles: set[frozenset[int]], lost: list[int], barred: list[bool]) -> None:
    kept = oracles.minimal({frozenset(map(str, mole)) for mole in moles})
    minimal = [frozenset(map(int, mole)) for mole in kept]
    by_size = [
        np.array([sorted(mole) for mole in minimal if len(mole) == size], dtype=np.int32).reshape(-1, size)
        for size in range(1, 5)
    ]
    codes = np.concatenate([some.ravel() for some in by_size])
    arrays = np.array(lost, dtype=np.int64), np.array(barred, dtype=np.uint8)
    chosen = kernel.choose_suppressed([len(some) for some in by_size], codes, *arrays, no_progress)
    assert plain(chosen) == slowly(minimal, lost, barred)


def test_no_moles_nothing_to_do() -> None:
    assert choose_suppressed([], np.array([1, 2]), np.zeros(2, dtype=bool)) == []


def test_ratios_are_compared_exactly(kernel: ModuleType) -> None:
    """1 of 2^62 and 2 of 2^63 - 1: numbers with a point are the same, but the second ratio is larger."""
    codes, lost = np.array([0, 3, 1, 3, 1, 4], dtype=np.int32), np.array([2**62, 2**63 - 1, 9, 2**63 - 1, 2**63 - 1])
    barred = np.array([0, 0, 0, 1, 1], dtype=np.uint8)
    assert kernel.choose_suppressed([0, 3], codes, lost, barred, no_progress).tolist() == [1, 0]


def test_the_choice_can_be_interrupted(kernel: ModuleType) -> None:
    arrays = np.array([0, 1], dtype=np.int32), np.array([1, 1]), np.zeros(2, dtype=np.uint8)
    with pytest.raises(KeyboardInterrupt):
        kernel.choose_suppressed([0, 1], *arrays, interrupt)


# The whole


hkp = models(shoal.models.Hkp)
km = st.builds(shoal.Km, k=st.integers(2, 5), m=st.integers(1, 4) | st.just("all"))


def of_single_records(problem: shoal.Problem) -> bool:
    """Whether every person has one record: the oracle counts records."""
    return not len(problem.prepared.items.repeaters)


@examples(200)
@given(problem=problems(hkp | km).filter(of_single_records), data=st.data())
def test_mm_is_what_it_says(problem: shoal.Problem, data: st.DataObject) -> None:
    """Minimal moles by brute force, the slow choice, the definition on what is left: all of MM by other means."""
    options = problem.model.values()
    k, h = options["k"], Fraction(str(options.get("h", 1)))
    p = options["p"] if "p" in options else 9 if options["m"] == "all" else options["m"]
    never = data.draw(st.sets(st.sampled_from(problem.prepared.hierarchy.items), max_size=1))
    rows, values, code = (
        problem.prepared.items.sets(),
        problem.prepared.sensitive.sets(),
        problem.prepared.hierarchy.code_of,
    )
    moles = oracles.moles(rows, values, h, k, p)
    minimal = [frozenset(code[label] for label in mole) for mole in oracles.minimal(moles)]
    supports = problem.prepared.items.supports.tolist()
    barred = [label in never for label in problem.prepared.hierarchy.items]
    expected = slowly(minimal, supports, barred)
    method = shoal.algorithms.MM(never_suppress=tuple(never))
    if expected is None:
        assert any(mole <= never for mole in moles)
        with pytest.raises(Infeasible, match=r"never_suppress= protects all its items|more than max_suppressed="):
            shoal.anonymize(problem, algorithm=method)
        return
    release = shoal.anonymize(problem, algorithm=method)
    assert isinstance(release.recoding, shoal.recoding.GlobalCut)
    assert release.recoding.suppressed.tolist() == sorted(expected)
    assert release.solution.statistics == {"moles": len(minimal), "suppressed_items": len(expected)}
    left = release.published.rows.sets()
    gone = {problem.prepared.hierarchy.labels[item] for item in expected}
    assert left == [row - gone for row in rows]
    assert not oracles.moles(left, values, h, k, p)  # the minimal moles of the raw data were enough
    lost = sum(supports[item] for item in expected)
    assert release.losses["ncp"] == pytest.approx(lost / max(1, sum(supports)))


def groceries(real_data: Path) -> tuple[shoal.Dataset, shoal.Hierarchy]:
    folder = real_data / "groceries"
    return shoal.read(folder / "transactions.basket"), hierarchies.load(folder / "hierarchy.csv")


def test_single_moles_go_first_then_the_best_ratio() -> None:
    """e alone is rare. {a, b}, {a, c} and {a, d} are rare pairs: a destroys all three for 9, each other one for 3."""
    pairs = [["a", other] for other in "bcd"]
    rows = [*pairs, *[["a"]] * 6, *([other] for other in "bcd" for _ in range(2)), ["e"]]
    tree = shoal.Hierarchy.from_tree({"ALL": list("abcde")})
    problem = shoal.Problem(shoal.read(rows), tree, shoal.models.Hkp(k=2, p=2))
    solution = shoal.algorithms.MM().solve(problem.prepared, shoal.Engine())
    assert isinstance(solution.recoding, shoal.recoding.GlobalCut)
    assert solution.recoding.suppressed_labels == ("b", "c", "d", "e")  # ratios tie at 1/3: the lower loss is first
    light = shoal.Weights({"a": 0.5})
    weighed = shoal.Problem(shoal.read(rows), tree, shoal.models.Hkp(k=2, p=2), weights=light)
    assert shoal.anonymize(weighed, algorithm=shoal.algorithms.MM()).recoding.summary().suppressed_labels == 2
    free = shoal.Problem(shoal.read(rows), tree, shoal.models.Hkp(k=2, p=2), weights=shoal.Weights({"a": 0}))
    assert shoal.anonymize(free, algorithm=shoal.algorithms.MM()).published.rows.in_use().labels == ("b", "c", "d")
    kept = shoal.anonymize(problem, algorithm=shoal.algorithms.MM(never_suppress=("b", "c", "d")))
    assert kept.published.rows.in_use().labels == ("b", "c", "d")
    occurrences = sum(map(len, rows))
    shoal.anonymize(problem, algorithm=shoal.algorithms.MM(max_suppressed=100 * 10 / occurrences + 0.01))
    with pytest.raises(Infeasible, match="more than max_suppressed="):
        shoal.anonymize(problem, algorithm=shoal.algorithms.MM(max_suppressed=100 * 9 / occurrences))


def test_private_items_are_never_suppressed() -> None:
    rows = [["a", "x"]] * 3 + [["b", "x"]] + [["b"]] * 3
    tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b", "x"]})
    problem = shoal.Problem(shoal.read(rows), tree, shoal.models.Hkp(h=0.5, k=2, p=2, sensitive=("x",)))
    release = shoal.anonymize(problem)
    assert release.algorithm.name == "mm"
    assert [sorted(row) for row in release.dataset.transactions.sets()] == [["x"]] * 3 + [["b", "x"]] + [["b"]] * 3


def test_too_many_moles_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.algorithms.mm.minimal_moles", lambda *_, **__: None)
    tree = shoal.Hierarchy.from_tree({"ALL": ["a", "b"]})
    with pytest.raises(OptionError, match="more than 10,000,000 violating sets of items: choose a smaller p or m"):
        shoal.anonymize(shoal.Problem(shoal.read([["a"]]), tree, shoal.Km()), algorithm=shoal.algorithms.MM())


@pytest.mark.skipif(kernels.KIND == "python", reason="the twin takes its time")
@pytest.mark.parametrize(("h", "p"), [(1.0, 2), (0.3, 2), (0.3, 3)])
def test_groceries(real_data: Path, h: float, p: int) -> None:
    data, tree = groceries(real_data)
    secret = ("liquor", "baby food", "whole milk") if h < 1 else ()
    model = shoal.models.Hkp(h=h, k=5, p=p, sensitive=secret)
    release = shoal.anonymize(shoal.Problem(data, tree, model))
    assert model.verify(model.validated_view(release.dataset)).holds
    left, own = release.published.rows.sets(), release.problem.sensitive.sets()
    assert not oracles.moles(left, own, Fraction(str(h)), 5, p) if p == 2 else True


@pytest.mark.skipif(kernels.KIND == "python", reason="the twin takes minutes")
@pytest.mark.parametrize(("k", "m"), [(5, 3), (50, 7)])
def test_webview_1(real_data: Path, k: int, m: int) -> None:
    data = shoal.read(real_data / "bms-webview-1" / "transactions.dat")
    tree = hierarchies.balanced(data.transactions.labels, fanout=5)
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=k, m=m)), algorithm=shoal.algorithms.MM())
    assert release.published.rows.in_use().labels
    same = shoal.anonymize(shoal.Problem(data, tree, shoal.models.Hkp(h=1, k=k, p=m)))
    assert same.published.rows.sets() == release.published.rows.sets()
