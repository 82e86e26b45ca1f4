"""The base classes of algorithms, and the options that several of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from shoal.engines import Engine
from shoal.errors import OptionError, PrivacyViolation, ShoalError
from shoal.models.base import PrivacyModel, Verdict
from shoal.options import Spec, option
from shoal.problem import Prepared
from shoal.recoding.solution import CutSolution, Solution
from shoal.search.clock import Clock
from shoal.search.limits import Limits
from shoal.search.listing import can_list
from shoal.search.optimum import best_cut
from shoal.search.polish import polished
from shoal.search.sibling_trees import WORDS, with_siblings
from shoal.search.siblings import best_grouping


class Algorithm(Spec, ABC):
    """A method that finds a recoding which satisfies a privacy model.

    Subclass it to add an algorithm: set the class attributes, declare options as dataclass fields, and implement
    :meth:`solve`. Only :func:`shoal.anonymize` calls the methods.

    Attributes
    ----------
    name : str
        Name on the command line and in reports.
    title : str
        Name for people.
    paper : str
        Source of the method.
    solves : tuple of types
        Privacy models that it can satisfy.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> algorithms = [shoal.algorithms.AA(), shoal.algorithms.HgHs(max_suppressed=25)]
    >>> [round(shoal.anonymize(problem, algorithm=algorithm).losses["ncp"], 2) for algorithm in algorithms]
    [0.23, 0.18]
    """

    title: ClassVar[str]
    paper: ClassVar[str]
    solves: ClassVar[tuple[type[PrivacyModel], ...]]
    suppresses: ClassVar[bool] = False  # whether it removes items from all records
    cuts: ClassVar[bool] = False  # whether it uses one cut for all records, which can be compared with the best cut
    reusable: ClassVar[bool] = False  # whether it changes an item in the same way in all records, so others can follow
    truthful: ClassVar[bool] = True  # whether all published items are true; otherwise it adds or moves items
    generalizes: ClassVar[bool] = True  # whether it replaces items by groups
    needs_hierarchy: ClassVar[bool] = True  # whether it needs a hierarchy of the items
    # Whether it looks at more of the rows than which small sets fewer than k persons have (shoal.search.thinning).
    needs_all_rows: ClassVar[bool] = True
    # How surely an attacker who knows the method could identify a record when we tried all originals of a tiny domain
    # (docs/concepts/minimality.md): "certainty", "a probability of 2/3". Empty: at most 1/k, or not tried.
    reveals: ClassVar[str] = ""
    keeps_more: ClassVar[tuple[str, ...]] = ()  # options that keep more items unchanged, in words

    @property
    def repeats(self) -> Any:
        """The saved recoding that it repeats, or None if it searches for one."""
        return None

    @property
    def groups_siblings(self) -> bool:
        """Whether the algorithm may publish groups of siblings of the hierarchy."""
        return False

    @property
    def regroups_siblings(self) -> bool:
        """Whether the algorithm searches for the best groups of siblings."""
        return False

    @property
    def suppression_limits(self) -> tuple[float, frozenset[str]]:
        """The percentage of items that may be removed, and the labels that must not be."""
        return 100.0, frozenset()

    def feasible(self, problem: Prepared[Any]) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no solution exists, before the search starts."""
        problem.model.feasible(problem.original)

    def keeps_rows(self, problem: Prepared[Any], engine: Engine) -> bool:
        """Whether the search holds rows in memory. If not, rows are neither thinned before it nor too many for it."""
        return self.needs_all_rows or not can_list(problem)

    def items_at_once(self, problem: Prepared[Any], engine: Engine) -> int:
        """Return how many items of records the search holds in its own structures at a time, to estimate its memory."""
        return problem.items.total_items

    def failure(self, problem: Prepared[Any], verdict: Verdict) -> ShoalError:
        """Return the error for a release that does not pass its check."""
        return PrivacyViolation(
            f"Algorithm {self.name} returned a recoding that is not {problem.model.title}: nothing was "
            f"published; this is a bug in Shoal, please report it. Witness: {verdict.witnesses[0]}.",
            verdict,
        )

    @abstractmethod
    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the recoding. :func:`shoal.anonymize` applies and publishes it."""


@dataclass(frozen=True)
class TreeAlgorithm(Algorithm):
    """An algorithm that publishes nodes of a hierarchy, or groups of siblings."""

    siblings: str = option(
        "none",
        words=WORDS,
        file=True,
        help="Groups of siblings that may be published as one label: none, halves by label or by frequency, the best "
        "of these, or those in a FILE.",
    )

    @property
    def needs_hierarchy(self) -> bool:  # type: ignore[override]
        """Whether it needs a hierarchy. A flat one is useful only if siblings can be grouped."""
        return self.siblings == "none"

    @property
    def groups_siblings(self) -> bool:
        """Whether the option ``siblings`` requests groups."""
        return self.siblings != "none"

    @abstractmethod
    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the recoding on the hierarchy of the problem, which may contain groups of siblings."""

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search on the hierarchy with the requested groups of siblings."""
        return with_siblings(problem, self.siblings, lambda part, _: self.search(part, engine), Clock.of("none"))


def time_limit_option(default: float | Literal["none"], *, compares: bool = True) -> Any:
    """Declare the time limit as an option. ``compares``: whether a result without a proof is compared with AA's."""
    longer = "the first safe result or, without a proof, a comparison with aa" if compares else "the first safe result"
    return option(
        default,
        low=0,
        words=("none",),
        help=f"Seconds for the search. It ends at most 2 seconds later, unless {longer} takes longer.",
    )


