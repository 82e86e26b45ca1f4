"""What an intruder can match: the labels of each record, the class of its columns, and its sensitive values.

A class and a sensitive value are labels like others here. So one count answers every question: how many records, or
persons, have all labels of a set.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from shoal.caching import cached_property
from shoal.data.arrays import Codes, Counts, Offsets
from shoal.data.persons import Persons
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.arrays import NOBODY
from shoal.kernels.measure.set_supports import SetSupports
from shoal.published import Published
from shoal.risk.sets import Sets

PART = 1 << 14  # rows that are counted at a time
BLOCK = 1 << 20  # sets that are counted at a time

Part = tuple[Offsets, Codes, Codes]  # row starts, labels, and the person of each row


@dataclass(frozen=True, eq=False)
class Facts:
    """The labels of records, then their classes, then their sensitive values.

    >>> rows = Transactions.from_sets([["a", "b"], ["a"], ["a"]])
    >>> facts = Facts(rows, np.array([0, 0, 1]))
    >>> facts.crowds(Sets.of_lists([[], [0], [0, facts.first_class]]), Engine()).tolist()
    [3, 3, 2]
    """

    rows: Transactions
    class_of: Counts | None = None
    values: Transactions | None = None

    @classmethod
    def of(cls, view: Published) -> Facts:
        """Return the facts of some data."""
        classes = None
        if view.classes is not None:
            classes = view.classes.of
        elif view.relational is not None:
            classes = view.relational.classes
        return cls(view.rows.gathered, classes, None if view.sensitive is None else view.sensitive.values.gathered)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.rows)

    @property
    def persons(self) -> Persons | None:
        """The persons of the records, if they are given."""
        return self.rows.persons

    @cached_property
    def everybody(self) -> int:
        """The number of records, or persons."""
        return self.rows.count_persons()

    @property
    def first_class(self) -> int:
        """The label of the first class."""
        return len(self.rows.labels)

    @property
    def first_value(self) -> int:
        """The label of the first sensitive value."""
        classes = 0 if self.class_of is None else int(self.class_of.max(initial=-1)) + 1
        return self.first_class + classes

    @property
    def n_labels(self) -> int:
        """The number of all labels."""
        return self.first_value + (0 if self.values is None else len(self.values.labels))

    def of_rows(self, which: Counts, *, columns: bool = False) -> Sets:
        """Return all labels of some records, with their class if the columns are known."""
        sets = Sets(self.rows.indptr, self.rows.items).take(which)
        return sets.adding(self.class_labels(which)) if columns else sets

    def class_labels(self, which: Counts) -> Counts:
        """Return the label of the class of some records."""
        assert self.class_of is not None
        return self.class_of[which] + self.first_class

    def crowds(self, sets: Sets, engine: Engine) -> Counts:
        """Count the records, or persons, that have all labels of each set."""
        counts = [np.zeros(0, dtype=np.int64)]
        blocks = -(-len(sets) // BLOCK)
        for at, block in enumerate(sets.blocks(BLOCK)):
            section = engine.section(at / blocks, (at + 1) / blocks)
            counts.append(self._counted(SetSupports(block.indptr, block.items, self._rank), len(block), section))
        return np.concatenate(counts)

    def _counted(self, supports: SetSupports, number: int, engine: Engine) -> Counts:
        """Count the sets of a block."""
        total, tick = np.zeros(number, dtype=np.int64), engine.tick("risk")
        parts = list(pairwise(self._ends))
        counts = engine.each(lambda ends: supports.count(*self._part(*ends)), parts)
        for at, counted in enumerate(counts, 1):
            total += counted
            tick(at / len(parts))
        return total

    @cached_property
    def _rank(self) -> Codes:
        """The place of each label in the order of their frequency, the rarest first."""
        supports = [self.rows.supports]
        if self.class_of is not None:
            supports.append(np.bincount(self.class_of, minlength=self.first_value - self.first_class))
        if self.values is not None:
            supports.append(self.values.supports)
        order = np.argsort(np.concatenate(supports), kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank

    @cached_property
    def _order(self) -> Counts | None:
        """The records in an order in which those of a person are neighbours; None: any order will do."""
        several = self.rows.repeaters
        return np.argsort(several, kind="stable") if len(several) else None

    @cached_property
    def _ends(self) -> list[int]:
        """Where parts begin, and the last ends. All records of a person are in one part."""
        starts = np.arange(0, len(self), PART)
        if self._order is not None:
            sorted_persons = self.rows.repeaters[self._order]
            first = np.searchsorted(sorted_persons, sorted_persons[starts])
            starts = np.unique(np.where(sorted_persons[starts] >= 0, first, starts))
        return [*starts.tolist(), len(self)]

    def _part(self, start: int, stop: int) -> Part:
        """Return some records with all their labels, and their persons."""
        if self._order is None:
            which, persons = np.arange(start, stop), NOBODY
        else:
            which = self._order[start:stop]
            persons = self.rows.repeaters[which]
        sets = self.of_rows(which, columns=self.class_of is not None)
        if self.values is not None:
            values = Sets(self.values.indptr, self.values.items).take(which)
            sets = sets.beside(Sets(values.indptr, values.items + np.int32(self.first_value)))
        return sets.indptr, sets.items, persons
