"""Repairing a cut for criteria that are not monotone: native ≡ Python, and both against brute force over frozensets.

Covers: kernels/search/repair/repair_diversity.py, kernels/search/repair/repair_negative.py,
kernels/search/repair/breaches.py.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Dataset, Hierarchy, Transactions
from shoal.hierarchies import balanced
from shoal.kernels.choice import no_progress
from shoal.kernels.search.repair import repair
from shoal.kernels.search.repair import repair_diversity as diversity_kernel
from shoal.kernels.search.repair import repair_negative as negative_kernel
from shoal.kernels.search.repair.repair import MOST, Repaired
from shoal.kernels.search.repair.repair_diversity import repair_diversity
from shoal.kernels.search.repair.repair_negative import repair_negative
from shoal.metrics.ncp import NCP
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.testing import hierarchies, persons, problems
from tests.budget import examples
from tests.conftest import TWINS, implementations

Labels = tuple[int, ...]
Combination = tuple[frozenset[int], frozenset[int]]  # present, absent


@dataclass(frozen=True)
class Case:
    """Rows over a hierarchy, perhaps with sensitive values, a cut to start from, and the parameter (l or k).

    The rows may be of persons who have several.
    """

    problem: Problem
    sensitive: tuple[frozenset[int], ...] | None  # none: negative knowledge
    raised: Labels
    parameter: int
    bounded: bool = False
    most: int = MOST

    @property
    def hierarchy(self) -> Hierarchy:
        return self.problem.hierarchy

    @cached_property
    def rows(self) -> list[frozenset[int]]:
        return [frozenset(row.tolist()) for row in self.problem.prepared.items]

    @cached_property
    def people(self) -> list[int]:
        """Whose each row is."""
        persons = self.problem.prepared.items.persons
        return list(range(len(self.rows))) if persons is None else persons.of.tolist()

    @cached_property
    def expanded(self) -> list[frozenset[int]]:
        """The rows with all nodes above their items."""
        return [frozenset(u for leaf in row for u in self.hierarchy.ancestors(leaf)) for row in self.rows]

    def repair(self, module: ModuleType, first: int, last: int, threads: int = 1, tick: Any = no_progress) -> Repaired:
        h, items = self.hierarchy, self.problem.prepared.items
        tree = (h.parent, np.ascontiguousarray(h.span).reshape(-1), self.problem.prepared.costs, h.n_leaves)
        rest = (self.parameter, first, last, np.array(self.raised, dtype=np.int32))
        rows = (items.indptr, items.items, items.repeaters)
        if self.sensitive is None:
            return Repaired(*module.repair_negative(*rows, *tree, *rest, self.most, threads, tick))
        other = csr([sorted(values) for values in self.sensitive])
        return Repaired(*module.repair_diversity(*rows, *other, *tree, *rest, self.bounded, self.most, threads, tick))

    # ---- the oracle

    def cut(self, raised: Sequence[int]) -> list[int]:
        """The nodes of a cut."""
        h = self.hierarchy
        nodes = {max([leaf, *(u for u in raised if h.covers(u, leaf))]) for leaf in range(h.n_leaves)}
        return sorted(nodes)

    def at(self, raised: Sequence[int]) -> list[frozenset[int]]:
        """The rows at a cut."""
        return [nodes.intersection(self.cut(raised)) for nodes in self.expanded]

    def matching(self, combination: Combination) -> list[int]:
        """The rows that hold something below all of the present nodes and nothing below the absent ones."""
        present, absent = combination
        return [n for n, nodes in enumerate(self.expanded) if present <= nodes and absent.isdisjoint(nodes)]

    def breached(self, combination: Combination) -> bool:
        rows = self.matching(combination)
        people = {self.people[r] for r in rows}
        if self.sensitive is None:
            return 0 < len(people) < self.parameter
        told = [[r for r in rows if s in self.sensitive[r]] for s in range(3)]
        by_rows = any(len(some) * self.parameter > len(rows) for some in told)
        return by_rows or any(len({self.people[r] for r in some}) * self.parameter > len(people) for some in told)

    def breaches(self, raised: Sequence[int], size: int) -> Iterator[Combination]:
        """Every combination of labels of the cut in breach."""
        labels = sorted(frozenset().union(*self.at(raised)))
        for some in range(1, size + 1):
            for chosen in itertools.combinations(labels, some):
                for n in range(some + 1 if self.sensitive is None else 1):
                    for absent in itertools.combinations(chosen, n):
                        combination = frozenset(chosen) - frozenset(absent), frozenset(absent)
                        if self.breached(combination):
                            yield combination

    def ways(self, raised: Sequence[int], present: Labels, absent: Labels) -> Iterator[tuple[int, int, Labels]]:
        """Every way to raise the labels that ends the breach: (added cost, leaves, raised nodes)."""
        h, costs = self.hierarchy, self.problem.prepared.costs
        labels = present + absent
        paths = [[u for u in h.ancestors(label) if u in labels or u < h.root or not self.bounded] for label in labels]
        for targets in itertools.product(*paths):
            nodes = [max(v for v in targets if h.covers(v, u)) for u in targets]
            commits = tuple(sorted({v for u, v in zip(labels, nodes, strict=True) if u != v}))
            combination = frozenset(nodes[: len(present)]), frozenset(nodes[len(present) :])
            if commits and not self.breached(combination):
                before, after = (int(costs[self.cut([*raised, *new])].sum()) for new in ((), commits))
                yield after - before, int(h.leaves[list(commits)].sum()), commits


def csr(rows: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([code for row in rows for code in row], dtype=np.int32)


@st.composite
def cases(draw: st.DrawFn, *, negative: bool, max_leaves: int = 7, limited: bool = True) -> Case:
    """Shrinking ones, and random ones that take several rounds: more rows, few of them with a sensitive value."""
    most = draw(st.sampled_from([0, 3, 10, MOST])) if limited else MOST
    parameter, bounded = draw(st.integers(2, 4)), not negative and draw(st.booleans())
    if draw(st.booleans()):
        problem = draw(problems(st.just(Km(k=2, m=2)), max_leaves=max_leaves, max_rows=12))
        values = draw(st.lists(st.frozensets(st.integers(0, 2), max_size=2), min_size=1, max_size=12))
        sensitive = tuple(itertools.islice(itertools.cycle([*values, frozenset()]), len(problem.prepared.items)))
    else:
        h = draw(hierarchies(max_leaves + 5 * limited))
        rng, many = random.Random(draw(st.integers(0, 2**32))), draw(st.integers(5, 60))
        held, share = draw(st.sampled_from([0.1, 0.2, 0.4])), draw(st.sampled_from([0.02, 0.05, 0.1]))
        rows = [[item for item in h.items if rng.random() < held] for _ in range(many)]
        problem = Problem(Dataset(Transactions.from_sets(rows)), h, Km(k=2, m=2), NCP())
        sensitive = tuple(frozenset(s for s in range(3) if rng.random() < share) for _ in rows)
    rows_of_persons = problem.data.transactions.of_persons(draw(persons(len(sensitive))))
    problem = replace(problem, data=problem.data.with_transactions(rows_of_persons))
    h = problem.hierarchy
    inner = list(range(h.n_leaves, h.root))
    raised = tuple(sorted(draw(st.sets(st.sampled_from(inner), max_size=2)))) if inner else ()
    return Case(problem, None if negative else sensitive, raised, parameter, bounded, most)


any_case = st.booleans().flatmap(lambda negative: cases(negative=negative))
sizes = st.tuples(st.integers(1, 4), st.integers(1, 4)).map(sorted)


def small(rows: Sequence[tuple[str, str]], parents: dict[str, str | None], parameter: int, **options: Any) -> Case:
    """From items and sensitive values written as words."""
    h = Hierarchy.from_parents(parents)
    data = Dataset(Transactions.from_sets([items.split() for items, _ in rows]))
    problem = Problem(data, h, Km(k=2, m=2), NCP())
    return Case(problem, tuple(frozenset(map(int, values.split())) for _, values in rows), (), parameter, **options)


@examples(300)
@given(case=any_case, sizes=sizes, threads=st.integers(1, 4))
def test_twins(case: Case, sizes: list[int], threads: int) -> None:
    """Whatever the cut to start from, the sizes, the limits and the number of threads."""
    results = [case.repair(module, sizes[0], sizes[1], threads) for module in implementations()]
    for other in results[1:]:
        assert (other.raised, other.repairs, other.unrepairable) == (
            results[0].raised,
            results[0].repairs,
            results[0].unrepairable,
        )


def many_rounds(seed: int) -> Case:
    """Items of unequal frequency under a deep hierarchy: raised labels are in breach with others, again and again."""
    rng = random.Random(seed)
    names = [f"i{number}" for number in range(rng.randint(12, 40))]
    popular = [rng.choice([0.02, 0.05, 0.1, 0.3]) for _ in names]
    many, share = rng.randint(40, 200), rng.choice([0.02, 0.05, 0.1])
    rows = [[name for name, held in zip(names, popular, strict=True) if rng.random() < held] for _ in range(many)]
    hierarchy = balanced(names, fanout=rng.choice([2, 3]))
    transactions = Transactions.from_sets(rows)
    if rng.random() < 0.5:
        transactions = transactions.of_persons([rng.randrange(many) for _ in rows])
    problem = Problem(Dataset(transactions), hierarchy, Km(k=2, m=2), NCP())
    sensitive = tuple(frozenset(s for s in range(3) if rng.random() < share) for _ in rows)
    most, bounded = rng.choice([0, 10, 100, MOST]), rng.random() < 0.5
    if rng.random() < 0.3:
        return Case(problem, None, (), rng.randint(2, 5), most=most)
    return Case(problem, sensitive, (), rng.randint(2, 5), bounded, most)


@pytest.mark.parametrize("first", [1, 2, 3])
def test_many_rounds(first: int) -> None:
    """The native kernel looks again only at what a raised label is part of, its twin at everything."""
    for seed in range(100 * first, 100 * first + 40):
        case = many_rounds(seed)
        results = [case.repair(module, first, max(first, 2), 1 + seed % 3) for module in implementations()]
        for other in results:
            assert (other.raised, other.repairs, other.unrepairable) == astuple(results[0])[:1] + astuple(results[0])[
                2:
            ]
        if not case.bounded and results[0].unrepairable is None:
            assert not list(case.breaches(results[0].raised, 2))


@given(case=any_case, sizes=sizes)
def test_the_result_is_clean_or_unrepairable(kernel: ModuleType, case: Case, sizes: list[int]) -> None:
    done = case.repair(kernel, *sizes)
    cut = case.cut(done.raised)
    assert done.raised == [u for u in cut if u >= case.hierarchy.n_leaves]
    assert all(any(case.hierarchy.covers(v, u) for v in cut) for u in case.raised), "a cut that went down"
    if done.unrepairable is not None:
        present, absent = map(tuple, done.unrepairable)
        assert set(present + absent) <= set(cut)
        assert case.breached((frozenset(present), frozenset(absent)))
        assert not list(case.ways(done.raised, present, absent))
    elif not case.bounded:
        assert not list(case.breaches(done.raised, sizes[1]))
    else:
        remaining = list(case.breaches(done.raised, sizes[1]))
        for labels, _ in remaining:
            if not any(other < labels for other, _ in remaining):  # what extends a breach that stays, stays too
                assert not list(case.ways(done.raised, tuple(labels), ()))


@given(case=any_case, size=st.integers(1, 4))
def test_a_clean_cut_stays(kernel: ModuleType, case: Case, size: int) -> None:
    done = case.repair(kernel, 1, size)
    again = Case(case.problem, case.sensitive, tuple(done.raised), case.parameter, case.bounded).repair(kernel, 1, size)
    assert (again.raised, again.repairs, again.unrepairable) == (done.raised, 0, done.unrepairable)


@given(case=cases(negative=False), size=st.integers(1, 4))
def test_bounded_stays_below_the_root(kernel: ModuleType, case: Case, size: int) -> None:
    root = case.hierarchy.root
    if case.bounded and root not in case.raised:
        done = case.repair(kernel, 1, size)
        assert root not in done.raised
        assert done.unrepairable is None


@pytest.mark.parametrize("negative", [False, True])
@given(data=st.data())
def test_every_repair_is_the_cheapest(negative: bool, data: st.DataObject) -> None:
    """The twin's best-first search against all target tuples, for every breach of a cut."""
    case = data.draw(cases(negative=negative, max_leaves=5, limited=False))
    h, items = case.hierarchy, case.problem.prepared.items
    values = None if case.sensitive is None else csr([sorted(values) for values in case.sensitive])
    records = repair.Records.of(items.indptr, items.items, items.repeaters, h.parent, values)
    criteria: list[repair.Criterion] = [negative_kernel.Negative(records, case.parameter, no_progress)]
    if not negative:
        criteria = diversity_kernel.by_rows_and_persons(records, case.parameter, no_progress)
    tree = (h.span.reshape(-1).tolist(), case.problem.prepared.costs.tolist(), h.n_leaves)
    it = repair.Repair(criteria, records.parent, *tree, case.bounded, case.most, no_progress)
    it.run(case.raised, 1, 0)
    breaches, complete = it.breaches(3)
    assert complete
    for present, absent in breaches:
        _, _, commits = min(case.ways(case.raised, present, absent), default=(0, 0, ()))
        assert it.cheapest(present, absent) == commits


