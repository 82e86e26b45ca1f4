"""Brute force: slow, obvious, and sharing nothing with the code under test."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

Rows = list[frozenset[str]]


def supports(rows: Rows, m: int) -> Counter[frozenset[str]]:
    """The support of every set of 1..m labels that occurs."""
    counts: Counter[frozenset[str]] = Counter()
    for row in rows:
        for size in range(1, m + 1):
            counts.update(frozenset(combination) for combination in itertools.combinations(sorted(row), size))
    return counts


def is_km_anonymous(rows: Rows, k: int, m: int) -> bool:
    return all(count >= k for count in supports(rows, m).values())


def minimal_rare(rows: Rows, k: int, m: int) -> dict[frozenset[str], int]:
    """Rare sets none of whose proper parts is rare."""
    rare = {labels: count for labels, count in supports(rows, m).items() if count < k}
    return {labels: count for labels, count in rare.items() if not any(other < labels for other in rare)}


def smallest_identifying(rows: Rows, k: int, m: int) -> list[int]:
    """For each row the size of its smallest set of at most m labels with support below k; 0: none."""
    counts = supports(rows, m)
    return [min((len(labels) for labels in counts if labels <= row and counts[labels] < k), default=0) for row in rows]


def disclosures(rows: Rows, values: Rows, l: int, m: int) -> dict[frozenset[str], dict[str, tuple[int, int]]]:
    """Sets of 0..m labels that occur, and for each sensitive value in more than 1/l of their rows: (rows, with it)."""
    found: dict[frozenset[str], dict[str, tuple[int, int]]] = {}
    for known in {frozenset(c) for row in rows for size in range(m + 1) for c in itertools.combinations(row, size)}:
        theirs = [sensitive for row, sensitive in zip(rows, values, strict=True) if known <= row]
        counts = Counter(value for sensitive in theirs for value in sensitive)
        failing = {value: (len(theirs), count) for value, count in counts.items() if count * l > len(theirs)}
        if failing:
            found[known] = failing
    return found


def moles(rows: Rows, values: Rows, h: Fraction, k: int, p: int) -> set[frozenset[str]]:
    """Sets of 1..p labels that occur in fewer than k rows, or with a value in more than the share h of their rows."""
    found = set()
    for known in supports(rows, p):
        theirs = [private for row, private in zip(rows, values, strict=True) if known <= row]
        most = max(Counter(value for private in theirs for value in private).values(), default=0)
        if len(theirs) < k or Fraction(most, len(theirs)) > h:
            found.add(known)
    return found


def minimal(sets: set[frozenset[str]]) -> set[frozenset[str]]:
    """Those that contain no other."""
    return {one for one in sets if not any(other < one for other in sets)}


def rare_facts(rows: Rows, k: int, m: int) -> dict[tuple[frozenset[str], frozenset[str]], int]:
    """Every combination of present and absent labels, 1..m together, that 1..k-1 rows match."""
    labels = frozenset[str]().union(*rows)
    found: dict[tuple[frozenset[str], frozenset[str]], int] = {}
    for facts in range(1, m + 1):
        for known in map(frozenset, itertools.combinations(labels, facts)):
            for size in range(facts + 1):
                for present in map(frozenset, itertools.combinations(known, size)):
                    matching = sum(row & known == present for row in rows)
                    if 0 < matching < k:
                        found[present, known - present] = matching
    return found


def generalize(rows: Rows, node_of: dict[str, str]) -> Rows:
    return [frozenset(node_of[item] for item in row) for row in rows]


def ncp(rows: Rows, node_of: dict[str, str], leaves: dict[str, int], n_items: int) -> float:
    penalties = [0.0 if leaves[node_of[p]] == 1 else leaves[node_of[p]] / n_items for row in rows for p in row]
    return sum(penalties) / len(penalties) if penalties else 0.0


def lm_sum(rows: Rows, node_of: dict[str, str], leaves: dict[str, int], n_items: int) -> float:
    return sum((leaves[node_of[p]] - 1) / max(1, n_items - 1) for row in rows for p in row)
