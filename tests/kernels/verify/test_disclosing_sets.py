"""Sets that disclose sensitive values: native ≡ Python ≡ oracle."""

from __future__ import annotations

import itertools
from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.kernels.verify.disclosing_sets import Disclosing, disclosing_sets
from tests import oracles
from tests.conftest import implementations
from tests.kernels.rows import interrupt
from tests.kernels.verify.tables import arrays, random_rows, records, with_persons

label_sets = st.sets(st.sampled_from("abcdef"), max_size=5)


value_sets = st.sets(st.sampled_from("xyz"), max_size=2)


pair_lists = st.lists(st.tuples(label_sets, value_sets, st.integers(1, 3)), min_size=1, max_size=12).map(
    lambda groups: [(row, values) for row, values, copies in groups for _ in range(copies)]
)


Pairs = list[tuple[set[str], set[str]]]


def split(pairs: Pairs) -> tuple[Transactions, Transactions]:
    return Transactions.from_sets([row for row, _ in pairs]), Transactions.from_sets([values for _, values in pairs])


@given(pairs=pair_lists, l=st.integers(1, 5), m=st.integers(0, 4), threads=st.integers(1, 4))
@example(pairs=[({"a"}, {"x"})] * 4 + [({"b"}, {"x"})] * 4 + [({"a", "b"}, set())] * 6, l=2, m=2, threads=1)
@example(pairs=[(set(), set())], l=2, m=2, threads=1)
def test_disclosing_sets(kernel: ModuleType, pairs: Pairs, l: int, m: int, threads: int) -> None:
    t, s = split(pairs)
    checked, violations, found = kernel.disclosing_sets(
        *with_persons(t), *arrays(s), 1, l, 0, m, 1, 1000, threads, no_progress
    )
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
    rows=records(st.tuples(label_sets, value_sets), max_size=24),
    l=st.integers(1, 4),
    m=st.integers(0, 3),
    threads=st.integers(1, 3),
)
@example(rows=[(({"c"}, {"x"}), 0)] * 9 + [(({"c"}, set()), person) for person in range(1, 10)], l=2, m=1, threads=1)
def test_disclosing_sets_by_persons(
    kernel: ModuleType, rows: list[tuple[tuple[set[str], set[str]], int]], l: int, m: int, threads: int
) -> None:
    """A person counts once for a set, and once for a set with a value, however many rows say so."""
    t, s = split([pair for pair, _ in rows])
    people = [person for _, person in rows]
    t = t.of_persons(people)
    _, violations, found = kernel.disclosing_sets(
        *with_persons(t), *arrays(s), 1, l, 0, m, 1, 1000, threads, no_progress
    )
    failing = oracles.disclosures(t.sets(), s.sets(), l, m, people)
    smallest = min(map(len, failing), default=m)
    expected = {labels: by_value for labels, by_value in failing.items() if len(labels) == smallest}
    assert violations == len(found) == len(expected)
    for codes, code, support, together in found:
        by_value = expected[frozenset(t.labels[c] for c in codes)]
        assert by_value[s.labels[code]] == (support, together)
        assert together == max(count for _, count in by_value.values())
    told = kernel.smallest_disclosing(*with_persons(t), *arrays(s), 1, l, m, threads, no_progress).tolist()
    for row, values, size in zip(t.sets(), s.sets(), told, strict=True):
        sizes = [len(known) for known, by in failing.items() if known and known <= row and values & by.keys()]
        assert size == min(sizes, default=0)
    for keep in (0, 3, 1000):
        call = (*with_persons(t), *arrays(s), 1, l, 0, m, 1, keep, 1, no_progress)
        results = [one.disclosing_sets(*call) for one in implementations()]
        assert all(result == results[0] for result in results)


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
        kernel.disclosing_sets(*with_persons(t), *arrays(s), *share, first, m, least, keep, threads, no_progress)
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
        *with_persons(t), *arrays(s), part, 9, first, m, least, 1000, 1, no_progress
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
    assert kernel.disclosing_sets(*with_persons(t), *arrays(s), 1, 3, 0, 2, 1, 20, 1, no_progress) == (
        4,
        1,
        [([0, 1], 0, 1, 1)],
    )


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
        found = kernel.disclosing_sets(
            indptr, items, NOBODY, 14, value_indptr, values, 6, 1, l, 0, m, 1, 20, threads, no_progress
        )
        assert found == (checked, violations, expected[:20])


def test_no_rows_disclose_nothing(kernel: ModuleType) -> None:
    none = (np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), 0)
    assert kernel.disclosing_sets(*none[:2], NOBODY, none[2], *none, 1, 2, 0, 2, 1, 20, 1, no_progress) == (0, 0, [])


def test_huge_options_of_disclosing_sets() -> None:
    t, s = split([({"a"}, {"x"}), ({"b"}, set()), (set(), set())])
    found = disclosing_sets(*arrays(t), *arrays(s), (1, 10**30), range(10**30), least=1)
    assert found == Disclosing(1, 1, [([], 0, 3, 1)])


def test_an_exception_in_the_callback_stops_disclosing_sets(kernel: ModuleType) -> None:
    _, *csr = random_rows(300, 200, 0.4, seed=0)
    _, *values = random_rows(300, 5, 0.5, seed=1)
    with pytest.raises(KeyboardInterrupt):
        kernel.disclosing_sets(*csr, NOBODY, 200, *values, 5, 1, 1, 0, 4, 1, 0, 2, interrupt)


@given(pairs=pair_lists, l=st.integers(1, 4), certain=st.booleans(), m=st.integers(0, 4), threads=st.integers(1, 4))
def test_smallest_disclosing(kernel: ModuleType, pairs: Pairs, l: int, certain: bool, m: int, threads: int) -> None:
    rows, values = split(pairs)
    allowed = (len(pairs), len(pairs) + 1) if certain else (1, l)
    found = kernel.smallest_disclosing(*with_persons(rows), *arrays(values), *allowed, m, threads, no_progress)
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