@given(case=any_case, size=st.integers(1, 3))
def test_breaches_are_all_listed(case: Case, size: int) -> None:
    """Those without a smaller breach in them; for absence without labels that change nothing.

    Each once; but twice, if it is in breach both by rows and by persons.
    """
    if case.most < MOST:
        return
    everything = list(case.breaches(case.raised, size))
    minimal = {(p, n) for p, n in everything if not any(q <= p and o <= n and (q, o) != (p, n) for q, o in everything)}
    found: list[Combination] = []

    class Listing(repair.Repair):
        def repair(self, breaches: list[repair.Combination]) -> repair.Combination | None:
            found.extend((frozenset(present), frozenset(absent)) for present, absent in breaches)
            return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diversity_kernel, "Repair", Listing)
        patch.setattr(negative_kernel, "Repair", Listing)
        case.repair(TWINS, size, size)
    assert len(set(found)) == len(found) or len(set(case.people)) < len(case.rows)
    assert minimal <= set(found) <= set(everything)


NOT_MONOTONE = [("a1", "0")] * 4 + [("a2", "0")] * 4 + [("a1 a2", "")] * 6
TREE: dict[str, str | None] = {"a1": "A", "a2": "A", "A": "ALL", "b": "ALL", "ALL": None}


def test_a_coarser_cut_would_break_it(kernel: ModuleType) -> None:
    """a1 and a2 have ratio 4/10, A has 8/14 (models.md)."""
    case = small(NOT_MONOTONE, TREE, 2)
    assert case.repair(kernel, 1, 3).raised == []
    coarse = Case(case.problem, case.sensitive, (case.hierarchy.code_of["A"],), 2)
    assert coarse.breached((frozenset({case.hierarchy.code_of["A"]}), frozenset()))


