"""The kernels of the searches: they share no counting with those of the verifiers (decision 0005)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.choice import Tick, capped, kernels, still

MOST = 5_000_000  # breaches that one round of mending lists, about: the next round finds the others
MOST_THREATS = 10_000_000  # rare sets that HgHs remembers: about a gigabyte
MOST_MOLES = 10_000_000  # more would need gigabytes of memory


@dataclass(frozen=True)
class Pass:
    """What direct anonymization did."""

    raised: list[int]  # the nodes of the new cut that are not leaves
    counted: int  # count-tree nodes that the largest pass has counted
    repairs: int


@dataclass(frozen=True)
class Mended:
    """What became of a cut that was raised until no combination of its labels is in breach."""

    raised: list[int]  # the nodes of the new cut that are not leaves
    counted: int  # most label sets counted in one round
    repairs: int
    stuck: tuple[list[int], list[int]] | None  # (present, absent) nodes of a breach that no raising ends


def direct_pass(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    sizes: range,
    raised: Sequence[int],
    *,
    until_safe: bool = False,
    bounded: bool = False,
    tick: Tick = still,
) -> Pass:
    """Direct anonymization (P0 Alg. 3) from the cut ``raised``: for each size, one pass over sets of up to that size.

    ``until_safe``: stop as soon as sets of any size are safe (every row is contained in at least k rows).
    ``bounded``: never raise to the root; sets that nothing below it lifts to k stay as they are.
    """
    nodes = np.array(sorted(raised), dtype=np.int32)
    flat_span = np.ascontiguousarray(span).reshape(-1)
    return Pass(
        *kernels().direct_pass(
            indptr, items, parent, flat_span, cost, leaves, k, sizes[0], sizes[-1], until_safe, nodes, bounded, tick
        )
    )


def gray_order(indptr: Offsets, items: Codes) -> Counts:
    """The rows by the number that their bit string (bit i: item i) stands for as a Gray code; equal ones in order.

    >>> gray_order(np.array([0, 3, 5, 8, 11]), np.array([0, 2, 3, 1, 2, 1, 2, 3, 0, 1, 3], dtype=np.int32)).tolist()
    [1, 0, 2, 3]
    """
    return np.frombuffer(kernels().gray_order(indptr, items), dtype=np.int64)


def gray_coded_order(indptr: Offsets, items: Codes) -> Counts:
    """The rows by the Gray code of the number that their bit string (first item: highest bit) is; equal ones in order.

    P1 encodes, P3 decodes: this order and :func:`gray_order` have little in common but the name.

    >>> rows = np.array([0, 2, 5, 8, 8]), np.array([1, 3, 0, 1, 2, 2, 3, 4], dtype=np.int32)
    >>> gray_coded_order(*rows).tolist()  # of five items; codes 01111, 10010, 00100, 00000
    [3, 2, 0, 1]
    """
    return np.frombuffer(kernels().gray_coded_order(indptr, items), dtype=np.int64)


def _ends(sizes: range, leaves: int) -> tuple[int, int]:
    """The first and the last size; no set has more labels than there are leaves. First above last: no size."""
    return (min(sizes[0], leaves), min(sizes[-1], leaves)) if sizes else (1, 0)


def mend_diversity(
    indptr: Offsets,
    items: Codes,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    l: int,
    sizes: range,
    raised: Sequence[int],
    *,
    bounded: bool = False,
    threads: int = 1,
    tick: Tick = still,
) -> Mended:
    """Raise a cut until no set of labels has a sensitive value in more than one in l of its rows (P3 s.5.2).

    For each size the sets of 1 to so many labels. Not monotone: a raised set may be in breach where it was not before.
    Breaches are repaired in preorder of the count-tree, each by the cheapest way to raise its labels that ends it.
    Where there is none the search stops and tells the breach as ``stuck``. ``bounded``: never up to the root, an
    artificial one; breaches that cannot be ended below it stay, and so do those that extend them.
    """
    rows = (indptr, items, sensitive_indptr, sensitive_items)
    tree = (parent, np.ascontiguousarray(span).reshape(-1), cost, leaves)
    limits, nodes = (capped(l, indptr), *_ends(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Mended(*kernels().mend_diversity(*rows, *tree, *limits, nodes, bounded, MOST, threads, tick))


def mend_negative(
    indptr: Offsets,
    items: Codes,
    parent: Codes,
    span: Codes,
    cost: Counts,
    leaves: int,
    k: int,
    sizes: range,
    raised: Sequence[int],
    *,
    threads: int = 1,
    tick: Tick = still,
) -> Mended:
    """Raise a cut until all labels known to be present or absent match no row or at least k (P3 s.5.1).

    For each size the combinations of 1 to so many labels; rows without items count. The rest is as for
    :func:`mend_diversity`.
    """
    tree = (parent, np.ascontiguousarray(span).reshape(-1), cost, leaves)
    limits, nodes = (capped(k, indptr), *_ends(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Mended(*kernels().mend_negative(indptr, items, *tree, *limits, nodes, MOST, threads, tick))


def minimal_moles(
    indptr: Offsets,
    items: Codes,
    labels: int,
    private_indptr: Offsets,
    private_items: Codes,
    private_labels: int,
    k: int,
    share: tuple[int, int],
    p: int,
    *,
    most: int = MOST_MOLES,
    threads: int = 1,
    tick: Tick = still,
) -> list[Codes] | None:
    """Sets of at most p labels in 1..k-1 rows, or with a private value in more than ``share`` of their rows.

    Those no part of which is such a set: one array for each number of labels, a line for each set. In a set the label
    with the lowest support comes first (ties: the lower code), and the sets come in that order. None: there are more
    than ``most``.

    >>> rows = np.array([0, 2, 4, 6, 7]), np.array([0, 1, 0, 1, 0, 2, 2], dtype=np.int32)
    >>> nothing = np.zeros(5, dtype=np.int64), np.zeros(0, dtype=np.int32)
    >>> [moles.tolist() for moles in minimal_moles(*rows, 3, *nothing, 0, 2, (1, 1), 2)]
    [[], [[2, 0]]]
    """
    rows = (indptr, items, labels, private_indptr, private_items, private_labels)
    found = kernels().minimal_moles(*rows, capped(k, indptr), *share, min(p, labels), most, threads, tick)
    if found is None:
        return None
    counts, codes = found
    ends = np.cumsum([size * count for size, count in enumerate(counts, 1)])
    parts = np.split(np.frombuffer(codes, dtype=np.int32), ends[:-1]) if counts else []
    return [part.reshape(-1, size) for size, part in enumerate(parts, 1)]


@dataclass(frozen=True)
class Suppressed:
    """The cut that a walk ended in, and what of it is suppressed; threats and evaluations depend on the kernel."""

    raised: list[int]  # the nodes of the cut that are not leaves
    suppressed: list[int]
    cost: int
    allowed: bool  # whether the limits are kept to; if not, no cut was found that does so
    threats: int  # rare sets found
    moves: int  # expansions made
    evaluations: int  # expansions tried


class Breaches:
    """What is in breach at a cut, as constraints on every cut: for the models that are not monotone."""

    def __init__(self, kernel: Any, threads: int) -> None:
        self._kernel, self._threads = kernel, threads

    @classmethod
    def of_diversity(
        cls,
        indptr: Offsets,
        items: Codes,
        sensitive_indptr: Offsets,
        sensitive_items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        l: int,
        *,
        threads: int = 1,
        tick: Tick = still,
    ) -> Breaches:
        """Sets of labels such that more than 1 in l of their rows have the same sensitive value."""
        tree = (parent, np.ascontiguousarray(span).reshape(-1), leaves)
        rows = (indptr, items, sensitive_indptr, sensitive_items)
        return cls(kernels().DiversityBreaches(*rows, *tree, capped(l, indptr), tick), threads)

    @classmethod
    def of_negative(
        cls,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        *,
        threads: int = 1,
        tick: Tick = still,
    ) -> Breaches:
        """Labels known to be present, and labels known to be absent, that 1..k-1 rows match."""
        tree = (parent, np.ascontiguousarray(span).reshape(-1), leaves)
        return cls(kernels().NegativeBreaches(indptr, items, *tree, capped(k, indptr), tick), threads)

    def at(
        self, raised: Sequence[int], size: int, *, most: int = MOST, tick: Tick = still
    ) -> tuple[list[list[int]], list[list[int]]]:
        """Of combinations of at most ``size`` labels: threats, and labels that must not all be in a cut. None: clean.

        Threats are internal nodes that no clean cut expands together. About ``most`` combinations are listed.
        """
        found = self._kernel.at(list(raised), size, most, self._threads, tick)
        return cast(tuple[list[list[int]], list[list[int]]], found)


class Threats:
    """Sets of nodes that no k^m-anonymous cut expands together (optimum.md, 3), all antichains of internal nodes.

    A set of labels in 1..k-1 rows stays rare when its labels are specialised, so the parents of all its labels must
    not all be expanded. One threat makes another superfluous if each of its nodes is above or equal to one of the
    other's; :meth:`small` and :meth:`at` return minimal ones only, small ones first.
    """

    def __init__(
        self, indptr: Offsets, items: Codes, parent: Codes, span: Codes, leaves: int, k: int, *, threads: int = 1
    ) -> None:
        flat_span = np.ascontiguousarray(span).reshape(-1)
        self._kernel = kernels().Threats(indptr, items, parent, flat_span, leaves, capped(k, indptr), threads)

    def small(self, size: int, *, tick: Tick = still) -> list[list[int]]:
        """All minimal threats from rare sets of at most ``size`` (1 or 2) labels."""
        return cast(list[list[int]], self._kernel.small(size, tick))

    def at(
        self,
        raised: Sequence[int],
        first: int,
        last: int,
        *,
        known: Sequence[Sequence[int]] = (),
        tick: Tick = still,
    ) -> list[list[int]]:
        """Minimal threats that a cut without rare sets below ``first`` labels runs into; none: safe up to ``last``.

        They come from its rare sets of the smallest size that has any (if m is large: from its rare rows), each
        raised to most general forms. Those that a ``known`` threat explains are not raised; if there are any, the known
        threats are returned with the others.
        """
        return cast(list[list[int]], self._kernel.at(list(raised), first, last, list(map(list, known)), tick))

    def witness(
        self, raised: Sequence[int], node: int, m: int, *, tick: Tick = still
    ) -> tuple[tuple[int, ...], int] | None:
        """A rare set of at most m labels, and its support, if the safe cut were expanded at a node of it; or none.

        No part of it is rare. Up to three labels it is the smallest, then the rarest, then the one with the lowest ids.
        """
        labels, support = self._kernel.witness(list(raised), node, m, tick)
        return (tuple(labels), support) if support else None

    def minimal(self, threats: list[list[int]]) -> list[list[int]]:
        """Those that no other makes superfluous; small ones first, then near the root, then ascending."""
        return cast(list[list[int]], self._kernel.minimal(threats))

    @property
    def lifting_seconds(self) -> float:
        """How long :meth:`at` has spent on raising rare sets; the rest of its time is counting."""
        return float(self._kernel.lifting_seconds())


Conflict = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]  # parents, groups of items


class Conflicts:
    """What k^m-anonymity demands where items may be suppressed as well as generalized (optimum.md, 5).

    A conflict: either not all of the parents are expanded, or all items of one of the groups are suppressed. It comes
    from a set of labels in 1..k-1 rows, in its most general form, and one of these rows.
    """

    def __init__(
        self, indptr: Offsets, items: Codes, parent: Codes, span: Codes, leaves: int, k: int, *, threads: int = 1
    ) -> None:
        flat_span = np.ascontiguousarray(span).reshape(-1)
        self._kernel = kernels().Conflicts(indptr, items, parent, flat_span, leaves, capped(k, indptr), threads)

    def at(self, raised: Sequence[int], suppressed: Sequence[int], m: int, *, tick: Tick = still) -> list[Conflict]:
        """The conflicts that a cut, some of whose leaves are suppressed, runs into; none: it is k^m-anonymous.

        They come from its rare sets with no rare part, of the smallest sizes that have any (if m is large: from rare
        rows).
        """
        return cast(list[Conflict], self._kernel.at(list(raised), list(suppressed), m, tick))


class Suppression:
    """HgHs (P4): cuts and what is suppressed at them, for rows over a hierarchy whose nodes have costs.

    For each node: its cost if it is ``kept`` and if it is ``gone``, the ``occurrences`` that vanish with it, at most
    ``budget`` in all, whether it is ``barred`` from vanishing, and its ``rank``: labels are decided in this order, and
    kept unless that completes a set of labels in 1..k-1 rows.
    """

    def __init__(
        self,
        indptr: Offsets,
        items: Codes,
        parent: Codes,
        span: Codes,
        leaves: int,
        k: int,
        *,
        kept: Counts,
        gone: Counts,
        occurrences: Counts,
        barred: npt.NDArray[np.bool_],
        rank: Codes,
        budget: int,
    ) -> None:
        tree = (parent, np.ascontiguousarray(span).reshape(-1), leaves)
        nodes = (kept, gone, occurrences, barred.astype(np.int32), rank)
        self._kernel = kernels().Suppression(indptr, items, *tree, *nodes, budget, capped(k, indptr))

    def run(self, floor: Sequence[int], size: int, *, most: int = MOST_THREATS, tick: Tick = still) -> Suppressed:
        """Walk from the root towards the cut that raises to ``floor``, for sets of up to ``size`` labels.

        If more than ``most`` rare sets have to be remembered: OverflowError.
        """
        return Suppressed(*self._kernel.run(list(floor), size, most, tick))

    def whole(self, raised: Sequence[int], suppressed: Sequence[int], *, tick: Tick = still) -> bool:
        """Whether every published row is contained in at least k: no set of any size is rare."""
        return bool(self._kernel.whole(list(raised), list(suppressed), tick))
