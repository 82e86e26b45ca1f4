"""Cuts as sets of expanded nodes: the internal nodes strictly above the cut.

A set of internal nodes is a cut if the parent of each of its nodes is in it. The cost of a cut is the cost of the root
minus the gains of the expanded nodes, in exact integers.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from shoal.data.hierarchy import Hierarchy
from shoal.recoding import GlobalCut

SMALL, STEPS = 64, 500  # nodes and threats of a small problem; cuts to examine

Threat = Sequence[int]  # internal nodes that must not all be expanded


class Expansion:
    """The hierarchy of a problem, and the gain of expanding each node.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> tree = Expansion(h, [0, 0, 0, 0, 10, 20, 60])  # a1 a2 b1 b2 A B ALL
    >>> A, B, ALL = (h.code_of[label] for label in ("A", "B", "ALL"))
    >>> tree.cost({ALL, B}), tree.raised({ALL, B}) == [A]
    (10, True)
    >>> tree.fill([[A, B]]) == {ALL, B}
    True
    """

    def __init__(self, hierarchy: Hierarchy, costs: Iterable[int]) -> None:
        self.hierarchy = hierarchy
        self.costs = [int(cost) for cost in costs]
        self.root = hierarchy.root
        self.parent = hierarchy.parent.tolist()
        self.inner = range(hierarchy.n_leaves, len(hierarchy))
        self.below = {p: [c for c in hierarchy.children[p] if c in self.inner] for p in self.inner}
        self.gain = {p: self.costs[p] - sum(self.costs[c] for c in hierarchy.children[p]) for p in self.inner}
        self.depth = [0] * len(hierarchy)
        for node in range(self.root - 1, -1, -1):
            self.depth[node] = self.depth[self.parent[node]] + 1
        self.height = max(self.depth)

    def cost(self, expanded: set[int]) -> int:
        """The cost of the cut."""
        return self.costs[self.root] - self.gains(expanded)

    def raised(self, expanded: set[int]) -> list[int]:
        """The nodes of the cut that are not leaves, ascending."""
        return [p for p in self.inner if p not in expanded and (p == self.root or self.parent[p] in expanded)]

    def expanded(self, cut: GlobalCut) -> set[int]:
        """The nodes strictly above a cut."""
        above: set[int] = set()
        for node in map(int, cut.nodes):
            while node != self.root and (node := self.parent[node]) not in above:
                above.add(node)
        return above

    def cut(self, expanded: set[int]) -> GlobalCut:
        """The cut itself."""
        return GlobalCut.raising(self.hierarchy, self.raised(expanded))

    def fill(self, threats: Sequence[Threat], start: Iterable[int] = (), depth: int | None = None) -> set[int]:
        """Expand nodes above ``depth``, the highest gain first, as long as no threat becomes complete."""
        depth = self.height if depth is None else depth
        expanded = set(start)
        left = [0] * len(threats)  # nodes of each threat that are not yet expanded
        threats_of: dict[int, list[int]] = {}
        for at, threat in enumerate(threats):
            for node in threat:
                threats_of.setdefault(node, []).append(at)
                left[at] += node not in expanded
        open_ = [(-self.gain[node], node) for node in self.raised(expanded) if self.depth[node] < depth]
        heapq.heapify(open_)
        while open_:
            _, node = heapq.heappop(open_)
            met = threats_of.get(node, ())
            if any(left[at] == 1 for at in met):
                continue
            expanded.add(node)
            for at in met:
                left[at] -= 1
            for child in self.below[node]:
                if self.depth[child] < depth:
                    heapq.heappush(open_, (-self.gain[child], child))
        return expanded

    def repaired(self, expanded: set[int], threats: Sequence[Threat]) -> set[int]:
        """Collapse nodes until no threat is complete, then fill again. Nodes that gain least collapse first."""
        expanded = set(expanded)
        for threat in threats:
            if all(node in expanded for node in threat):
                subtrees = [self.subtree(node, expanded) for node in threat]
                cheapest = min(range(len(threat)), key=lambda at: self.gains(subtrees[at]))
                expanded -= subtrees[cheapest]
        return self.fill(threats, expanded)

    def lower_bound(self, threats: Sequence[Threat]) -> int:
        """Return a lower bound on the cost of every cut, from the threats of a single node."""
        closed = {threat[0] for threat in threats if len(threat) == 1}
        least = self.costs.copy()
        for node in self.inner:  # children come before their parents
            if node not in closed:
                least[node] = min(least[node], sum(least[child] for child in self.hierarchy.children[node]))
        return least[self.root]

    def sole_best(self, expanded: set[int], threats: Sequence[Threat]) -> bool:
        """Whether every other cut without a threat costs more. Also False if that takes too many steps to find out.

        >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
        >>> A, B, ALL = (h.code_of[label] for label in ("A", "B", "ALL"))
        >>> costs = {"equal": [0, 0, 0, 0, 10, 10, 60], "different": [0, 0, 0, 0, 10, 20, 60]}
        >>> {name: Expansion(h, each).sole_best({ALL, B}, [[A, B]]) for name, each in costs.items()}
        {'equal': False, 'different': True}
        """
        if (
            not 0 < len(self.inner) <= SMALL
            or len(threats) > SMALL
            or any(expanded.issuperset(threat) for threat in threats)
        ):
            return False
        most = dict.fromkeys(self.inner, 0)  # the most that expanding a node and nodes below it could gain
        for node in self.inner:
            most[node] = max(0, self.gain[node] + sum(most[child] for child in self.below[node]))
        least = self.gains(expanded)
        # Undecided nodes, expanded nodes, and the most that both can gain.
        states = [([self.root], frozenset[int](), most[self.root])]
        for _ in range(STEPS):
            if not states:
                return True
            (*undecided, node), chosen, bound = states.pop()
            with_node = bound - most[node] + self.gain[node] + sum(most[child] for child in self.below[node])
            further = [(undecided, chosen, bound - most[node])]
            if not any(chosen.issuperset({*threat} - {node}) for threat in threats if node in threat):
                further.append(([*undecided, *self.below[node]], chosen | {node}, with_node))
            for state in further:
                if state[2] >= least and not state[0] and state[1] != expanded:
                    return False
                if state[2] >= least and state[0]:
                    states.append(state)
        return False

    def gains(self, nodes: set[int]) -> int:
        """The gain of expanding the nodes."""
        return sum(self.gain[node] for node in nodes)

    def subtree(self, node: int, expanded: set[int]) -> set[int]:
        """The expanded nodes at or below a node."""
        reached: set[int] = set()
        queue = [node]
        while queue:
            node = queue.pop()
            reached.add(node)
            queue += [child for child in self.below[node] if child in expanded]
        return reached
