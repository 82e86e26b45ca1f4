"""The steps of the check that need no solver. Each returns what it found, or raises :class:`Wrong`.

They recount everything from the data, with code that no search uses.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from shoal import discovery
from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import HierarchyError, OptionError, shorten
from shoal.evidence.proof.document import Proof
from shoal.evidence.proof.problem import CutProblem
from shoal.evidence.proof.supports import Supports
from shoal.metrics.base import AdditiveLoss
from shoal.models.rare import rare_sets


class Wrong(Exception):
    """The proof is wrong. The message says why."""


def tree(proof: Proof, owner: Hierarchy | None) -> str:
    """Check that the nodes are a tree, and that there is a number for each. ``owner``: a hierarchy it must contain."""
    nodes = len(proof.labels)
    for name, numbers in (("parents", proof.parents), ("costs", proof.costs)):
        if len(numbers) != nodes:
            raise Wrong(f"there are {nodes:,} labels, but {len(numbers):,} {name}")
    if any(not -1 <= parent < nodes for parent in proof.parents):
        raise Wrong("a parent is no node")
    try:
        hierarchy = proof.hierarchy
    except HierarchyError as error:
        raise Wrong(str(error)) from None
    if proof.k < 2 or (proof.m != "all" and proof.m < 1):
        raise Wrong(f"k must be at least 2 and m at least 1, not {proof.k} and {proof.m}")
    weights = proof.weights
    if weights is not None and (len(weights) != hierarchy.n_leaves or min(weights) < 0):
        raise Wrong("the weights are not one number, 0 or more, for each item")
    if weights is not None and not any(weights):
        raise Wrong("all weights are 0, so every cut costs the same")
    found = f"{nodes - hierarchy.n_leaves:,} groups over {hierarchy.n_leaves:,} items"
    if owner is None:
        return found
    _contains(hierarchy, owner)
    more = hierarchy.n_leaves - owner.n_leaves
    return f"{found}; they contain all groups of {owner.name}" + (f", and {more:,} more items" if more else "")


def _contains(hierarchy: Hierarchy, owner: Hierarchy) -> None:
    """Check that every group of the owner's hierarchy is one here. Only the root may have more items."""
    spans = set(map(tuple, hierarchy.span.tolist()))
    for node in range(len(owner)):
        label = owner.labels[node]
        codes = [hierarchy.code_of.get(item, -1) for item in owner.items[slice(*owner.span[node])]]
        if not all(0 <= code < hierarchy.n_leaves for code in codes):
            raise Wrong(f"an item below '{label}' of {owner.name} is missing")
        first, stop = min(codes), max(codes) + 1
        if node != owner.root and (stop - first != len(codes) or (first, stop) not in spans):
            raise Wrong(f"the group '{label}' of {owner.name} is missing")


def encoded(proof: Proof, rows: Transactions) -> Transactions:
    """Return the rows with the items of the proof as codes. They must have persons if, and only if, these count."""
    if proof.persons and rows.persons is None:
        raise OptionError("The proof counts persons: name their column with person=.")
    if not proof.persons and rows.persons is not None:
        raise OptionError("The proof counts records, not persons: leave out person=.")
    unknown = {*rows.used_labels} - {*proof.hierarchy.items}
    if unknown:
        example = shorten(min(unknown))
        raise Wrong(f"{len(unknown):,} items of the data are not in the hierarchy, for example '{example}'")
    return proof.hierarchy.encode(rows.gathered)


