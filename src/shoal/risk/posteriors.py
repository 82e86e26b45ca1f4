"""What known items of a record reveal of its sensitive values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.caching import cached_property
from shoal.data.arrays import Counts
from shoal.engines import Engine
from shoal.models.people import holders
from shoal.risk.assessment import Inference, Known, Posterior
from shoal.risk.facts import Facts
from shoal.risk.figure import Figure
from shoal.risk.intervals import mean_bounds
from shoal.risk.sets import Sets, drawn_sets, every_set, numbers_of_sets

DRAWS = 20_000  # of a value, unless there are very many values
FEWEST_DRAWS = 200
ALL_DRAWS = 2_000_000  # of all values
EVERY_SET = 250_000  # sets of a value that are all counted
ALL_SETS = 8_000_000  # the same, of all values
AT_ONCE = 1_000_000  # sets that are asked for at a time

Questions = tuple[Sets, npt.NDArray[np.float64], int]  # known sets, how much each counts, and the number of draws


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The probabilities of sensitive values for intruders who know items of a record, and maybe its columns."""

    facts: Facts
    numbers: tuple[tuple[Known, bool], ...]  # known items, and whether the columns are known
    seed: int
    engine: Engine

    def all(self) -> tuple[Inference, ...]:
        """Return the figures of all sensitive values that some record has."""
        values = self.facts.values
        if values is None:
            return ()
        found, waiting, sets = list[Inference](), list[_Asked](), 0
        for value in np.flatnonzero(values.supports).tolist():
            waiting.append(self._asked(value))
            sets += len(waiting[-1].sets)
            if sets > AT_ONCE:
                found += self._answered(waiting)
                waiting, sets = [], 0
        return (*found, *self._answered(waiting))

    def _asked(self, value: int) -> _Asked:
        """Return what is asked about a sensitive value."""
        assert self.facts.values is not None
        places = np.flatnonzero(self.facts.values.items == value)
        have = np.searchsorted(self.facts.values.indptr, places, side="right") - 1
        return _Asked(value, have, [self._questions(value, have, *known) for known in self.numbers])

    def _answered(self, asked: list[_Asked]) -> Iterator[Inference]:
        """Count the crowds of some values, and those who have the value among them."""
        if not asked:
            return
        labels = np.repeat([self.facts.first_value + one.value for one in asked], [len(one.sets) for one in asked])
        sets = Sets.joined(one.sets for one in asked)
        crowds = self.facts.crowds(Sets.joined([sets, sets.adding(labels)]), self.engine)
        shares = crowds[len(sets) :] / crowds[: len(sets)]
        for one, own in zip(asked, np.split(shares, np.cumsum([len(one.sets) for one in asked])[:-1]), strict=True):
            yield self._inference(one, own)

    def _inference(self, asked: _Asked, shares: npt.NDArray[np.float64]) -> Inference:
        """Return the figures of a sensitive value."""
        assert self.facts.values is not None
        ends = np.cumsum([len(sets) for sets, _, _ in asked.questions])[:-1]
        return Inference(
            value=self.facts.values.labels[asked.value],
            records=len(asked.have),
            prior=Figure.of(int(self._holders[asked.value]) / self.facts.everybody),
            posteriors=tuple(
                _posterior(number, columns, own, weights, draws)
                for (number, columns), (_, weights, draws), own in zip(
                    self.numbers, asked.questions, np.split(shares, ends), strict=True
                )
            ),
        )

    @cached_property
    def _holders(self) -> Counts:
        """The number of persons who have each value."""
        assert self.facts.values is not None
        return holders(self.facts.values, self.facts.persons)

    def _questions(self, value: int, have: Counts, number: Known, columns: bool) -> Questions:
        """Return the sets that an intruder may know of records with a value: all of them, or drawn ones."""
        rows = self.facts.of_rows(have)
        size = int(rows.sizes.max()) if number == "all" else number
        numbers = numbers_of_sets(rows.sizes, size)
        if float(numbers.astype(float).sum()) <= min(EVERY_SET, self._each(ALL_SETS)):
            sets, owners = every_set(rows, size)
            weights, which, draws = (1 / numbers)[owners], have[owners], 0
        else:
            rng = np.random.default_rng([self.seed, int(columns), value, size])
            which = have[rng.integers(0, len(have), self._draws)]
            sets = drawn_sets(self.facts.of_rows(which), size, rng)
            weights, draws = np.ones(len(sets)), self._draws
        return sets.adding(self.facts.class_labels(which)) if columns else sets, weights, draws

    @property
    def _draws(self) -> int:
        """How many records with a value are drawn, for one number of known items."""
        return min(DRAWS, max(FEWEST_DRAWS, self._each(ALL_DRAWS)))

    def _each(self, of_all: int) -> int:
        """Return the part of a number that each value has, for one number of known items."""
        assert self.facts.values is not None
        return of_all // (max(1, len(self.facts.values.labels)) * len(self.numbers))


@dataclass(frozen=True, eq=False)
class _Asked:
    """What is asked about a sensitive value, and the records that have it."""

    value: int
    have: Counts
    questions: list[Questions]  # one for each number of known items

    @cached_property
    def sets(self) -> Sets:
        """The sets of all questions."""
        return Sets.joined(sets for sets, _, _ in self.questions)


def _posterior(
    number: Known, columns: bool, shares: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], draws: int
) -> Posterior:
    """Return the largest and the mean share of a value."""
    most, mean = float(shares.max()), float((shares * weights).sum() / weights.sum())
    if not draws:
        return Posterior(number, columns, 0, Figure.of(most), Figure.of(mean))
    return Posterior(
        number,
        columns,
        draws,
        Figure.within(most, most, 1.0),
        Figure.within(mean, *mean_bounds(shares, shares, 1.0)),
    )
