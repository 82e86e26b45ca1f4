"""What a proof comes down to: split nodes so that no rare set arises, at the least cost (weighted MaxSAT).

Each node that is no item has a variable: whether it is split, so that nodes below it are published. A node can only be
split if its parent is. No cut splits the parents of all nodes of a rare set. What is not gained by splitting is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal import files
from shoal.data.hierarchy import Hierarchy


class CutProblem:
    """The constraints on cuts that rare sets bring, and the cost of cuts.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> problem = CutProblem(h, [0, 0, 0, 0, 10, 20, 60], [(0, 1)])
    >>> problem.clauses, problem.cost({6}), problem.cost({6, 5})
    ([(4,)], 30, 10)
    """

    def __init__(self, hierarchy: Hierarchy, costs: Sequence[int], rare_sets: Iterable[Sequence[int]]) -> None:
        self.parent, self.root, self.costs = hierarchy.parent.tolist(), hierarchy.root, costs
        self.inner = range(hierarchy.n_leaves, len(hierarchy))
        self.gain = {p: costs[p] - sum(costs[c] for c in hierarchy.children[p]) for p in self.inner}
        self.number = {node: at for at, node in enumerate(reversed(self.inner), 1)}  # of its variable; the root is 1
        self.clauses = sorted({tuple(sorted({self.parent[u] for u in nodes})) for nodes in rare_sets})
        self.least = costs[self.root] - sum(gain for gain in self.gain.values() if gain > 0)  # if all gains were made

    def cost(self, split: set[int]) -> int:
        """Return the cost of the cut below the split nodes."""
        return int(self.costs[self.root]) - sum(self.gain[node] for node in split)

    def violated(self, split: set[int]) -> list[tuple[int, ...]]:
        """Return the clauses that a cut violates."""
        return [clause for clause in self.clauses if split.issuperset(clause)]

    @property
    def hard(self) -> list[list[int]]:
        """The clauses that must hold, as numbers of variables, negative if negated."""
        number = self.number
        above = [[-number[node], number[self.parent[node]]] for node in reversed(self.inner) if node != self.root]
        return above + [[-number[node] for node in clause] for clause in self.clauses]

    @property
    def soft(self) -> list[tuple[int, int]]:
        """A literal and the cost that is lost if it is not true, for each node whose splitting changes the cost."""
        gains = [(node, self.gain[node]) for node in reversed(self.inner)]
        return [(self.number[node] if gain > 0 else -self.number[node], abs(gain)) for node, gain in gains if gain]

    def wcnf(self) -> str:
        """Return the problem in the format of the MaxSAT evaluations since 2022."""
        lines = [
            "c INTERNAL: made from rare sets of the original data. Do not publish it.",
            f"c The cost of a cut is {self.least} + the weights of the clauses that it violates.",
            *(f"c variable {at}: node {node} of the proof is split" for node, at in self.number.items()),
            *(f"h {' '.join(map(str, clause))} 0" for clause in self.hard),
            *(f"{weight} {literal} 0" for literal, weight in self.soft),
        ]
        return "\n".join(lines) + "\n"

    def opb(self) -> str:
        """Return the problem in the format of the pseudo-Boolean competitions."""
        hard = self.hard
        each = " ".join(f"+{weight} {_negated(literal)}" for literal, weight in self.soft)
        lines = [
            f"* #variable= {len(self.number)} #constraint= {len(hard)}",
            "* INTERNAL: made from rare sets of the original data. Do not publish it.",
            f"* The cost of a cut is {self.least} + the objective.",
            *(f"* x{at}: node {node} of the proof is split" for node, at in self.number.items()),
            f"min: {each} ;",
            *(" ".join(f"+1 {_negated(-literal)}" for literal in clause) + " >= 1 ;" for clause in hard),
        ]
        return "\n".join(lines) + "\n"


def _negated(literal: int) -> str:
    """Return the negation of a literal, as OPB writes it.

    >>> _negated(3), _negated(-3)
    ('~x3', 'x3')
    """
    return f"~x{literal}" if literal > 0 else f"x{-literal}"


def write_text(path: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    with files.atomic_output(path, private=True) as out:
        out.write(text.encode())
