"""What a publisher allows to be suppressed."""

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
    """At most so many occurrences, and none of the protected items.

    >>> import shoal
    >>> h = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> problem = shoal.Problem(shoal.read([["a1", "b1"], ["a1"], ["b2"]]), h, shoal.Km(k=2))
    >>> limits = Limits.of(problem.prepared, percent=50, never=["B"])
    >>> limits.budget, limits.protected.tolist()
    (2, [False, False, True, True])
    """

    budget: int  # occurrences that may be suppressed, each counting once whatever its weight
    protected: npt.NDArray[np.bool_]  # for each item: whether it is never suppressed
    occurrences: Counts  # for each node of the hierarchy, those of the items below it

    @classmethod
    def of(cls, problem: Prepared[PrivacyModel], percent: float, never: Sequence[str]) -> Limits:
        """Limits as given; ``never`` names items, or groups for all their items."""
        hierarchy = problem.hierarchy
        protected = np.zeros(hierarchy.n_leaves, dtype=bool)
        for label in never:
            if label in problem.model.sensitive_labels:
                raise OptionError(f"--never-suppress: '{label}' is sensitive and never suppressed anyway: remove it.")
            if label not in hierarchy.code_of:
                near = did_you_mean(label, hierarchy.labels)
                raise OptionError(
                    f"--never-suppress: '{label}' is neither an item nor a group of the hierarchy "
                    f"{hierarchy.name}{near}: correct or remove it."
                )
            protected[slice(*hierarchy.span[hierarchy.code_of[label]])] = True
        protected &= problem.items.supports > 0  # what does not occur cannot be suppressed
        sums = np.concatenate([[0], np.cumsum(problem.items.supports)])
        occurrences = sums[hierarchy.span[:, 1]] - sums[hierarchy.span[:, 0]]
        share = Fraction(str(percent)) / 100  # as it was written: 0.1 is a tenth
        return cls(int(len(problem.items.items) * share), protected, occurrences)

    def barred(self, hierarchy: Hierarchy) -> npt.NDArray[np.bool_]:
        """For each node, whether it covers a protected item: such a node must not be suppressed."""
        sums = np.concatenate([[0], np.cumsum(self.protected)])
        covered: npt.NDArray[np.bool_] = sums[hierarchy.span[:, 1]] > sums[hierarchy.span[:, 0]]
        return covered

    def suppressed(self, nodes: Iterable[int]) -> int:
        """The occurrences that vanish with these nodes."""
        return int(self.occurrences[list(nodes)].sum())

    def impossible(self, problem: Prepared[PrivacyModel]) -> Infeasible:
        """The error for data that cannot be made safe within the limits."""
        return Infeasible(
            f"{problem.model.short} cannot be reached within the limits on suppression: allow more with "
            f"--max-suppressed, name fewer items in --never-suppress, or weaken the guarantee."
        )
