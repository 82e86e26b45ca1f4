"""The kernels of l^m-diversity and of negative knowledge: native ≡ Python ≡ oracle."""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal import kernels
from shoal.data import Transactions
from tests import oracles
from tests.conftest import implementations, still

label_sets = st.sets(st.sampled_from("abcdef"), max_size=5)
value_sets = st.sets(st.sampled_from("xyz"), max_size=2)
row_lists = st.lists(label_sets, min_size=1, max_size=20)
# Rows that come in several copies are fine for longer: so the deeper sizes are reached.
repeated = st.lists(st.tuples(label_sets, st.integers(1, 6)), min_size=1, max_size=12).map(
    lambda groups: [row for row, copies in groups for _ in range(copies)]
)
# All 16 sets of four labels, each in no row or in some: small combinations are mostly fine, so many facts are needed.
tables = st.lists(st.sampled_from([0, 1, 3, 4, 5]), min_size=16, max_size=16).map(
    lambda counts: [
        {label for at, label in enumerate("abcd") if kind >> at & 1}
        for kind, count in enumerate(counts)
        for _ in range(count)
    ]
)
pair_lists = st.lists(st.tuples(label_sets, value_sets, st.integers(1, 3)), min_size=1, max_size=12).map(
    lambda groups: [(row, values) for row, values, copies in groups for _ in range(copies)]
)
Pairs = list[tuple[set[str], set[str]]]


def interrupt(share: float) -> None:
    raise KeyboardInterrupt


def arrays(t: Transactions) -> tuple[Any, Any, int]:
    return t.indptr, t.items, len(t.labels)


def split(pairs: Pairs) -> tuple[Transactions, Transactions]:
    return Transactions.from_sets([row for row, _ in pairs]), Transactions.from_sets([values for _, values in pairs])


def random_rows(rows: int, labels: int, share: float, seed: int) -> tuple[Any, Any, Any]:
    """A boolean matrix, and the same as offsets and codes."""
    has = np.random.default_rng(seed).random((rows, labels)) < share * np.linspace(0.3, 1.7, labels)
    return has, *offsets(has)


def offsets(has: Any) -> tuple[Any, Any]:
    return np.concatenate([[0], has.sum(axis=1).cumsum()]), np.nonzero(has)[1].astype(np.int32)


# l^m-diversity


@given(pairs=pair_lists, l=st.integers(1, 5), m=st.integers(0, 4), threads=st.integers(1, 4))
@example(pairs=[({"a"}, {"x"})] * 4 + [({"b"}, {"x"})] * 4 + [({"a", "b"}, set())] * 6, l=2, m=2, threads=1)
@example(pairs=[(set(), set())], l=2, m=2, threads=1)
def test_disclosing_sets(kernel: ModuleType, pairs: Pairs, l: int, m: int, threads: int) -> None:
    t, s = split(pairs)
    checked, violations, found = kernel.disclosing_sets(*arrays(t), *arrays(s), 1, l, 0, m, 1, 1000, threads, still)
    rows, values = [frozenset(row) for row, _ in pairs], [frozenset(sensitive) for _, sensitive in pairs]
    failing = oracles.disclosures(rows, values, l, m)
    smallest = min(map(len, failing), default=m)
    expected = {
        labels: max((count, support, value) for value, (support, count) in by_value.items())
        for labels, by_value in failing.items()
        if len(labels) == smallest
    }
    assert violations == len(found) == len(expected)
    for codes, code, support, together in found:
        assert codes == sorted(codes)
        labels, value = frozenset(t.labels[c] for c in codes), s.labels[code]
        most = expected[labels][0]
        assert failing[labels][value] == (support, together)
        assert together == most
        assert all(count < most or value <= other for other, (_, count) in failing[labels].items())  # the lowest code
    assert found == sorted(found, key=lambda f: (-Fraction(f[3], f[2]), -f[2], f[0]))
    looked_at = oracles.supports([row for row, sensitive in zip(rows, values, strict=True) if sensitive], smallest)
    assert checked == 1 + len(looked_at)


