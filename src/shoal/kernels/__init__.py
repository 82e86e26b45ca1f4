"""The kernels: flat arrays in, flat results out. This module chooses; ``_python`` is the readable specification.

``KIND`` is "native" (C++) or "python". Without a compiler the install still works and the Python twins serve: the same
results, much slower; a warning says so once. ``SHOAL_KERNELS=python`` asks for the twins on purpose.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets


def _choose() -> tuple[Literal["native", "python"], Any]:
    """The compiled kernels if they were built and nobody asked for the others."""
    if os.environ.get("SHOAL_KERNELS") != "python":
        with contextlib.suppress(ImportError):
            return "native", importlib.import_module("shoal.kernels._native")
    return "python", importlib.import_module("shoal.kernels._python")


KIND, _impl = _choose()


@functools.cache
def _kernels() -> Any:
    """The chosen kernels; the first use of the slow ones is announced, unless they were asked for."""
    if KIND == "python" and os.environ.get("SHOAL_KERNELS") != "python":
        warnings.warn(
            "Shoal runs without its compiled kernels and is much slower: install a C++ compiler (for instance "
            "'apt-get install g++' or 'xcode-select --install') and reinstall it: 'pip install --force-reinstall .'",
            RuntimeWarning,
            stacklevel=3,
        )
    return _impl


Tick = Callable[[float], None]
KEEP = 20  # witnesses that a verdict carries
MOST = 5_000_000  # breaches that one round of mending lists, about: the next round finds the others


def _still(share: float) -> None:
    """No progress display."""


@dataclass(frozen=True)
class Rare:
    """What a counting kernel found."""

    checked: int
    violations: int
    sets: Sequence[tuple[Sequence[int], int]]  # (codes ascending, support): smallest sets first, then lowest support


@dataclass(frozen=True)
class Disclosing:
    """What :func:`disclosing_sets` found."""

    checked: int  # label sets counted
    violations: int  # failing sets of the smallest size that has any
    # (label codes ascending, sensitive code, rows with all labels, rows of these with the sensitive value): the highest
    # share first, then the most rows, then codes
    sets: Sequence[tuple[Sequence[int], int, int, int]]


@dataclass(frozen=True)
class RareFacts:
    """What :func:`rare_facts` found."""

    checked: int  # combinations counted
    violations: int  # of the smallest number of facts that has any
    # (present codes, absent codes, rows that match): the fewest rows first, then present, then absent codes
    facts: Sequence[tuple[Sequence[int], Sequence[int], int]]


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


def _bounded(k: int, indptr: Offsets) -> int:
    """No support is above the number of rows, so a larger k means the same; it must fit 64 bits."""
    return min(k, len(indptr))


def _ends(sizes: range, leaves: int) -> tuple[int, int]:
    """The first and the last size; no set has more labels than there are leaves. First above last: no size."""
    return (min(sizes[0], leaves), min(sizes[-1], leaves)) if sizes else (1, 0)


def rare_itemsets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    threads: int = 1,
    keep: int = KEEP,
    first_size_only: bool = False,
    tick: Tick = _still,
) -> Rare:
    """Sets of at most m labels with support in 1..k-1: all that have no such part, and some that do.

    ``first_size_only``: go size by size and end with the first that has such sets; then it is all of that size.

    >>> rare_itemsets(np.array([0, 2, 4, 6]), np.array([0, 1, 0, 1, 0, 2], dtype=np.int32), 3, 2, 2)
    Rare(checked=4, violations=1, sets=[([2], 1)])
    """
    return Rare(
        *_kernels().rare_itemsets(indptr, items, labels, _bounded(k, indptr), m, keep, first_size_only, threads, tick)
    )


def rare_rows(indptr: Offsets, items: Codes, labels: int, k: int, *, keep: int = KEEP, tick: Tick = _still) -> Rare:
    """Distinct non-empty rows that fewer than k rows contain; the first few are thinned to rare sets with no rare part.

    With ``keep=0`` the first such row ends the search: a quick yes or no.
    """
    return Rare(*_kernels().rare_rows(indptr, items, labels, _bounded(k, indptr), keep, tick))


def smallest_rare(
    indptr: Offsets, items: Codes, labels: int, k: int, m: int, *, threads: int = 1, tick: Tick = _still
) -> Counts:
    """For each row, the size of its smallest subset of at most m (and 255) labels with support below k; 0: none."""
    k = _bounded(k, indptr)
    smallest = _kernels().smallest_rare(indptr, items, labels, k, min(m, 255), threads, tick)
    return np.frombuffer(smallest, dtype=np.uint8).astype(np.int64)


def disclosing_sets(
    indptr: Offsets,
    items: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    l: int,
    m: int,
    *,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = _still,
) -> Disclosing:
    """Sets of 0..m labels such that more than one in l of the rows with all of them have the same sensitive value.

    Size by size, ending with the first that has such sets: then it is all of that size, each with its most frequent
    sensitive value (the lowest code, if there are several). ``checked`` counts, up to that size, the empty set (if
    there are rows) and the sets that at least one row with a sensitive value has: others disclose nothing.

    >>> rows = np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1], dtype=np.int32)
    >>> values = np.array([0, 1, 1, 2, 2]), np.array([0, 1], dtype=np.int32)
    >>> disclosing_sets(*rows, 2, *values, 2, 2, 1)
    Disclosing(checked=3, violations=0, sets=[])
    >>> disclosing_sets(*rows, 2, *values, 2, 3, 1)
    Disclosing(checked=3, violations=2, sets=[([0], 0, 2, 1), ([1], 1, 2, 1)])
    """
    l, m = _bounded(l, indptr), min(m, labels)
    return Disclosing(
        *_kernels().disclosing_sets(
            indptr, items, labels, sensitive_indptr, sensitive_items, sensitive_labels, l, m, keep, threads, tick
        )
    )


def smallest_disclosing(
    indptr: Offsets,
    items: Codes,
    labels: int,
    sensitive_indptr: Offsets,
    sensitive_items: Codes,
    sensitive_labels: int,
    allowed: tuple[int, int],
    m: int,
    *,
    threads: int = 1,
    tick: Tick = _still,
) -> Counts:
    """For each row, the size of its smallest set of 1..m (and 255) labels that tells a sensitive value of it; 0: none.

    A set tells a value if more than ``allowed`` (part, whole) of the rows with the set have it.
    """
    part, whole = allowed
    smallest = _kernels().smallest_disclosing(
        indptr,
        items,
        labels,
        sensitive_indptr,
        sensitive_items,
        sensitive_labels,
        part,
        whole,
        min(m, 255),
        threads,
        tick,
    )
    return np.frombuffer(smallest, dtype=np.uint8).astype(np.int64)


def rare_facts(
    indptr: Offsets,
    items: Codes,
    labels: int,
    k: int,
    m: int,
    *,
    threads: int = 1,
    keep: int = KEEP,
    tick: Tick = _still,
) -> RareFacts:
    """Combinations of labels a row has and labels it has not, 1..m together, that match 1..k-1 rows.

    By number of facts, ending with the first that has such combinations: then it is all of that number. ``checked``
    counts, up to that number f, the combinations whose rows were counted: the sets of f labels that occur, each of f-1
    labels with one absent that occurs beside them, and of those with two absent labels or more the ones that, given all
    smaller combinations are fine, the supports leave room for. None but these can fail.

    >>> rows = np.array([0, 2, 4, 5, 6]), np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)
    >>> rare_facts(*rows, 2, 2, 2)
    RareFacts(checked=4, violations=2, facts=[([], [0], 1), ([], [1], 1)])
    """
    return RareFacts(
        *_kernels().rare_facts(indptr, items, labels, _bounded(k, indptr), min(m, labels), keep, threads, tick)
    )


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
    tick: Tick = _still,
) -> Pass:
    """Direct anonymization (P0 Alg. 3) from the cut ``raised``: for each size, one pass over sets of up to that size.

    ``until_safe``: stop as soon as sets of any size are safe (every row is contained in at least k rows).
    ``bounded``: never raise to the root; sets that nothing below it lifts to k stay as they are.
    """
    nodes = np.array(sorted(raised), dtype=np.int32)
    flat_span = np.ascontiguousarray(span).reshape(-1)
    return Pass(
        *_kernels().direct_pass(
            indptr, items, parent, flat_span, cost, leaves, k, sizes[0], sizes[-1], until_safe, nodes, bounded, tick
        )
    )


def gray_order(indptr: Offsets, items: Codes) -> Counts:
    """The rows by the number that their bit string (bit i: item i) stands for as a Gray code; equal ones in order.

    >>> gray_order(np.array([0, 3, 5, 8, 11]), np.array([0, 2, 3, 1, 2, 1, 2, 3, 0, 1, 3], dtype=np.int32)).tolist()
    [1, 0, 2, 3]
    """
    return np.frombuffer(_kernels().gray_order(indptr, items), dtype=np.int64)


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
    tick: Tick = _still,
) -> Mended:
    """Raise a cut until no set of labels has a sensitive value in more than one in l of its rows (P3 s.5.2).

    For each size the sets of 1 to so many labels. Not monotone: a raised set may be in breach where it was not before.
    Breaches are repaired in preorder of the count-tree, each by the cheapest way to raise its labels that ends it.
    Where there is none the search stops and tells the breach as ``stuck``. ``bounded``: never up to the root, an
    artificial one; breaches that cannot be ended below it stay, and so do those that extend them.
    """
    rows = (indptr, items, sensitive_indptr, sensitive_items)
    tree = (parent, np.ascontiguousarray(span).reshape(-1), cost, leaves)
    limits, nodes = (_bounded(l, indptr), *_ends(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Mended(*_kernels().mend_diversity(*rows, *tree, *limits, nodes, bounded, MOST, threads, tick))


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
    tick: Tick = _still,
) -> Mended:
    """Raise a cut until all labels known to be present or absent match no row or at least k (P3 s.5.1).

    For each size the combinations of 1 to so many labels; rows without items count. The rest is as for
    :func:`mend_diversity`.
    """
    tree = (parent, np.ascontiguousarray(span).reshape(-1), cost, leaves)
    limits, nodes = (_bounded(k, indptr), *_ends(sizes, leaves)), np.array(sorted(raised), dtype=np.int32)
    return Mended(*_kernels().mend_negative(indptr, items, *tree, *limits, nodes, MOST, threads, tick))


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
        self._kernel = _kernels().Threats(indptr, items, parent, flat_span, leaves, _bounded(k, indptr), threads)

    def small(self, size: int, *, tick: Tick = _still) -> list[list[int]]:
        """All minimal threats from rare sets of at most ``size`` (1 or 2) labels."""
        return cast(list[list[int]], self._kernel.small(size, tick))

    def at(
        self,
        raised: Sequence[int],
        first: int,
        last: int,
        *,
        known: Sequence[Sequence[int]] = (),
        tick: Tick = _still,
    ) -> list[list[int]]:
        """Minimal threats that a cut without rare sets below ``first`` labels runs into; none: safe up to ``last``.

        They come from its rare sets of the smallest size that has any (if m is large: from its rare rows), each
        raised to most general forms. Those that a ``known`` threat explains are not raised; if there are any, the known
        threats are returned with the others.
        """
        return cast(list[list[int]], self._kernel.at(list(raised), first, last, list(map(list, known)), tick))

    def witness(
        self, raised: Sequence[int], node: int, m: int, *, tick: Tick = _still
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
