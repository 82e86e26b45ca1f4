"""What known items of a record reveal of its sensitive values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
COLUMNS = 1  # as a part of a seed

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
        persons = holders(values, self.facts.persons)
        return tuple(self._of(value, int(persons[value])) for value in np.flatnonzero(values.supports).tolist())

    def _of(self, value: int, persons: int) -> Inference:
        """Return the figures of a sensitive value that some persons have."""
        values = self.facts.values
        assert values is not None
        have = np.searchsorted(values.indptr, np.flatnonzero(values.items == value), side="right") - 1
        asked = [self._questions(value, have, number, columns) for number, columns in self.numbers]
        sets = Sets.joined(questions[0] for questions in asked)
        label = np.full(len(sets), self.facts.first_value + value, dtype=np.int64)
        crowds = self.facts.crowds(Sets.joined([sets, sets.adding(label)]), self.engine)
        shares = crowds[len(sets) :] / crowds[: len(sets)]
        ends = np.cumsum([len(questions[0]) for questions in asked])[:-1]
        return Inference(
            value=values.labels[value],
            records=len(have),
            prior=Figure.of(persons / self.facts.everybody),
            posteriors=tuple(
                _posterior(number, columns, own, weights, draws)
                for (number, columns), (_, weights, draws), own in zip(
                    self.numbers, asked, np.split(shares, ends), strict=True
                )
            ),
        )

    def _questions(self, value: int, have: Counts, number: Known, columns: bool) -> Questions:
        """Return the sets that an intruder may know of records with a value: all of them, or drawn ones."""
        rows = self.facts.of_rows(have)
        size = int(rows.sizes.max()) if number == "all" else number
        numbers = numbers_of_sets(rows.sizes, size)
        if float(numbers.astype(float).sum()) <= EVERY_SET:
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
        assert self.facts.values is not None
        each = ALL_DRAWS // (max(1, len(self.facts.values.labels)) * len(self.numbers))
        return min(DRAWS, max(FEWEST_DRAWS, each))


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
