"""Rum-bound (Poulis et al. 2013, s.4) with RmergeR, RmergeT, RmergeRT: a bound on the loss of the columns.

The sets lose as little as the bound allows. Clusters of similar values are formed. They are merged as long as the loss
of the columns (Rum: the mean NCP of the records, or another measure of :mod:`shoal.search.rum`) is within delta. Then
the sets of each cluster are generalized. By default, delta follows from the loss of the first clusters
(:mod:`shoal.search.relative_delta`). The seed of a merge is the cluster whose columns lose least. Its partner is

- R: the cluster with which the columns lose least;
- T: the cluster with the most similar sets, among those that the bound allows;
- RT: the cluster with the least sum of ranks in both orders, among those that the bound allows.

Sets are compared by BTD, the largest distance between two records of the union. With ``distance="ul"``, they are
compared by the loss of the generalized union, which is exact and much slower. A seed without an acceptable partner is
set aside (the paper would stop there). R tries one partner only.

Cost: in each block (:mod:`shoal.search.blocks`), O(c^2) comparisons of c initial clusters in a compiled kernel. Then
AA in each cluster.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Literal

from shoal.algorithms.clustering import FormingAlgorithm
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.models.base import ItemsetModel
from shoal.options import format_value, option
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.search.block_clusters import (
    FirstClusters,
    MergedClusters,
    all_members,
    all_statistics,
    block_bounds,
    mean_loss,
)
from shoal.search.blocks import in_blocks
from shoal.search.relative_delta import chosen, relative
from shoal.search.rum import BY_CLASS, NAMES, Rum, is_beyond, rum_option


@dataclass(frozen=True)
class Rmerge(FormingAlgorithm):
    """The common part of RmergeR, RmergeT and RmergeRT, which choose partners in different ways."""

    keeps_more = ("a larger delta",)

    delta: float | Literal["auto"] = option(
        "auto",
        low=0,
        high=1,
        words=("auto",),
        help="Largest loss of the columns, from 0 to 1. auto: what the first clusters lose, plus 15 % of the rest.",
    )
    distance: Literal["btd", "ul"] = option(
        "btd",
        words=("btd", "ul"),
        help="How sets are compared: by differing items, or by the loss of their union (slow).",
    )
    rum: Literal["ncp", "l2", "max", "discernibility", "class-size"] = rum_option()

    def search(self, problem: Prepared[ItemsetModel], engine: Engine) -> Solution:
        """Form clusters, merge them within the bound, and generalize their sets."""
        blocks, auto = self.blocks(problem), self.delta == "auto"
        if len(blocks) > 1 and self.rum in BY_CLASS:
            raise OptionError(self._not_by_block(problem))
        form = partial(self.first_clusters, exact=not auto)
        first = in_blocks(engine, "forming clusters", form, blocks)
        delta = relative(first) if self.delta == "auto" else self.delta
        if not auto and is_beyond(self.rum, mean_loss(first), delta):
            raise Infeasible(self._unreached(first, problem))
        tasks = list(zip(first, block_bounds(delta, first), strict=True))
        merged = in_blocks(engine, "merging clusters", self._merged, tasks)
        rows = all_members(merged)
        statistics = all_statistics(first) | {
            "least_rum": float(mean_loss(first)),
            "delta": delta,
            "merges": sum(len(one.members) for one in first) - len(rows),
            "set_aside": sum(one.set_aside for one in merged),
            "rum": float(mean_loss(merged)),
        }
        solution = self.finished(problem, rows, engine, statistics)
        if not auto or solution.recoding.sets is None:
            return solution
        note = chosen(first, merged, solution.recoding.sets, self.generalizer, self.clusters, engine)
        return replace(solution, notes=(note,))

    def _merged(self, task: tuple[FirstClusters, float], engine: Engine) -> MergedClusters:
        """Merge the first clusters of a block within its bound."""
        first, bound = task
        clusters = self.clusters(first, engine)
        clusters.merge_within_bound(bound)
        return MergedClusters(first.block, clusters.members(), Fraction(clusters.loss), clusters.set_aside)

    @property
    def comparison(self) -> tuple[Rum, bool]:
        """The options ``rum`` and ``distance``."""
        return self.rum, self.distance == "ul"

    def _not_by_block(self, problem: Prepared[ItemsetModel]) -> str:
        """Return a message: why a loss cannot be bounded in blocks, and what the user can do."""
        rows = len(problem.items)
        return (
            f"rum={self.rum!r} measures classes as a share of all {rows:,} records, but clusters of more than "
            f"{self.block_rows:,} records are merged in blocks: choose rum='ncp', 'l2' or 'max', or treat all records "
            f"as one block with block_rows={rows}, which takes time that grows with the square of the records."
        )

    def _unreached(self, blocks: Sequence[FirstClusters], problem: Prepared[ItemsetModel]) -> str:
        """Return a message: why the bound on the columns cannot be met, and what the user can do."""
        k, least = problem.model.values()["k"], float(mean_loss(blocks))
        clusters = sum(len(one.members) for one in blocks)
        other = "mondrian" if self.formation == "cluster" else "cluster"
        first = f"{clusters:,} clusters" if clusters > 1 else "cluster"
        allow = (
            f"delta={math.ceil(least * 1e4) / 1e4:g} or more" if least <= 1 else "it by lower weights of the columns"
        )
        larger = "" if len(blocks) == 1 else "a larger block_rows=, "
        return (
            f"The loss of the columns cannot be kept within delta={format_value(self.delta)}: {NAMES[self.rum]} of "
            f"the first {first} of at least {k} records is {least:.4f}, and merging does not lower it. Allow {allow}, "
            f"or choose a smaller k, {larger}formation={other!r}, another seed=, or fewer quasi-identifiers."
        )


@dataclass(frozen=True)
class RmergeR(Rmerge):
    """Bound the loss of the columns, and merge clusters with similar values.

    Clusters of records with similar values are formed and then merged, as long as the loss of the columns stays
    within ``delta``. Larger clusters keep more of the sets. A cluster is merged with the one with which the columns
    lose least. :class:`RmergeRT` also looks at the sets.

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
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the columns, from 0 to 1. ``"auto"`` allows what the first clusters lose, plus 15 % of the
        rest.
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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeR())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    >>> release.data["diagnoses"].tolist()
    [['(flu,rash)'], ['(flu,rash)'], ['(gout,rash)'], ['(gout,rash)']]
    """

    name = "rmerge-r"
    title = "RmergeR"
    paper = "Poulis et al. 2013, s.4"
    by = "r"


@dataclass(frozen=True)
class RmergeT(Rmerge):
    """Bound the loss of the columns, and merge clusters with similar sets.

    Clusters of records with similar values are formed and then merged, as long as the loss of the columns stays
    within ``delta``. Larger clusters keep more of the sets. A cluster is merged with the one whose sets are most
    similar, among those that the bound allows.

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
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the columns, from 0 to 1. ``"auto"`` allows what the first clusters lose, plus 15 % of the
        rest.
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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeT())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    >>> release.data["diagnoses"].tolist()
    [['(flu,rash)'], ['(flu,rash)'], ['(gout,rash)'], ['(gout,rash)']]
    """

    name = "rmerge-t"
    title = "RmergeT"
    paper = "Poulis et al. 2013, s.4"
    by = "t"


@dataclass(frozen=True)
class RmergeRT(Rmerge):
    """Bound the loss of the columns, and merge clusters with similar values and sets.

    The default for the models ``k-km`` and ``k-lm``. Clusters of records with similar values are formed and then
    merged, as long as the loss of the columns stays within ``delta``. Larger clusters keep more of the sets. A
    cluster is merged with the one that ranks best by columns and sets together, among those that the bound allows.

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
        formed and merged inside each block.
    delta : float or "auto", default "auto"
        Largest loss of the columns, from 0 to 1. ``"auto"`` allows what the first clusters lose, plus 15 % of the
        rest.
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
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.RmergeRT())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    >>> release.data["diagnoses"].tolist()
    [['(flu,rash)'], ['(flu,rash)'], ['(gout,rash)'], ['(gout,rash)']]
    """

    name = "rmerge-rt"
    title = "RmergeRT"
    paper = "Poulis et al. 2013, s.4"
    by = "rt"
