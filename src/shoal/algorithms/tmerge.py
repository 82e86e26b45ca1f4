"""Tum-bound (Poulis et al. 2013, s.4) with TmergeR, TmergeT, TmergeRT: a bound on the loss of the sets.

The columns lose as little as the bound allows. Clusters of similar values are formed and merged until the loss of the
sets (UL, with each cluster generalized by itself) is within delta. Merging usually lowers that loss. Seeds and partners
are chosen as in Rum-bound, by the same choice of Rum, but every merge is accepted. If not even a single cluster meets
the bound, that is an error, which names the best UL found. By default, the state with the best UL is taken instead.

Cost: as Rum-bound, and the sets of every union are generalized on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.clustering import FormingAlgorithm
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.block_clusters import all_statistics
from shoal.search.blocks import in_blocks
from shoal.search.rum import Rum, rum_option
from shoal.search.set_generalizer import within_option
from shoal.search.tum_bound import State, merge_blocks_until_bound, merge_until_bound, unreached

DELTA = 0.65  # the default of the paper


@dataclass(frozen=True)
class Tmerge(FormingAlgorithm):
    """The common part of TmergeR, TmergeT and TmergeRT, which choose partners in different ways."""

    delta: float | Literal["auto"] = option(
        "auto",
        low=0,
        high=1,
        words=("auto",),
        help="Largest loss of the sets (UL), from 0 to 1. auto: 0.65 or, if that is out of reach, the least UL found.",
    )
    within: Literal["best", "sets", "sets-ul", "aa", "optimal"] = within_option("sets")
    distance: Literal["btd", "ul"] = option(
        "btd",
        words=("btd", "ul"),
        help="How sets are compared: by differing items, or by the loss of their union (slow).",
    )
    rum: Literal["ncp", "l2", "max", "discernibility", "class-size"] = rum_option()

    def search(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Form clusters, merge them until the bound is met, and generalize their sets."""
        first = in_blocks(engine, "forming clusters", self.first_clusters, self.blocks(problem))

        def merged(at: int, delta: float, one: Engine) -> State:
            within = self.generalizer(first[at].block.problem)
            return merge_until_bound(self.clusters(first[at], one), within, delta, one)

        delta, n = DELTA if self.delta == "auto" else float(self.delta), len(problem.items)
        states, reached = merge_blocks_until_bound(len(first), merged, delta, n, engine)
        if not reached and self.delta != "auto":
            raise unreached(problem.model, delta, states, n)
        rows = [one.block.rows[own] for one, state in zip(first, states, strict=True) for own in state.members]
        merges = sum(len(one.members) for one in first) - len(rows)
        return self.finished(problem, rows, engine, {**all_statistics(first), "merges": merges})

    @property
    def comparison(self) -> tuple[Rum, bool]:
        """The options ``rum`` and ``distance``."""
        return self.rum, self.distance == "ul"


@dataclass(frozen=True)
class TmergeR(Tmerge):
    """Bound the loss of the sets, and merge clusters with similar values.

    Clusters of records with similar values are formed and then merged until the loss of the sets is within
    ``delta``. Merging usually lowers the loss of the sets and raises that of the columns. A cluster is merged with
    the one with which the columns lose least.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label. Needs ``within="aa"`` or
        ``"optimal"``.
    within : {"best", "sets", "sets-ul", "aa", "optimal"}, default "sets"
        How the sets of a cluster are generalized. ``"best"``, ``"sets"`` and ``"sets-ul"`` publish sets of items
        such as ``(A,B)``; ``"aa"`` and ``"optimal"`` publish nodes of the hierarchy.
    unchanged_weight : float, default 0.01
        Extra cost of each item that changes, as a share of the worst loss. Only for ``within="best"``.
    formation : {"auto", "cluster", "mondrian"}, default "auto"
        How the first clusters are formed. ``"auto"`` tries both and takes the one that loses less.
    block_rows : int, default 50000
        Data with more records are split into blocks of at most this many by the cuts of :class:`Mondrian`. Clusters are
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the sets (utility loss, UL), from 0 to 1. ``"auto"`` means 0.65 or, if that is out of reach,
        the least UL found.
    distance : {"btd", "ul"}, default "btd"
        How the sets of two clusters are compared: by the items in which they differ, or by the loss of their union,
        which is exact and slow.
    rum : {"ncp", "l2", "max", "discernibility", "class-size"}, default "ncp"
        How the loss of the columns is measured: by the mean NCP, by another norm of the NCPs of the columns, or by
        the sizes of the classes.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.TmergeR())
    >>> release.data["age"].tolist()
    ['[31:58]', '[31:58]', '[31:58]', '[31:58]']
    >>> release.data["diagnoses"].tolist()
    [['flu'], ['flu', 'rash'], ['gout'], ['gout', 'rash']]
    """

    name = "tmerge-r"
    title = "TmergeR"
    paper = "Poulis et al. 2013, s.4"
    by = "r"


