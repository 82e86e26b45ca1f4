"""Partition, top-down local generalization (He and Naughton 2009), for transactional k-anonymity.

Liu and Wang 2010 call it LG and compare with it. All non-empty rows start in one bucket, as the root. All rows of a
bucket have the same labels. One label is expanded: each row gets the children of the label that it has items below, and
rows with the same children stay together. Each group is then a bucket of its own. This ends when no label of any bucket
can be expanded. Where our sources leave a choice, we decided:

- Groups of fewer than k rows stay behind together, with the label unexpanded. If these are 1..k-1 rows, other groups
  give up rows that they do not need to have k: the smallest group first, then the one with fewer children, then lower
  ids. A group first gives the rows that gain least, then in the order of their items, then of the input. If that is not
  enough, the first group in that order stays behind as a whole. If there is no other group, the expansion is undone and
  the other labels are tried. That only happens in a bucket of fewer than 2k rows.
- The label with the largest gain is expanded. The gain is the loss that the expanded rows save, in exact whole numbers;
  rows that stay behind do not count. Ties: fewer leaves, then the lower id.
- Nodes with a single child are replaced by the child at once: that changes no loss.
- Empty rows are not changed.

It ends, because each expansion leaves either all rows together with more specific labels, or fewer rows in each bucket.
A label that gives no group of k rows gives none for a subset of the rows either, so it is not tried again. In fewer
than 2k rows, only labels that all rows expand in the same way can be expanded, so their order does not matter.

Cost: for each bucket, the rows times the labels that can still be expanded. Memory is proportional to the nodes above
the items of each row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.base import TreeAlgorithm
from shoal.engines import Engine
from shoal.kernels.search.local.partition import partition
from shoal.models.transactional_k import TransactionalK
from shoal.problem import Prepared
from shoal.recoding import LocalNodes
from shoal.recoding.solution import Solution


@dataclass(frozen=True)
class Partition(TreeAlgorithm):
    """Split records into groups of at least k that are published with the same labels, from the root down.

    All records start as the root of the hierarchy. Records that have items below the same children get these
    children instead, as long as each group keeps k records. Labels can differ from group to group (local recoding).
    It is the method for transactional k-anonymity that publishes no false items.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.

    References
    ----------
    Y. He, J. F. Naughton: Anonymization of set-valued data via top-down, local generalization. PVLDB 2(1), 2009.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.models.TransactionalK(k=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Partition())
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['bread', 'fruit'], ['rye', 'wheat', 'fruit'], ['bread', 'fruit']]
    """

    name = "partition"
    title = "Partition (local generalization, LG)"
    paper = "He and Naughton 2009"
    solves = (TransactionalK,)
    reveals = "a probability of 2/3"

    def search(self, problem: Prepared[TransactionalK], engine: Engine) -> Solution:
        """Split buckets until none can be split further."""
        model, hierarchy, items = problem.model, problem.hierarchy, problem.items
        problem.occurrences  # noqa: B018  (an error if the gains would not fit)
        weights = np.ones(hierarchy.n_leaves, dtype=np.int64) if problem.item_weights is None else problem.item_weights
        penalty = problem.loss.penalty(hierarchy.leaves, hierarchy.n_leaves)
        found = partition(
            items.indptr,
            items.items,
            hierarchy.parent,
            hierarchy.span,
            hierarchy.n_leaves,
            penalty,
            weights,
            model.k,
            tick=engine.tick("partitioning"),
        )
        statistics: dict[str, float] = {
            "buckets": found.buckets,
            "expansions": found.expansions,
            "leftover_rows": found.left,
        }
        return Solution(LocalNodes(hierarchy, items, found.indptr, found.labels), statistics=statistics)
