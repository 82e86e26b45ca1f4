"""Tfirst (Poulis et al. 2013, s.3): form groups of similar sets as LRA does, then generalize the columns of each.

It loses little in the sets and much in the columns, because large groups are formed without looking at the columns. A
group that cannot be made safe joins the next one, as in LRA.

Cost: sorting, and AA in each group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.algorithms.clustering import ClusteringAlgorithm
from shoal.data.arrays import Counts, part_of
from shoal.engines import Engine
from shoal.models.k_km import KKm
from shoal.models.k_lm import KLm
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.clusters import Clusters
from shoal.search.formation import united
from shoal.search.gray import gray_chunks, joined
from shoal.search.ncp_scale import NcpScale
from shoal.search.needs import Needs
from shoal.search.parted import must_part, safe_clusters


@dataclass(frozen=True)
class Tfirst(ClusteringAlgorithm):
    """Form groups by the sets alone, then generalize the columns of each group.

    The sets lose little and the columns lose much, because the groups ignore the columns. Use it when the sets
    matter most. The groups are those of :class:`LRA`.

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
    chunks : int, default 3
        Number of chunks that the records are split into.
    flexibility : int, default 10
        Number of records by which a border between chunks may move.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Tfirst())
    >>> release.data["age"].tolist()
    ['[31:58]', '[31:58]', '[31:58]', '[31:58]']
    >>> release.data["diagnoses"].tolist()
    [['flu'], ['flu', 'rash'], ['gout'], ['gout', 'rash']]
    """

    name = "tfirst"
    title = "Tfirst"
    paper = "Poulis et al. 2013, s.3"
    reveals = "certainty"

    chunks: int = option(3, low=1, help="Number of chunks that the records are split into.")
    flexibility: int = option(10, low=0, help="Number of records by which a border between chunks may move.")

    def search(self, problem: Prepared[KKm | KLm], engine: Engine) -> Solution:
        """Split the rows in Gray order, and generalize the values and sets of each chunk."""
        model, items, parts = problem.model, problem.items, must_part(problem)
        keep = bool(model.demand(items).one_in) and not parts
        split = gray_chunks(items, model.m, self.chunks, self.flexibility, keep_persons=keep)
        chunks = self._parted(problem, split, engine) if parts else joined(split, Needs(problem).is_feasible)
        statistics: dict[str, float] = {"chunks_joined": max(0, len(split) - len(chunks))}
        return self.finished(problem, [np.sort(rows) for rows in chunks], engine, statistics)

    def _parted(self, problem: Prepared[KKm | KLm], split: list[Counts], engine: Engine) -> list[Counts]:
        """Return chunks that are safe although persons have records in several of them."""
        raw = problem.relational
        assert raw is not None
        ncp, within = NcpScale.of(raw), self.generalizer(problem).quick
        first = united(raw, part_of(split, len(problem.items)))

        def clusters(cluster_of: Counts) -> Clusters:
            return Clusters(problem, ncp, cluster_of, engine, by="t", parted=True)

        return safe_clusters(first, within, engine, self.title, clusters).members()
