"""Threats: native ≡ Python, and both against all cuts of small hierarchies."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.data import Hierarchy, Transactions
from shoal.hierarchies import balanced
from shoal.kernels.choice import no_progress
from shoal.kernels.search.cuts.threats import Threats
from shoal.models.km import Km
from shoal.problem import Problem
from shoal.recoding import GlobalCut
from shoal.testing import all_cuts, hierarchies, problems
from tests import oracles
from tests.budget import examples
from tests.conftest import implementations

LONGEST = 6  # no drawn row is longer
ANY = 99  # sets of any size


@dataclass(frozen=True)
class Case:
    """Rows over a hierarchy, and k."""

    hierarchy: Hierarchy
    items: Transactions
    k: int

    @cached_property
    def sets(self) -> list[frozenset[str]]:
        return self.items.sets()

    def threats(self, kernel: ModuleType | None = None, threads: int = 1) -> Any:
        h, (kernel, *_) = self.hierarchy, [kernel] if kernel else implementations()
        span = np.ascontiguousarray(h.span).reshape(-1)
        rows = (self.items.indptr, self.items.items, self.items.repeaters)
        return kernel.Threats(*rows, h.parent, span, h.n_leaves, self.k, threads, no_progress)

    def rows(self, cut: GlobalCut) -> list[frozenset[str]]:
        h = self.hierarchy
        node_of = {h.labels[leaf]: h.labels[u] for u in cut.nodes for leaf in range(*h.span[u].tolist())}
        return oracles.generalize(self.sets, node_of)

    def safe(self, cut: GlobalCut, m: int) -> bool:
        return oracles.is_km_anonymous(self.rows(cut), self.k, min(m, LONGEST))

    def smallest_rare(self, cut: GlobalCut) -> int:
        supports = oracles.supports(self.rows(cut), LONGEST).items()
        return min((len(labels) for labels, support in supports if support < self.k), default=LONGEST + 1)


@st.composite
def mixed_cases(draw: st.DrawFn, max_leaves: int) -> Case:
    """At least k rows that are not empty, so that the root alone is safe.

    Some rows come with all their largest parts in k - 1 rows: such a row is rare, and nothing smaller in it need be.
    """
    hierarchy, k = draw(hierarchies(max_leaves)), draw(st.sampled_from([2, 2, 3, 4, 1]))
    row = st.frozensets(st.sampled_from(hierarchy.items), min_size=1, max_size=LONGEST)
    rows = draw(st.lists(row, min_size=k, max_size=8))
    for whole in draw(st.sets(st.sampled_from(rows))):
        rows += [whole - {item} for item in sorted(whole)] * (k - 1)
    return Case(hierarchy, hierarchy.encode(Transactions.from_sets(rows)), k)


@st.composite
def large_sets(draw: st.DrawFn) -> Case:
    """All sets of three labels are safe, some of the larger ones are rare: of several sizes in the same rows."""
    hierarchy, k = balanced("abcdefg", fanout=draw(st.integers(2, 4))), draw(st.integers(2, 3))
    rows = [frozenset(row) for row in itertools.combinations("abcdefg", 3)] * k
    parts = st.frozensets(st.sampled_from("abcdefg"), min_size=4, max_size=LONGEST)
    for row in draw(st.lists(parts, min_size=1, max_size=6)):
        rows += [row] * draw(st.integers(1, k))
    return Case(hierarchy, hierarchy.encode(Transactions.from_sets(rows)), k)


def cases(max_leaves: int) -> st.SearchStrategy[Case]:
    return mixed_cases(max_leaves) | large_sets()


def cuts(hierarchy: Hierarchy) -> st.SearchStrategy[GlobalCut]:
    """Most often not far from the leaves: higher up there is little to find."""
    inner = range(hierarchy.n_leaves, hierarchy.root)
    raised = st.sets(st.sampled_from(inner), max_size=2) if inner else st.just(set())
    return raised.map(lambda nodes: GlobalCut.raising(hierarchy, nodes))


def expanded(cut: GlobalCut) -> set[int]:
    """The nodes above the cut."""
    return {above for node in cut.nodes for above in cut.hierarchy.ancestors(int(node))[1:]}


def above(hierarchy: Hierarchy, general: list[int], special: list[int]) -> bool:
    """Whether the one threat makes the other superfluous."""
    return all(any(hierarchy.covers(p, q) for q in special) for p in general)


def lowest(hierarchy: Hierarchy, nodes: set[int]) -> tuple[int, ...]:
    """The nodes without those above others."""
    return tuple(sorted(p for p in nodes if not any(p != q and hierarchy.covers(p, q) for q in nodes)))


def drawn_threats(hierarchy: Hierarchy) -> st.SearchStrategy[list[list[int]]]:
    inner = range(hierarchy.n_leaves, len(hierarchy))
    if not inner:
        return st.just([])
    nodes = st.sets(st.sampled_from(inner), min_size=1, max_size=4)
    return st.lists(nodes.map(lambda some: list(lowest(hierarchy, some))), max_size=8)


# ---- native and Python


@examples(300)
@given(case=cases(8), data=st.data(), last=st.sampled_from([1, 2, 3, 4, 5, 6, ANY]), threads=st.sampled_from([1, 3]))
def test_twins_find_the_same(case: Case, data: st.DataObject, last: int, threads: int) -> None:
    h, cut = case.hierarchy, data.draw(cuts(case.hierarchy))
    first = data.draw(st.integers(1, case.smallest_rare(cut)))
    threats = data.draw(drawn_threats(h))
    results = []
    for kernel in implementations():
        it = case.threats(kernel, threads)
        known = it.minimal(threats)
        new = [it.at(cut.raised, first, last, known if some else [], no_progress) for some in (False, True)]
        found = [it.small(1, no_progress), it.small(2, no_progress), new, known]
        results.append((found, [it.witness(cut.raised, node, last, no_progress) for node in cut.raised]))
    assert all(result == results[0] for result in results)


@examples(200)
@given(problem=problems(st.builds(Km, k=st.integers(2, 5), m=st.integers(1, 4))), data=st.data())
def test_twins_agree_on_data_that_no_cut_makes_safe(problem: Problem, data: st.DataObject) -> None:
    """Fewer rows than k, empty rows, no items at all."""
    assert isinstance(problem.model, Km)
    case, cut = Case(problem.hierarchy, problem.prepared.items, problem.model.k), data.draw(cuts(problem.hierarchy))
    results = []
    for kernel in implementations():
        it = case.threats(kernel)
        witnesses = [it.witness(cut.raised, node, ANY, no_progress) for node in cut.raised]
        results.append((it.small(2, no_progress), it.at(cut.raised, 1, ANY, [], no_progress), witnesses))
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("leaves", "rows", "size"), [(30, 500, 3), (60, 300, 2), (120, 600, 2)])
def test_twins_lift_in_the_same_batches(leaves: int, rows: int, size: int) -> None:
    """More rare sets than the first batches hold: what these explain is not lifted in later ones."""
    h = balanced(map(str, range(leaves)), fanout=2).with_items_under_root(["x", "y"])
    for seed in range(6):
        rng = random.Random(seed)
        drawn = Transactions.from_sets(rng.sample(h.items, LONGEST) for _ in range(rows))
        case = Case(h, h.encode(drawn), 2)
        assert case.smallest_rare(GlobalCut.raising(h, [])) == size
        results = [
            case.threats(kernel, threads).at([], size, size, [], no_progress)
            for kernel, threads in itertools.product(implementations(), (1, 3))
        ]
        assert all(result == results[0] for result in results)


@examples(60)
@given(data=st.data(), k=st.integers(2, 3), last=st.sampled_from([6, 7, 8, ANY]))
def test_long_rows(data: st.DataObject, k: int, last: int) -> None:
    """All sets of six are safe, some of the larger ones are rare: rows are thinned, to sets that may be too large."""
    letters, longest = "abcdefghij", 9
    h = balanced(letters, fanout=3)
    rows = [frozenset(row) for row in itertools.combinations(letters, 6)] * k
    parts = st.frozensets(st.sampled_from(letters), min_size=7, max_size=longest)
    for row in data.draw(st.lists(parts, min_size=1, max_size=4)):
        rows += [row] * data.draw(st.integers(1, k))
    for whole in data.draw(st.sets(st.sampled_from(rows[210 * k :]), max_size=1)):
        rows += [whole - {item} for item in sorted(whole)] * (k - 1)
    case = Case(h, h.encode(Transactions.from_sets(rows)), k)
    found = [case.threats(kernel, n).at([], 7, last, [], no_progress) for kernel in implementations() for n in (1, 3)]
    assert all(threats == found[0] for threats in found)
    assert bool(found[0]) == (not oracles.is_km_anonymous(case.sets, k, min(last, longest)))
    top = next(node for node in range(h.n_leaves, len(h)) if h.parent[node] == h.root)
    witnesses = [case.threats(kernel).witness([top], top, last, no_progress) for kernel in implementations()]
    assert all(witness == witnesses[0] for witness in witnesses)


# ---- against all cuts


@examples(200)
@given(case=cases(6), size=st.sampled_from([1, 2, 2, 2]))
def test_small_threats_tell_which_cuts_are_safe(case: Case, size: int) -> None:
    """A cut has no rare set of so few labels if and only if it expands no threat."""
    threats = case.threats().small(size, no_progress)
    for cut in all_cuts(case.hierarchy):
        assert case.safe(cut, size) == (not any(expanded(cut).issuperset(threat) for threat in threats))


@examples(200)
@given(case=cases(7), data=st.data(), last=st.sampled_from([1, 2, 3, 4, 4, 5, 6, 6, ANY]))
def test_threats_at_a_cut(case: Case, data: st.DataObject, last: int) -> None:
    """There are some if and only if it has rare sets; they speak of this cut; no safe cut expands one."""
    cut = data.draw(cuts(case.hierarchy))
    first = data.draw(st.integers(1, case.smallest_rare(cut)))
    threats = case.threats().at(cut.raised, first, last, [], no_progress)
    assert (threats == []) == case.safe(cut, last)
    assert all(expanded(cut).issuperset(threat) for threat in threats)
    for other in all_cuts(case.hierarchy) if threats else []:
        if any(expanded(other).issuperset(threat) for threat in threats):
            assert not case.safe(other, last)


@examples(200)
@given(case=cases(5), data=st.data(), m=st.sampled_from([1, 2, 3, 4, 5, 6, ANY]))
def test_witness(case: Case, data: st.DataObject, m: int) -> None:
    """A rare set with no rare part that is new in the expanded cut; none if and only if that is safe."""
    h = case.hierarchy
    assume(h.n_leaves < len(h))
    safe = [cut for cut in all_cuts(h) if cut.raised and case.safe(cut, m)]
    cut = data.draw(st.sampled_from(safe[::-1]))  # the root comes last: there is little to find
    node = data.draw(st.sampled_from(cut.raised))
    nodes = {*cut.nodes.tolist(), *h.children[node]} - {node}
    lower = GlobalCut(h, np.array(sorted(nodes, key=lambda u: int(h.span[u, 0])), dtype=np.int32))
    codes, support = case.threats().witness(cut.raised, node, m, no_progress)
    assert (support == 0) == case.safe(lower, m)
    if support:
        rare = oracles.minimal_rare(case.rows(lower), case.k, min(m, LONGEST))
        labels = frozenset(h.labels[u] for u in codes)
        assert codes == sorted(codes)
        assert rare[labels] == support  # so it is one, of that support, in the cut, and has no rare part
        assert set(codes) & set(h.children[node])
        if (smallest := min(map(len, rare))) <= 3:
            order = {tuple(sorted(h.code_of[label] for label in other)): count for other, count in rare.items()}
            assert (support, tuple(codes)) == min((order[s], s) for s in order if len(s) == smallest)


@examples(200)
@given(hierarchy=hierarchies(8), data=st.data())
def test_minimal(hierarchy: Hierarchy, data: st.DataObject) -> None:
    threats = data.draw(drawn_threats(hierarchy))
    it = Case(hierarchy, hierarchy.encode(Transactions.from_sets([])), 2).threats()
    kept = it.minimal(threats)
    assert not any(above(hierarchy, one, other) for one, other in itertools.permutations(kept, 2))
    assert all(any(above(hierarchy, one, threat) for one in kept) for threat in threats)
    assert all(threat in threats for threat in kept)
    depth = hierarchy.depth
    assert kept == sorted(kept, key=lambda threat: (len(threat), int(depth[threat].sum()), threat))
    assert it.minimal(data.draw(st.permutations(threats))) == kept


# ---- by hand, and large


@pytest.mark.parametrize("several", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("together", [0, 1, 4, 5])
def test_pairs_of_frequent_labels_that_hardly_meet(together: int, several: bool) -> None:
    """3 and 12 are in 1,200 rows each, so most of their pairs are settled early. They meet in the last rows only."""
    h, rng, k = balanced(map(str, range(16)), fanout=2), random.Random(together), 5
    rest = [item for item in h.items if item not in ("3", "12")]
    others = [some for size in range(5) for some in itertools.combinations(rest, size)]
    rows = [{one, *some} for one in ("3", "12") for some in rng.sample(others, 1200)]
    rows += [{"3", "12", *rest[at:]} for at in range(together)]
    items = h.encode(Transactions.from_sets(rows))
    if several:
        items = items.of_persons([row // 2 for row in range(2400)] + [9999] * together)
    case = Case(h, items, k)
    results = [
        case.threats(kernel, threads).small(2, no_progress)
        for kernel, threads in itertools.product(implementations(), (1, 3))
    ]
    assert all(result == results[0] for result in results)
    met = min(1, together) if several else together
    parents = {int(h.parent[h.code_of[label]]) for label in ("3", "12")}
    assert (0 < met < k) == any(parents.issuperset(threat) for threat in results[0])


@pytest.mark.parametrize("seed", range(4))
def test_minimal_of_many_pairs(seed: int) -> None:
    """Far more pairs than nodes, so that the kernel compares them by rows of bits."""
    h, rng = balanced(map(str, range(40)), fanout=2 + seed % 2), random.Random(seed)
    inner = range(h.n_leaves, len(h))
    threats = [list(lowest(h, set(rng.sample(inner, 2)))) for _ in range(300)]
    threats = [threat for threat in threats if len(threat) == 2 or rng.random() < 0.05]
    case = Case(h, h.encode(Transactions.from_sets([["0"], ["1"]])), 2)
    first, *others = (case.threats(kernel).minimal(threats) for kernel in implementations())
    assert all(other == first for other in others)
    for threat in threats:
        dominated = any(above(h, other, threat) and sorted(other) != sorted(threat) for other in threats)
        assert (sorted(threat) in first) == (not dominated)


def test_an_example() -> None:
    h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"], "C": ["c1", "c2"]}})
    rows = [["a1", "b1"], ["a1"], ["a2"], ["a2"], ["b1"], ["b2"], ["b2"], ["c1", "c2"], ["c1", "c2"]]
    items = h.encode(Transactions.from_sets(rows))
    it = Threats(items.indptr, items.items, h.parent, h.span, h.n_leaves, 2)
    a, b, root = (h.code_of[label] for label in ("A", "B", "ALL"))
    assert it.small(1) == []
    assert it.small(2) == [[root]]  # A and B are together in one row
    assert it.at([], 2, 2) == [[root]]
    assert it.witness([root], root, 2) == ((a, b), 1)
    assert it.witness([root], root, 1) is None
    assert it.minimal([[a, b], [b], [b]]) == [[b]]
    assert it.lifting_seconds > 0


def lettered(k: int, rows: dict[str, int]) -> Case:
    """These rows so many times, and each three letters k times: no set of three is rare."""
    h = Hierarchy.from_tree({"ALL": {"A": ["a", "b"], "C": ["c", "d", "e"], "F": ["f", "g"]}})
    threes = {"".join(three): k for three in itertools.combinations("abcdefg", 3)}
    return Case(h, h.encode(Transactions.from_sets(Counter({**threes, **rows}).elements())), k)


@pytest.mark.parametrize("kernel", implementations(), ids=lambda module: str(module.__name__))
def test_a_row_that_thins_to_too_much(kernel: ModuleType) -> None:
    """abcdef thins to abcde, which has no rare part but five labels; f with any three of these is rare, too."""
    fours = {"".join(four): 1 for four in itertools.combinations("abcde", 4)}
    with_g = {"".join(three) + "g": 2 for three in itertools.combinations("abcde", 3)}
    case = lettered(2, {"abcdef": 1, **fours, **with_g})
    a, c, f = (case.hierarchy.code_of[label] for label in "ACF")
    it = case.threats(kernel)
    assert case.safe(GlobalCut.raising(case.hierarchy, [f]), 4)
    assert it.at([], 1, 3, [], no_progress) == it.at([f], 1, 4, [], no_progress) == []
    assert it.at([], 1, 4, [], no_progress) == it.at([], 1, 5, [], no_progress) == [[a, f], [c, f]]
    assert it.at([], 1, 6, [], no_progress) == [[a, c]]
    assert it.witness([f], f, 4, no_progress) == ([0, 1, 2, 5], 1)


@pytest.mark.parametrize("kernel", implementations(), ids=lambda module: str(module.__name__))
def test_the_smallest_of_thinned_rows(kernel: ModuleType) -> None:
    case = lettered(2, {"abcdf": 1, "abcdg": 2, "abcf": 1, "abdf": 1, "acdf": 1, "bcdf": 1, "cdef": 1, "cdeg": 2})
    f = case.hierarchy.code_of["F"]
    assert case.safe(GlobalCut.raising(case.hierarchy, [f]), ANY)
    assert case.threats(kernel).witness([f], f, ANY, no_progress) == ([2, 3, 4, 5], 1)


@pytest.mark.slow
def test_pairs_of_very_many_labels() -> None:
    """Above 20,000 labels the native table of rare pairs is one of lists; here numpy counts all pairs of nodes."""
    h, k, rng = balanced((f"{item:05}" for item in range(21_000)), fanout=10), 3, np.random.default_rng(0)
    parts = np.flatnonzero(h.parent == h.root)
    part_of = np.searchsorted(h.span[parts, 1], np.arange(h.n_leaves), side="right")
    firsts = h.span[parts, 0].tolist()
    # No pair in these is rare, also not of groups: every item with the first of each part; the first of every hundred.
    rows = Counter({frozenset([item, *firsts]): k for item in range(h.n_leaves)})
    rows[frozenset(range(0, h.n_leaves, 100))] += k
    for one, other in rng.integers(h.n_leaves, size=(700, 2)).tolist():
        if part_of[one] != part_of[other]:  # rare siblings high up would leave few labels
            rows[frozenset([one, other])] += int(rng.integers(1, k + 2))
    indptr = np.cumsum([0, *map(len, rows.elements())])
    items = np.array([item for row in rows.elements() for item in sorted(row)], dtype=np.int32)
    threats = Case(h, Transactions(indptr, items, h.items), k).threats(threads=2).small(2, no_progress)

    assert min(map(len, threats)) == 2  # so no label was left out: the table holds them all

    paths = [h.ancestors(node) for node in range(len(h))]
    nodes = [np.array(sorted({u for item in row for u in paths[item][:-1]})) for row in rows]
    pairs = [np.stack(np.triu_indices(len(some), 1)) for some in nodes]
    keys = np.concatenate([some[left] * len(h) + some[right] for some, (left, right) in zip(nodes, pairs, strict=True)])
    distinct, place = np.unique(keys, return_inverse=True)
    supports = np.bincount(place, weights=np.repeat(list(rows.values()), [both.shape[1] for both in pairs]))
    # No node is rare, so no pair of a node and its ancestor is: all these pairs give threats.
    parents = h.parent[np.stack(np.divmod(distinct[supports < k], len(h)), axis=1)]
    implied = {lowest(h, set(pair)) for pair in parents.tolist()}
    assert min(map(len, implied)) == 2
    higher = {threat: set(itertools.product(*(paths[p] for p in threat))) for threat in implied}
    minimal = [
        threat for threat in implied if not any(tuple(sorted(some)) in implied for some in higher[threat] - {threat})
    ]
    assert {*map(tuple, threats)} == {*minimal}