@dataclass(frozen=True)
class TmergeT(Tmerge):
    """Bound the loss of the sets, and merge clusters with similar sets.

    Clusters of records with similar values are formed and then merged until the loss of the sets is within
    ``delta``. Merging usually lowers the loss of the sets and raises that of the columns. A cluster is merged with
    the one whose sets are most similar.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label. Needs ``within="aa"`` or
        ``"optimal"``.
    within : {"best", "sets", "sets-ul", "aa", "optimal"}, default "sets"
        How the sets of a cluster are generalized. ``"best"``, ``"sets"`` and ``"sets-ul"`` publish sets of items
        such as ``(A,B)``; ``"aa"`` and ``"optimal"`` publish nodes of the hierarchy.
    unchanged_weight : float, default 0.01
        Extra cost of each item that changes, as a share of the worst loss. Only for ``within="best"``.
    formation : {"auto", "cluster", "mondrian"}, default "auto"
        How the first clusters are formed. ``"auto"`` tries both and takes the one that loses less.
    block_rows : int, default 50000
        Data with more records are split into blocks of at most this many by the cuts of :class:`Mondrian`. Clusters are
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the sets (utility loss, UL), from 0 to 1. ``"auto"`` means 0.65 or, if that is out of reach,
        the least UL found.
    distance : {"btd", "ul"}, default "btd"
        How the sets of two clusters are compared: by the items in which they differ, or by the loss of their union,
        which is exact and slow.
    rum : {"ncp", "l2", "max", "discernibility", "class-size"}, default "ncp"
        How the loss of the columns is measured: by the mean NCP, by another norm of the NCPs of the columns, or by
        the sizes of the classes.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.TmergeT())
    >>> release.data["age"].tolist()
    ['[31:58]', '[31:58]', '[31:58]', '[31:58]']
    >>> release.data["diagnoses"].tolist()
    [['flu'], ['flu', 'rash'], ['gout'], ['gout', 'rash']]
    """

    name = "tmerge-t"
    title = "TmergeT"
    paper = "Poulis et al. 2013, s.4"
    by = "t"


@dataclass(frozen=True)
class TmergeRT(Tmerge):
    """Bound the loss of the sets, and merge clusters with similar values and sets.

    Clusters of records with similar values are formed and then merged until the loss of the sets is within
    ``delta``. Merging usually lowers the loss of the sets and raises that of the columns. A cluster is merged with
    the one that ranks best by columns and sets together.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label. Needs ``within="aa"`` or
        ``"optimal"``.
    within : {"best", "sets", "sets-ul", "aa", "optimal"}, default "sets"
        How the sets of a cluster are generalized. ``"best"``, ``"sets"`` and ``"sets-ul"`` publish sets of items
        such as ``(A,B)``; ``"aa"`` and ``"optimal"`` publish nodes of the hierarchy.
    unchanged_weight : float, default 0.01
        Extra cost of each item that changes, as a share of the worst loss. Only for ``within="best"``.
    formation : {"auto", "cluster", "mondrian"}, default "auto"
        How the first clusters are formed. ``"auto"`` tries both and takes the one that loses less.
    block_rows : int, default 50000
        Data with more records are split into blocks of at most this many by the cuts of :class:`Mondrian`. Clusters are
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the sets (utility loss, UL), from 0 to 1. ``"auto"`` means 0.65 or, if that is out of reach,
        the least UL found.
    distance : {"btd", "ul"}, default "btd"
        How the sets of two clusters are compared: by the items in which they differ, or by the loss of their union,
        which is exact and slow.
    rum : {"ncp", "l2", "max", "discernibility", "class-size"}, default "ncp"
        How the loss of the columns is measured: by the mean NCP, by another norm of the NCPs of the columns, or by
        the sizes of the classes.

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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.TmergeRT())
    >>> release.data["age"].tolist()
    ['[31:58]', '[31:58]', '[31:58]', '[31:58]']
    >>> release.data["diagnoses"].tolist()
    [['flu'], ['flu', 'rash'], ['gout'], ['gout', 'rash']]
    """

    name = "tmerge-rt"
    title = "TmergeRT"
    paper = "Poulis et al. 2013, s.4"
    by = "rt"
