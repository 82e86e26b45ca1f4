"""Repairs a malformed hierarchy: makes a tree of what a file holds, and says what was done about each problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.data.hierarchy import Hierarchy
from shoal.errors import HierarchyError, shorten
from shoal.hierarchies.draft import Draft, Edge
from shoal.hierarchies.formats import read_draft

_NAMED = 4  # roots that a sentence names


@dataclass(frozen=True)
class Repair:
    """A repaired hierarchy.

    Parameters
    ----------
    hierarchy : Hierarchy
        The tree.
    done : tuple of str
        A sentence for each repair.

    Examples
    --------
    >>> Repair(Hierarchy.flat(["a"]), ("Row 2 was left out.",)).done
    ('Row 2 was left out.',)
    """

    hierarchy: Hierarchy
    done: tuple[str, ...]


def repair(path: str | Path, *, format: str | None = None) -> Repair:
    """Make a tree of a hierarchy file that cannot be loaded. The file stays as it is.

    A node with several parents keeps the first. A cycle is cut at its first node. Several roots get a common root. Rows
    that are no path to the root are left out.

    Parameters
    ----------
    path : path
        The file.
    format : str, optional
        One of :data:`shoal.hierarchies.FORMATS`.

    Returns
    -------
    Repair

    Raises
    ------
    HierarchyError
        The file is not text, or no row can be used.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "drinks.csv")
    ...     _ = path.write_text("beer;bar;*\\nbeer;pub;*\\nmilk;farm\\n")
    ...     fixed = repair(path)
    >>> fixed.hierarchy.parents_by_label()
    {'beer': 'bar', 'milk': 'farm', 'bar': '*', 'farm': '*', '*': None}
    """
    return of_draft(read_draft(path, format))


def of_draft(draft: Draft) -> Repair:
    """Repair the content of a file."""
    edges = draft.qualified
    if not edges:
        raise HierarchyError(f"{draft.name} cannot be repaired, because no row of it can be used: build another one.")
    done = [f"Left out: {finding.removeprefix(draft.name).lstrip(':, ')}" for finding in draft.findings]
    kept: dict[str, Edge] = {}
    for edge in edges:
        first = kept.setdefault(edge.child, edge)
        if first.parent is None and edge.parent is not None:
            kept[edge.child] = edge
        elif edge.parent not in (None, first.parent):
            done.append(
                f"'{shorten(edge.child)}' stays below '{shorten(first.parent)}' ({first.place}), and "
                f"'{shorten(edge.parent)}' ({edge.place}) is left out as its second parent."
            )
    parents: dict[str, str | None] = {label: edge.parent for label, edge in kept.items()}
    done += _cut_cycles(parents)
    groups = {edge.parent for edge in edges}  # one that has no items left does not become an item
    while empty := (parents.keys() & groups) - set(parents.values()):
        parents = {label: parent for label, parent in parents.items() if label not in empty}
    if not parents:
        raise HierarchyError(f"{draft.name} cannot be repaired, because no item is left: build another one.")
    done += _join_roots(parents)
    return Repair(replace(Hierarchy.from_parents(parents, draft.name), name=Path(draft.name).name), tuple(done))


def _cut_cycles(parents: dict[str, str | None]) -> list[str]:
    """Take one node of each cycle out of it, and return what was done."""
    done, seen = [], set[str]()
    for start in list(parents):
        path: dict[str, None] = {}  # an ordered set
        label: str | None = start
        while label is not None and label in parents and label not in seen and label not in path:
            path[label] = None
            label = parents[label]
        if label in path:
            done.append(f"'{shorten(label)}' is no longer below '{shorten(parents[label])}', which led back to itself.")
            parents[label] = None
        seen.update(path)
    return done


def _join_roots(parents: dict[str, str | None]) -> list[str]:
    """Put several roots below a common one, and return what was done."""
    groups = set(filter(None, parents.values()))
    roots = [*(label for label, parent in parents.items() if parent is None), *(groups - parents.keys())]
    if len(roots) < 2:
        return []
    top = "*" if "*" in roots and "*" in groups else _free(parents, groups)
    below = sorted(label for label in roots if label != top)
    parents.update(dict.fromkeys(below, top))
    parents[top] = None
    named = ", ".join(f"'{shorten(label)}'" for label in below[:_NAMED])
    more = f" and {len(below) - _NAMED:,} more" if len(below) > _NAMED else ""
    return [f"{named}{more} had nothing above, and went below '{top}'."]


def _free(parents: Mapping[str, str | None], groups: set[str]) -> str:
    """Return a label for a root that nothing else has."""
    names = ["*", "(all)", *(f"(all {number})" for number in range(2, len(parents) + len(groups) + 3))]
    return next(name for name in names if name not in parents and name not in groups)
