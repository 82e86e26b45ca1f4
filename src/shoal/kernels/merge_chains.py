"""The kernels behind the bound over all sibling groupings by a least cut."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import capped, kernels


class MergeChains:
    """Clauses of two literals that every safe sibling grouping satisfies.

    ``children[start[p]:start[p + 1]]`` are the children of p by position. A literal (u, a) says that the block of u has
    a sibling of u at position a or later, or more than the parent of u.
    """

    def __init__(
        self, indptr: Offsets, items: Codes, parent: Codes, span: Codes, start: Offsets, children: Codes, k: int
    ) -> None:
        flat = np.ascontiguousarray(span).reshape(-1)
        self._kernel = kernels().MergeChains(indptr, items, parent, flat, start, children, capped(k, indptr))

    def around(self, nodes: Codes, reaches: Codes, *, each: int, work: int) -> tuple[Codes, int, int]:
        """Clauses (u, a, v, b), a line each, around the first bases; how many bases; and the work.

        A base is a node v with its siblings at positions below b; the root stands for all rows. Where one node of a
        clause is -1, the other literal must hold. At most ``each`` clauses for each u, over all calls.
        """
        found, done, looked = self._kernel.around(nodes, reaches, each, work)
        return np.frombuffer(found, dtype=np.int32).reshape(-1, 4), done, looked


class Flow:
    """A growing flow from node 0 to node 1 along arcs with capacities."""

    def __init__(self, nodes: int, tails: Codes, heads: Codes, capacities: npt.NDArray[np.int64] | Counts) -> None:
        self._kernel = kernels().Flow(nodes, tails, heads, capacities)

    def grow(self, work: int) -> tuple[int, bool]:
        """Let it grow by about so much work: the flow so far, and whether it is the largest."""
        value, largest = self._kernel.grow(work)
        return int(value), bool(largest)
