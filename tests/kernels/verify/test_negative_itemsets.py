"""Labels known to be present or absent: native ≡ Python ≡ oracle."""

from __future__ import annotations

import itertools
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import kernels
from shoal.data import Transactions
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.kernels.verify.negative_itemsets import RareNegativeItemsets, rare_negative_itemsets
from tests import oracles
from tests.conftest import implementations
from tests.kernels.rows import interrupt
from tests.kernels.verify.tables import arrays, offsets, random_rows, records, with_persons

label_sets = st.sets(st.sampled_from("abcdef"), max_size=5)


row_lists = st.lists(label_sets, min_size=1, max_size=20)


repeated = st.lists(st.tuples(label_sets, st.integers(1, 6)), min_size=1, max_size=12).map(
    lambda groups: [row for row, copies in groups for _ in range(copies)]
)


tables = st.lists(st.sampled_from([0, 1, 3, 4, 5]), min_size=16, max_size=16).map(
    lambda counts: [
        {label for at, label in enumerate("abcd") if kind >> at & 1}
        for kind, count in enumerate(counts)
        for _ in range(count)
    ]
)


@given(rows=row_lists | repeated | tables, k=st.integers(1, 6), m=st.integers(1, 5), threads=st.integers(1, 4))
@example(rows=[set()] * 3 + [{"a"}] * 2, k=3, m=1, threads=1)
def test_rare_negative_itemsets(kernel: ModuleType, rows: list[set[str]], k: int, m: int, threads: int) -> None:
    t = Transactions.from_sets(rows)
    checked, violations, found = kernel.rare_negative_itemsets(*with_persons(t), k, m, 10**6, threads, no_progress)
    rare = oracles.rare_facts([frozenset(row) for row in rows], k, m)
    fewest = min((len(present) + len(absent) for present, absent in rare), default=m)
    expected = {facts: count for facts, count in rare.items() if len(facts[0]) + len(facts[1]) == fewest}
    reported = {
        (frozenset(t.labels[c] for c in present), frozenset(t.labels[c] for c in absent)): count
        for present, absent, count in found
    }
    assert reported == expected
    assert violations == len(found) == len(reported) <= checked
    assert all(present == sorted(present) and absent == sorted(absent) for present, absent, _ in found)
    assert found == sorted(found, key=lambda fact: (fact[2], fact[0], fact[1]))
    sets = oracles.supports([frozenset(row) for row in rows], min(fewest, len(t.labels)))
    assert checked >= len(sets)


@given(rows=records(label_sets, max_size=24), k=st.integers(1, 5), m=st.integers(1, 4), threads=st.integers(1, 3))
@example(rows=[({"a"}, 0), ({"a", "b"}, 0), ({"a"}, 1), ({"a", "b"}, 2)], k=2, m=2, threads=1)
@example(rows=[(set(), 0), ({"a"}, 0), ({"a"}, 1), (set(), 2)], k=3, m=1, threads=1)
def test_facts_of_persons(kernel: ModuleType, rows: list[tuple[set[str], int]], k: int, m: int, threads: int) -> None:
    """Counted directly: one person may have a row with a label and one without it."""
    sets, people = [frozenset(row) for row, _ in rows], [person for _, person in rows]
    t = Transactions.from_sets(sets).of_persons(people)
    checked, violations, found = kernel.rare_negative_itemsets(*with_persons(t), k, m, 10**6, threads, no_progress)
    rare = oracles.rare_facts(sets, k, m, people)
    fewest = min((len(present) + len(absent) for present, absent in rare), default=m)
    expected = {facts: count for facts, count in rare.items() if len(facts[0]) + len(facts[1]) == fewest}
    reported = {
        (frozenset(t.labels[c] for c in present), frozenset(t.labels[c] for c in absent)): count
        for present, absent, count in found
    }
    assert reported == expected
    assert violations == len(found) <= checked
    results = [one.rare_negative_itemsets(*with_persons(t), k, m, 5, 1, no_progress) for one in implementations()]
    assert all(result == results[0] for result in results)


@given(rows=row_lists | repeated | tables, k=st.integers(1, 6), m=st.integers(1, 5), keep=st.integers(0, 5))
def test_twins_find_the_same_rare_negative_itemsets(rows: list[set[str]], k: int, m: int, keep: int) -> None:
    t = Transactions.from_sets(rows)
    results = [
        kernel.rare_negative_itemsets(*with_persons(t), k, m, keep, threads, no_progress)
        for kernel in implementations()
        for threads in (1, 3)
    ]
    assert all(result == results[0] for result in results)
    assert len(results[0][2]) == min(keep, results[0][1])


