"""The definition of every model by brute force (spec/models.md), and the losses as exact fractions (spec/metrics.md).

Models that are defined by persons count those of the records (spec/persons.md), the others count records. Nothing here
knows the product: rows are sets of labels, options are plain values.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

Sets = list[frozenset[str]]
_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True)
class View:
    """What an adversary sees: what may be known of each record, what is sensitive, and whose records look the same."""

    known: Sets
    sensitive: Sets
    classes: Sequence[Hashable]  # the values of the quasi-identifying columns of each record
    groups: Sequence[Hashable]  # the published group of each record
    people: Sequence[int]  # whose each record is; where nobody said, each is of another person


def holds(model: str, options: dict[str, Any], view: View) -> bool:
    """Whether the guarantee holds."""
    return DEFINITIONS[model](options, view)


def _known(rows: Sets, m: int | str) -> int:
    longest = max(map(len, rows), default=0)
    return longest if m == "all" else min(int(m), longest)


def _subsets(row: Iterable[str], least: int, most: int) -> Iterable[tuple[str, ...]]:
    members = sorted(row)
    return itertools.chain.from_iterable(itertools.combinations(members, size) for size in range(least, most + 1))


def _different(pairs: Iterable[tuple[_Key, int]]) -> dict[_Key, int]:
    """How many different persons each key is given with."""
    people: dict[_Key, set[int]] = {}
    for key, person in pairs:
        people.setdefault(key, set()).add(person)
    return {key: len(some) for key, some in people.items()}


def _km(rows: Sets, people: Sequence[int], k: int, m: int | str) -> bool:
    most = _known(rows, m)
    whose = zip(rows, people, strict=True)
    counts = _different((known, person) for row, person in whose for known in _subsets(row, 1, most))
    return all(count >= k for count in counts.values())


def _shares(view: View, people: Sequence[int], sizes: tuple[int, int], most: Fraction) -> bool:
    """Whether a sensitive value is with no more than a share of the persons who have a record with some known labels.

    It is with a person if it is in such a record of theirs.
    """
    fitting: list[tuple[tuple[str, ...], int]] = []
    telling: list[tuple[tuple[tuple[str, ...], str], int]] = []
    for row, hidden, person in zip(view.known, view.sensitive, people, strict=True):
        for known in _subsets(row, sizes[0], min(sizes[1], len(row))):
            fitting.append((known, person))
            telling += [((known, value), person) for value in hidden]
    totals = _different(fitting)
    return all(count <= most * totals[known] for (known, _), count in _different(telling).items())


def _by_class(view: View) -> list[View]:
    """The records of each class by themselves."""
    members: dict[Hashable, list[int]] = {}
    for at, one in enumerate(view.classes):
        members.setdefault(one, []).append(at)
    return [
        View(
            [view.known[at] for at in rows],
            [view.sensitive[at] for at in rows],
            (),
            (),
            [view.people[at] for at in rows],
        )
        for rows in members.values()
    ]


def _is_km(options: dict[str, Any], view: View) -> bool:
    return _km(view.known, view.people, options["k"], options["m"])


def _is_km_negative(options: dict[str, Any], view: View) -> bool:
    labels = sorted(frozenset[str]().union(*view.known))
    bit = {label: 1 << at for at, label in enumerate(labels)}
    rows = {(sum(bit[label] for label in row), person) for row, person in zip(view.known, view.people, strict=True)}
    for size in range(1, min(options["m"], len(labels)) + 1):
        for known in itertools.combinations(bit.values(), size):
            mask = sum(known)
            matching = _different((row & mask, person) for row, person in rows)
            if any(count < options["k"] for count in matching.values()):
                return False
    return True


def _is_lm(options: dict[str, Any], view: View) -> bool:
    by_records = range(len(view.known))
    return all(
        _shares(view, people, (0, options["m"]), Fraction(1, options["l"])) for people in (by_records, view.people)
    )


def _is_hkp(options: dict[str, Any], view: View) -> bool:
    share, records = Fraction(str(options["h"])), range(len(view.known))
    return _km(view.known, records, options["k"], options["p"]) and _shares(view, records, (1, options["p"]), share)


def _is_transactional_k(options: dict[str, Any], view: View) -> bool:
    return all(count >= options["k"] for count in Counter(view.known).values())


def _is_sensitive_k(options: dict[str, Any], view: View) -> bool:
    rows = Counter(zip(view.known, view.sensitive, strict=True))
    return all(count >= options["k"] for (_, sensitive), count in rows.items() if sensitive)


def _is_privacy_degree(options: dict[str, Any], view: View) -> bool:
    sizes = Counter(view.groups)
    held = Counter(
        (group, value) for group, values in zip(view.groups, view.sensitive, strict=True) for value in values
    )
    return all(count * options["p"] <= sizes[group] for (group, _), count in held.items())


def _is_k(options: dict[str, Any], view: View) -> bool:
    return all(count >= options["k"] for count in _different(zip(view.classes, view.people, strict=True)).values())


def _is_k_km(options: dict[str, Any], view: View) -> bool:
    return _is_k(options, view) and all(_is_km(options, one) for one in _by_class(view))


def _is_k_lm(options: dict[str, Any], view: View) -> bool:
    return _is_k_km(options, view) and all(_is_lm(options, one) for one in _by_class(view))


DEFINITIONS: dict[str, Callable[[dict[str, Any], View], bool]] = {
    "km": _is_km,
    "km-negative": _is_km_negative,
    "lm": _is_lm,
    "hkp": _is_hkp,
    "transactional-k": _is_transactional_k,
    "sensitive-k": _is_sensitive_k,
    "privacy-degree": _is_privacy_degree,
    "k": _is_k,
    "k-km": _is_k_km,
    "k-lm": _is_k_lm,
}


# ---- losses


@dataclass(frozen=True)
class Losses:
    """The losses of rows. ``sizes``: each occurrence of an item, and the size of its smallest label (0: none)."""

    sizes: list[tuple[str, int]]
    n_items: int

    @classmethod
    def of(cls, original: Sets, covers: list[list[frozenset[str]]], n_items: int) -> Losses:
        """From the items that the labels of each record stand for."""
        sizes = [
            (item, min((len(cover) for cover in labels if item in cover), default=0))
            for row, labels in zip(original, covers, strict=True)
            for item in row
        ]
        return cls(sizes, n_items)

    def penalty(self, loss: str, size: int) -> Fraction:
        """Of one occurrence."""
        if size == 0:
            return Fraction(1)
        if loss == "ncp":
            return Fraction(0) if size == 1 else Fraction(size, self.n_items)
        return Fraction(size - 1, max(1, self.n_items - 1))

    def mean(self, loss: str, weights: dict[str, Fraction] | None = None) -> Fraction:
        """The mean over occurrences, weighted by item."""
        weight = [Fraction(1) if weights is None else weights[item] for item, _ in self.sizes]
        total = sum(
            (w * self.penalty(loss, size) for w, (_, size) in zip(weight, self.sizes, strict=True)), Fraction(0)
        )
        return total / sum(weight) if sum(weight) else Fraction(0)

    def total(self, loss: str) -> Fraction:
        """The sum over occurrences."""
        return sum((self.penalty(loss, size) for _, size in self.sizes), Fraction(0))


def utility_loss(covers: list[list[frozenset[str]]], weights: dict[str, Fraction] | None = None) -> Fraction:
    """UL: how many sets the labels of a record may stand for; the mean over records."""
    top = max(weights.values(), default=Fraction(0)) if weights else Fraction(1)
    lost = Fraction(0)
    for labels in covers:
        whole = 2 ** sum(map(len, labels)) - 1
        for cover in labels:
            worth = Fraction(len(cover) > 1)
            if weights is not None:
                worth *= sum((weights[item] for item in cover), Fraction(0)) / (len(cover) * top) if top else 0
            lost += worth * (2 ** len(cover) - 1) / whole
    return lost / max(1, len(covers))
