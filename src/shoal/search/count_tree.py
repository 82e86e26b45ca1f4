"""The count-tree of Terrovitis et al. 2008 and 2011 (Alg. 1), and their algorithms on it, line by line.

It is the reference for the fast implementations. It contains every itemset of up to m labels that occurs, with its
support, as a prefix tree ordered by falling support (ties: lower id). Labels are items and all their generalizations
except the root; no label of a set is above another. The tree is exponential in m and in the height of the hierarchy: it
is for small data, for tests, and for OA.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions

Path = tuple[int, ...]  # node ids in count-tree order


class CountTree:
    """The count-tree (Alg. 1) over the labels that are not ``below`` a cut (AA reduces transactions by the cut so far).

    ``by_leaves``: order labels by the number of leaves below them, which needs no scan of the data.

    >>> h = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
    >>> tree = CountTree(h, h.encode(Transactions.from_sets(data)), 2)
    >>> [h.labels[node] for node in tree.order]  # as in Terrovitis et al. 2008, s.4.1, without ALL
    ['A', 'B', 'a2', 'b1', 'b2', 'a1']
    >>> tree.support([h.code_of["A"], h.code_of["b2"]])
    3
    >>> [h.labels[node] for node in CountTree(h, h.encode(Transactions.from_sets(data)), 2, by_leaves=True).order]
    ['A', 'B', 'a1', 'a2', 'b1', 'b2']
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        items: Transactions,
        m: int,
        below: frozenset[int] = frozenset(),
        *,
        by_leaves: bool = False,
    ) -> None:
        self.hierarchy, self.m = hierarchy, m
        expanded = [(expand(hierarchy, row), people) for row, people in _by_row(items).items()]
        holders: dict[int, set[int]] = {}
        for labels, people in expanded:
            for label in labels:
                holders.setdefault(label, set()).update(people)
        weight = {node: int(hierarchy.leaves[node]) if by_leaves else len(holders[node]) for node in holders}
        self.order = sorted(holders, key=lambda node: (-weight[node], node))
        self.rank = {node: rank for rank, node in enumerate(self.order)}
        self.total = len(set().union(*(people for _, people in expanded)))
        counted: dict[Path, set[int]] = {}
        for labels, people in expanded:
            for path in self.itemsets(labels - below):
                counted.setdefault(path, set()).update(people)
        self.counts = Counter({path: len(people) for path, people in counted.items()})

    def itemsets(self, labels: frozenset[int]) -> Iterator[Path]:
        """All sets of 1..m labels without an ancestor-descendant pair (Alg. 1, lines 3-4), as paths."""
        covers = self.hierarchy.covers
        stack: list[tuple[Path, list[int]]] = [((), sorted(labels, key=self.rank.__getitem__))]
        while stack:
            path, follow = stack.pop()
            for at, label in enumerate(follow):
                yield (*path, label)
                if len(path) + 1 < self.m:
                    rest = [u for u in follow[at + 1 :] if not covers(u, label) and not covers(label, u)]
                    stack.append(((*path, label), rest))

    def support(self, labels: list[int] | Path) -> int:
        """The number of persons with a transaction that contains all labels."""
        if self.hierarchy.root in labels:
            return self.total
        return self.counts[tuple(sorted(labels, key=self.rank.__getitem__))]

    def preorder(self) -> list[tuple[Path, bool]]:
        """All paths in preorder, each with whether it is a leaf of the tree."""
        paths = sorted(self.counts, key=lambda path: [self.rank[node] for node in path])
        return [(path, later[: len(path)] != path) for path, later in itertools.pairwise([*paths, ()])]


def expand(hierarchy: Hierarchy, row: Path) -> frozenset[int]:
    """The items of a transaction and all their generalizations except the root."""
    return frozenset(node for leaf in row for node in hierarchy.ancestors(leaf) if node != hierarchy.root)


def direct_anonymization(tree: CountTree, costs: list[int], k: int, raised: frozenset[int]) -> frozenset[int]:
    """Run DA (Alg. 3) on a materialised tree, from the cut ``raised``. Return the raised nodes of the new cut."""
    hierarchy = tree.hierarchy
    for path, is_leaf in tree.preorder():
        if any(strictly_below(hierarchy, node, raised) for node in path):  # lines 4-5
            continue
        if is_leaf and tree.counts[path] < k:  # line 6
            raised = _merge(hierarchy, raised, _best_generalization(tree, costs, k, raised, path))
    return raised


def apriori_anonymization(
    hierarchy: Hierarchy, items: Transactions, costs: list[int], k: int, m: int, *, by_leaves: bool = False
) -> frozenset[int]:
    """Run AA (Alg. 4) on materialised trees."""
    raised: frozenset[int] = frozenset()
    for size in range(1, m + 1):
        below = frozenset(node for node in range(len(hierarchy)) if strictly_below(hierarchy, node, raised))
        tree = CountTree(hierarchy, items, size, below, by_leaves=by_leaves)
        raised = direct_anonymization(tree, costs, k, raised)
    return raised


def strictly_below(hierarchy: Hierarchy, node: int, raised: frozenset[int]) -> bool:
    """Whether the cut lies above the node."""
    return any(node != top and hierarchy.covers(top, node) for top in raised)


def _best_generalization(
    tree: CountTree, costs: list[int], k: int, raised: frozenset[int], path: Path
) -> tuple[int, ...]:
    """Return the cheapest way to raise a path to a support of k: lowest loss, then fewest leaves, then lowest ids."""
    hierarchy = tree.hierarchy
    best: tuple[int, int, tuple[int, ...]] | None = None
    for targets in itertools.product(*(hierarchy.ancestors(node) for node in path)):
        if tree.support(_maximal(hierarchy, targets)) < k:
            continue
        commits = _maximal(hierarchy, [new for old, new in zip(path, targets, strict=True) if new != old])
        loss = _cut_cost(hierarchy, costs, _merge(hierarchy, raised, commits))
        way = (loss, int(hierarchy.leaves[list(commits)].sum()), commits)
        best = way if best is None else min(best, way)
    assert best is not None  # all labels at the root have the support of all non-empty rows
    return best[2]


def _maximal(hierarchy: Hierarchy, nodes: list[int] | Path) -> Path:
    """Return the nodes without those below others, ascending."""
    return tuple(sorted({u for u in nodes if not any(v != u and hierarchy.covers(v, u) for v in nodes)}))


def _merge(hierarchy: Hierarchy, raised: frozenset[int], commits: Path) -> frozenset[int]:
    """Return the cut with more nodes raised (line 9)."""
    return frozenset(_maximal(hierarchy, [*raised, *commits]))


def _cut_cost(hierarchy: Hierarchy, costs: list[int], raised: frozenset[int]) -> int:
    """The loss of a cut, as an exact integer."""
    leaves = [leaf for leaf in range(hierarchy.n_leaves) if not strictly_below(hierarchy, leaf, raised)]
    return sum(costs[node] for node in {*raised, *leaves})


def _by_row(items: Transactions) -> dict[Path, set[int]]:
    """Map each distinct non-empty row to the persons who have it."""
    rows: dict[Path, set[int]] = {}
    people = range(len(items)) if items.persons is None else items.persons.of.tolist()
    for row, person in zip(items, people, strict=True):
        if len(row):
            rows.setdefault(tuple(row.tolist()), set()).add(person)
    return rows
