"""The problem that other solvers get: the same optimum as over all cuts, in both formats."""

from __future__ import annotations

import itertools
import re

from hypothesis import assume, given
from hypothesis import strategies as st

from shoal.data.hierarchy import Hierarchy
from shoal.evidence.proof import rc2
from shoal.evidence.proof.problem import CutProblem
from shoal.testing import all_cuts, hierarchies
from tests.budget import examples
from tests.evidence.proof.golden import PROOF, TREE

Clauses = list[tuple[int | None, list[int]]]  # weight (None: hard), literals


def wcnf_of(text: str) -> tuple[int, Clauses]:
    """Parse the format, as its description says. Return the constant of the comment, too."""
    clauses: Clauses = []
    for line in text.splitlines():
        if not line.startswith("c"):
            weight, *literals, end = line.split()
            assert end == "0"
            clauses.append((None if weight == "h" else int(weight), [int(one) for one in literals]))
    return _constant(text), clauses


def opb_of(text: str) -> tuple[int, Clauses]:
    clauses: Clauses = []
    lines = [line for line in text.splitlines() if not line.startswith("*")]
    assert lines[0].startswith("min: ")
    for line in lines:
        terms = [(int(w), -int(x) if sign else int(x)) for w, sign, x in re.findall(r"\+(\d+) (~?)x(\d+)", line)]
        if line is lines[0]:
            clauses += [(weight, [-literal]) for weight, literal in terms]  # what is paid if the literal is true
        else:
            assert line.endswith(">= 1 ;")
            assert all(weight == 1 for weight, _ in terms)
            clauses.append((None, [literal for _, literal in terms]))
    variables, constraints = map(int, re.findall(r"= (\d+)", text.splitlines()[0]))
    assert constraints == len(lines) - 1
    assert variables == max((abs(one) for _, literals in clauses for one in literals), default=variables)
    return _constant(text), clauses


def _constant(text: str) -> int:
    (constant,) = re.findall(r"The cost of a cut is (-?\d+) \+", text)
    return int(constant)


def minimum(constant: int, clauses: Clauses) -> int | None:
    """The least weight of violated clauses, by trying all assignments."""
    variables = max((abs(one) for _, literals in clauses for one in literals), default=0)
    best = None
    for values in itertools.product((False, True), repeat=variables):
        broken = [weight for weight, literals in clauses if not any(values[abs(u) - 1] == (u > 0) for u in literals)]
        if None not in broken:
            cost = constant + sum(weight for weight in broken if weight is not None)
            best = cost if best is None else min(best, cost)
    return best


@st.composite
def cut_problems(draw: st.DrawFn) -> tuple[Hierarchy, CutProblem]:
    tree = draw(hierarchies(max_leaves=6))
    assume(1 < len(tree) - tree.n_leaves < 9)
    costs = draw(st.lists(st.integers(0, 9), min_size=len(tree), max_size=len(tree)))  # gains may be negative
    nodes = st.lists(st.integers(0, tree.root - 1), min_size=1, max_size=3)
    return tree, CutProblem(tree, costs, draw(st.lists(nodes, max_size=4)))


def by_cuts(tree: Hierarchy, problem: CutProblem) -> int:
    best = problem.cost(set())
    for cut in all_cuts(tree):
        split = {above for node in map(int, cut.nodes) for above in tree.ancestors(node)[1:]}
        assert problem.cost(split) == sum(problem.costs[node] for node in map(int, cut.nodes))
        if not problem.violated(split):
            best = min(best, problem.cost(split))
    return best


@examples(300)
@given(cut_problems())
def test_both_formats_have_the_optimum_of_all_cuts(given_problem: tuple[Hierarchy, CutProblem]) -> None:
    tree, problem = given_problem
    best = by_cuts(tree, problem)
    assert minimum(*wcnf_of(problem.wcnf())) == best
    assert minimum(*opb_of(problem.opb())) == best


@examples(80)
@given(cut_problems())
def test_rc2_finds_the_optimum_of_all_cuts(given_problem: tuple[Hierarchy, CutProblem]) -> None:
    tree, problem = given_problem
    found = rc2.minimum(problem.wcnf(), 2**62, 60, lambda share: None)
    assert found.optimal
    assert problem.least + found.lower == by_cuts(tree, problem)


def test_files_of_a_problem_by_hand() -> None:
    problem = CutProblem(TREE, PROOF.costs, [(0, 1), (1, 0)])
    assert [line for line in problem.wcnf().splitlines() if line[0] != "c"] == [
        *("h -2 1 0", "h -3 1 0", "h -3 0"),  # B, A below ALL; not A
        *("22 1 0", "12 2 0", "10 3 0"),
    ]
    assert [line for line in problem.opb().splitlines() if line[0] != "*"] == [
        "min: +22 ~x1 +12 ~x2 +10 ~x3 ;",
        *("+1 ~x2 +1 x1 >= 1 ;", "+1 ~x3 +1 x1 >= 1 ;", "+1 ~x3 >= 1 ;"),
    ]
