"""Lists the violations at a cut as constraints on every cut, for models that are not monotone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import NOBODY, capped, flat
from shoal.kernels.choice import Tick, compiled_or, no_progress
from shoal.kernels.search.repair.repair import MOST, Criterion, Nodes, Records, Repair
from shoal.kernels.search.repair.repair_diversity import by_rows_and_persons
from shoal.kernels.search.repair.repair_negative import Negative


class Breaches:
    """Lists the violations at a cut as constraints on every cut, for models that are not monotone."""

    def __init__(self, kernel: BreachLister, threads: int) -> None:
        self._kernel, self._threads = kernel, threads

    @classmethod
    def of_diversity(
        cls,
        indptr: Offsets,
        items: Codes,
        sensitive_indptr: Offsets,
        sensitive_items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        l: int,
        *,
        persons: Codes = NOBODY,
        threads: int = 1,
        tick: Tick = no_progress,
    ) -> Breaches:
        """Look for sets of labels with the same sensitive value in more than 1 in l of their rows, or persons."""
        tree = (parent, flat(span), leaves)
        rows = (indptr, items, persons, sensitive_indptr, sensitive_items)
        return cls(compiled_or(DiversityBreachesTwin)(*rows, *tree, capped(l, indptr), tick), threads)

    @classmethod
    def of_negative(
        cls,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        *,
        persons: Codes = NOBODY,
        threads: int = 1,
        tick: Tick = no_progress,
    ) -> Breaches:
        """Look for labels known to be present or absent that match rows of 1..k-1 persons."""
        tree = (parent, flat(span), leaves)
        return cls(compiled_or(NegativeBreachesTwin)(indptr, items, persons, *tree, capped(k, indptr), tick), threads)

    def at(
        self, raised: Sequence[int], size: int, *, most: int = MOST, tick: Tick = no_progress
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Return threats, and labels that must not all be in a cut. Both are empty if the cut satisfies the model.

        Threats are internal nodes that no safe cut expands together. About ``most`` combinations of at most ``size``
        labels are listed.
        """
        return self._kernel.at(list(raised), size, most, self._threads, tick)


class BreachLister:
    """Lists the violations of some criteria at a cut as constraints on every cut."""

    def __init__(self, criteria: Sequence[Criterion], parent: Codes, span: Codes, leaves: int) -> None:
        self.criteria, self.parent, self.span, self.leaves = criteria, parent.tolist(), span.tolist(), leaves

    def at(
        self, raised: Iterable[int], size: int, most: int, threads: int, tick: Tick
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Return threats (internal nodes that must not all be expanded), and labels that must not all be in a cut."""
        for criterion in self.criteria:
            criterion.tick = tick
        cost = [0] * len(self.parent)
        repair = Repair(self.criteria, self.parent, self.span, cost, self.leaves, False, most, tick)
        for node in raised:
            repair.commit(node)
        threats, together = set[Nodes](), set[Nodes]()
        for present, absent in repair.breaches(size)[0]:
            labels = tuple(sorted(present + absent))
            if absent or repair.root in labels or not self._closed(labels):
                together.add(labels)
            else:
                raised_labels = self._raised(labels, repair)
                threats.add(tuple(sorted({self.parent[u] for u in raised_labels})))
        return [list(nodes) for nodes in sorted(threats)], [list(nodes) for nodes in sorted(together)]

    def _raised(self, labels: Nodes, repair: Repair) -> Nodes:
        """Raise each label of a closed set as long as the set stays closed."""
        at = 0
        while at < len(labels):
            parent = self.parent[labels[at]]
            above = [*labels[:at], parent, *labels[at + 1 :]]
            higher = tuple(sorted({u for u in above if not any(v != u and repair.covers(v, u) for v in above)}))
            if parent != repair.root and self._closed(higher):
                labels, at = higher, 0
            else:
                at += 1
        return labels

    def _closed(self, labels: Nodes) -> bool:
        """Whether the set is closed by any criterion."""
        return any(criterion.closed(labels, self.span) for criterion in self.criteria)


class DiversityBreachesTwin(BreachLister):
    """Lists the violations of l^m-diversity at a cut as constraints on every cut."""

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        persons: Codes,
        sensitive_indptr: Offsets,
        sensitive_items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        l: int,
        tick: Tick,
    ) -> None:
        records = Records.of(indptr, items, persons, parent, (sensitive_indptr, sensitive_items))
        super().__init__(by_rows_and_persons(records, l, tick), parent, span, leaves)


class NegativeBreachesTwin(BreachLister):
    """Lists the violations under negative knowledge at a cut as constraints on every cut."""

    def __init__(
        self, indptr: Offsets, items: Codes, persons: Codes, parent: Codes, span: Codes, leaves: int, k: int, tick: Tick
    ) -> None:
        super().__init__([Negative(Records.of(indptr, items, persons, parent), k, tick)], parent, span, leaves)
