"""The kernel behind the bound over all sibling groupings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, capped, kernels, still


@dataclass(frozen=True, eq=False)
class Variables:
    """What a clause is about. Variables are numbered: listed pairs of siblings, then ``merged``, then ``far``, by node.

    A listed pair is 1 if the two are in one block. ``merged + node`` is 1 if the block of the node has more than the
    node. ``far + node`` is how many siblings that are not listed for the node share its block.
    """

    near: Offsets  # [nodes + 1] where the listed siblings of each node begin
    sibling: Codes
    pair: Codes  # the variable of each
    merged: int
    far: int


@dataclass(frozen=True, eq=False)
class Clauses:
    """Clause c: the weighted sum of its variables is at least ``lacks[c]``; it has ``sizes[c]`` variables."""

    sizes: Counts
    variables: Codes
    weights: Codes
    lacks: Counts
    states: npt.NDArray[np.uint8]  # of each seed: 0 not looked at, 1 no clause broken, 2 some clause broken
    looked: int  # the work; 0 from the Python kernel


class MergeClauses:
    """Clauses that every safe sibling grouping satisfies; ``children[start[p]:start[p + 1]]`` are the children of p.

    Every node has no children or more than one.
    """

    def __init__(
        self, indptr: Offsets, items: Codes, parent: Codes, span: Codes, start: Offsets, children: Codes, k: int
    ) -> None:
        flat_span = np.ascontiguousarray(span).reshape(-1)
        self._kernel = kernels().MergeClauses(indptr, items, parent, flat_span, start, children, capped(k, indptr))

    def broken(
        self,
        seeds: Codes,
        variables: Variables,
        values: npt.NDArray[np.float64],
        *,
        slack: float,
        most: int,
        each: int,
        work: int,
        tick: Tick = still,
    ) -> Clauses:
        """The clauses from these seeds, one a line, that the values of the variables break by more than ``slack``.

        A seed is one to three leaves that 1..k-1 rows hold together. At most about ``most`` clauses, and ``each`` for
        each leaf; no further seed after ``work`` rows.
        """
        point = (variables.near, variables.sibling, variables.pair, values, variables.merged, variables.far)
        flat = np.ascontiguousarray(seeds).reshape(-1)
        *parts, looked = self._kernel.broken(flat, seeds.shape[1], *point, slack, most, each, work, tick)
        kinds = (np.int64, np.int32, np.int32, np.int64, np.uint8)
        sizes, terms, weights, lacks, states = map(np.frombuffer, parts, kinds)
        return Clauses(sizes, terms, weights, lacks, states, looked)
