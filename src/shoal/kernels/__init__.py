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


def _still(share: float) -> None:
    """No progress display."""


@dataclass(frozen=True)
class Rare:
    """What a counting kernel found."""

    checked: int
    violations: int
    sets: Sequence[tuple[Sequence[int], int]]  # (codes ascending, support): smallest sets first, then lowest support


@dataclass(frozen=True)
class Pass:
    """What direct anonymization did."""

    raised: list[int]  # the nodes of the new cut that are not leaves
    visited: int  # labels counted behind a path, over the whole walk
    repairs: int


def _bounded(k: int, indptr: Offsets) -> int:
    """No support is above the number of rows, so a larger k means the same; it must fit 64 bits."""
    return min(k, len(indptr))


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
    tick: Tick = _still,
) -> Pass:
    """Direct anonymization (P0 Alg. 3) from the cut ``raised``: for each size, one pass over sets of up to that size.

    ``until_safe``: stop as soon as sets of any size are safe (every row is contained in at least k rows).
    """
    nodes = np.array(sorted(raised), dtype=np.int32)
    flat_span = np.ascontiguousarray(span).reshape(-1)
    return Pass(
        *_kernels().direct_pass(
            indptr, items, parent, flat_span, cost, leaves, k, sizes[0], sizes[-1], until_safe, nodes, tick
        )
    )


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
