"""Partition, top-down local generalization (He and Naughton 2009; P4's rival LG) for transactional k-anonymity.

All non-empty rows start in one bucket, as the root. In a bucket, where all rows have the same labels, one label is
expanded: each row gets the children that it really has below the label, and rows with the same children go on
together. Then each group is a bucket of its own, until no label of any bucket can be expanded. What the paper, as our
notes tell it, leaves open is decided so:

- Groups of fewer than k rows stay behind together, with the label unexpanded. If these are 1..k-1 rows, others give up
  rows that they can spare and still be k, the smallest group first, then the one with fewer children, then lower ids;
  a group gives those rows first that gain least, then in the order of their items, then of the input. If all that can
  be spared is not enough, the first group in that order stays behind as a whole. If there is no other, the expansion is
  undone, and the other labels are tried; this can only be in a bucket of fewer than 2k rows.
- The label to expand is the one that gains most: by how much the loss falls in the rows that really are expanded, those
  that stay behind not counted, in exact whole numbers. Ties: fewer leaves, then the lower id.
- Nodes with a single child are passed at once: there is nothing to gain or to lose.
- Empty rows stay as they are.

It ends, as each expansion leaves either all rows together with more specific labels, or fewer rows in each bucket. A
label that gives no group of k rows gives none for some of the rows either: it is settled. In fewer than 2k rows only
those labels can be expanded that all of them expand alike, so their order does not matter.

Cost: for each bucket the rows times the labels that are still open; memory is proportional to the nodes above the
items of each row.
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
    paper = "He and Naughton, PVLDB 2009; P4's rival LG"
    solves = (TransactionalK,)
    reveals = "a probability of 2/3"

    def search(self, problem: Prepared[TransactionalK], engine: Engine) -> Solution:
        """Split buckets until none can be split."""
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
