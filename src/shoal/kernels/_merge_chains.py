"""Readable twins of the kernels behind the bound by a least cut; search/chain_bound.py has the idea."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter, defaultdict, deque
from itertools import pairwise
from typing import Any

END = 2**31 - 1


class Table:
    """By node: the rows that hold it and meet the others; and by row the first of its children that is held."""

    def __init__(self) -> None:
        self.held: defaultdict[int, list[int]] = defaultdict(list)
        self.firsts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)


class MergeChains:
    """Clauses of two literals that every safe sibling grouping satisfies."""

    def __init__(self, indptr: Any, items: Any, parent: Any, span: Any, start: Any, order: Any, k: int) -> None:
        self.parent, self.k = parent.tolist(), k
        ends = span.tolist()
        self.span = list(zip(ends[::2], ends[1::2], strict=True))
        self.children = [order[a:b].tolist() for a, b in pairwise(start.tolist())]
        self.position = {node: at for below in self.children for at, node in enumerate(below)}
        self.nodes: list[list[int]] = []  # of each row, inner ones too
        self.rows: defaultdict[int, list[int]] = defaultdict(list)
        for row, (a, b) in enumerate(pairwise(indptr.tolist())):
            nodes: dict[int, None] = {}
            for node in items[a:b].tolist():
                while node >= 0:
                    nodes[node] = None
                    node = self.parent[node]
            self.nodes.append(list(nodes))
            for node in nodes:
                self.rows[node].append(row)
        self.clauses: Counter[int] = Counter()

    def around(self, nodes: Any, reaches: Any, each: int, work: int) -> tuple[bytes, int, int]:
        """Four numbers for each clause, how many bases were done, and the work, which is not counted here."""
        found: list[int] = []
        for v, b in zip(nodes.tolist(), reaches.tolist(), strict=True):
            found += self._base(v, self.parent[v], b, each)
        return array("i", found).tobytes(), len(nodes), 0

    def _covers(self, node: int, other: int) -> bool:
        (a, b), (c, d) = self.span[node], self.span[other]
        return bool(a <= c and d <= b)

    def _first(self, row: int, v: int) -> dict[int, list[int]]:
        """The positions held, ascending, by parent; not of nodes above v."""
        found = defaultdict(list)
        for node in self.nodes[row]:
            if self.parent[node] >= 0 and not self._covers(node, v):
                found[self.parent[node]].append(self.position[node])
        return {parent: [*sorted(positions), END, END] for parent, positions in found.items()}

    def _visit(self, row: int, table: Table, v: int, q: int, b: int) -> None:
        """Count a row that holds v, or, where v is q, siblings before b: each of these meets only the other ones."""
        first = self._first(row, v)
        single = v == q and first[q][1] >= b
        for node in self.nodes[row]:
            if not (single and self.parent[node] == q and self.position[node] < b):
                table.held[node].append(row)
            least = first.get(node, [END, END])[single and node == q]
            if least < END:
                table.firsts[node].append((least, row))

    def _base(self, v: int, q: int, b: int, each: int) -> list[int]:
        """The clauses around v with its siblings before b."""
        before, own, touched = Table(), Table(), dict[int, None]()
        siblings = self.children[q][:b] if q >= 0 else []
        seen = dict.fromkeys(row for node in siblings for row in self.rows[node])
        for row in seen:
            self._visit(row, before, q, q, b)
        for row in self.rows[v]:
            touched |= dict.fromkeys(self.nodes[row])
            if row not in seen:
                self._visit(row, own, v, q, b)
                continue
            first = self._first(row, v)
            if self.position[v] >= b and first[q][1] >= b:  # the only sibling before b meets v
                own.held[self.children[q][first[q][0]]].append(row)
                own.firsts[q].append((first[q][0], row))
        found = []
        for u in touched:
            p = self.parent[u]
            if p < 0 or self._covers(u, v) or (q >= 0 and self._covers(v, u)) or self.clauses[u] >= each:
                continue
            held = own.held[u] + before.held[u]
            if len(held) >= self.k:
                continue
            others = (at for at, row in own.firsts[p] + before.firsts[p] if row not in held)
            nearest = heapq.nsmallest(self.k - len(held), others)
            a = nearest[-1] if len(nearest) == self.k - len(held) else END
            if p == q and b > self.position[u]:
                a = min(a, self.position[v])
            if a < END:
                self.clauses[u] += 1
                found += [u, a, v if q >= 0 else -1, b]
            elif q >= 0 and self._covers(p, v):  # nothing that u is merged with helps
                return [-1, 0, v, b]
        return found


class Flow:
    """The largest flow from node 0 to node 1, by shortest paths."""

    def __init__(self, nodes: int, tails: Any, heads: Any, capacities: Any) -> None:
        self.left: list[dict[int, int]] = [{} for _ in range(nodes)]
        for tail, head, capacity in zip(tails.tolist(), heads.tolist(), capacities.tolist(), strict=True):
            self.left[tail][head] = self.left[tail].get(head, 0) + capacity
            self.left[head].setdefault(tail, 0)
        self.value = 0

    def grow(self, work: int) -> tuple[int, bool]:
        """The largest flow; the work is not limited here."""
        while path := self._path():
            least = min(self.left[a][b] for a, b in path)
            for a, b in path:
                self.left[a][b] -= least
                self.left[b][a] += least
            self.value += least
        return self.value, True

    def _path(self) -> list[tuple[int, int]]:
        """The arcs of a shortest path on which more can flow; none, if there is none."""
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
