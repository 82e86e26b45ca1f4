"""Why each group of a k^m-anonymous cut is needed: a set of labels that would be too rare one level deeper.

For every generalized node of the cut either a witness is found, or the node could be split: then ``--polish`` (or the
default algorithm) would have. Likewise for every suppressed label: a set with it that would be too rare. Witnesses name
sets of the *raw* data that fewer than k records hold: they are for the person who prepares the release, never to be
published with it.
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
from shoal.search.threats import counter_of
from shoal.visible import visible


@dataclass(frozen=True)
class Explanation:
    """One group of a cut, or one suppressed label, and what forced it."""

    group: str
    items: int  # that it represents
    records: int  # that hold one of them
    # Labels one level below the group, or the suppressed label, with other labels of the cut; none: it could be split
    # or published.
    witness: RareSet | None
    suppressed: bool = False

    def __str__(self) -> str:
        """As a sentence."""
        better, done = ("published", "suppressed") if self.suppressed else ("split", "not split")
        if self.witness is None:
            return f"'{visible(self.group)}' could be {better}: no set would become too rare."
        return f"'{visible(self.group)}' was {done} because {self.witness}."


def explain_cut(
    problem: Prepared[PrivacyModel], cut: GlobalCut, engine: Engine = LOCAL, *, name_unknown: bool = True
) -> list[Explanation]:
    """An explanation for every group in use, and every suppressed label, of a cut that satisfies the problem's model.

    Most records first.

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
    counter, tick = counter_of(cut.left(problem.items), hierarchy, demand.k, engine), engine.tick("explaining")
    raised, who = cut.raised, noun(problem.persons)
    labels = list(hierarchy.labels)
    if problem.unknown_items == "root" and not name_unknown:
        labels = _without_unknown(hierarchy, set(cut.kept.tolist()))
    explanations = []
    for code in np.flatnonzero(published.rows.supports):
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


def of_release(release: Release) -> list[Explanation]:
    """Why each group of a release is needed, where that can be told; items that only the raw data know are not named.

    It names sets of the raw data that fewer than k records hold: not to be published.
    """
    cut = release.recoding.global_cut
    if cut is not None and release.problem.model.explainable:
        return explain_cut(release.problem, cut, name_unknown=False)
    return []


def _without_unknown(hierarchy: Hierarchy, published: set[int]) -> list[str]:
    """Labels that name no item right below the root: it may be one that only the raw data know.

    What is published has its name; an item is still not named, as it may be published in no record.
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
    """What forced a label to be suppressed: what would be too rare, among the records that hold it, beside it."""
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
    """The cut that published rows show, whatever made them; an error if they are not made by one.

    Items that do not occur are taken as they are, unless they are below a group in use; items that no label in use
    covers are suppressed.
    """
    hierarchy = problem.hierarchy
    used = np.flatnonzero(published.rows.supports)
    nodes = []
    for code in used:
        label = published.rows.labels[code]
        if label not in hierarchy.code_of:
            raise DataError(f"'{label}' is no node of the hierarchy: a set of items cannot be explained, only a group.")
        nodes.append(hierarchy.code_of[label])
    raw = problem.items.supports
    bare = set(np.flatnonzero(raw).tolist()) - {leaf for node in nodes for leaf in range(*hierarchy.span[node])}
    cut = GlobalCut.raising(hierarchy, nodes, suppressed=bare)
    before, after = cut.apply(problem.items).rows.sets(), published.rows.sets()
    if problem.persons is not None and problem.persons.several:  # these are published in another order
        before, after = sorted(before, key=sorted), sorted(after, key=sorted)
    if len(before) != len(after):
        raise DataError(f"The original has {len(before)} records, the published data {len(after)}: give the same ones.")
    for record, (wanted, got) in enumerate(zip(before, after, strict=True), 1):
        if wanted != got:
            raise DataError(
                f"Record {record} of the published data is not the original one with every item replaced by its group "
                f"or suppressed, the same in every row: give both in the same order, with the hierarchy and the "
                f"options that were used (such as --drop-items). A local recoding (lra) cannot be explained."
            )
    return cut
