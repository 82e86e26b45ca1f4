"""The relaxed problem, solved by OR-Tools CP-SAT: which nodes to expand so that no known constraint is violated.

Constraints are threats (nodes that must not all be expanded) and, for models that are not monotone, labels that must
not all be in the cut: for one of them the parent is not expanded, or it is expanded itself.

This is the only file that uses the solver. It runs with one worker and a limit in deterministic time, so equal models
give equal answers on every machine. Only the wall-clock limit, which the caller records, can change that. Presolve is
off: the models are minimal clauses already, and presolve takes several times longer than it saves.
"""

from __future__ import annotations

import importlib
import math
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any

from shoal.errors import OptionError
from shoal.kernels.choice import Tick
from shoal.kernels.search.cuts.conflicts import Conflict
from shoal.search.expansion import Expansion, Threat

KEPT = 3  # intermediate solutions to keep


@dataclass(frozen=True)
class Relaxed:
    """The best solution found, and a bound on all solutions."""

    expanded: set[int]
    bound: int  # no cut without these threats costs less
    proven: bool  # whether the solution is optimal
    before: tuple[set[int], ...] = ()  # the last few intermediate solutions, the best of them first


class SolverMissing(OptionError):
    """The solver is not installed."""


def load() -> Any:
    """Return the solver's module, or raise an error if it is not installed."""
    try:
        return importlib.import_module("ortools.sat.python.cp_model")
    except ImportError as error:
        if _interrupted(error):  # an extension module reports Ctrl-C as a failed import
            raise KeyboardInterrupt from None
        raise SolverMissing(
            "The exact search needs OR-Tools, which is not installed: run 'pip install ortools', or use "
            "algorithm='auto', which then gives no proof, or algorithm='aa'."
        ) from None


def _interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C caused an error."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or "KeyboardInterrupt" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


class Impossible(Exception):
    """No cut satisfies the constraints."""


def solve(
    tree: Expansion,
    threats: Sequence[Threat],
    start: set[int],
    effort: float,
    deadline: float,
    tick: Tick,
    *,
    together: Sequence[Sequence[int]] = (),
) -> Relaxed:
    """Find the expansion with the largest gain. ``start`` is a solution, or close to one.

    ``effort`` is a limit in deterministic time, ``deadline`` one of the monotonic clock. If the solver is stopped
    before it has found a solution, it has no bound either.
    """
    if not together and tree.sole_best(start, threats):
        return Relaxed(start, tree.cost(start), True)  # loading the solver takes longer than a small problem
    cp = load()
    closed = {threat[0] for threat in threats if len(threat) == 1}
    model = cp.CpModel()
    variables: dict[int, Any] = {}
    for node in reversed(tree.inner):  # from the root down
        if node in closed or (node != tree.root and tree.parent[node] not in variables):
            continue  # cannot be expanded
        variables[node] = model.new_bool_var("")
        model.add_hint(variables[node], node in start)
        if node != tree.root:
            model.add_implication(variables[node], variables[tree.parent[node]])
    for threat in threats:
        if len(threat) > 1 and all(node in variables for node in threat):
            model.add_bool_or([~variables[node] for node in threat])
    for labels in together:
        parents = [tree.parent[label] for label in labels if label != tree.root]
        if all(parent in variables for parent in parents):
            here = [variables[label] for label in labels if label in variables]
            model.add_bool_or([*(~variables[parent] for parent in parents), *here])
    if not variables:
        if any(tuple(labels) == (tree.root,) for labels in together):
            raise Impossible
        return Relaxed(set(), tree.costs[tree.root], True)
    nodes = list(variables)
    model.maximize(cp.LinearExpr.weighted_sum([variables[node] for node in nodes], [tree.gain[node] for node in nodes]))

    solver = _solver(cp, effort, deadline)
    solutions: deque[set[int]] = deque(maxlen=KEPT + 1)
    status = _interruptible(solver, model, _recorder(cp, variables, solutions), tick)
    if status == cp.UNKNOWN:
        return Relaxed(start, 0, False)
    if status == cp.INFEASIBLE and together:
        raise Impossible
    if status not in (cp.OPTIMAL, cp.FEASIBLE):
        raise RuntimeError(f"the solver returned {solver.status_name(status)} for a problem that has a solution")
    expanded = {node for node in nodes if solver.boolean_value(variables[node])}
    bound = tree.costs[tree.root] - math.floor(solver.best_objective_bound + 1e-6)
    if status == cp.OPTIMAL or bound > tree.cost(expanded):  # a bound cannot be above the cost of a solution
        bound = tree.cost(expanded) if status == cp.OPTIMAL else 0
    before = tuple(other for other in reversed(solutions) if other != expanded)
    return Relaxed(expanded, bound, status == cp.OPTIMAL, before)


@dataclass(frozen=True)
class Candidate:
    """A cut with suppressed leaves. All nodes above a suppressed leaf are expanded."""

    expanded: frozenset[int]
    suppressed: frozenset[int]


