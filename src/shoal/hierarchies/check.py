"""The shape of a hierarchy, whether it covers a data set, and what is wrong with a malformed file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import did_you_mean

_HINTS = 20  # missing items that get a suggestion, because searching for one is slow
SHOWN = 10  # labels that a line names, and problems of a kind that are listed
# A part of the message about a problem -> the name of its kind.
_KINDS = {
    " has two parents, ": "nodes with two parents",
    " occurs twice": "labels that occur twice",
    " is both an item (": "labels that are both an item and a group",
    ": cycle ": "cycles",
    ": empty label": "empty labels",
    ": the row ends in ": "rows that end below the root",
    ": the row has one column (": "rows with one column",
    ": wanted two columns": "rows that do not have two columns",
    ": the node has no label": "nodes without a label",
    ": wanted 'group has child": "lines that cannot be read",
}


@dataclass(frozen=True)
class Missing:
    """An item of the data that the hierarchy lacks.

    Parameters
    ----------
    label : str
        The item.
    records : int
        The number of records that hold it.
    hint : str
        A suggestion such as ``" (did you mean 'oat milk'?)"``, or an empty string.

    Examples
    --------
    >>> Missing("mlik", 3, " (did you mean 'milk'?)").records
    3
    """

    label: str
    records: int
    hint: str = ""


@dataclass(frozen=True)
class Check:
    """The shape of a hierarchy and, if data were given, how well it covers them. :func:`check` makes it.

    Parameters
    ----------
    name : str
        The name of the hierarchy.
    items, groups, height : int
        The number of items and of groups, and the edges on the longest path from the root to an item.
    min_depth, max_depth : int
        The smallest and the largest depth of an item.
    min_fanout, mean_fanout, max_fanout : int or float
        The number of children of a group.
    single_children : int
        The number of groups with one child, which add nothing to that child.
    data_items : int, optional
        The number of different items in the data. None: no data were given.
    covered : int
        How many of them are items of the hierarchy.
    missing : tuple of Missing
        The items of the data that are neither items nor groups of the hierarchy.
    items_that_are_groups : tuple of str
        The items of the data that are groups of the hierarchy.
    unused : tuple of str
        The items of the hierarchy that do not occur in the data. This is no error.
    total_missing_items : int
        The number of items in all records that are missing or groups.

    Examples
    --------
    >>> figures = check(Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["bread"]}}))
    >>> figures.items, figures.groups, figures.single_children, figures.ok
    (3, 3, 1, True)
    """

    name: str
    items: int
    groups: int
    height: int
    min_depth: int
    max_depth: int
    min_fanout: int
    mean_fanout: float
    max_fanout: int
    single_children: int
    data_items: int | None = None
    covered: int = 0
    missing: tuple[Missing, ...] = ()
    items_that_are_groups: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    total_missing_items: int = 0

    @property
    def ok(self) -> bool:
        """Whether every item of the data is an item of the hierarchy."""
        return not self.missing and not self.items_that_are_groups

    def rows(self, shown: int | None = SHOWN) -> list[tuple[str, str]]:
        """Return all figures, as pairs of a name and a value. Each list shows at most ``shown`` labels (None: all)."""
        depths = f"{self.min_depth}" if self.min_depth == self.max_depth else f"{self.min_depth} to {self.max_depth}"
        rows = [
            ("items", f"{self.items:,}"),
            ("groups", f"{self.groups:,}"),
            ("height", str(self.height)),
            ("depth of items", depths),
            ("children of a group", f"{self.min_fanout} to {self.max_fanout}, mean {self.mean_fanout:.2f}"),
            ("groups with a single child", f"{self.single_children:,}"),
        ]
        if self.data_items is not None:
            rows += [
                ("items in the data", f"{self.data_items:,}"),
                ("covered", f"{self.covered:,}"),
                ("missing", _listed([f"'{item.label}'{item.hint}" for item in self.missing], shown)),
                ("items that are groups", _listed([f"'{label}'" for label in self.items_that_are_groups], shown)),
                ("missing items in all records", f"{self.total_missing_items:,}"),
                ("items not in the data", f"{len(self.unused):,}"),
            ]
        return rows


def check(hierarchy: Hierarchy, transactions: Transactions | None = None) -> Check:
    """Measure a hierarchy, and compare it with the items that occur in a data set.

    Parameters
    ----------
    hierarchy : Hierarchy
        The hierarchy.
    transactions : Transactions, optional
        The data.

    Returns
    -------
    Check
        The figures. ``ok`` tells whether every item of the data is an item of the hierarchy.

    Examples
    --------
    >>> h = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["bread"]}})
    >>> report = check(h, Transactions.from_sets([{"beer", "mlik"}, {"drinks"}]))
    >>> report.ok, report.missing
    (False, (Missing(label='mlik', records=1, hint=" (did you mean 'milk'?)"),))
    """
    n = hierarchy.n_leaves
    fanout = np.array([len(children) for children in hierarchy.children[n:]] or [0])
    depths = hierarchy.depth[:n]
    shape = Check(
        name=hierarchy.name,
        items=n,
        groups=len(hierarchy) - n,
        height=hierarchy.height,
        min_depth=int(depths.min()),
        max_depth=int(depths.max()),
        min_fanout=int(fanout.min()),
        mean_fanout=float(fanout.mean()),
        max_fanout=int(fanout.max()),
        single_children=int(np.count_nonzero(fanout == 1)),
    )
    return shape if transactions is None else _covering(shape, hierarchy, transactions)


def _covering(shape: Check, hierarchy: Hierarchy, transactions: Transactions) -> Check:
    """Return the check with the figures about the data."""
    items = hierarchy.labels[: hierarchy.n_leaves]
    supports = zip(transactions.labels, transactions.supports.tolist(), strict=True)
    occurring = {label: count for label, count in supports if count}
    groups = tuple(label for label in occurring if hierarchy.code_of.get(label, -1) >= len(items))
    missing = [label for label in occurring if label not in hierarchy.code_of]
    return replace(
        shape,
        data_items=len(occurring),
        covered=len(occurring) - len(missing) - len(groups),
        missing=tuple(
            Missing(label, occurring[label], did_you_mean(label, items) if i < _HINTS else "")
            for i, label in enumerate(missing)
        ),
        items_that_are_groups=groups,
        unused=tuple(label for label in items if label not in occurring),
        total_missing_items=sum(occurring[label] for label in (*missing, *groups)),
    )


def some_problems(problems: Sequence[str], shown: int = SHOWN) -> tuple[list[str], list[str]]:
    """Return the first problems of each kind, and a line for each kind that has more.

    >>> some_problems(["h.csv: 'a' has two parents, ..", "h.csv: 'b' has two parents, .."], shown=1)
    (["h.csv: 'a' has two parents, .."], ['2 nodes with two parents, 1 of them shown'])
    """
    kinds: dict[str, list[str]] = {}
    for problem in problems:
        kind = next((name for words, name in _KINDS.items() if words in problem), "other problems")
        kinds.setdefault(kind, []).append(problem)
    first = [problem for some in kinds.values() for problem in some[:shown]]
    more = [f"{len(some):,} {kind}, {shown} of them shown" for kind, some in kinds.items() if len(some) > shown]
    return first, more


def _listed(labels: list[str], shown: int | None) -> str:
    """Return the number of labels, and the first of them."""
    if not labels:
        return "none"
    some = labels[:shown]
    more = f", and {len(labels) - len(some):,} more" if len(labels) > len(some) else ""
    return f"{len(labels):,}: {', '.join(some)}{more}"
