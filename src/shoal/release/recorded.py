"""Algorithms that repeat a saved recoding, as it is or a little coarser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from shoal.algorithms.base import Algorithm, time_limit_option
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.data.recoding_notes import RecodingRepaired
from shoal.engines import Engine
from shoal.errors import RecodingFails, ShoalError, Untruthful
from shoal.hierarchies.names import NAMED, Namer, style_for
from shoal.models.base import PrivacyModel, Verdict
from shoal.problem import Prepared
from shoal.recoding.solution import Solution
from shoal.release.saved_recoding import SavedRecoding
from shoal.search.clock import Clock
from shoal.search.coarsen import Coarser, coarsened, least_cut


@dataclass(frozen=True)
class Recorded(Algorithm):
    """Do to the items what an earlier release did."""

    name = "recorded"
    title = "Recoding of an earlier release"
    paper = "Shoal"
    solves = (PrivacyModel,)
    needs_hierarchy = False
    needs_all_rows = False
    reusable = True

    recoding: SavedRecoding = field(kw_only=True)

    def changed(self, **values: Any) -> Self:
        """The same recoding with other values of some options."""
        return replace(self, **values)

    @property
    def repeats(self) -> SavedRecoding:
        """The saved recoding."""
        return self.recoding

    @property
    def suppresses(self) -> bool:  # type: ignore[override]
        """Whether the recoding removes items."""
        return bool(self.recoding.suppressed)

    @property
    def reveals(self) -> str:  # type: ignore[override]
        """What the method of the recoding reveals. A recoding that was chosen before the data reveals no more."""
        return self.recoding.method.reveals

    @property
    def groups_siblings(self) -> bool:
        """Whether the recoding has groups of siblings."""
        return bool(self.recoding.groups)

    def feasible(self, problem: Prepared[Any]) -> None:
        """Accept all data. The check of the result decides."""

    def keeps_rows(self, problem: Prepared[Any], engine: Engine) -> bool:
        """No: it looks at no rows."""
        return False

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Return the recoding as a cut of the hierarchy of the problem."""
        cut = self.recoding.on(problem.hierarchy)
        return Solution(cut, hierarchy=cut.hierarchy if self.recoding.groups else None)

    def failure(self, problem: Prepared[Any], verdict: Verdict) -> ShoalError:
        """Return the error for data on which the recoding does not give the guarantee."""
        few = verdict.witnesses[:3]
        more = f" (and {verdict.violations - len(few):,} more)" if verdict.violations > len(few) else ""
        return RecodingFails(
            f"The recoding does not give {problem.model.short} on {problem.data.origin.name}: "
            f"{', '.join(map(str, few))}{more}: nothing was published. Repair it with repair=True, which generalizes "
            f"a little more, or add records.",
            verdict,
        )


