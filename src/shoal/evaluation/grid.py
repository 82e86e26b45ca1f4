"""A grid: every combination of data sets, privacy models, algorithms and seeds that a comparison runs, as cases."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from shoal import discovery
from shoal._version import __version__
from shoal.algorithms.base import Algorithm
from shoal.caching import cached_property
from shoal.errors import OptionError
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.base import AdditiveLoss
from shoal.models.base import PrivacyModel
from shoal.options import Spec, changed, format_value, option
from shoal.problem import Problem


@dataclass(frozen=True)
class Extras(Spec):
    """Measures in addition to the losses that every release has. Each takes time of its own."""

    name = "measures"

    queries: int = option(0, low=0, help="Queries of each size, to measure ARE. 0 means none.")
    query_items: tuple[str, ...] = option(("2",), help="Items that a query asks for: one number, or several.")
    query_values: int = option(0, low=0, help="Quasi-identifiers that a query asks for.")
    query_kinds: tuple[str, ...] = option((), help="Both at once, as values+items, such as 2+1. One or several.")
    query_bound: float = option(
        0.0, low=0, high=1, help="Also measure errors relative to at least this share of the records. 0: no."
    )
    query_seed: int = option(0, low=0, help="The seed of the queries.")
    repeats: int = option(0, low=0, help="Further searches to measure time. The fastest counts.")
    built_trees: bool = option(
        False, help="Count the nodes of the papers' count-trees: for OA, DA, AA, LRA and VPA with the model km."
    )
    mining: tuple[str, ...] = option((), help="Thresholds of frequent itemsets in percent, for ML2 and dML2.")
    known: int = option(
        0, low=0, help="Items that an attacker may know, for the risk of re-identification. 0: do not measure."
    )

    def __post_init__(self) -> None:
        """Check the values."""
        super().__post_init__()
        for name, kind, values in (("query_items", int, self.query_items), ("mining", float, self.mining)):
            for value in values:
                try:
                    kind(value)
                except ValueError:
                    raise OptionError(f"measures: {name} must be numbers, got '{value}'.") from None
        if not all(0 < threshold <= 1 for threshold in self.thresholds):
            raise OptionError(
                f"measures: mining must be percentages above 0 and up to 100, got '{', '.join(self.mining)}'."
            )
        for asked in self.query_kinds:
            if not re.fullmatch(r"\d+\+\d+", asked, re.ASCII):
                raise OptionError(
                    f"measures: query_kinds must be numbers of values and items, such as 2+1, got '{asked}'."
                )

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The thresholds of mining as shares, as exact as a float can be (1.1 / 100 is more than 0.011).

        >>> Extras(mining=("1.1", "3")).thresholds
        (0.011, 0.03)
        """
        return tuple(float(Decimal(percent) / 100) for percent in self.mining)

    @property
    def kinds(self) -> dict[str, tuple[int, int]]:
        """The kinds of queries: the suffix of their column -> the number of values and items that they ask for.

        >>> Extras(query_items=("1", "2")).kinds, Extras(query_kinds=("2+0", "0+2")).kinds
        ({'1': (0, 1), '2': (0, 2)}, {'2_0': (2, 0), '0_2': (0, 2)})
        """
        if not self.query_kinds:
            return {size: (self.query_values, int(size)) for size in self.query_items}
        pairs = (kind.split("+") for kind in self.query_kinds)
        return {f"{int(values)}_{int(items)}": (int(values), int(items)) for values, items in pairs}


