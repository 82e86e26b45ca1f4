"""HgHs and mHgHs against a literal version of P4 s.3 and 4, and the choice of rounds.

Covers: algorithms/mhghs.py, search/suppression.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.hierarchies import balanced
from shoal.search.limits import Limits
from shoal.search.suppression import hghs, mhghs
from tests.budget import examples
from tests.conftest import Shell

Rows = list[frozenset[str]]
Cut = frozenset[int]
Anonymization = tuple[Cut, Cut]  # the labels of the cut, and those of them that are suppressed


class Literal:
    """P4's algorithms, with LM. Ties, which the paper leaves open: fewer leaves, then the lower id."""

    def __init__(self, rows: Rows, tree: shoal.Hierarchy, k: int) -> None:
        self.rows, self.tree, self.k = [{tree.code_of[item] for item in row} for row in rows], tree, k

    def occurrences(self, node: int) -> int:
        return sum(self.tree.covers(node, item) for row in self.rows for item in row)

    def generalization_cost(self, node: int) -> int:
        return self.occurrences(node) * (int(self.tree.leaves[node]) - 1)

    def suppression_cost(self, node: int) -> int:
        return self.occurrences(node) * (self.tree.n_leaves - 1) - self.generalization_cost(node)

    def threat(self, labels: Sequence[int], size: int) -> bool:
        """Whether a set of at most so many of the labels is in 1 to k-1 generalized records."""
        held = [{label for label in labels for item in row if self.tree.covers(label, item)} for row in self.rows]
        sets = {part for n in range(1, size + 1) for row in held for part in itertools.combinations(sorted(row), n)}
        return any(sum(set(part) <= row for row in held) < self.k for part in sets)

    def scenario(self, cut: Cut, size: int) -> Cut:
        """The inner loop: the first valid child, again and again."""
        head: list[int] = []
        for label in sorted(cut, key=lambda u: (-self.suppression_cost(u), self.tree.leaves[u], u)):
            if not self.threat([*head, label], size):
                head.append(label)
        return cut - set(head)

    def cost(self, cut: Cut, suppressed: Cut) -> int:
        return sum(map(self.generalization_cost, cut)) + sum(map(self.suppression_cost, suppressed))

    def hghs(self, size: int, bottom: Cut) -> Anonymization:
        """The outer loop, on the taxonomy without what is below a cut."""
        cut: Cut = frozenset([self.tree.root])
        suppressed = self.scenario(cut, size)
        while True:
            tried = []
            for label in cut - bottom:
                child = cut - {label} | set(self.tree.children[label])
                scenario = self.scenario(child, size)
                tried.append((self.cost(child, scenario), int(self.tree.leaves[label]), label, child, scenario))
            if not tried or min(tried)[0] >= self.cost(cut, suppressed):
                return cut, suppressed
            cut, suppressed = min(tried)[3:]

    def mhghs(self, m: int) -> Anonymization:
        """As many rounds as items may be known."""
        cut, suppressed = frozenset(range(self.tree.n_leaves)), Cut()
        for size in range(1, m + 1):
            cut, suppressed = self.hghs(size, cut)
        return cut, suppressed


def problem_of(rows: Rows, tree: shoal.Hierarchy, k: int, m: int) -> shoal.Problem:
    return shoal.Problem(shoal.read([sorted(row) for row in rows]), tree, shoal.Km(k=k, m=m), shoal.metrics.LM())


def found(cut: shoal.recoding.Recoding) -> Anonymization:
    assert isinstance(cut, shoal.recoding.GlobalCut)
    return frozenset(cut.nodes.tolist()), frozenset(cut.suppressed.tolist())


@examples(60)
@given(data=st.data(), leaves=st.integers(4, 9), fanout=st.integers(2, 3), k=st.integers(2, 4), m=st.integers(1, 4))
def test_all_rounds_are_those_of_the_paper(data: st.DataObject, leaves: int, fanout: int, k: int, m: int) -> None:
    tree = balanced("abcdefghi"[:leaves], fanout=fanout)
    row = st.frozensets(st.sampled_from(tree.items), min_size=1, max_size=4)
    groups = data.draw(st.lists(st.tuples(row, st.integers(1, 4)), min_size=1, max_size=5))
    rows = [row for row, copies in groups for _ in range(copies)]
    prepared = problem_of(rows, tree, k, m).prepared
    limits, paper = Limits.of(prepared, 100, []), Literal(rows, tree, k)
    assert found(mhghs(prepared, limits, shoal.Engine(), rounds="all").recoding) == paper.mhghs(m)
    assert found(hghs(prepared, limits, shoal.Engine()).recoding) == paper.hghs(m, frozenset(range(leaves)))


LOWER = {"a..f": {"a..c": list("abc"), "d..f": list("def")}, "g..k": {"g..i": list("ghi"), "j..k": list("jk")}}
TREE = shoal.Hierarchy.from_tree({"*": LOWER})
APART: Rows = [*map(frozenset, ["ak", "ak", "ak", "afk", "de", "de", "de", "deg"])]


def test_a_round_that_is_not_needed_may_lose_more() -> None:
    """After round 1, which suppresses f and g, every record is in four. Round 3 ends above that cut all the same."""
    problem, paper = problem_of(APART, TREE, 4, 3), Literal(APART, TREE, 4)
    needed, all_ = (
        shoal.anonymize(problem, algorithm=shoal.algorithms.MHgHs(rounds=rounds)) for rounds in ("needed", "all")
    )
    assert needed.published.rows.sets() == [{"a", "k"}] * 4 + [{"d", "e"}] * 4
    assert all_.published.rows.sets() == [{"a..f", "k"}] * 4 + [{"a..f"}] * 4
    assert [release.solution.statistics["largest_sets"] for release in (needed, all_)] == [1, 3]
    assert found(all_.recoding) == paper.mhghs(3)
    assert found(needed.recoding) == paper.hghs(1, frozenset(range(TREE.n_leaves)))
    assert needed.losses["lm"] < all_.losses["lm"]
    assert shoal.algorithms.MHgHs() == shoal.algorithms.MHgHs(rounds="needed")


@pytest.mark.parametrize(("words", "expected"), [((), "a,k"), (("--rounds", "all"), "a..f,k")])
def test_rounds_on_the_command_line(shell: Shell, words: tuple[str, ...], expected: str) -> None:
    shell.write("in.basket", "\n".join(",".join(sorted(row)) for row in APART) + "\n")
    shoal.hierarchies.save(TREE, shell.folder / "h.csv")
    start = (
        "anonymize",
        "in.basket",
        "--hierarchy",
        "h.csv",
        "--k",
        "4",
        "--m",
        "3",
        "--loss",
        "lm",
        "-o",
        "out.basket",
    )
    assert shell(*start, "--algorithm", "mhghs", *words)[0] == 0
    assert (shell.folder / "out.basket").read_text().splitlines()[0] == expected
