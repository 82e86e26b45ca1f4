"""Finds a rare set behind each threat that a search has used: nodes that no safe cut splits together.

Every cut that splits the nodes of a threat is unsafe. So is the highest of them, which splits these nodes and those
above them, and nothing else. Hence it publishes a rare set of at most m labels. The parents of its labels are split by
every cut that contains the threat: the clause of the rare set implies the threat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.evidence.proof.supports import Supports
from shoal.models.rare import rare_sets
from shoal.recoding import GlobalCut

Found = tuple[tuple[int, ...], Counts]  # labels, and the records that hold them all


class RareSetFinder:
    """Finds rare sets in records whose item codes are leaves of a hierarchy."""

    def __init__(
        self, rows: Transactions, hierarchy: Hierarchy, k: int, m: int | Literal["all"], engine: Engine
    ) -> None:
        self.rows, self.hierarchy, self.k, self.m, self.engine = rows, hierarchy, k, m, engine
        self.most = rows.longest if m == "all" else m
        self.supports = Supports(rows, hierarchy)

    def behind(self, threat: tuple[int, ...]) -> tuple[int, ...]:
        """Return a rare set of at most m labels of the highest cut that splits the nodes of the threat.

        First, one child of each node is tried, then one more label of the cut. That is enough for nearly all. Else the
        verifier looks at all sets of labels of that cut.
        """
        split = {node for one in threat for node in self.hierarchy.ancestors(one)}
        rarest_first = sorted(threat, key=lambda node: len(self.supports.rows_with(node)))
        children = [self.hierarchy.children[node] for node in rarest_first]
        labels = [child for node in sorted(split) for child in self.hierarchy.children[node] if child not in split]
        for groups in (children, [*children, labels]):
            if len(groups) <= self.most:
                for nodes, _ in self._chosen(groups):
                    return tuple(sorted(nodes))
        return self._by_verifier(labels)

    def _chosen(self, groups: Sequence[Sequence[int]]) -> Iterator[Found]:
        """Yield rare sets of one label of each group, or of the first few groups."""
        open_: list[Found] = [((), self.supports.rows_with(self.hierarchy.root))]
        while open_:
            chosen, rows = open_.pop()
            for label in groups[len(chosen)]:
                if label not in chosen and len(held := self.supports.among(rows, label)):
                    found = ((*chosen, label), held)
                    if self.supports.persons(held) < self.k:
                        yield found
                    elif len(found[0]) < len(groups):
                        open_.append(found)

    def _by_verifier(self, labels: list[int]) -> tuple[int, ...]:
        """Return a rare set of these labels, which are a cut."""
        hierarchy = self.hierarchy
        cut = GlobalCut.raising(hierarchy, [label for label in labels if label >= hierarchy.n_leaves])
        published = cut.apply(self.rows).of_persons(self.rows.persons).rows
        rare = rare_sets(published, self.k, self.m, self.engine).sets
        if not rare:
            raise RuntimeError("a search used a threat that no rare set causes")
        return tuple(sorted(hierarchy.code_of[published.labels[code]] for code in rare[0][0]))
