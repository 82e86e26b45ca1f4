"""MM (Xu et al. 2008): total item suppression, guided by minimal moles. Liu and Wang 2010 compare with it.

A mole is a set of up to p public items that occurs and violates the model: too few records contain it, or too many of
these records share a private item. Items that are moles by themselves are suppressed first. Then MM suppresses, until
no mole is left, the public item with the best ratio of minimal moles destroyed to information lost. Private items are
never suppressed, and nothing is generalized.

All minimal moles of 1..p items are found first, and all count the same, whatever their size. The paper mines them with
a border; here a depth-first walk finds them. Information loss is the loss of the problem, so weights count. Ties: the
lower loss, then the lower id.

Cost: the time to enumerate the sets of up to p - 1 items that contain no mole, which is exponential in p if many
records share many items. Memory is proportional to the data and to the minimal moles, whose number is limited.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from shoal.algorithms.base import SuppressingAlgorithm
from shoal.data.arrays import Codes, Counts
from shoal.data.hierarchy import Hierarchy
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.kernels.search.suppress.choose_suppressed import choose_suppressed
from shoal.kernels.search.suppress.minimal_moles import MOST_MOLES, minimal_moles
from shoal.models.hkp import Hkp
from shoal.models.km import Km
from shoal.options import format_value
from shoal.problem import Prepared
from shoal.recoding import GlobalCut
from shoal.recoding.solution import Solution
from shoal.search.listing import can_list, list_violations


@dataclass(frozen=True)
class MM(SuppressingAlgorithm):
    """Suppress items greedily until no set of items violates the model. Nothing is generalized.

    Each step suppresses, in all records, the item that resolves the most violations for the detail that is lost.
    Use it when published items must stay original items, or when there is no hierarchy. It can lose much where
    records are long and m or p is large.

    Parameters
    ----------
    max_suppressed : float, default 100
        Percentage of the items of all records that may be suppressed.
    never_suppress : list of str, default ()
        Items that must not be suppressed. A group of the hierarchy represents all its items.

    References
    ----------
    Y. Xu, K. Wang, A. W.-C. Fu, P. S. Yu: Anonymizing transaction databases for publication. KDD 2008.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.MM())
    >>> release.data
    [['rye', 'wheat'], ['rye', 'pear'], ['rye', 'wheat', 'pear'], ['wheat', 'pear']]
    """

    name = "mm"
    title = "Suppression by minimal violations"
    paper = "Xu et al. 2008"
    solves = (Hkp, Km)
    reveals = "a probability of 13/19"
    generalizes = False
    needs_hierarchy = False
    needs_all_rows = False

    def keeps_rows(self, problem: Prepared[Hkp | Km], engine: Engine) -> bool:
        """Whether the search holds rows in memory, and not a list of violations."""
        return not can_list(problem, _flat(problem))

    def solve(self, problem: Prepared[Hkp | Km], engine: Engine) -> Solution:
        """Find the minimal moles, then the items whose suppression removes them."""
        limits, moles = self.limits(problem), _moles(problem, engine)
        if moles is None:
            raise OptionError(
                f"mm would have to weigh more than {MOST_MOLES:,} violating sets of items: choose a smaller p or m, "
                f"or another algorithm."
            )
        tick = engine.tick("choosing what to suppress")
        chosen = choose_suppressed(moles, _lost(problem), limits.protected, tick=tick)
        if chosen is None:
            raise self._refused(problem, _unresolvable(moles, limits.protected))
        if (gone := limits.suppressed(chosen)) > limits.budget:
            raise Infeasible(
                f"mm would suppress {gone:,} of {(every := int(problem.supports.sum())):,} items of all records "
                f"({gone / every:.2%}), more than max_suppressed={format_value(self.max_suppressed)} "
                f"allows: allow more{_others(problem)}."
            )
        statistics: dict[str, float] = {"moles": sum(map(len, moles)), "suppressed_items": len(chosen)}
        return Solution(GlobalCut.raising(problem.hierarchy, [], suppressed=chosen), statistics=statistics)

    def _refused(self, problem: Prepared[Hkp | Km], mole: Sequence[int]) -> Infeasible:
        """Return the error for a violating set whose items are all protected."""
        named = ", ".join(problem.hierarchy.labels[item] for item in mole)
        return Infeasible(
            f"mm cannot reach {problem.model.short}: {{{named}}} violates the model, and never_suppress= protects "
            f"all its items: name fewer items there{_others(problem)}."
        )


def _flat(problem: Prepared[Hkp | Km]) -> Hierarchy:
    """Return a hierarchy of the items without groups: nothing is generalized."""
    return Hierarchy.flat(problem.hierarchy.items)


def _moles(problem: Prepared[Hkp | Km], engine: Engine) -> list[Codes] | None:
    """Return the minimal moles by size, or None if there are too many."""
    rows, private, demand = problem.items, problem.sensitive, problem.model.demand(problem.items)
    listing = list_violations(problem, engine, _flat(problem))
    if listing is not None:
        return listing.minimal_sets(problem.supports)
    return minimal_moles(
        rows.indptr,
        rows.items,
        len(rows.labels),
        private.indptr,
        private.items,
        len(private.labels),
        demand.k,
        demand.max_share.as_integer_ratio(),
        demand.known,
        persons=rows.repeaters,
        threads=engine.threads,
        tick=engine.tick("looking for sets that violate the model"),
    )


def _unresolvable(moles: Sequence[Codes], protected: npt.NDArray[np.bool_]) -> list[int]:
    """Return the first of the smallest moles whose items are all protected."""
    return next(mole.tolist() for some in moles for mole in some if protected[mole].all())


def _others(problem: Prepared[Hkp | Km]) -> str:
    """Name an alternative, for an error message."""
    if not problem.model.demand(problem.items).monotone:
        return ", or weaken the guarantee"
    return ", or use algorithm='optimal-suppress', which also generalizes"


def _lost(problem: Prepared[Hkp | Km]) -> Counts:
    """Return the loss of suppressing each item in all records, as a whole number."""
    leaves = problem.hierarchy.n_leaves
    suppressed = problem.loss.penalty(np.zeros(1, dtype=np.int64), leaves)
    lost: Counts = problem.occurrences[:leaves] * suppressed - problem.costs[:leaves]
    return lost
