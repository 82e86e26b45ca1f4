"""What a hierarchy looks like, and whether it covers a data set."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.transactions import Transactions
from shoal.errors import did_you_mean

_HINTS = 20  # missing items that get a "did you mean": looking for one is slow
_SHOWN = 10  # labels that a line names


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

    def rows(self) -> list[tuple[str, str]]:
        """What there is to tell, as pairs of a name and a value."""
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
                ("missing", _listed([f"'{item.label}'{item.hint}" for item in self.missing])),
                ("items that are groups", _listed([f"'{label}'" for label in self.items_that_are_groups])),
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


def _listed(labels: list[str]) -> str:
    """How many there are, and the first of them."""
    if not labels:
        return "none"
    more = f", and {len(labels) - _SHOWN:,} more" if len(labels) > _SHOWN else ""
    return f"{len(labels):,}: {', '.join(labels[:_SHOWN])}{more}"