@given(
    pairs=pair_lists,
    share=st.tuples(st.integers(1, 5), st.integers(5, 9)),
    first=st.integers(0, 2),
    m=st.integers(0, 4),
    least=st.integers(1, 4),
    keep=st.integers(0, 5),
)
def test_twins_find_the_same_disclosing_sets(
    pairs: Pairs, share: tuple[int, int], first: int, m: int, least: int, keep: int
) -> None:
    t, s = split(pairs)
    results = [
        kernel.disclosing_sets(*arrays(t), *arrays(s), *share, first, m, least, keep, threads, still)
        for kernel in implementations()
        for threads in (1, 3)
    ]
    assert all(result == results[0] for result in results)
    assert len(results[0][2]) == min(keep, results[0][1])


@given(pairs=pair_lists, part=st.integers(1, 9), first=st.integers(0, 2), m=st.integers(0, 4), least=st.integers(1, 4))
def test_disclosing_sets_of_some_sizes(
    kernel: ModuleType, pairs: Pairs, part: int, first: int, m: int, least: int
) -> None:
    """Any share, sizes that start above 0, and sets that too few rows with a value have are left out."""
    t, s = split(pairs)
    checked, violations, found = kernel.disclosing_sets(
        *arrays(t), *arrays(s), part, 9, first, m, least, 1000, 1, still
    )
    failing, looked_at = dict[frozenset[str], tuple[int, int]](), 0
    for size in range(first, m + 1):
        for known in map(frozenset, itertools.combinations(t.labels, size)):
            theirs = [values for row, values in pairs if known <= row]
            if sum(map(bool, theirs)) >= least or not known:
                looked_at += 1
                most = max((sum(value in values for values in theirs) for value in s.labels), default=0)
                if most * 9 > len(theirs) * part:
                    failing[known] = (len(theirs), most)
        if failing:
            break
    assert {frozenset(t.labels[code] for code in codes): (n, most) for codes, _, n, most in found} == failing
    assert (checked, violations) == (looked_at, len(failing))


def test_a_set_fails_though_its_parts_are_fine(kernel: ModuleType) -> None:
    pairs: Pairs = [({"a", "b"}, {"x"}), *[({"a"}, set[str]())] * 3, *[({"b"}, set[str]())] * 3]
    t, s = split(pairs)
    assert kernel.disclosing_sets(*arrays(t), *arrays(s), 1, 3, 0, 2, 1, 20, 1, still) == (4, 1, [([0, 1], 0, 1, 1)])


@pytest.mark.parametrize(("l", "share", "m"), [(2, 0.1, 3), (4, 0.03, 3), (9, 0.02, 3), (3, 0.2, 2), (2, 0.02, 4)])
def test_disclosing_sets_of_larger_data(kernel: ModuleType, l: int, share: float, m: int) -> None:
    has, indptr, items = random_rows(1500, 14, 0.4, seed=l)
    secret, value_indptr, values = random_rows(1500, 6, share, seed=l + 100)
    checked, violations, expected = 0, 0, list[tuple[list[int], int, int, int]]()
    for size in range(m + 1):
        for codes in itertools.combinations(range(14), size):
            held = has[:, codes].all(axis=1)
            together, support = secret[held].sum(axis=0), int(held.sum())
            checked += bool(together.any()) or size == 0
            if together.max() * l > support:
                violations += 1
                expected.append((list(codes), int(together.argmax()), support, int(together.max())))
        if violations:
            break
    expected.sort(key=lambda f: (-Fraction(f[3], f[2]), -f[2], f[0]))
    for threads in (1, 2, 5):
        found = kernel.disclosing_sets(indptr, items, 14, value_indptr, values, 6, 1, l, 0, m, 1, 20, threads, still)
        assert found == (checked, violations, expected[:20])


def test_no_rows_disclose_nothing(kernel: ModuleType) -> None:
    none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), 0)
    assert kernel.disclosing_sets(*none, *none, 1, 2, 0, 2, 1, 20, 1, still) == (0, 0, [])


def test_huge_options_of_disclosing_sets() -> None:
    t, s = split([({"a"}, {"x"}), ({"b"}, set()), (set(), set())])
    found = kernels.disclosing_sets(*arrays(t), *arrays(s), (1, 10**30), range(10**30), least=1)
    assert found == kernels.Disclosing(1, 1, [([], 0, 3, 1)])


