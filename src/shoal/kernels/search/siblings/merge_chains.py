"""Clauses of two literals for the bound by a minimum cut (search/chain_bound.py has the idea)."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat, people_of
from shoal.kernels.choice import compiled_or


class MergeChains:
    """Clauses of two literals that every safe sibling grouping satisfies.

    ``children[start[p]:start[p + 1]]`` are the children of p by position. A literal (u, a) says that the block of u
    contains a sibling of u at position a or later, or more than the parent of u.
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        start: Offsets,
        children: Codes,
        k: int,
        *,
        persons: Codes = NOBODY,
    ) -> None:
        self._kernel = compiled_or(MergeChainsTwin)(
            indptr, items, persons, parent, flat(span), start, children, capped(k, indptr)
        )

    def around(self, nodes: Codes, reaches: Codes, *, each: int, work: int) -> tuple[Codes, int, int]:
        """Return clauses (u, a, v, b) around the first bases, one on each line; how many bases were done; and the work.

        A base is a node v with its siblings at positions below b; the root represents all rows. If one node of a clause
        is -1, the other literal must hold. There are at most ``each`` clauses for each u, over all calls.
        """
        clauses, done, looked = self._kernel.around(nodes, reaches, each, work)
        return clauses.reshape(-1, 4), done, looked


END = 2**31 - 1


class Table:
    """For each node, the persons whose rows hold it and meet the base; for each row, the first child that it holds."""

    def __init__(self) -> None:
        self.held: defaultdict[int, set[int]] = defaultdict(set)
        self.firsts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)


class MergeChainsTwin:
    """Clauses of two literals that every safe sibling grouping satisfies."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        parent: Codes,
        span: Codes,
        start: Offsets,
        order: Codes,
        k: int,
    ) -> None:
        self.parent, self.k, self.people = parent.tolist(), k, people_of(indptr, persons)
        ends = span.tolist()
        self.span = list(zip(ends[::2], ends[1::2], strict=True))
        self.children = [order[a:b].tolist() for a, b in pairwise(start.tolist())]
        self.position = {node: at for below in self.children for at, node in enumerate(below)}
        self.nodes: list[list[int]] = []  # of each row, including internal nodes
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

    def around(self, nodes: Codes, reaches: Codes, each: int, work: int) -> tuple[Codes, int, int]:
        """Return four numbers for each clause, how many bases were done, and the work, which is not counted here."""
        clauses: list[int] = []
        for v, b in zip(nodes.tolist(), reaches.tolist(), strict=True):
            clauses += self._base(v, self.parent[v], b, each)
        return np.array(clauses, dtype=np.int32), len(nodes), 0

    def _covers(self, node: int, other: int) -> bool:
        (a, b), (c, d) = self.span[node], self.span[other]
        return bool(a <= c and d <= b)

    def _first(self, row: int, v: int) -> dict[int, list[int]]:
        """Return the positions held, ascending, by parent; without nodes above v."""
        held = defaultdict(list)
        for node in self.nodes[row]:
            if self.parent[node] >= 0 and not self._covers(node, v):
                held[self.parent[node]].append(self.position[node])
        return {parent: [*sorted(positions), END, END] for parent, positions in held.items()}

    def _visit(self, row: int, table: Table, v: int, q: int, b: int) -> None:
        """Count a row that holds v or, if v is q, siblings before b. Each of these meets only the others."""
        first = self._first(row, v)
        single = v == q and first[q][1] >= b
        for node in self.nodes[row]:
            if not (single and self.parent[node] == q and self.position[node] < b):
                table.held[node].add(self.people[row])
            least = first.get(node, [END, END])[single and node == q]
            if least < END:
                table.firsts[node].append((least, self.people[row]))

    def _base(self, v: int, q: int, b: int, each: int) -> list[int]:
        """Return the clauses around v with its siblings before b."""
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
                own.held[self.children[q][first[q][0]]].add(self.people[row])
                own.firsts[q].append((first[q][0], self.people[row]))
        clauses = []
        for u in touched:
            p = self.parent[u]
            if p < 0 or self._covers(u, v) or (q >= 0 and self._covers(v, u)) or self.clauses[u] >= each:
                continue
            held = own.held[u] | before.held[u]
            if len(held) >= self.k:
                continue
            others = [(at, person) for at, person in own.firsts[p] + before.firsts[p] if person not in held]
            once = {person: at for at, person in sorted(others, reverse=True) if person >= 0}
            firsts = [*once.values(), *(at for at, person in others if person < 0)]
            nearest = heapq.nsmallest(self.k - len(held), firsts)
            a = nearest[-1] if len(nearest) == self.k - len(held) else END
            if p == q and b > self.position[u]:
                a = min(a, self.position[v])
            if a < END:
                self.clauses[u] += 1
                clauses += [u, a, v if q >= 0 else -1, b]
            elif q >= 0 and self._covers(p, v):  # no merge of u helps
                return [-1, 0, v, b]
        return clauses