@dataclass(frozen=True)
class Repaired(Recorded):
    """Do to the items what an earlier release did, and generalize further where the guarantee needs it.

    The labels of the earlier release are the finest that may be published. Among all recodings at or above them, the
    search takes the one that loses least. Items that were removed stay removed.

    Parameters
    ----------
    time_limit : float or "none", default 60
        Seconds for the search.
    """

    title = "Repaired recoding of an earlier release"

    time_limit: float | Literal["none"] = time_limit_option(60.0)

    def feasible(self, problem: Prepared[Any]) -> None:
        """Raise :class:`~shoal.errors.Infeasible` if no recoding can give the guarantee."""
        self.recoding.method.feasible(problem)

    @property
    def suppresses(self) -> bool:  # type: ignore[override]
        """Whether items may be removed."""
        return super().suppresses or self.recoding.method.suppresses

    def repaired(self, problem: Prepared[Any], engine: Engine) -> tuple[SavedRecoding, Solution]:
        """Return the repaired recoding, and the solution that the search found."""
        floor = self.recoding.on(problem.hierarchy)
        on = problem.on(floor.hierarchy) if self.recoding.groups else problem
        coarser = coarsened(on, floor, lambda part: self._searched(part, engine), engine)
        marks, taken = problem.origin.marks, problem.all_data.transactions.labels
        named = _Naming(self.recoding, problem.hierarchy, marks, (*taken, *problem.sensitive.labels))
        result = named.result(coarser, problem.origin.set_columns)
        result = result.with_tree(problem.given.hierarchy)
        if self.recoding.refined_by(result):
            raise Untruthful("The repaired recoding tells more than the first: a bug in Shoal, please report it.")
        return result, coarser.solution

    @property
    def _groups_siblings(self) -> bool:
        """Whether the repair may publish new groups of siblings."""
        return bool(self.recoding.groups) or self.recoding.method.groups_siblings

    def _searched(self, above: Prepared[Any], engine: Engine) -> Solution:
        """Run the search above the labels of the recoding: that of its method if this may remove items."""
        method = self.recoding.method
        if not method.suppresses:
            return least_cut(Clock.of(self.time_limit), engine, siblings=self._groups_siblings)(above)
        values = method.values()
        options: dict[str, Any] = {"siblings": "none"} if "siblings" in values else {}
        if "time_limit" in values:
            options["time_limit"] = self.time_limit
        never = {item for label in values["never_suppress"] for item in self.recoding.tree.items_of(label)}
        own = {label for label, items in self.recoding.represents.items() if never.intersection(items)}
        kept = tuple(sorted(own.intersection(above.hierarchy.items)))
        return method.changed(**options, never_suppress=kept).solve(above, engine)

    def solve(self, problem: Prepared[Any], engine: Engine) -> Solution:
        """Return the repaired recoding as a cut of the hierarchy of the problem."""
        recoding, found = self.repaired(problem, engine)
        solution = Recorded(recoding=recoding).solve(problem, engine)
        proof = found.optimality
        removed = len(recoding.suppressed) - len(self.recoding.suppressed)
        least = proof is not None and proof.proven and not self._groups_siblings
        stopped = proof.ended if proof is not None and proof.ended in ("time limit", "interrupted") else None
        note = RecodingRepaired(_changed(self.recoding, recoding), removed, least, stopped)
        return replace(solution, notes=(note,), statistics={"repair_loss": 0.0 if proof is None else proof.loss})


def _changed(before: SavedRecoding, after: SavedRecoding) -> int:
    """Count the labels of a recoding that represent more in another."""
    return len(before.represents.keys() - after.represents.keys() - {*after.suppressed})


class _Naming:
    """Names the groups of a coarser recoding. Groups that did not change keep their names; others get unused ones."""

    def __init__(self, before: SavedRecoding, owner: Hierarchy, marks: str, taken: tuple[str, ...]) -> None:
        self.before, self.owner = before, owner
        self.style = style_for(owner, marks)
        self.taken = {*owner.labels, *before.tree.labels, *taken, *before.groups, *before.retired}
        self.large = Counter(self._parent(members) for members in before.groups.values() if len(members) > NAMED)

    def result(self, coarser: Coarser, columns: tuple[str, ...]) -> SavedRecoding:
        """Return the coarser recoding."""
        namer = Namer(self.style, self.taken, columns)
        groups: dict[str, tuple[str, ...]] = {}
        raised = []
        for label, *more in coarser.blocks:
            if more:
                parts = [self.before.groups.get(part, (part,)) for part in (label, *more)]
                members = tuple(canonical_order(one for part in parts for one in part))
                label = self._name(members, namer)
                groups[label] = members
            elif label in self.before.groups:  # it did not change
                groups[label] = self.before.groups[label]
            if label in groups or self.owner.code_of[label] >= self.owner.n_leaves:
                raised.append(label)
        gone = [item for label in coarser.gone for item in self._items(label)]
        return replace(
            self.before,
            groups=groups,
            raised=tuple(raised),
            suppressed=tuple(dict.fromkeys((*self.before.suppressed, *gone))),
            retired=self.before.retired_without(groups),
        )

    def _items(self, label: str) -> Iterator[str]:
        """Yield the items that a label of the floor represents."""
        for member in self.before.groups.get(label, (label,)):
            yield from self.owner.items_of(member)

    def _name(self, members: tuple[str, ...], namer: Namer) -> str:
        """Return the name of a new group: its members if they are few, or a number that was not used before."""
        if len(members) <= NAMED:
            return namer.listed(members)
        parent = self._parent(members)
        self.large[parent] += 1
        number, items = self.large[parent], sum(len(self.owner.items_of(member)) for member in members)
        return namer.final(self.style.numbered(parent, number, number, items))

    def _parent(self, members: tuple[str, ...]) -> str:
        """Return the owner's node that the members are children of, or "" if there is no hierarchy."""
        if self.owner.is_flat and self.owner.name == "no hierarchy":
            return ""
        return self.owner.labels[int(self.owner.parent[self.owner.code_of[members[0]]])]
