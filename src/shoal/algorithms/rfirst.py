"""Rfirst (Poulis et al. 2013, s.3): form clusters by the columns, then generalize the sets of each cluster.

It loses little in the columns and much in the sets, because small clusters are formed without looking at the items. A
cluster whose sets cannot be made safe, such as one with 1 to k - 1 non-empty sets, is merged with the cluster where
that costs least.

Cost: forming the clusters (:mod:`shoal.search.formation`), and AA in each.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.clustering import FormingAlgorithm
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.block_clusters import all_members, all_statistics
from shoal.search.blocks import in_blocks


@dataclass(frozen=True)
class Rfirst(FormingAlgorithm):
    """Form clusters by the columns alone, then generalize the sets of each cluster.

    The columns lose little and the sets lose much, because the clusters ignore the sets. Use it when the columns
    matter most. :class:`RmergeRT` balances the two.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label. Needs ``within="aa"`` or
        ``"optimal"``.
    within : {"best", "sets", "sets-ul", "aa", "optimal"}, default "best"
        How the sets of a cluster are generalized. ``"best"``, ``"sets"`` and ``"sets-ul"`` publish sets of items
        such as ``(A,B)``; ``"aa"`` and ``"optimal"`` publish nodes of the hierarchy.
    unchanged_weight : float, default 0.01
        Extra cost of each item that changes, as a share of the worst loss. Only for ``within="best"``.
    formation : {"auto", "cluster", "mondrian"}, default "auto"
        How the first clusters are formed. ``"auto"`` tries both and takes the one that loses less.
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
    >>> problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), shoal.KKm(k=2, m=1))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Rfirst())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    >>> release.data["diagnoses"].tolist()
    [['(flu,rash)'], ['(flu,rash)'], ['(gout,rash)'], ['(gout,rash)']]
    """

    name = "rfirst"
    title = "Rfirst"
    paper = "Poulis et al. 2013, s.3"

    def search(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Form clusters, and generalize their sets."""
        first = in_blocks(engine, "forming clusters", self.first_clusters, self.blocks(problem))
        return self.finished(problem, all_members(first), engine, all_statistics(first))