class Joint:
    """The relaxed problem with suppression. It grows by conflicts, round by round.

    Its variables: which nodes are expanded, which leaves are suppressed, and which groups of leaves are suppressed as a
    whole. ``prices`` has the cost of suppressing each leaf. Leaves without a price cannot be suppressed.
    """

    def __init__(self, tree: Expansion, prices: dict[int, int], budget: tuple[dict[int, int], int] | None) -> None:
        self.cp, self.tree, self.prices = load(), tree, prices
        self.model = self.cp.CpModel()
        self.nodes = {node: self.model.new_bool_var("") for node in reversed(tree.inner)}  # from the root down
        for node, variable in self.nodes.items():
            if node != tree.root:
                self.model.add_implication(variable, self.nodes[tree.parent[node]])
        self.leaves = {leaf: self.model.new_bool_var("") for leaf in prices}
        for leaf, variable in self.leaves.items():
            if leaf != tree.root:
                self.model.add_implication(variable, self.nodes[tree.parent[leaf]])
        self.groups: dict[tuple[int, ...], Any] = {(leaf,): variable for leaf, variable in self.leaves.items()}
        if budget is not None:
            counts, most = budget
            leaves = list(self.leaves)
            each = self.cp.LinearExpr.weighted_sum([self.leaves[a] for a in leaves], [counts[a] for a in leaves])
            self.model.add(each <= most)
        costs = [-tree.gain[node] for node in self.nodes] + list(prices.values())
        variables = [*self.nodes.values(), *self.leaves.values()]
        self.model.minimize(self.cp.LinearExpr.weighted_sum(variables, costs))

    def add(self, conflicts: Iterable[Conflict], most: int) -> None:
        """Add constraints. Groups that cost more than ``most`` are never suppressed."""
        for parents, groups in conflicts:
            literals = [~self.nodes[node] for node in parents]
            for group in groups:
                if all(leaf in self.prices for leaf in group) and sum(self.prices[leaf] for leaf in group) <= most:
                    literals.append(self._group(group))
            self.model.add_bool_or(literals)

    def _group(self, group: tuple[int, ...]) -> Any:
        """Return the variable that is true if all these leaves are suppressed."""
        if group not in self.groups:
            self.groups[group] = self.model.new_bool_var("")
            for leaf in group:
                self.model.add_implication(self.groups[group], self.leaves[leaf])
        return self.groups[group]

    def solve(self, start: Candidate, effort: float, deadline: float, tick: Tick) -> tuple[Candidate, int, bool]:
        """Return the cheapest candidate, a lower bound on the cost, and whether they are equal.

        ``start`` is a solution. Limits are as in :func:`solve`.
        """
        self.model.clear_hints()
        for node, variable in self.nodes.items():
            self.model.add_hint(variable, node in start.expanded)
        for group, variable in self.groups.items():
            self.model.add_hint(variable, start.suppressed.issuperset(group))
        solver = _solver(self.cp, effort, deadline)
        status = _interruptible(solver, self.model, None, tick)
        if status == self.cp.UNKNOWN:
            return start, 0, False
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            raise RuntimeError(f"the solver returned {solver.status_name(status)} for a problem that has a solution")
        candidate = Candidate(
            frozenset(node for node, variable in self.nodes.items() if solver.boolean_value(variable)),
            frozenset(leaf for leaf, variable in self.leaves.items() if solver.boolean_value(variable)),
        )
        root = self.tree.costs[self.tree.root]
        bound = root + math.ceil(solver.best_objective_bound - 1e-6)
        cost = root + round(solver.objective_value)
        if status == self.cp.OPTIMAL or bound > cost:  # a bound cannot be above the cost of a solution
            bound = cost if status == self.cp.OPTIMAL else 0
        return candidate, max(0, bound), status == self.cp.OPTIMAL


def _solver(cp: Any, effort: float, deadline: float) -> Any:
    """Return a solver that is deterministic."""
    solver = cp.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.cp_model_presolve = False
    solver.parameters.linearization_level = 2  # the linear relaxation proves bounds on deep hierarchies
    solver.parameters.max_deterministic_time = effort
    solver.parameters.max_time_in_seconds = max(0.0, deadline - time.monotonic())
    solver.parameters.catch_sigint_signal = False
    return solver


def _recorder(cp: Any, variables: dict[int, Any], solutions: deque[set[int]]) -> Any:
    """Return a callback that records every better solution."""

    class Recorder(cp.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            solutions.append({node for node, variable in variables.items() if self.boolean_value(variable)})

    return Recorder()


def _interruptible(solver: Any, model: Any, callback: Any, tick: Tick) -> Any:
    """Run the solver in its own thread, while the main thread shows progress and handles Ctrl-C."""
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(solver.solve, model, callback)
        try:
            while True:
                try:
                    return running.result(timeout=0.1)
                except NotYet:
                    tick(0.0)
        except BaseException:
            while not running.done():  # it cannot be stopped before it has started
                solver.stop_search()
                wait([running], timeout=0.05)
            raise
