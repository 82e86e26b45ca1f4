"""Limits on suppression that the user sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.hierarchy import Hierarchy
from shoal.errors import Infeasible, OptionError, did_you_mean
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared


@dataclass(frozen=True, eq=False)
class Limits:
    """The largest number of suppressed items of records, and the items that must not be suppressed.

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> problem = shoal.Problem(shoal.read([["a1", "b1"], ["a1"], ["b2"]]), h, shoal.Km(k=2))
    >>> limits = Limits.of(problem.prepared, percent=50, never=["B"])
    >>> limits.budget, limits.protected.tolist()
    (2, [False, False, True, True])
    """

    budget: int  # items of records that may be suppressed; each counts once, whatever its weight
    protected: npt.NDArray[np.bool_]  # for each item, whether it must not be suppressed
    occurrences: Counts  # for each node of the hierarchy, the items of records below it

    @classmethod
    def of(cls, problem: Prepared[PrivacyModel], percent: float, never: Sequence[str]) -> Limits:
        """Return the limits for a problem. ``never`` names items, or groups for all their items."""
        hierarchy = problem.hierarchy
        protected = np.zeros(hierarchy.n_leaves, dtype=bool)
        for label in never:
            if label in problem.model.sensitive_labels:
                raise OptionError(f"never_suppress=: '{label}' is sensitive and never suppressed anyway: remove it.")
            if label not in hierarchy.code_of:
                near = did_you_mean(label, hierarchy.labels)
                raise OptionError(
                    f"never_suppress=: '{label}' is neither an item nor a group of the hierarchy "
                    f"{hierarchy.name}{near}: correct or remove it."
                )
            protected[slice(*hierarchy.span[hierarchy.code_of[label]])] = True
        protected &= problem.supports > 0  # items that do not occur cannot be suppressed
        sums = np.concatenate([[0], np.cumsum(problem.supports)])
        occurrences = sums[hierarchy.span[:, 1]] - sums[hierarchy.span[:, 0]]
        share = Fraction(str(percent)) / 100  # as written: 0.1 is exactly a tenth
        return cls(int(int(problem.supports.sum()) * share), protected, occurrences)

    def barred(self, hierarchy: Hierarchy) -> npt.NDArray[np.bool_]:
        """For each node, whether it must not be suppressed because it covers a protected item."""
        sums = np.concatenate([[0], np.cumsum(self.protected)])
        covered: npt.NDArray[np.bool_] = sums[hierarchy.span[:, 1]] > sums[hierarchy.span[:, 0]]
        return covered

    def suppressed(self, nodes: Iterable[int]) -> int:
        """Return how many items of records are suppressed with these nodes."""
        return int(self.occurrences[list(nodes)].sum())

    def impossible(self, problem: Prepared[PrivacyModel]) -> Infeasible:
        """Return the error for data that cannot be made safe within the limits."""
        return Infeasible(
            f"{problem.model.short} cannot be reached within the limits on suppression: raise max_suppressed=, name "
            f"fewer items in never_suppress=, or weaken the guarantee."
        )