def rare(proof: Proof, rows: Transactions, engine: Engine) -> str:
    """Count each rare set again, and check that it is one."""
    hierarchy, counts = proof.hierarchy, Supports(rows, proof.hierarchy)
    unit = "persons" if proof.persons else "records"
    for at, one in enumerate(proof.rare_sets):
        engine.progress("counting rare sets", at / len(proof.rare_sets))
        which = f"rare set {at + 1}"
        if not one.nodes or any(not 0 <= node < hierarchy.root for node in one.nodes):
            raise Wrong(f"{which} is empty, or has a node that is not below the root")
        if proof.m != "all" and len(one.nodes) > proof.m:
            raise Wrong(f"{which} has {len(one.nodes)} nodes, more than m = {proof.m}")
        if any(hierarchy.covers(u, v) or hierarchy.covers(v, u) for u, v in itertools.combinations(one.nodes, 2)):
            raise Wrong(f"{which} has a node twice, or one above another")
        support = counts.support(one.nodes)
        if support != one.support:
            raise Wrong(f"{which} is said to be in {one.support:,} {unit}, but is in {support:,}")
        if not 1 <= support < proof.k:
            raise Wrong(f"{which} is in {support:,} {unit}, which is not from 1 to k - 1 = {proof.k - 1}")
    return f"{len(proof.rare_sets):,} sets, each in 1 to {proof.k - 1} {unit}"


def costs(proof: Proof, rows: Transactions) -> str:
    """Compute the cost of each node again."""
    hierarchy = proof.hierarchy
    weights = [1] * hierarchy.n_leaves if proof.weights is None else proof.weights
    each = [support * weight for support, weight in zip(rows.supports.tolist(), weights, strict=True)]
    sums = [0, *itertools.accumulate(each)]
    loss = discovery.get("shoal.metrics", AdditiveLoss, proof.loss)()
    penalty = loss.penalty(hierarchy.leaves, hierarchy.n_leaves).tolist()
    for node, (first, stop) in enumerate(hierarchy.span.tolist()):
        cost = (sums[stop] - sums[first]) * penalty[node]
        if cost != proof.costs[node]:
            raise Wrong(f"'{proof.labels[node]}' is said to cost {proof.costs[node]:,}, but costs {cost:,}")
    if proof.scale != (scale := loss.scale(hierarchy, sums[-1])):
        raise Wrong(f"a loss of 1 is said to cost {proof.scale:,}, but costs {scale:,}")
    weighted = "" if proof.weights is None else ", with the weights in the proof"
    return f"{len(proof.costs):,} nodes, in whole numbers ({proof.loss.upper()}{weighted})"


def cut(proof: Proof, rows: Transactions, problem: CutProblem, engine: Engine) -> str:
    """Check that the release's cut is one, keeps the guarantee in the data, and costs what the proof says."""
    hierarchy, nodes = proof.hierarchy, proof.cut
    label_of = _cut_labels(hierarchy, nodes)
    names = [hierarchy.labels[node] for node in nodes]
    found = rare_sets(rows.recode(label_of, names), proof.k, proof.m, engine)
    if found.violations:
        codes, support = found.sets[0]
        named = ", ".join(names[code] for code in codes)
        raise Wrong(f"it does not keep the guarantee: {{{named}}} is in {support:,}")
    split = {above for node in nodes for above in hierarchy.ancestors(node)} - {*nodes}
    if problem.violated(split):
        raise Wrong("it splits all parents of a rare set")
    if (cost := problem.cost(split)) != proof.cut_cost:
        raise Wrong(f"it is said to cost {proof.cut_cost:,}, but costs {cost:,}")
    if cost < proof.lower_bound:
        raise Wrong(f"it costs {cost:,}, which is below the lower bound, {proof.lower_bound:,}")
    return f"it keeps the guarantee, and costs {cost:,}"


def _cut_labels(hierarchy: Hierarchy, nodes: Sequence[int]) -> np.typing.NDArray[np.int32]:
    """Return for each leaf its place among the nodes of a cut, given in the order of their leaves."""
    if any(not 0 <= node < len(hierarchy) for node in nodes):
        raise Wrong("it has a number that is no node")
    end = 0
    for node in nodes:
        if hierarchy.span[node, 0] != end:
            raise Wrong("its nodes do not cover every item exactly once, in their order")
        end = int(hierarchy.span[node, 1])
    if end != hierarchy.n_leaves:
        raise Wrong("its nodes do not cover every item exactly once")
    return np.repeat(np.arange(len(nodes), dtype=np.int32), hierarchy.leaves[list(nodes)])
