"""Assess the risk in data, for intruders who know more and more: the slow and obvious way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np

from shoal.engines import LOCAL, Engine
from shoal.errors import DataError, OptionError
from shoal.published import Published
from shoal.risk.assessment import Assessment, Choice, Inference, Known, Posterior, Scenario
from shoal.risk.figure import Figure
from shoal.risk.tally import Tally

BEYOND = 2  # how many more items than m the intruders know, who know most
FEW = 3  # the most known items if m is "all"


def assess(
    view: Published,
    *,
    m: int | Literal["all"],
    thresholds: Sequence[float] = (),
    population: Published | None = None,
    seed: int = 0,
    engine: Engine = LOCAL,
) -> Assessment:
    """Assess the risk in data, for intruders who know 1, 2, .. m + 2 items of a record, or all of it.

    Parameters
    ----------
    view
        The raw or published data, as a reader sees them.
    m
        How many items the guarantee assumes to be known, or ``"all"``.
    thresholds
        Risks that the risk of each record is compared with.
    population
        The data of the whole population, which contain the data. Without it, there is no journalist risk.
    seed
        The seed of random draws.
    engine
        Where the work is done.

    Returns
    -------
    Assessment
        The figures. Those that could not be counted are estimates with intervals.

    Examples
    --------
    >>> from shoal.data.transactions import Transactions
    >>> view = Published.plain(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]))
    >>> assess(view, m=1).scenario(1, "random").prosecutor_mean.value  # (1/3 + 1/2) / 2, twice, and (1/3 + 1) / 2
    0.5
    """
    if m != "all" and m < 1:
        raise OptionError(f"assess: m must be at least 1, or 'all', got {m}.")
    return _Slow(view, population).assessment(m, tuple(thresholds))


def known_numbers(m: int | Literal["all"]) -> list[Known]:
    """Return the numbers of items that intruders know.

    >>> known_numbers(2), known_numbers("all")
    ([1, 2, 3, 4, 'all'], [1, 2, 3, 'all'])
    """
    most = FEW if m == "all" else m + BEYOND
    return [*range(1, most + 1), "all"]


class _Slow:
    """Everything is counted by looking at every record."""

    def __init__(self, view: Published, population: Published | None) -> None:
        if population is not None:
            raise DataError("assess: a population is not supported yet.")
        self.rows = [frozenset(row.tolist()) for row in view.rows]
        self.view = view
        persons = view.rows.persons
        self.who = list(range(len(self.rows))) if persons is None else persons.of.tolist()
        self.class_of = None
        if view.classes is not None:
            self.class_of = view.classes.of.tolist()
        elif view.relational is not None:
            self.class_of = view.relational.classes.tolist()
        self.values = None if view.sensitive is None else [set(row.tolist()) for row in view.sensitive.values]

    def fitting(self, row: int, known: frozenset[int], columns: bool) -> Iterator[int]:
        """Yield the rows that fit."""
        for other, labels in enumerate(self.rows):
            same = self.class_of is None or self.class_of[other] == self.class_of[row]
            if known <= labels and (same or not columns):
                yield other

    def crowd(self, row: int, known: frozenset[int], columns: bool) -> int:
        """Count the persons who fit."""
        return len({self.who[other] for other in self.fitting(row, known, columns)})

    def choices(self, row: int, number: Known) -> list[frozenset[int]]:
        """Return all sets that may be known."""
        labels = self.rows[row]
        size = len(labels) if number == "all" else min(number, len(labels))
        return [frozenset(some) for some in combinations(sorted(labels), size)]

    def assessment(self, m: Known, thresholds: tuple[float, ...]) -> Assessment:
        """Return all figures."""
        persons = self.view.rows.persons
        numbers: list[tuple[Known, bool]] = [(number, False) for number in known_numbers(m)]
        if self.class_of is not None:
            numbers += [(number, True) for number in (0, *known_numbers(m))]
        choices: tuple[Choice, ...] = ("worst", "random")
        return Assessment(
            records=len(self.rows),
            persons=None if persons is None else persons.count(),
            counted="records" if persons is None else persons.nouns,
            population=None,
            thresholds=thresholds,
            scenarios=tuple(
                self.scenario(number, columns, choice, thresholds) for number, columns in numbers for choice in choices
            ),
            inferences=tuple(self.inference(value, numbers) for value in range(self.n_values)),
        )

    def scenario(self, number: Known, columns: bool, choice: Choice, thresholds: tuple[float, ...]) -> Scenario:
        """Return the figures of a scenario."""
        sizes, weights = [], []
        for row in range(len(self.rows)):
            crowds = [self.crowd(row, known, columns) for known in self.choices(row, number)]
            if choice == "worst":
                crowds = [min(crowds)]
            sizes += crowds
            weights += [1 / len(crowds)] * len(crowds)
        tally = Tally(np.array(sizes, dtype=np.int64), np.array(sizes, dtype=np.int64), np.array(weights))
        mean, smallest = tally.mean_risk(), tally.smallest()
        return Scenario(
            known_items=number,
            columns=columns,
            choice=choice,
            draws=0,
            smallest=smallest,
            quantiles=tally.quantiles(),
            histogram=tally.histogram(),
            prosecutor_max=smallest.inverse(),
            prosecutor_mean=mean,
            marketer=mean,
            journalist_max=None,
            journalist_mean=None,
            above=tuple((threshold, tally.share_above(threshold)) for threshold in thresholds),
        )

    @property
    def n_values(self) -> int:
        """The number of sensitive values."""
        return 0 if self.view.sensitive is None else len(self.view.sensitive.values.labels)

    def inference(self, value: int, numbers: list[tuple[Known, bool]]) -> Inference:
        """Return the figures of a sensitive value."""
        assert self.view.sensitive is not None
        assert self.values is not None
        holders = [row for row, values in enumerate(self.values) if value in values]
        persons = len({self.who[row] for row in holders})
        return Inference(
            value=self.view.sensitive.values.labels[value],
            records=len(holders),
            prior=Figure.of(persons / max(1, len(set(self.who)))),
            posteriors=tuple(self.posterior(value, holders, number, columns) for number, columns in numbers),
        )

    def posterior(self, value: int, holders: list[int], number: Known, columns: bool) -> Posterior:
        """Return the probability of a value."""
        assert self.values is not None
        largest, mean = 0.0, 0.0
        for row in holders:
            for size in range(len(self.rows[row]) + 1):
                if number != "all" and size > number:
                    break
                exactly = size == (len(self.rows[row]) if number == "all" else min(number, len(self.rows[row])))
                for known in map(frozenset, combinations(sorted(self.rows[row]), size)):
                    fit = list(self.fitting(row, known, columns))
                    have = {self.who[other] for other in fit if value in self.values[other]}
                    share = len(have) / len({self.who[other] for other in fit})
                    largest = max(largest, share)
                    if exactly:
                        mean += share / comb(len(self.rows[row]), size) / len(holders)
        return Posterior(number, columns, 0, Figure.of(largest), Figure.of(mean))
