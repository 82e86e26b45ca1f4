"""The crowds of records for each number of known items, with or without the columns: counted, or estimated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.metrics.crowds import counts_by_table, crowd_sizes
from shoal.metrics.risk import min_matching
from shoal.models.people import class_sizes
from shoal.models.relational import split_by_class
from shoal.published import Grouping
from shoal.risk.assessment import Known
from shoal.risk.facts import Facts
from shoal.risk.figure import Figure
from shoal.risk.sets import Sets, drawn_sets, every_set, numbers_of_sets
from shoal.risk.tally import Tally
from shoal.risk.targets import MOST, Targets
from shoal.risk.worst import MOST_SETS, WorstCrowds

DRAWS = 20_000  # records that are drawn, if not all can be counted
MANY = 500_000  # records; of more, fewer are drawn, because each draw is counted in all of them
WORST_DRAWS = 5_000  # the same, if every set of a record is looked at
FEWEST_DRAWS = 400
WORK = 60_000_000  # sets of the same size that the kernels count for all records
COUNTED_SETS = 4_000_000  # sets of the same size that are asked for one by one, of all records
DRAWN_SETS = 1_500_000  # the same, of drawn records
RANDOM_SETS = 1_000_000  # the same, if chance may choose among them
SPLIT_ITEMS = 5_000_000  # items of records that are split by class


Asked = tuple[Sets, npt.NDArray[np.float64], int]  # known sets, how many records each stands for, number of draws


@dataclass(frozen=True, eq=False)
class Crowds:
    """The crowds of all records, for intruders who know the columns or not.

    Parameters
    ----------
    facts : Facts
        The records.
    columns : bool
        Whether the columns are known.
    numbers : list of int or "all"
        How many items the intruders know.
    population : Facts or None
        The population, with the labels of the records. Then crowds are counted in it, too.
    seed : int
        The seed of draws.
    """

    facts: Facts
    columns: bool
    numbers: tuple[Known, ...]
    population: Facts | None
    seed: int
    engine: Engine

    def worst(self, number: Known, *, outside: bool = False) -> Tally:
        """Return the crowds for the worst choice of known items. ``outside``: in the population."""
        if self._whole(number):
            return self._records[outside]
        if number == 0:
            return self._alone[outside]
        if not outside and number in self._quick:
            return self._counted[number]
        return self._worst[outside][number]

    def random(self, number: Known, *, outside: bool = False) -> Tally:
        """Return the crowds for items drawn at random. ``outside``: in the population."""
        if self._whole(number) or number == 0:
            return self.worst(number, outside=outside)
        return self._random[number][outside]

    def smallest(self, number: Known, *, outside: bool = False) -> Figure:
        """Return the size of the smallest crowd that any items of any record leave.

        It is no smaller than that of whole records, and no larger than with fewer known items.
        """
        least = int(self._records[outside].smallest().low)
        found = self.worst(number, outside=outside).smallest(least)
        if number == "all" or found.exact:
            return found
        before = [
            self.worst(one, outside=outside).smallest(least).high
            for one in self.numbers
            if one != "all" and one < number
        ]
        most = min([found.high, *before])
        return Figure.within(min(found.value, most), found.low, most)

    def _whole(self, number: Known) -> bool:
        """Whether so many items are all items of every record."""
        return number == "all" or number >= self.facts.rows.longest

    def _always(self, which: Counts) -> Counts:
        """Return the label that is always known of some records, or -1."""
        return self.facts.class_labels(which) if self.columns else np.full(len(which), -1, dtype=np.int64)

    def _rng(self, purpose: int) -> np.random.Generator:
        """Return random numbers for a purpose of their own."""
        return np.random.default_rng([self.seed, int(self.columns), purpose])

    def _bases(self) -> list[Facts]:
        """Return where crowds are counted."""
        return [self.facts] if self.population is None else [self.facts, self.population]

    def _crowds(self, sets: Sets) -> list[Counts]:
        """Count the sets in the data, and in the population."""
        counts = [base.crowds(sets, self.engine) for base in self._bases()]
        if self.population is not None:
            check_contains(*counts)
        return counts

    @cached_property
    def _everyone(self) -> Targets:
        """All records, or a sample of very many."""
        if len(self.facts) <= MOST:
            return Targets.all_of(self.facts)
        return Targets.drawn(self.facts, self._draws, self._rng(0))

    @cached_property
    def _records(self) -> list[Tally]:
        """The crowds if whole records are known."""
        who = self._everyone
        counts = self._crowds(who.rows(self.facts).adding(self._always(who.records)))
        return [who.tally(crowds) for crowds in counts]

    @cached_property
    def _alone(self) -> list[Tally]:
        """The crowds if no items are known."""
        every = np.arange(len(self.facts))
        labels, times = np.unique(self._always(every), return_counts=True)
        counts = self._crowds(Sets.empty(len(labels)).adding(labels))
        return [Tally.of(crowds, None, times) for crowds in counts]

    @cached_property
    def _asked(self) -> list[int]:
        """The numbers of known items that are neither none nor all."""
        return [number for number in self.numbers if number != "all" and 0 < number < self.facts.rows.longest]

    @cached_property
    def _quick(self) -> list[int]:
        """The numbers of items for which the kernels count all records."""
        rows, lengths = self.facts.rows, self.facts.rows.size_counts.astype(float)
        if self.columns and rows.total_items > SPLIT_ITEMS:
            return []
        sizes = np.arange(len(lengths))
        work = [float((numbers_of_sets(sizes, number) * lengths).sum()) for number in self._asked]
        return [number for number, most in zip(self._asked, np.maximum.accumulate(work), strict=True) if most <= WORK]

    @cached_property
    def _left(self) -> list[Counts]:
        """For 1, 2, .. items: the smallest crowd of each record. Nothing if a table counts them."""
        rows = self.facts.rows
        if not self._quick or self._by_table:
            return []
        if not self.columns:
            return min_matching(rows, self._quick[-1], self.engine)
        assert self.facts.class_of is not None
        classes = Grouping(self.facts.class_of, 1)
        alone = class_sizes(classes, rows.persons)[classes.of]
        own, _, _ = split_by_class(rows, classes)
        return [np.minimum(crowds, alone) for crowds in min_matching(own, self._quick[-1], self.engine)]

    @property
    def _by_table(self) -> bool:
        """Whether a table counts the smallest crowds of all records."""
        return not self.columns and counts_by_table(self.facts.rows, self._quick[-1], self.engine)

    @cached_property
    def _counted(self) -> dict[Known, Tally]:
        """The worst crowds that the kernels count."""
        if self._quick and self._by_table:
            sizes = crowd_sizes(self.facts.rows, self._quick[-1], self.engine)
            return {number: Tally.of(sizes[number - 1][0], None, sizes[number - 1][1]) for number in self._quick}
        return {number: Tally.of(self._left[number - 1]) for number in self._quick}

    @cached_property
    def _worst(self) -> list[dict[Known, Tally]]:
        """The worst crowds for other numbers of items, in the data and in the population."""
        return [self._searched(base) for base in self._bases()]

    def _searched(self, base: Facts) -> dict[Known, Tally]:
        """Count the sets of each record, or of a sample if there are too many."""
        own = base is self.facts
        wanted = [number for number in self._asked if not own or number not in self._quick]
        if not wanted:
            return {}
        who = self._sample(wanted[-1]) if self._everyone.draws else self._everyone
        worst = self._search(base, who)
        found: dict[Known, Tally] = {}
        for number in range(worst.number + 1, wanted[-1] + 1):
            if not who.draws and worst.sets_to_count(number) > COUNTED_SETS:
                who = self._sample(wanted[-1])
                worst = self._search(base, who)
            crowds = worst.knowing(number, self.engine)
            if number in wanted:
                found[number] = who.tally(*crowds)
        return found

    def _search(self, base: Facts, who: Targets) -> WorstCrowds:
        """Return the search for the worst crowds of some records."""
        left = self._left if base is self.facts else []
        start = (len(left), left[-1][who.records]) if left else None
        return WorstCrowds(base, who.rows(self.facts), self.engine, self._always(who.records), start)

    def _sample(self, number: int) -> Targets:
        """Draw as many records as can be searched for sets of this size."""
        lengths = self.facts.rows.size_counts
        sets = numbers_of_sets(np.arange(len(lengths)), number)
        mean = float((np.where(sets > MOST_SETS, 1, sets) * lengths.astype(float)).sum()) / max(1, len(self.facts))
        draws = int(min(WORST_DRAWS, max(FEWEST_DRAWS, self._fewer * DRAWN_SETS / mean)))
        return Targets.drawn(self.facts, draws, self._rng(1))

    @cached_property
    def _random(self) -> dict[Known, list[Tally]]:
        """The crowds for items drawn at random, in the data and in the population."""
        made = [self._exact_sets(number) or self._drawn(number) for number in self._asked]
        counts = self._crowds(Sets.joined(sets for sets, _, _ in made))
        ends = np.cumsum([len(sets) for sets, _, _ in made])[:-1]
        split = [np.split(crowds, ends) for crowds in counts]
        return {
            number: [Tally.of(parts[at], None, weights, draws=draws) for parts in split]
            for at, (number, (_, weights, draws)) in enumerate(zip(self._asked, made, strict=True))
        }

    def _exact_sets(self, number: int) -> Asked | None:
        """Return all sets that chance may choose, with their weights, or None if there are too many."""
        who = self._everyone
        rows = who.rows(self.facts)
        numbers = numbers_of_sets(rows.sizes, number)
        if who.draws or float(numbers.astype(float).sum()) > RANDOM_SETS:
            return None
        sets, owners = every_set(rows, number)
        return sets.adding(self._always(who.records)[owners]), (who.times / numbers)[owners], 0

    @property
    def _fewer(self) -> float:
        """The part of the usual draws that is made of very many records."""
        return min(1.0, MANY / max(1, len(self.facts)))

    @property
    def _draws(self) -> int:
        """How many records are drawn."""
        return max(DRAWS // 10, int(DRAWS * self._fewer))

    def _drawn(self, number: int) -> Asked:
        """Draw records, and items of each."""
        rng = self._rng(1 + number)
        which = rng.integers(0, len(self.facts), self._draws)
        sets = drawn_sets(self.facts.of_rows(which), number, rng)
        return sets.adding(self._always(which)), np.ones(len(which)), len(which)


def check_contains(own: Counts, population: Counts) -> None:
    """Refuse a population that lacks some of the data."""
    if bool(np.any(population < own)):
        raise DataError(
            "population: it must contain the data, but fewer of it than of the data fit what an intruder may know "
            f"({int(np.count_nonzero(population < own)):,} of {len(own):,} crowds that were counted): give the data of "
            "the whole population, with the same labels, columns and kind of persons."
        )