@pytest.mark.parametrize("known", [set[str](), {"x"}], ids=len)
@pytest.mark.parametrize("left", [1, 2, 3])
def test_absent_labels_single_out(kernel: ModuleType, known: set[str], left: int) -> None:
    """Each of three labels takes four rows of those that have what is known; one to three have none of them."""
    rows = [*[set[str]()] * 9 * len(known), *[known] * left, *(known | {label} for label in "abc" for _ in range(4))]
    t = Transactions.from_sets(rows)
    facts = 3 + len(known)
    assert kernel.rare_negative_itemsets(*with_persons(t), 4, facts - 1, 20, 1, no_progress)[1] == 0
    present = [3] if known else []
    assert kernel.rare_negative_itemsets(*with_persons(t), 4, facts, 20, 1, no_progress)[1:] == (
        1,
        [(present, [0, 1, 2], left)],
    )


@pytest.mark.parametrize(("k", "share", "m"), [(2, 0.4, 3), (5, 0.5, 4), (3, 0.55, 5), (9, 0.5, 3), (4, 0.15, 2)])
def test_rare_negative_itemsets_of_larger_data(kernel: ModuleType, k: int, share: float, m: int) -> None:
    has, indptr, items = random_rows(2000, 9, share, seed=k)
    expected = list[tuple[list[int], list[int], int]]()
    for facts in range(1, m + 1):
        for codes in itertools.combinations(range(9), facts):
            for truth in itertools.product([True, False], repeat=facts):
                count = int((has[:, codes] == truth).all(axis=1).sum())
                if 0 < count < k:
                    present = [code for code, there in zip(codes, truth, strict=True) if there]
                    expected.append((present, [code for code in codes if code not in present], count))
        if expected:
            break
    expected.sort(key=lambda fact: (fact[2], fact[0], fact[1]))
    found = [
        kernel.rare_negative_itemsets(indptr, items, NOBODY, 9, k, m, 20, threads, no_progress) for threads in (1, 2, 5)
    ]
    assert found[0] == found[1] == found[2]
    assert found[0][1:] == (len(expected), expected[:20])


@pytest.mark.parametrize("seed", range(6))
def test_one_row_that_differs_is_found(kernel: ModuleType, seed: int) -> None:
    """Every row comes k times but one: exactly the combinations that match it and no other row fail."""
    rng = np.random.default_rng(seed)
    kinds = rng.random((40, 12)) < 0.35
    odd = rng.random(12) < 0.35
    has = np.vstack([np.repeat(kinds, 4, axis=0), odd])
    expected = list[tuple[list[int], list[int], int]]()
    for facts in range(1, 13):
        for codes in itertools.combinations(range(12), facts):
            if not (kinds[:, codes] == odd[list(codes)]).all(axis=1).any():
                expected.append(([c for c in codes if odd[c]], [c for c in codes if not odd[c]], 1))
        if expected:
            break
    expected.sort(key=lambda fact: (fact[2], fact[0], fact[1]))
    assert kernel.rare_negative_itemsets(*offsets(has), NOBODY, 12, 4, 12, 1000, 2, no_progress)[1:] == (
        len(expected),
        expected,
    )


@pytest.mark.skipif(kernels.KIND == "python", reason="the twin takes minutes")
@pytest.mark.parametrize(("copies", "seed"), [(3, 0), (3, 1), (2, 0), (2, 1)])
def test_pairs_and_single_facts_of_many_rows(copies: int, seed: int) -> None:
    """All that two facts can single out, from the matrix of supports; in copies that make all single facts fine."""
    has = np.repeat(np.random.default_rng(seed).random((20_000, 150)) < np.linspace(0.001, 0.1, 150), copies, axis=0)
    has[:, :2] |= np.random.default_rng(seed).random((len(has), 2)) < 0.5
    both = has.T.astype(np.float32) @ has.astype(np.float32)  # exact: all counts are small
    single = np.diag(both)
    assert (single >= 3).all()
    upper = np.triu_indices(150, 1)
    tables = {
        "present": both[upper],
        "absent": (len(has) - single[:, None] - single + both)[upper],
        "mixed": (single[:, None] - both)[~np.eye(150, dtype=bool)],
    }
    expected = sum(int(((counts > 0) & (counts < 3)).sum()) for counts in tables.values())
    found = [rare_negative_itemsets(*offsets(has), 150, 3, 2, threads=threads) for threads in (1, 2)]
    assert found[0] == found[1]
    assert found[0].violations == expected
    assert (expected > 0) == (copies == 2)


def test_no_rows_have_no_rare_negative_itemsets(kernel: ModuleType) -> None:
    none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    assert kernel.rare_negative_itemsets(*none, NOBODY, 3, 2, 2, 20, 1, no_progress) == (0, 0, [])


def test_huge_options_of_rare_negative_itemsets() -> None:
    t = Transactions.from_sets([{"a"}, {"a", "b"}, set()])
    found = rare_negative_itemsets(*arrays(t), 10**30, 10**30)
    assert found == RareNegativeItemsets(4, 4, [([], [0], 1), ([1], [], 1), ([], [1], 2), ([0], [], 2)])


def test_an_exception_in_the_callback_stops_rare_negative_itemsets(kernel: ModuleType) -> None:
    _, *csr = random_rows(300, 200, 0.4, seed=0)
    with pytest.raises(KeyboardInterrupt):
        kernel.rare_negative_itemsets(*csr, NOBODY, 200, 1, 4, 0, 2, interrupt)