@dataclass(frozen=True)
class Case:
    """One run: the data, the model, the algorithm and the measures."""

    data: DatasetSpec
    model: PrivacyModel
    algorithm: Algorithm
    seed: int = 0
    loss: str = "ncp"
    extras: Extras = field(default_factory=Extras)

    def problem(self) -> Problem[PrivacyModel]:
        """Read or generate the data, as a problem."""
        loss = discovery.get("shoal.metrics", AdditiveLoss, self.loss)()
        return self.data.problem(self.model, loss, self.seed, publish=False)

    @cached_property
    def key(self) -> str:
        """A hash of contents, options and the version of Shoal. Cases with the same key give the same release."""
        identity = {
            "shoal": __version__,
            "data": self.data.fingerprint,
            "model": {"name": self.model.name, **self.model.values()},
            "algorithm": {"name": self.algorithm.name, **changed(self.algorithm)},
            "seed": self.seed,
            "loss": self.loss,
            "measures": changed(self.extras),
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:24]

    @property
    def method(self) -> str:
        """The algorithm with its changed options, as text.

        >>> from shoal import Km
        >>> from shoal.algorithms import AA, LRA
        >>> toy = DatasetSpec(label="toy", generate="quest")
        >>> Case(toy, Km(), AA()).method, Case(toy, Km(), LRA(chunks=5)).method
        ('aa', 'lra, chunks 5')
        """
        given = (f"{name.replace('_', ' ')} {format_value(value)}" for name, value in changed(self.algorithm).items())
        return ", ".join([self.algorithm.name, *given])

    @property
    def place(self) -> dict[str, Any]:
        """The place of the case in the grid, as columns of the table of results."""
        return {
            "data": self.data.label,
            **{f"data.{name}": value for name, value in self.data.changed_options.items()},
            "model": self.model.name,
            **self.model.values(),
            "algorithm": self.algorithm.name,
            "method": self.method,
            **{f"algorithm.{name}": value for name, value in self.algorithm.values().items()},
            "loss": self.loss,
            "seed": self.seed,
        }

    def __str__(self) -> str:
        """Describe the case.

        >>> from shoal import Km
        >>> from shoal.algorithms import AA
        >>> str(Case(DatasetSpec(label="toy", generate="quest"), Km(k=5, m=2), AA()))
        'toy, km k=5 m=2, aa'
        """
        options = (f"{name}={format_value(value)}" for name, value in self.model.values().items() if value != ())
        part = "".join(f" {name}={format_value(value)}" for name, value in self.data.changed_options.items())
        seed = f", seed {self.seed}" if self.seed else ""
        return f"{self.data.label}{part}, {' '.join([self.model.name, *options])}, {self.method}{seed}"


@dataclass(frozen=True)
class Grid:
    """Different cases in order, with a title."""

    cases: tuple[Case, ...]
    title: str = "Comparison"
    about: str = ""
    limit: float = 600.0  # seconds for a run, with reading and checking

    @classmethod
    def of(cls, cases: Iterable[Case], title: str = "Comparison", about: str = "", limit: float = 600.0) -> Grid:
        """Make a grid from cases, and drop duplicates."""
        return cls(tuple({case.key: case for case in reversed(list(cases))}.values())[::-1], title, about, limit)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.cases)


def combinations(
    data_sets: Sequence[DatasetSpec],
    models: Sequence[PrivacyModel],
    algorithms: Sequence[Algorithm],
    seeds: Sequence[int] = (0,),
    loss: str = "ncp",
    extras: Extras | None = None,
) -> Iterator[Case]:
    """Return every combination of a model and an algorithm that solves it. An algorithm without a model is an error.

    >>> from shoal import Km
    >>> from shoal.algorithms import AA, Optimal
    >>> toy = DatasetSpec(label="toy", generate="quest")
    >>> [str(one) for one in combinations([toy], [Km(k=2), Km(k=5)], [AA(), Optimal()])]
    ['toy, km k=2 m=2, aa', 'toy, km k=2 m=2, optimal', 'toy, km k=5 m=2, aa', 'toy, km k=5 m=2, optimal']
    """
    for algorithm in algorithms:
        if not any(isinstance(model, algorithm.solves) for model in models):
            names = ", ".join(dict.fromkeys(model.name for model in models))
            raise OptionError(
                f"Algorithm {algorithm.name} solves none of the compared models ({names}). It solves "
                f"{', '.join(model.name for model in algorithm.solves)}: leave it out, or add such a model."
            )
    discovery.get("shoal.metrics", AdditiveLoss, loss)
    for data, model, algorithm, seed in itertools.product(data_sets, models, algorithms, seeds):
        if isinstance(model, algorithm.solves):
            yield Case(data, model, algorithm, seed, loss, extras or Extras())


def spread(given: Mapping[str, Any], lists: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return every combination of values. A list means each of its values, except for the options in ``lists``.

    >>> spread({"k": [2, 5], "m": 3})
    [{'k': 2, 'm': 3}, {'k': 5, 'm': 3}]
    >>> spread({"sensitive": ["a", "b"]}, ["sensitive"]), spread({"sensitive": [["a"], ["b"]]}, ["sensitive"])
    ([{'sensitive': ['a', 'b']}], [{'sensitive': ['a']}, {'sensitive': ['b']}])
    """
    axes = []
    for name, value in given.items():
        several = isinstance(value, list) and (name not in lists or any(isinstance(element, list) for element in value))
        axes.append([(name, element) for element in (value if several else [value])])
    return [dict(values) for values in itertools.product(*axes)]