def test_rows_without_items_make_the_root_fail(kernel: ModuleType) -> None:
    """Two in five rows have the value, but two in three of those with items."""
    case = small([("a1", "0"), ("a2", "0"), ("b", ""), ("", ""), ("", "")], TREE, 2)
    h = case.hierarchy
    done = case.repair(kernel, 1, 2)
    assert done.unrepairable == ([h.code_of["a1"]], [])
    assert (done.raised, done.repairs) == ([], 0)
    bounded = small([("a1", "0"), ("a2", "0"), ("b", ""), ("", ""), ("", "")], TREE, 2, bounded=True)
    assert bounded.repair(kernel, 1, 2).unrepairable is None
    assert bounded.repair(kernel, 1, 2).raised == []


def test_too_few_empty_rows_are_unrepairable(kernel: ModuleType) -> None:
    """The absence of everything tells them, at the root too."""
    words = [("a1 b", "")] * 4 + [("a2 b", "")] * 4 + [("", "")]
    case = Case(small(words, TREE, 2).problem, None, (), 2)
    done = case.repair(kernel, 1, 1)
    assert done.unrepairable == ([], [case.hierarchy.code_of["b"]])


def test_absence_is_raised_away(kernel: ModuleType) -> None:
    """One row in nine has no a1: a1 and a2 become A, which no row is without."""
    words = [("a1", "")] * 5 + [("a1 a2", "")] * 3 + [("a2", "")]
    case = Case(small(words, TREE, 2).problem, None, (), 2)
    done = case.repair(kernel, 1, 2)
    assert done.raised == [case.hierarchy.code_of["A"]]
    assert done.repairs == 1