def test_an_exception_in_the_callback_stops_disclosing_sets(kernel: ModuleType) -> None:
    _, *csr = random_rows(300, 200, 0.4, seed=0)
    _, *values = random_rows(300, 5, 0.5, seed=1)
    with pytest.raises(KeyboardInterrupt):
        kernel.disclosing_sets(*csr, 200, *values, 5, 1, 1, 0, 4, 1, 0, 2, interrupt)


@given(pairs=pair_lists, l=st.integers(1, 4), certain=st.booleans(), m=st.integers(0, 4), threads=st.integers(1, 4))
def test_smallest_disclosing(kernel: ModuleType, pairs: Pairs, l: int, certain: bool, m: int, threads: int) -> None:
    rows, values = split(pairs)
    allowed = (len(pairs), len(pairs) + 1) if certain else (1, l)
    found = kernel.smallest_disclosing(*arrays(rows), *arrays(values), *allowed, m, threads, still)
    for at, (row, own) in enumerate(pairs):
        sizes = [
            size
            for size in range(1, m + 1)
            for known in map(set, itertools.combinations(row, size))
            for value in own
            for support, together in [
                (
                    sum(known <= other for other, _ in pairs),
                    sum(known <= other and value in theirs for other, theirs in pairs),
                )
            ]
            if (together == support if certain else together * l > support)
        ]
        assert found[at] == min(sizes, default=0)


# Negative knowledge


@given(rows=row_lists | repeated | tables, k=st.integers(1, 6), m=st.integers(1, 5), threads=st.integers(1, 4))
@example(rows=[set()] * 3 + [{"a"}] * 2, k=3, m=1, threads=1)
def test_rare_facts(kernel: ModuleType, rows: list[set[str]], k: int, m: int, threads: int) -> None:
    t = Transactions.from_sets(rows)
    checked, violations, found = kernel.rare_facts(*arrays(t), k, m, 10**6, threads, still)
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


@given(rows=row_lists | repeated | tables, k=st.integers(1, 6), m=st.integers(1, 5), keep=st.integers(0, 5))
def test_twins_find_the_same_rare_facts(rows: list[set[str]], k: int, m: int, keep: int) -> None:
    t = Transactions.from_sets(rows)
    results = [
        kernel.rare_facts(*arrays(t), k, m, keep, threads, still) for kernel in implementations() for threads in (1, 3)
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
    assert kernel.rare_facts(*arrays(t), 4, facts - 1, 20, 1, still)[1] == 0
    present = [3] if known else []
    assert kernel.rare_facts(*arrays(t), 4, facts, 20, 1, still)[1:] == (1, [(present, [0, 1, 2], left)])


@pytest.mark.parametrize(("k", "share", "m"), [(2, 0.4, 3), (5, 0.5, 4), (3, 0.55, 5), (9, 0.5, 3), (4, 0.15, 2)])
def test_rare_facts_of_larger_data(kernel: ModuleType, k: int, share: float, m: int) -> None:
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
    found = [kernel.rare_facts(indptr, items, 9, k, m, 20, threads, still) for threads in (1, 2, 5)]
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
    assert kernel.rare_facts(*offsets(has), 12, 4, 12, 1000, 2, still)[1:] == (len(expected), expected)


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
    found = [kernels.rare_facts(*offsets(has), 150, 3, 2, threads=threads) for threads in (1, 2)]
    assert found[0] == found[1]
    assert found[0].violations == expected
    assert (expected > 0) == (copies == 2)


def test_no_rows_have_no_rare_facts(kernel: ModuleType) -> None:
    none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32))
    assert kernel.rare_facts(*none, 3, 2, 2, 20, 1, still) == (0, 0, [])


def test_huge_options_of_rare_facts() -> None:
    t = Transactions.from_sets([{"a"}, {"a", "b"}, set()])
    found = kernels.rare_facts(*arrays(t), 10**30, 10**30)
    assert found == kernels.RareFacts(4, 4, [([], [0], 1), ([1], [], 1), ([], [1], 2), ([0], [], 2)])


def test_an_exception_in_the_callback_stops_rare_facts(kernel: ModuleType) -> None:
    _, *csr = random_rows(300, 200, 0.4, seed=0)
    with pytest.raises(KeyboardInterrupt):
        kernel.rare_facts(*csr, 200, 1, 4, 0, 2, interrupt)
