"""Brute force: slow, obvious, and sharing nothing with the code under test."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from shoal.data.persons import Persons

Rows = list[frozenset[str]]
People = Sequence[int]  # whose each row is


def everyone(rows: Rows, people: People | None) -> People:
    """Whose each row is; where nobody says so, every row is a person of its own."""
    return range(len(rows)) if people is None else people


def supports(rows: Rows, m: int, people: People | None = None) -> Counter[frozenset[str]]:
    """The support of every set of 1..m labels that occurs: of how many different persons a row holds it."""
    holders: dict[frozenset[str], set[int]] = {}
    for row, person in zip(rows, everyone(rows, people), strict=True):
        for size in range(1, m + 1):
            for combination in itertools.combinations(sorted(row), size):
                holders.setdefault(frozenset(combination), set()).add(person)
    return Counter({labels: len(persons) for labels, persons in holders.items()})


def is_km_anonymous(rows: Rows, k: int, m: int, people: People | None = None) -> bool:
    return all(count >= k for count in supports(rows, m, people).values())


def minimal_rare(rows: Rows, k: int, m: int, people: People | None = None) -> dict[frozenset[str], int]:
    """Rare sets none of whose proper parts is rare."""
    rare = {labels: count for labels, count in supports(rows, m, people).items() if count < k}
    return {labels: count for labels, count in rare.items() if not any(other < labels for other in rare)}


def smallest_identifying(rows: Rows, k: int, m: int, people: People | None = None) -> list[int]:
    """For each row the size of its smallest set of at most m labels with support below k; 0: none."""
    counts = supports(rows, m, people)
    return [min((len(labels) for labels in counts if labels <= row and counts[labels] < k), default=0) for row in rows]


def disclosures(
    rows: Rows, values: Rows, l: int, m: int, people: People | None = None
) -> dict[frozenset[str], dict[str, tuple[int, int]]]:
    """Sets of 0..m labels that occur, and each sensitive value that more than 1/l of their persons have with them.

    With how many persons have a row with the set, and how many of these have one with the value, too.
    """
    found: dict[frozenset[str], dict[str, tuple[int, int]]] = {}
    for known in {frozenset(c) for row in rows for size in range(m + 1) for c in itertools.combinations(row, size)}:
        theirs = [
            (person, sensitive)
            for row, sensitive, person in zip(rows, values, everyone(rows, people), strict=True)
            if known <= row
        ]
        persons = len({person for person, _ in theirs})
        counts = Counter(value for _, value in {(person, value) for person, some in theirs for value in some})
        failing = {value: (persons, count) for value, count in counts.items() if count * l > persons}
        if failing:
            found[known] = failing
    return found


def people_of(persons: Persons | None) -> list[int] | None:
    """As the functions here want them."""
    return None if persons is None else [int(person) for person in persons.of]


def support(rows: Rows, labels: Iterable[str], persons: Persons | None = None) -> int:
    """Of how many persons some row holds all the labels."""
    whose = everyone(rows, people_of(persons))
    return len({person for row, person in zip(rows, whose, strict=True) if row.issuperset(labels)})


def told(rows: Rows, values: Rows, l: int, m: int, persons: Persons | None = None) -> bool:
    """Whether some set of labels tells a value, by records or by persons: then it is not l^m-diverse."""
    return bool(disclosures(rows, values, l, m) or disclosures(rows, values, l, m, people_of(persons)))


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


def rare_facts(
    rows: Rows, k: int, m: int, people: People | None = None
) -> dict[tuple[frozenset[str], frozenset[str]], int]:
    """Every combination of present and absent labels, 1..m together, that rows of 1..k-1 persons match."""
    labels = frozenset[str]().union(*rows)
    found: dict[tuple[frozenset[str], frozenset[str]], int] = {}
    for facts in range(1, m + 1):
        for known in map(frozenset, itertools.combinations(labels, facts)):
            for size in range(facts + 1):
                for present in map(frozenset, itertools.combinations(known, size)):
                    fits = zip(rows, everyone(rows, people), strict=True)
                    matching = len({person for row, person in fits if row & known == present})
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