def test_wrappers() -> None:
    case = small(NOT_MONOTONE, TREE, 2)
    h, items, costs = case.hierarchy, case.problem.prepared.items, case.problem.prepared.costs
    assert case.sensitive is not None
    other = csr([sorted(values) for values in case.sensitive])

    def diversity(sizes: range, raised: list[int], l: int = 2, **options: Any) -> Repaired:
        rows = (items.indptr, items.items, *other)
        return repair_diversity(*rows, h.parent, h.span, costs, h.n_leaves, l, sizes, raised, **options)

    for huge in (range(1, 10**6), range(10**6, 10**6 + 1)):
        assert diversity(huge, []).raised == []
        done = repair_negative(items.indptr, items.items, h.parent, h.span, costs, h.n_leaves, 10**30, huge, [])
        assert done.unrepairable is not None
    raised = [h.code_of["A"]]  # in breach
    assert diversity(range(1, 1), raised) == Repaired(raised, 0, 0, None)  # no size is asked for
    assert diversity(range(1, 2), raised).unrepairable == (raised, [])
    assert diversity(range(1, 2), raised, bounded=True, threads=2).raised == raised
    assert diversity(range(1, 2), [], l=3).unrepairable is not None


@pytest.mark.parametrize("negative", [False, True])
def test_an_exception_in_the_callback_stops_the_kernel(kernel: ModuleType, negative: bool) -> None:
    rng = np.random.default_rng(0)
    names = [str(item) for item in range(60)]
    rows = [[names[item] for item in rng.choice(60, 30)] for _ in range(400)]
    problem = Problem(Dataset(Transactions.from_sets(rows)), balanced(names, fanout=5), Km(k=2, m=2), NCP())
    sensitive = tuple(frozenset([0] if number % 8 == 0 else []) for number in range(len(rows)))
    case = Case(problem, None if negative else sensitive, (), 2)

    def interrupt(share: float) -> None:
        raise KeyboardInterrupt

    for threads in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            case.repair(kernel, 5, 5, threads, interrupt)
