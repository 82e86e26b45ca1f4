"""Cluster (Poulis et al. 2013, s.5): clusters of a random record and its k - 1 nearest records by NCP.

Clusters are formed until fewer than k records are left. These join the cluster that has the lowest NCP with them. The
values of a cluster become the smallest that cover them: numbers become a range of their own, categories their lowest
common ancestor (local recoding). Clusters that end up with equal values are united. Sets are not changed.

Cost: O(n^2 / k) comparisons of two records in a compiled kernel. Memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import ColumnAlgorithm


@dataclass(frozen=True)
class Cluster(ColumnAlgorithm):
    """Generalize the columns within clusters of a random record and its nearest neighbours.

    The values of a cluster become the smallest range or group that covers them, so each cluster has its own ranges.
    Sets are not changed. All records are compared with each other, so :class:`Mondrian` is faster on large data.

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
