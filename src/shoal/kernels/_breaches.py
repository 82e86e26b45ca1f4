"""What is in breach at a cut, as constraints on every cut, readable: the specification of ``_native.*Breaches``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shoal.kernels._mend import Criterion, Diversity, Mend, Negative, Nodes, Records, Tick, rows_of


class DiversityBreaches:
    """Lists what is in breach at a cut, as constraints on every cut."""

    def __init__(
        self,
        indptr: Any,
        items: Any,
        sensitive_indptr: Any,
        sensitive_items: Any,
        parent: Any,
        span: Any,
        leaves: int,
        l: int,
        tick: Tick,
    ) -> None:
        pairs = zip(rows_of(indptr, items), rows_of(sensitive_indptr, sensitive_items), strict=True)
        self.records = Records(((row, values) for row, values in pairs if row), parent.tolist())
        self.criterion: Criterion = Diversity(self.records, l, tick)
        self.span, self.leaves = span.tolist(), leaves

    def at(
        self, raised: Iterable[int], size: int, most: int, threads: int, tick: Tick
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Threats (internal nodes that must not all be expanded), and labels that must not all be in a cut."""
        self.criterion.tick = tick
        cost = [0] * len(self.records.parent)
        mend = Mend(self.criterion, self.records, self.span, cost, self.leaves, False, most, tick)
        for node in raised:
            mend.commit(node)
        threats, together = set[Nodes](), set[Nodes]()
        for present, absent in mend.breaches(size)[0]:
            labels = tuple(sorted(present + absent))
            if absent or mend.root in labels or not self.criterion.closed(labels, self.span):
                together.add(labels)
            else:
                raised_labels = self._raised(labels, mend)
                threats.add(tuple(sorted({self.records.parent[u] for u in raised_labels})))
        return [list(nodes) for nodes in sorted(threats)], [list(nodes) for nodes in sorted(together)]

    def _raised(self, labels: Nodes, mend: Mend) -> Nodes:
        """A closed set of labels, each raised as long as it stays closed."""
        at = 0
        while at < len(labels):
            parent = self.records.parent[labels[at]]
            above = [*labels[:at], parent, *labels[at + 1 :]]
            higher = tuple(sorted({u for u in above if not any(v != u and mend.covers(v, u) for v in above)}))
            if parent != mend.root and self.criterion.closed(higher, self.span):
                labels, at = higher, 0
            else:
                at += 1
        return labels


class NegativeBreaches(DiversityBreaches):
    """The same for negative knowledge."""

    def __init__(self, indptr: Any, items: Any, parent: Any, span: Any, leaves: int, k: int, tick: Tick) -> None:
        self.records = Records(((row, ()) for row in rows_of(indptr, items)), parent.tolist())
        self.criterion = Negative(self.records, k, tick)
        self.span, self.leaves = span.tolist(), leaves
