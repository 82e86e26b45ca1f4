"""Explains why each group of a k^m-anonymous cut is needed: a set of labels would be too rare one level deeper.

For every group of the cut there is a witness, or the group could be split; then ``polish=True`` or the default
algorithm would have split it. For every suppressed label there is a set with it that would be too rare. Witnesses name
sets of the *raw* data that fewer than k records hold. They are for the publisher and must not be published.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.data.arrays import row_ids
from shoal.data.hierarchy import Hierarchy
from shoal.engines import LOCAL, Engine
from shoal.errors import DataError, OptionError
from shoal.models.base import Demand, PrivacyModel
from shoal.models.km import Km
from shoal.models.people import noun
from shoal.models.witness import RareSet
from shoal.problem import Prepared
from shoal.published import Published
from shoal.recoding import GlobalCut
from shoal.release.release import Release
from shoal.search.thinning import thinned
from shoal.search.threats import counter_of
from shoal.visible import visible


@dataclass(frozen=True)
class Explanation:
    """Why one group, or one suppressed label, is needed."""

    group: str
    items: int  # that it represents
    records: int  # that hold one of them
    # A set of labels one level below the group (or the suppressed label) with other labels of the cut. None: the group
    # could be split, or the label published.
    witness: RareSet | None
    suppressed: bool = False

    def __str__(self) -> str:
        """Return the explanation as a sentence."""
        better, done = ("published", "suppressed") if self.suppressed else ("split", "not split")
        if self.witness is None:
            return f"'{visible(self.group)}' could be {better}: no set would become too rare."
        return f"'{visible(self.group)}' was {done} because {self.witness}."


def explain_cut(
    problem: Prepared[PrivacyModel], cut: GlobalCut, engine: Engine = LOCAL, *, name_unknown: bool = True
) -> list[Explanation]:
    """Explain every group in use, and every suppressed label, of a cut that satisfies the problem's model.

    The explanations with the most records come first.

    ``name_unknown``: also name items that were not in the hierarchy (``unknown_items="root"``).

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> data = shoal.read([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> problem = shoal.Problem(data, h, shoal.Km(k=2, m=2))
    >>> print(*explain_cut(problem.prepared, shoal.anonymize(problem).recoding))
    'A' was not split because {a1, a2} is in 1 record.
    """
    demand = problem.model.demand(problem.items)
    if demand is None or not problem.model.explainable:
        raise OptionError(f"Only cuts for the model km can be explained, got {problem.model.name}.")
    hierarchy = problem.hierarchy
    published = cut.apply(problem.items)
    items = thinned(cut.left(problem.items), demand.k, demand.known, engine)
    tick = engine.tick("explaining")
    counter = counter_of(items, hierarchy, demand.k, engine, tick=tick)
    raised, who = cut.raised, noun(problem.persons)
    labels = list(hierarchy.labels)
    if problem.unknown_items == "root" and not name_unknown:
        labels = _without_unknown(hierarchy, set(cut.kept.tolist()))
    explanations = []
    used = np.flatnonzero(published.rows.supports)
    for at, code in enumerate(used):
        tick(at / len(used))
        node = int(cut.kept[code])
        if node < hierarchy.n_leaves:
            continue
        rare = counter.witness(raised, node, demand.known, tick=tick)
        witness = RareSet(tuple(labels[label] for label in rare[0]), rare[1], person=who) if rare else None
        records = int(published.rows.supports[code])
        explanations.append(Explanation(hierarchy.labels[node], int(hierarchy.leaves[node]), records, witness))
    for node in map(int, cut.suppressed):
        explanations.append(_suppressed(problem, demand, published, node, labels, engine))
    return sorted(explanations, key=lambda one: (-one.records, one.group))


def of_release(release: Release, engine: Engine = LOCAL) -> list[Explanation]:
    """Explain each group of a release, if its model allows that. Items that only the raw data have are not named.

    Explanations name sets of the raw data that fewer than k records hold. Do not publish them.
    """
    cut = release.recoding.global_cut
    if cut is not None and release.problem.model.explainable:
        return explain_cut(release.problem, cut, engine, name_unknown=False)
    return []


def _without_unknown(hierarchy: Hierarchy, published: set[int]) -> list[str]:
    """Return the labels without the names of items directly below the root, which only the raw data may have.

    Published groups keep their names. Items do not, because they may be in no published record.
    """
    labels, secret = list(hierarchy.labels), hierarchy.right_below_root
    owner = hierarchy.refines or hierarchy
    for node, label in enumerate(labels):
        if node < hierarchy.n_leaves and secret[node]:
            labels[node] = "(an item below the root)"
        elif label not in owner.code_of and node not in published and secret[slice(*hierarchy.span[node])].any():
            labels[node] = "(some items below the root)"
    return labels


def _suppressed(
    problem: Prepared[PrivacyModel], demand: Demand, published: Published, node: int, labels: list[str], engine: Engine
) -> Explanation:
    """Explain a suppressed label: find a set with it that would be too rare."""
    hierarchy = problem.hierarchy
    first, stop = hierarchy.span[node]
    inside = (problem.items.items >= first) & (problem.items.items < stop)
    holders = np.unique(row_ids(problem.items.indptr)[inside])
    beside = published.rows.take(holders)
    support = beside.count_persons()
    who = noun(problem.persons)
    witness = RareSet((labels[node],), support, person=who) if support < demand.k else None
    if witness is None and demand.known > 1:
        less = Km(demand.k, demand.known - 1)
        for rare in less.verify(Published.plain(beside), engine).witnesses[:1]:
            others = tuple(labels[hierarchy.code_of[label]] for label in rare.labels)
            witness = RareSet((labels[node], *others), rare.support, person=who)
    return Explanation(labels[node], int(hierarchy.leaves[node]), len(holders), witness, suppressed=True)


def cut_of(problem: Prepared[PrivacyModel], published: Published) -> GlobalCut:
    """Find the cut that made the published rows, or raise an error if none did.

    Items that do not occur count as unchanged, unless they are below a group in use. Items that no label in use covers
    count as suppressed.
    """
    hierarchy = problem.hierarchy
    used = np.flatnonzero(published.rows.supports)
    nodes = []
    for code in used:
        label = published.rows.labels[code]
        if label not in hierarchy.code_of:
            raise DataError(f"'{label}' is no node of the hierarchy. Only groups can be explained, not sets of items.")
        nodes.append(hierarchy.code_of[label])
    raw = problem.items.supports
    bare = set(np.flatnonzero(raw).tolist()) - {leaf for node in nodes for leaf in range(*hierarchy.span[node])}
    cut = GlobalCut.raising(hierarchy, nodes, suppressed=bare)
    before, after = cut.apply(problem.items).rows.sets(), published.rows.sets()
    if problem.persons is not None and problem.persons.several:  # these are published in another order
        before, after = sorted(before, key=sorted), sorted(after, key=sorted)
    if len(before) != len(after):
        raise DataError(
            f"The original data have {len(before)} records and the published data {len(after)}: give the same records."
        )
    for record, (wanted, got) in enumerate(zip(before, after, strict=True), 1):
        if wanted != got:
            raise DataError(
                f"Record {record} of the published data does not follow from the original one by replacing or "
                f"suppressing items in the same way in every record. Give both in the same order, with the hierarchy "
                f"and the options that were used, such as drop_items=. Local recodings (lra) cannot be explained."
            )
    return cut
