"""Cluster (Poulis et al. 2013, s.5): clusters of a random record and its k - 1 nearest records by NCP.

Clusters are formed until fewer than k records are left. These join the cluster that has the lowest NCP with them. The
values of a cluster become the smallest that cover them: numbers become a range of their own, categories their lowest
common ancestor (local recoding). Clusters that end up with equal values are united. Sets are not changed.

Cost: O(n b / k) comparisons of two records for n records in blocks of b, in a compiled kernel. Memory is proportional
to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.clustering import ColumnAlgorithm
from shoal.models.k import K
from shoal.problem import Prepared
from shoal.search.blocks import Block, block_rows_option, split_into_blocks


@dataclass(frozen=True)
class Cluster(ColumnAlgorithm):
    """Generalize the columns within clusters of a random record and its nearest neighbours.

    The values of a cluster become the smallest range or group that covers them, so each cluster has its own ranges.
    Sets are not changed. All records of a block are compared with each other, so :class:`Mondrian` is faster on large
    data.

    Parameters
    ----------
    block_rows : int, default 50000
        Data with more records are split into blocks of at most this many by the cuts of :class:`Mondrian`. Clusters are
        formed inside each block.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> sets = [["flu"], ["flu", "rash"], ["gout"], ["gout", "rash"]]
    >>> data = shoal.read(pd.DataFrame({"age": [31, 34, 52, 58], "diagnoses": sets}), sets="diagnoses")
    >>> problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), shoal.models.K(k=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Cluster())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    """

    name = "cluster"
    title = "Cluster"
    paper = "Poulis et al. 2013, s.5"

    block_rows: int = block_rows_option()

    def blocks(self, problem: Prepared[K]) -> list[Block[K]]:
        """Split many records into blocks."""
        return split_into_blocks(problem, self.block_rows, problem.model.k)
