"""A maximum flow, for the bound by a minimum cut."""

from __future__ import annotations

from collections import deque

from shoal.data.arrays import Codes, Counts
from shoal.kernels.choice import compiled_or


class Flow:
    """A growing flow from node 0 to node 1 along arcs with capacities."""

    def __init__(self, nodes: int, tails: Codes, heads: Codes, capacities: Counts) -> None:
        self._kernel = compiled_or(FlowTwin)(nodes, tails, heads, capacities)

    def grow(self, work: int) -> tuple[int, bool]:
        """Increase the flow with about this much work. Return the flow, and whether it is the maximum."""
        return self._kernel.grow(work)


class FlowTwin:
    """The maximum flow from node 0 to node 1, by shortest paths."""

    def __init__(self, nodes: int, tails: Codes, heads: Codes, capacities: Counts) -> None:
        self.left: list[dict[int, int]] = [{} for _ in range(nodes)]
        for tail, head, capacity in zip(tails.tolist(), heads.tolist(), capacities.tolist(), strict=True):
            self.left[tail][head] = self.left[tail].get(head, 0) + capacity
            self.left[head].setdefault(tail, 0)
        self.value = 0

    def grow(self, work: int) -> tuple[int, bool]:
        """Return the maximum flow. The work is not limited here."""
        while path := self._path():
            least = min(self.left[a][b] for a, b in path)
            for a, b in path:
                self.left[a][b] -= least
                self.left[b][a] += least
            self.value += least
        return self.value, True

    def _path(self) -> list[tuple[int, int]]:
        """Return the arcs of a shortest augmenting path; empty if there is none."""
        before = {0: 0}
        queue = deque([0])
        while queue and 1 not in before:
            node = queue.popleft()
            for head, left in self.left[node].items():
                if left > 0 and head not in before:
                    before[head] = node
                    queue.append(head)
        path, node = [], 1
        while node and 1 in before:
            path.append((before[node], node))
            node = before[node]
        return path
