"""Cluster (P2 s.5): a random record and its k - 1 nearest by NCP make a cluster, until fewer than k are left.

Those join the cluster that has the lowest NCP with them. The values of a cluster become the smallest that cover them:
numbers a range of their own, categories their lowest common ancestor (local recoding). Clusters that end up with equal
values are united. Sets are not touched.

Cost: O(n^2 / k) comparisons of two records in a compiled kernel; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import ColumnAlgorithm


@dataclass(frozen=True)
class Cluster(ColumnAlgorithm):
    """Records that are near each other become equal: random seeds with their nearest neighbours."""

    name = "cluster"
    title = "Cluster"
    paper = "P2 s.5"
