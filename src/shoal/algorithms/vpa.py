"""VPA, vertical partitioning anonymization (Terrovitis et al. 2011, Alg. 7).

The items are split into parts of related items. Each part consists of consecutive groups of the hierarchy. AA runs in
parallel on the projection of the rows on each part, with the groups that lie wholly inside it. Sets that these groups
cannot repair are left for later. Then AA runs on all items, starting from what the parts have generalized. The result
is a global recoding, with fewer and smaller sets to count at once. With negative knowledge, the parts repair only sets
of present items; the last pass repairs everything, so the guarantee depends on the last pass alone.

Cost: AA on the projections, and once more on all rows from a more general start.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from shoal.algorithms.base import CutAlgorithm
from shoal.engines import Engine
from shoal.models.base import ItemsetModel
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.options import option
from shoal.problem import Prepared
from shoal.recoding.solution import CutSolution
from shoal.search.direct import BUILT, CutInput, Repaired, level_by_level
from shoal.search.vertical import part_of, split_units


@dataclass(frozen=True)
class VPA(CutAlgorithm):
    """Generalize parts of the items in parallel, then all items together.

    The items are split into parts of related ones. :class:`AA` runs on each part, and finally on all items,
    starting from what the parts have generalized. Use it when there are many items and AA takes too long.

    Parameters
    ----------
    siblings : str, default "none"
        Groups of siblings of the hierarchy that may be published as one label: ``"none"``, halves of the siblings
        by ``"label"`` or by ``"frequency"``, the ``"best"`` of these, or the path of a file with the groups.
    polish : bool, default False
        Split groups of the result again wherever the guarantee still holds. Only for the model ``km``.
    parts : int, default 3
        Number of parts that the items are split into.
    level : int, default 1
        Height of the groups that stay together in one part. 0 means single items.

    References
    ----------
    M. Terrovitis, N. Mamoulis, P. Kalnis: Local and global recoding methods for anonymizing set-valued data. VLDB
    Journal 20(1), 2011.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"food": {"fruit": ["apple", "pear"], "bread": ["rye", "wheat"]}})
    >>> baskets = [["apple", "rye", "wheat"], ["pear", "rye"], ["pear", "rye", "wheat"], ["apple", "pear", "wheat"]]
    >>> problem = shoal.Problem(shoal.read(baskets), tree, shoal.Km(k=2, m=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.VPA(parts=2))
    >>> release.data
    [['rye', 'wheat', 'fruit'], ['rye', 'fruit'], ['rye', 'wheat', 'fruit'], ['wheat', 'fruit']]
    """

    name = "vpa"
    title = "Vertical partitioning anonymization"
    paper = "Terrovitis et al. 2011, Alg. 7"
    solves = (Km, Lm, KmNegative)

    parts: int = option(3, low=1, help="Number of parts that the items are split into.")
    level: int = option(1, low=0, help="Height of the groups that stay together in one part. 0: single items.")

    def cut(self, problem: Prepared[ItemsetModel], engine: Engine) -> CutSolution:
        """Anonymize the parts, then all items together."""
        cut_input = CutInput.of(problem, engine)

        def within(leaves: range, engine: Engine) -> Repaired:
            part = part_of(cut_input, leaves)
            done = level_by_level(part.cut_input, problem.model, engine, bounded=True)
            return replace(done, raised=[int(part.nodes[node]) for node in done.raised])

        supports = problem.items.supports
        ranges = split_units(problem.hierarchy, self.level, self.parts)
        ranges.sort(key=lambda leaves: -int(supports[leaves.start : leaves.stop].sum()))  # the largest part first
        parts = engine.map("anonymizing parts", within, ranges) if len(ranges) > 1 else []
        committed = [node for part in parts for node in part.raised]
        last = level_by_level(cut_input, problem.model, engine, raised=committed)
        both = [*parts, last]
        counted = max(done.counted for done in both)
        solution = Repaired(last.raised, counted, sum(done.repairs for done in both)).solution(problem.hierarchy)
        solution.statistics["parts"] = len(ranges)
        solution.statistics["count_tree_nodes_of_parts"] = max((part.counted for part in parts), default=0)
        solution.statistics["count_tree_nodes_at_last"] = last.counted
        solution.statistics["count_tree_nodes_in_all"] = sum(done.counted for done in both)
        built = [done.built.largest for done in both if done.built is not None]
        if len(built) == len(both):  # counted in every pass
            solution.statistics[BUILT] = max(built)
            solution.statistics[f"{BUILT}_of_parts"] = max(built[:-1], default=0)
            solution.statistics[f"{BUILT}_at_last"] = built[-1]
            solution.statistics[f"{BUILT}_in_all"] = sum(built)
        return solution
