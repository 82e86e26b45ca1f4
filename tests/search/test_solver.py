"""The border to the solver: no time, Ctrl-C, and a solver that is not there."""

from __future__ import annotations

import importlib
import itertools
import math
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import shoal
from shoal.errors import OptionError
from shoal.search import siblings, solver
from shoal.search.expansion import Expansion
from tests.algorithms.test_optimal import QUIET, medium


def test_a_solver_without_time_knows_no_bound() -> None:
    """Stopped before it has loaded the problem, CP-SAT reports a bound that is none."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    A, B, ALL = (tree.code_of[label] for label in ("A", "B", "ALL"))
    expansion = Expansion(tree, [0, 0, 0, 0, 10, 20, 60])
    for deadline in (0.0, time.monotonic(), time.monotonic() + 1e-4):
        relaxed = solver.solve(expansion, [[A, B]], {ALL, A}, 1.0, deadline, lambda share: None)
        assert relaxed.bound <= 10
    assert solver.solve(expansion, [[A, B]], {ALL, A}, 1.0, math.inf, lambda share: None).bound == 10


def test_a_small_problem_with_one_best_cut_needs_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver finds the same, as there is nothing else to find."""
    rng = random.Random(1)
    asked = []
    for _ in range(60):
        labels = [f"i{at}" for at in range(rng.randint(3, 12))]
        groups = {f"g{at}": labels[at : at + 3] for at in range(0, len(labels), 3)}
        tree = shoal.Hierarchy.from_tree(
            {"ALL": {"left": dict([*groups.items()][:2]), "right": dict([*groups.items()][2:])}}
        )
        costs = [0] * tree.n_leaves
        for node in range(tree.n_leaves, len(tree)):
            costs.append(sum(costs[child] for child in tree.children[node]) + rng.randint(0, 6))
        expansion = Expansion(tree, costs)
        threats = [rng.sample(expansion.inner, rng.randint(1, 3)) for _ in range(rng.randint(0, 5))]
        start = expansion.fill(threats)
        asked.append(not expansion.sole_best(start, threats))
        if not asked[-1]:
            with monkeypatch.context() as always:
                always.setattr(Expansion, "sole_best", lambda *_: False)
                relaxed = solver.solve(expansion, threats, start, 1.0, math.inf, lambda share: None)
            assert (relaxed.expanded, relaxed.bound, relaxed.proven) == (start, expansion.cost(start), True)
    assert 0 < sum(asked) < len(asked)


def all_expansions(tree: shoal.Hierarchy) -> Iterator[frozenset[int]]:
    """Every set of inner nodes that holds the parent of each of its nodes."""
    inner = range(tree.n_leaves, len(tree))
    for some in itertools.chain.from_iterable(itertools.combinations(inner, size) for size in range(len(inner) + 1)):
        if all(node == tree.root or tree.parent[node] in some for node in some):
            yield frozenset(some)


def test_a_sole_best_cut_is_the_only_best_one_of_all() -> None:
    """By trying every cut, and every other start."""
    rng = random.Random(2)
    answers = []
    for _ in range(40):
        groups = {name: [f"{name}{at}" for at in range(rng.randint(2, 3))] for name in "abcd"[: rng.randint(2, 4)]}
        tree = shoal.Hierarchy.from_tree({"ALL": {"left": dict([*groups.items()][:2]), **dict([*groups.items()][2:])}})
        costs = [0] * tree.n_leaves
        for node in range(tree.n_leaves, len(tree)):
            costs.append(sum(costs[child] for child in tree.children[node]) + rng.randint(0, 3))
        expansion = Expansion(tree, costs)
        threats = [rng.sample(expansion.inner, rng.randint(1, 3)) for _ in range(rng.randint(0, 4))]
        safe = [cut for cut in all_expansions(tree) if not any(cut.issuperset(threat) for threat in threats)]
        least = min(expansion.cost(set(cut)) for cut in safe)
        best = [cut for cut in safe if expansion.cost(set(cut)) == least]
        for start in all_expansions(tree):
            answers.append(expansion.sole_best(set(start), threats))
            assert answers[-1] == (best == [start])
    assert any(answers)


def test_interrupted_in_the_solver_the_solver_stops() -> None:
    """The solver itself knows nothing of Ctrl-C: the thread that waits for it does."""
    began: list[float] = []

    class Endless:
        def solve(self, model: Any, callback: Any) -> None:
            began.append(1)
            while len(began) == 1:
                pass

        def stop_search(self) -> None:
            began.append(2)

    def tick(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solver._interruptible(Endless(), None, None, tick)
    assert began == [1, 2]


def test_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(siblings, "MOVES_PER_ITEM", 50)
    problem, auto = medium(rows=1000), shoal.algorithms.Auto()
    best = shoal.algorithms.Optimal().solve(problem.prepared, QUIET).optimality
    monkeypatch.setattr(importlib, "import_module", missing)
    monkeypatch.setattr(Expansion, "sole_best", lambda *_: False)  # nor is it a problem that needs none
    with pytest.raises(OptionError, match="pip install ortools"):
        shoal.algorithms.Optimal().solve(problem.prepared, QUIET)
    found = replace(auto, siblings="none").solve(problem.prepared, QUIET).optimality
    assert found is not None
    assert best is not None
    assert found.ended == "no solver"
    assert found.lower_bound <= best.loss <= found.loss
    grouped = auto.solve(problem.prepared, QUIET).optimality
    assert grouped is not None
    assert grouped.ended == "no solver"
    assert grouped.loss <= best.loss


def test_ctrl_c_while_the_solver_loads_is_no_missing_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """An extension module that is interrupted tells it as an import that failed."""

    def interrupted(name: str) -> Any:
        raise ImportError(name) from KeyboardInterrupt()

    monkeypatch.setattr(importlib, "import_module", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver.load()


def test_another_error_is_no_missing_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user can mend must be told, not taken for a result without a proof."""

    def refuse(*args: Any, **more: Any) -> Any:
        raise OptionError("something else")

    monkeypatch.setattr(solver, "solve", refuse)
    with pytest.raises(OptionError, match="something else"):
        shoal.algorithms.Auto(siblings="none").solve(medium(rows=1000).prepared, QUIET)
