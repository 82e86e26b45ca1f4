"""What a hierarchy looks like, whether it covers a data set, and what is wrong with a file that holds none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import did_you_mean

_HINTS = 20  # missing items that get a "did you mean": looking for one is slow
SHOWN = 10  # labels that a line names, and problems of a kind that are listed
# What a message about a file says -> what such problems are called when they are counted.
_KINDS = {
    " has two parents, ": "nodes with two parents",
    " is given twice": "labels that are given twice",
    " is an item (": "labels that are an item and a group",
    ": cycle ": "cycles",
    ": empty label": "empty labels",
    ": the row ends in ": "rows that end below the root",
    ": one column (": "rows of one column",
    ": wanted two columns": "rows that do not have two columns",
    ": the node has no label": "nodes without a label",
    ": wanted 'group has child": "lines that cannot be read",
}


@dataclass(frozen=True)
class Missing:
    """An item of the data that the hierarchy lacks."""

    label: str
    occurrences: int
    hint: str = ""  # such as " (did you mean 'oat milk'?)"


@dataclass(frozen=True)
class Check:
    """The shape of a hierarchy and, if data were given, how well it covers them."""

    name: str
    items: int
    groups: int
    height: int
    min_depth: int  # of an item
    max_depth: int
    min_fanout: int
    mean_fanout: float
    max_fanout: int
    single_children: int  # groups with one child: they say no more than the child does
    data_items: int | None = None  # distinct items that occur in the data; None: no data were given
    covered: int = 0  # of those
    missing: tuple[Missing, ...] = ()  # in neither items nor groups
    items_that_are_groups: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()  # items of the hierarchy that do not occur: no error
    occurrences_missing: int = 0  # of the missing and of those that are groups

    @property
    def ok(self) -> bool:
        """Whether every item of the data is an item of the hierarchy."""
        return not self.missing and not self.items_that_are_groups

    def rows(self, shown: int | None = SHOWN) -> list[tuple[str, str]]:
        """What there is to tell, as pairs of a name and a value; of each list so many labels, or all."""
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
                ("missing items in all records", f"{self.occurrences_missing:,}"),
                ("items not in the data", f"{len(self.unused):,}"),
            ]
        return rows


def check(hierarchy: Hierarchy, transactions: Transactions | None = None) -> Check:
    """Measure a hierarchy and compare it with the items that occur in a data set.

    >>> h = Hierarchy.from_tree({"*": {"drinks": ["beer", "milk"], "food": ["bread"]}})
    >>> report = check(h, Transactions.from_sets([{"beer", "mlik"}, {"drinks"}]))
    >>> report.ok, report.missing
    (False, (Missing(label='mlik', occurrences=1, hint=" (did you mean 'milk'?)"),))
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
    """The same with what is known from the data."""
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
        occurrences_missing=sum(occurring[label] for label in (*missing, *groups)),
    )


def some_problems(problems: Sequence[str], shown: int = SHOWN) -> tuple[list[str], list[str]]:
    """The first problems of each kind of all those of a file, and a line for each kind that has more.

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
    """How many there are, and the first of them."""
    if not labels:
        return "none"
    some = labels[:shown]
    more = f", and {len(labels) - len(some):,} more" if len(labels) > len(some) else ""
    return f"{len(labels):,}: {', '.join(some)}{more}"