class TimedAlgorithm(TreeAlgorithm):
    """An algorithm with a time limit. Subclasses declare the option."""

    time_limit: float | Literal["none"]

    @abstractmethod
    def timed(self, problem: Prepared[Any], engine: Engine, clock: Clock) -> Solution:
        """Search until the result is proved optimal or time is up."""

    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search with the full time limit."""
        return self.timed(problem, engine, Clock.of(self.time_limit))

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Search on the hierarchy with the requested groups of siblings. All searches share the time limit."""
        clock = Clock.of(self.time_limit)
        return with_siblings(problem, self.siblings, lambda part, left: self.timed(part, engine, left), clock)


@dataclass(frozen=True)
class ExactAlgorithm(TimedAlgorithm):
    """An algorithm that searches for the least loss. With ``siblings="best"``, it also groups siblings."""

    reusable = True
    needs_proof: ClassVar[bool]  # whether a missing solver is an error
    needs_all_rows = False

    time_limit: float | Literal["none"] = time_limit_option("none")

    @property
    def regroups_siblings(self) -> bool:
        """Whether the option ``siblings`` requests the best groups."""
        return self.siblings == "best"

    def timed(self, problem: Prepared[Any], engine: Engine, clock: Clock) -> Solution:
        """Search for the best cut."""
        return best_cut(problem, engine, clock, needs_proof=self.needs_proof)

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the best grouping, or the best cut of the hierarchy with the requested groups."""
        if self.regroups_siblings:
            return best_grouping(problem, engine, Clock.of(self.time_limit), needs_proof=self.needs_proof)
        return super().solve(problem, engine)


@dataclass(frozen=True)
class SuppressingAlgorithm(Algorithm):
    """An algorithm that may remove items from all records, within limits that the user sets."""

    reusable = True
    suppresses = True

    max_suppressed: float = option(
        100.0, low=0, high=100, help="Percentage of the items of all records that may be suppressed."
    )
    never_suppress: tuple[str, ...] = option(
        (), help="Items or groups that must not be suppressed: a,b,c, or a file with one on each line."
    )

    @property
    def suppression_limits(self) -> tuple[float, frozenset[str]]:
        """The options ``max_suppressed`` and ``never_suppress``."""
        return self.max_suppressed, frozenset(self.never_suppress)

    def feasible(self, problem: Prepared[Any]) -> None:
        """Accept all data. Even data that no generalization can protect can be published with items removed."""

    def limits(self, problem: Prepared[PrivacyModel]) -> Limits:
        """Return the limits on suppression for a problem."""
        return Limits.of(problem, self.max_suppressed, self.never_suppress)


class FlippingAlgorithm(Algorithm):
    """An algorithm that adds and deletes items. It needs no hierarchy, but may publish false items."""

    truthful = False
    generalizes = False
    needs_hierarchy = False


@dataclass(frozen=True)
class CutAlgorithm(TreeAlgorithm):
    """An algorithm whose recoding is one cut for all records. The result can be polished."""

    cuts = True
    reusable = True
    polish: bool = option(False, help="Split groups of the result again wherever the guarantee still holds.")

    @abstractmethod
    def cut(self, problem: Prepared[Any], engine: Engine) -> CutSolution:
        """Find the cut."""

    def search(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Find the cut, and polish it if the option is set."""
        if self.polish and not problem.model.demand(problem.items).monotone:
            raise OptionError(f"polish=True is for the model km, not for {problem.model.name}: leave it out.")
        solution = self.cut(problem, engine)
        if not self.polish:
            return solution
        return replace(solution, recoding=polished(problem, solution.recoding, engine))
