"""SavedRecoding: what a release did to items, so that the same can be done to other data.

Only recodings that change an item in the same way in all records can be saved: cuts of a hierarchy, groups of siblings,
and removed items. It holds the hierarchy, and nothing about records: no counts, and no items but those of the hierarchy
and those that were removed. :mod:`shoal.release.recoding_file` reads and writes it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.caching import cached_property
from shoal.data.arrays import Codes
from shoal.data.columns import Column
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.data.table import Role
from shoal.errors import HierarchyError, OptionError, shorten
from shoal.hierarchies.default import was_built
from shoal.hierarchies.groups import Given, grouped
from shoal.hierarchies.refine import members
from shoal.models.base import PrivacyModel
from shoal.recoding import GlobalCut

if TYPE_CHECKING:
    from shoal.release.release import Release

NOT_KEPT = ("join", "max_expanded")  # options of reading that name other files, or are about one file


@dataclass(frozen=True, eq=False)
class SavedRecoding:
    """What a release did to items.

    Parameters
    ----------
    model : PrivacyModel
        The guarantee.
    method : Algorithm
        The algorithm that found the recoding.
    loss : str
        The loss that it minimised.
    tree : Hierarchy
        The hierarchy as it was given, without groups of siblings.
    groups : mapping of str to tuple of str
        The members of each published group of siblings: children of one node.
    raised : tuple of str
        The published groups: nodes of the hierarchy, and groups of siblings. All other items are published unchanged.
    suppressed : tuple of str
        The items that are removed.
    order : tuple of str
        The published labels in the order in which records hold them, if that is not the order of the hierarchy.
    retired : tuple of str
        Labels that had another meaning before a repair. They are not used again.
    unknown_items : str
        What happens to items that the hierarchy lacks: ``"error"`` or ``"root"``.
    reading : mapping
        How the data were read.
    columns : tuple of str, optional
        The other columns that were published, or None if the data hold only sets.
    roles : mapping of str to str
        The role of each of these columns, if it was given.
    joined : bool
        Whether columns of another table were joined to the data.
    built : bool
        Whether the hierarchy was built from the data, because none was given.
    name : str
        The file that it came from, for messages.
    sha256 : str, optional
        The hash of that file.

    Examples
    --------
    >>> import shoal
    >>> tree = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> release = shoal.anonymize([["a1", "b1"], ["a2", "b1"], ["a1", "b1"]], k=2, m=2, hierarchy=tree)
    >>> saved = release.saved_recoding
    >>> saved.raised, saved.suppressed
    (('A',), ())
    >>> shoal.apply(saved, [["a2", "b2"], ["a1", "b2"]]).data
    [['A', 'b2'], ['A', 'b2']]
    """

    model: PrivacyModel
    method: Algorithm
    loss: str
    tree: Hierarchy
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    raised: tuple[str, ...] = ()
    suppressed: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    unknown_items: str = "error"
    reading: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    joined: bool = False
    built: bool = False
    name: str = "the recoding"
    sha256: str | None = None

    def __repr__(self) -> str:
        """Describe the recoding in figures."""
        gone = f", {len(self.suppressed):,} suppressed" if self.suppressed else ""
        return f"SavedRecoding({self.model!r}, {len(self.raised):,} groups of {self.tree.n_leaves:,} items{gone})"

    @classmethod
    def of(cls, release: Release) -> Self:
        """Return what a release did.

        Raises
        ------
        OptionError
            The recoding belongs to the records that it was made for.
        """
        problem, cut, earlier = release.problem, release.recoding.global_cut, release.algorithm.repeats
        if cut is None:
            raise not_reusable(release.algorithm)
        given, tree = problem.given.hierarchy, cut.hierarchy
        owner = tree.refines or tree
        raised = [node for node in cut.kept.tolist() if node >= tree.n_leaves]
        groups = {tree.labels[node]: members(tree, node) for node in raised}
        groups = {label: some for label, some in groups.items() if label not in owner.code_of}
        suppressed = tuple(item for node in cut.suppressed for item in tree.items[slice(*tree.span[node])])
        table, origin = release.aligned.table, problem.data.origin
        given_roles = problem.given.columns.items()
        roles = {name: spec.role if isinstance(spec, Column) else Role(spec) for name, spec in given_roles}
        columns = None if table is None else table.names
        recoding = cls(
            model=problem.given.model,
            method=release.algorithm if earlier is None else earlier.method,
            loss=problem.loss.name,
            tree=given,
            groups={label: tuple(canonical_order(groups[label])) for label in canonical_order(groups)},
            raised=tuple(canonical_order(tree.labels[node] for node in raised)),
            suppressed=tuple(canonical_order(suppressed)),
            order=cut.labels if groups else (),
            retired=() if earlier is None else earlier.retired_without(groups),
            unknown_items=problem.unknown_items,
            reading={name: value for name, value in origin.reading.items() if name not in NOT_KEPT},
            columns=columns,
            roles={name: role.value for name, role in roles.items() if role is not None and name in (columns or ())},
            joined="join" in origin.reading or (earlier is not None and earlier.joined),
            built=was_built(problem.data),
        )
        return recoding.with_tree(given)

    def with_tree(self, given: Hierarchy) -> Self:
        """Return the recoding with a hierarchy that has all its groups. Items that it lacks are put below its root."""
        named = (*self.tree.items, *self.suppressed, *(one for some in self.groups.values() for one in some))
        return replace(self, tree=given.with_items_under_root([one for one in named if one not in given.code_of]))

    @property
    def source(self) -> dict[str, Any]:
        """The file that it came from with its hash, and the method that found it, for the provenance."""
        method = {"name": self.method.name, **self.method.values()}
        return {"name": Path(self.name).name, "sha256": self.sha256, "method": method}

    @cached_property
    def cut(self) -> GlobalCut:
        """The recoding as a cut of its own hierarchy."""
        return self.on(self.tree)

    @cached_property
    def represents(self) -> Mapping[str, tuple[str, ...]]:
        """The items that each published label represents."""
        cut, tree = self.cut, self.cut.hierarchy
        gone = frozenset(self.suppressed)
        items = {tree.labels[node]: tree.items[slice(*tree.span[node])] for node in cut.kept.tolist()}
        return {label: tuple(item for item in some if item not in gone) for label, some in items.items()}

    def retired_without(self, labels: Collection[str]) -> tuple[str, ...]:
        """Return the labels of groups so far that are not among these."""
        return tuple(label for label in dict.fromkeys((*self.retired, *self.groups)) if label not in labels)

    def on(self, tree: Hierarchy) -> GlobalCut:
        """Return the recoding as a cut of a hierarchy, to which the groups of siblings are added.

        Raises
        ------
        HierarchyError
            A label represents other items than it should.
        """
        for label in (*self.groups, *self.retired):
            if label in tree.code_of and label not in self.tree.code_of:
                raise HierarchyError(
                    f"'{shorten(label)}' is a new label of the hierarchy or the data, but {self.name} uses it, or once "
                    f"used it, for a group of siblings: rename the new label."
                )
        refined = grouped(tree, [Given(some, self.name, label) for label, some in self.groups.items()])
        for label in (*self.groups, *self.raised, *self.suppressed):
            if label not in refined.code_of:
                what = "a group of siblings that is no group" if label in self.groups else "unknown in its hierarchy"
                raise HierarchyError(f"{self.name}: '{shorten(label)}' is {what}: the file is damaged.")
        raised, gone = ([refined.code_of[label] for label in labels] for labels in (self.raised, self.suppressed))
        if groups := [label for label, node in zip(self.suppressed, gone, strict=True) if node >= refined.n_leaves]:
            raise HierarchyError(
                f"{self.name}: '{shorten(groups[0])}' is removed, but is no item of its hierarchy: the file is damaged."
            )
        cut = GlobalCut.raising(refined, raised, gone)
        order = [refined.code_of[label] for label in self.order if label in refined.code_of]
        cut = replace(cut, order=np.array(order, dtype=np.int32))
        if not np.isin(raised, cut.nodes).all():
            below = next(label for label, node in zip(self.raised, raised, strict=True) if node not in cut.nodes)
            raise HierarchyError(
                f"{self.name}: '{shorten(below)}' is published, and a group that contains it, too: the file is damaged."
            )
        return cut

    def extended(self, tree: Hierarchy) -> Hierarchy:
        """Return a hierarchy for new data. It must have all groups and items of this recoding, at the same places.

        Items that only the recoding knows are added to it.

        Raises
        ------
        HierarchyError
            It is another hierarchy.
        """
        parents = tree.parents_by_label()
        for label, parent in self.tree.parents_by_label().items():
            if problem := self._misplaced(label, parent, tree, parents):
                raise HierarchyError(
                    f"{tree.name} is another hierarchy than that of {self.name}: {problem}: give the hierarchy of the "
                    f"first release, or one that only adds to it."
                )
            parents.setdefault(label, parent)
        return replace(Hierarchy.from_parents(parents, tree.name), file_sha256=tree.file_sha256)

    def _misplaced(self, label: str, parent: str | None, tree: Hierarchy, parents: Mapping[str, str | None]) -> str:
        """Return what is wrong with a label in another hierarchy, or an empty string."""
        item, known = self.tree.code_of[label] < self.tree.n_leaves, tree.code_of.get(label)
        if known is None:
            return "" if item else f"it lacks the group '{shorten(label)}'"
        if item != (known < tree.n_leaves):
            kinds = ("a group", "an item")
            return f"'{shorten(label)}' is {kinds[not item]} there, but {kinds[item]} in the recoding"
        if parents[label] == parent:
            return ""
        places = ["its root" if one is None else f"below '{shorten(one)}'" for one in (parents[label], parent)]
        return f"'{shorten(label)}' is {places[0]} there, but {places[1]} in the recoding"

    def refined_by(self, other: SavedRecoding) -> bool:
        """Whether another recoding tells more about some item than this one."""
        tree = self.tree
        mine, theirs = (_blocks(one.cut, tree) for one in (self, other))
        pairs = np.unique(np.stack([mine, theirs]), axis=1)
        whole = np.bincount(pairs[0] + 1)  # in how many blocks of the other each block of this one is
        return bool((whole[1:] > 1).any() or ((pairs[0] == -1) & (pairs[1] != -1)).any())


def not_reusable(method: Algorithm) -> OptionError:
    """Return the error for a method whose recoding belongs to the records that it was made for."""
    known = discovery.find("shoal.algorithms", Algorithm)
    others = ", ".join(name for name, cls in known.items() if cls.reusable and set(cls.solves) & set(method.solves))
    return OptionError(
        f"recoding= is for methods that change an item in the same way in all records. {method.name} changes records "
        f"in different ways, so what it did cannot be done to other data: "
        + (f"choose one of {others}, or leave recoding= out." if others else "leave recoding= out.")
    )


def _blocks(cut: GlobalCut, tree: Hierarchy) -> Codes:
    """Return for each item of a hierarchy the number of its published node, or -1 if it is removed."""
    nodes = np.repeat(np.arange(len(cut.nodes), dtype=np.int32), cut.hierarchy.leaves[cut.nodes])
    for first, stop in cut.hierarchy.span[cut.suppressed]:
        nodes[first:stop] = -1
    codes = [cut.hierarchy.code_of[label] for label in tree.items]  # groups of counts, if the new data have counts
    blocks: Codes = nodes[cut.hierarchy.span[codes, 0]]
    return blocks
