"""The risk of an intruder by looking at every record for every known set: slow and obviously right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from shoal.published import Published
from shoal.risk.assessment import Choice, Known


@dataclass
class Slow:
    """Records as sets of labels, with their classes, persons and sensitive values."""

    rows: list[frozenset[str]]
    classes: list[str]
    people: list[int]
    values: list[frozenset[str]]

    @classmethod
    def of(cls, view: Published) -> Slow:
        rows = view.rows.sets()
        classes = [""] * len(rows) if view.classes is None else [str(code) for code in view.classes.of.tolist()]
        people = list(range(len(rows))) if view.rows.persons is None else view.rows.persons.of.tolist()
        values = [frozenset[str]()] * len(rows) if view.sensitive is None else view.sensitive.values.sets()
        return cls(rows, classes, people, values)

    def crowd(self, known: frozenset[str], cls: str | None = None, value: str | None = None) -> int:
        """Count the persons with a record that fits. ``cls`` and ``value``: None is any."""
        return len(
            {
                person
                for labels, own, person, values in zip(self.rows, self.classes, self.people, self.values, strict=True)
                if known <= labels and cls in (None, own) and (value is None or value in values)
            }
        )

    def known(self, row: int, number: Known) -> list[frozenset[str]]:
        """Return all sets of a record that may be known."""
        labels = sorted(self.rows[row])
        size = len(labels) if number == "all" else min(number, len(labels))
        return [frozenset(some) for some in combinations(labels, size)]

    def risks(
        self, number: Known, choice: Choice, columns: bool, base: Slow | None = None
    ) -> Iterator[tuple[int, Fraction]]:
        """Yield the crowd sizes of each record, with the part of the record that each is for."""
        for row in range(len(self.rows)):
            cls = self.classes[row] if columns else None
            sizes = [(base or self).crowd(known, cls) for known in self.known(row, number)]
            if choice == "worst":
                sizes = [min(sizes)]
            for size in sizes:
                yield size, Fraction(1, len(sizes))

    def shares(self, value: str, number: Known, columns: bool) -> Iterator[tuple[Fraction, Fraction]]:
        """Yield the share of a value among those who fit, for each record that has it, with the part it is for."""
        for row, values in enumerate(self.values):
            if value in values:
                cls, sets = self.classes[row] if columns else None, self.known(row, number)
                for known in sets:
                    yield Fraction(self.crowd(known, cls, value), self.crowd(known, cls)), Fraction(1, len(sets))


def quantile(risks: list[tuple[int, Fraction]], share: Fraction) -> int:
    """Return the smallest size that this share of the records do not exceed."""
    total = sum(weight for _, weight in risks)
    return min(size for size, _ in risks if sum(weight for other, weight in risks if other <= size) >= share * total)
