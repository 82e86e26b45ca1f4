"""Assess the risk in data, for intruders who know more and more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from shoal.engines import LOCAL, Engine
from shoal.errors import OptionError
from shoal.published import Published
from shoal.risk.assessment import Assessment, Choice, Known, Scenario
from shoal.risk.crowds import Crowds
from shoal.risk.facts import Facts
from shoal.risk.population import as_seen_in
from shoal.risk.posteriors import Posteriors
from shoal.risk.thresholds import threshold

BEYOND = 2  # how many more items than m the intruders know, who know most
FEW = 3  # the most known items if m is "all"
CHOICES: tuple[Choice, ...] = ("worst", "random")


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
    limits = tuple(threshold(one) for one in thresholds)
    facts = Facts.of(view)
    others = None if population is None else as_seen_in(view, population)
    families = [(columns, _numbers(facts, m, columns)) for columns in (False, True)]
    scenarios: list[Scenario] = []
    for columns, numbers in families:
        crowds = Crowds(facts, columns, numbers, others, seed, engine)
        scenarios += [_scenario(crowds, number, choice, limits) for number in numbers for choice in CHOICES]
    known = tuple((number, columns) for columns, numbers in families for number in numbers)
    persons = facts.persons
    return Assessment(
        records=len(facts),
        persons=None if persons is None else persons.count(),
        counted="records" if persons is None else persons.nouns,
        population=None if others is None else others.everybody,
        thresholds=limits,
        scenarios=tuple(scenarios),
        inferences=Posteriors(facts, known, seed, engine).all(),
    )


def _numbers(facts: Facts, m: int | Literal["all"], columns: bool) -> tuple[Known, ...]:
    """Return the numbers of items that intruders know."""
    if columns and facts.class_of is None:
        return ()
    if not facts.rows.longest:  # there are no items
        return (0,) if columns or facts.class_of is None else ()
    most = FEW if m == "all" else m + BEYOND
    return (*range(0 if columns else 1, most + 1), "all")


def _scenario(crowds: Crowds, number: Known, choice: Choice, thresholds: tuple[float, ...]) -> Scenario:
    """Return the figures of a scenario."""
    worst = crowds.worst(number)
    smallest = crowds.smallest(number)
    highest = smallest.inverse()
    tally = worst if choice == "worst" else crowds.random(number)
    most = tally if worst.draws else worst  # no choice is worse; of two estimates, this may be untrue
    mean = tally.mean_risk(highest.high).at_most(most.mean_risk(highest.high))
    journalist_max = journalist_mean = None
    if crowds.population is not None:
        outside = crowds.worst(number, outside=True) if choice == "worst" else crowds.random(number, outside=True)
        journalist_max = crowds.smallest(number, outside=True).inverse()
        journalist_mean = outside.mean_risk(journalist_max.high)
    return Scenario(
        known_items=number,
        columns=crowds.columns,
        choice=choice,
        draws=tally.draws,
        smallest=smallest,
        quantiles=tally.quantiles(crowds.facts.everybody),
        histogram=tally.histogram(),
        prosecutor_max=highest,
        prosecutor_mean=mean,
        marketer=mean if journalist_mean is None else journalist_mean,
        journalist_max=journalist_max,
        journalist_mean=journalist_mean,
        above=tuple((one, tally.share_above(one).at_most(most.share_above(one))) for one in thresholds),
    )
