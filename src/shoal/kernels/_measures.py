"""Readable twins of the kernels of measures: frequent itemsets, and the least support of sets within each row."""

from __future__ import annotations

import itertools
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

Tick = Callable[[float], None]
Row = tuple[int, ...]
Held = list[tuple[Row, int, int]]  # what follows a prefix in a row, how many such rows of the first and of the second


def frequent_itemsets(
    indptr: Any,
    items: Any,
    other_indptr: Any,
    other_items: Any,
    labels: int,
    least: int,
    most: int,
    threads: int,
    tick: Tick,
) -> tuple[bytes, bytes, bytes, bytes] | None:
    """Depth-first by rising support: tell a frequent set, then all that extend it."""
    least = max(1, least)
    mine, others = _rows(indptr, items), _rows(other_indptr, other_items)
    support = Counter(label for row in mine for label in row)
    ranked = sorted((label for label in support if support[label] >= least), key=lambda label: (support[label], label))
    rank = {label: at for at, label in enumerate(ranked)}
    firsts, seconds = (Counter(tuple(sorted(rank[i] for i in row if i in rank)) for row in x) for x in (mine, others))
    found: list[tuple[list[int], int, int]] = []
    stack: list[tuple[Row, Held]] = [((), [(row, firsts[row], seconds[row]) for row in {**firsts, **seconds}])]
    while stack:
        tick(0.0)
        prefix, held = stack.pop()
        if prefix:
            codes = sorted(ranked[at] for at in prefix)
            found.append((codes, sum(first for _, first, _ in held), sum(second for _, _, second in held)))
            if len(found) > most:
                return None
        follow: dict[int, Held] = defaultdict(list)
        for rest, first, second in held:
            for at, code in enumerate(rest):
                follow[code].append((rest[at + 1 :], first, second))
        for code in sorted(follow, reverse=True):  # the last one pushed comes next
            if sum(first for _, first, _ in follow[code]) >= least:
                stack.append(((*prefix, code), follow[code]))
    return (
        array("i", (len(codes) for codes, _, _ in found)).tobytes(),
        array("i", itertools.chain.from_iterable(codes for codes, _, _ in found)).tobytes(),
        array("q", (first for _, first, _ in found)).tobytes(),
        array("q", (second for _, _, second in found)).tobytes(),
    )


def least_supports(indptr: Any, items: Any, labels: int, m: int, threads: int, tick: Tick) -> bytes:
    """Size by size, only within rows that a larger set can still narrow down."""
    rows = _rows(indptr, items)
    best = dict.fromkeys(rows, len(rows))
    out = array("q")
    for size in range(1, m + 1):
        wanted = {row for row in best if best[row] > 1 and len(row) >= size}
        asked = {codes for row in wanted for codes in itertools.combinations(row, size)}
        counts = Counter[Row]()
        for row in rows if asked else ():
            tick(0.0)
            counts.update(codes for codes in itertools.combinations(row, size) if codes in asked)
        for row in wanted:
            best[row] = min(counts[codes] for codes in itertools.combinations(row, size))
        out.extend(best[row] for row in rows)
    return out.tobytes()


def _rows(indptr: Any, items: Any) -> list[Row]:
    """The rows as tuples of codes."""
    bounds, codes = indptr.tolist(), items.tolist()
    return [tuple(codes[start:stop]) for start, stop in itertools.pairwise(bounds)]
