"""Privacy degree p (Ghinita, Kalnis, Tao 2011; P1's rival GraySort): groups of records that share their secrets.

Published rows carry the group that they belong to. What may be known (QID) is unchanged; the sensitive items of a group
stand anywhere in it, so that only their counts mean something: of a group G, count(e) / |G| <= 1/p for each sensitive
item e. Infeasible if an item is in more than |D| / p rows.

The verifier reads the column with the groups and counts. Cost: one pass; memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from shoal.data.arrays import Counts, row_ids
from shoal.data.dataset import Dataset
from shoal.data.persons import Persons
from shoal.data.table import Table
from shoal.data.transactions import Transactions
from shoal.engines import LOCAL, Engine
from shoal.errors import DataError, Infeasible, OptionError, did_you_mean
from shoal.metrics.risk import Disclosure
from shoal.models.base import DRAWN, Verdict
from shoal.models.sensitive import SensitiveItems
from shoal.models.witness import DisclosingInClass
from shoal.options import option
from shoal.published import Grouping, Published

SHOWN = 20  # witnesses that a verdict carries


@dataclass(frozen=True)
class PrivacyDegree(SensitiveItems):
    """In each published group of records, each sensitive item is in at most 1 of p.

    >>> rows = Transactions.from_sets([["a", "HIV"], ["b"], ["c"], ["d", "flu"]])
    >>> model = PrivacyDegree(p=2, sensitive=("HIV", "flu"))
    >>> seen = model.as_published(Dataset(rows))
    >>> [model.verify(replace(seen, grouping=Grouping(np.array(of), 2))).holds for of in ([0, 0, 1, 1], [0, 1, 1, 1])]
    [True, False]
    """

    name = "privacy-degree"
    title = "privacy degree p"
    protects = "Sets: at most 1 in p records of a group has a sensitive item. Shuffles items."
    paper = "Ghinita, Kalnis, Tao, IEEE TKDE 2011; P1's rival GraySort"
    default_algorithm = "graysort"
    views = ("group with a sensitive item", "groups with their sensitive items")
    counted = "in each published group how many records hold each sensitive item"
    check_scope = "every published group with each of its sensitive items"
    risk_caveat = (
        "The figures take every record of a group to be as likely as any other to hold its sensitive items, however "
        "much an attacker knows of the other items. An attacker who works out how the groups were formed can tell more."
    )

    p: int = option(5, low=2, help="at most 1 in p of the records of a group may hold a sensitive item")
    sensitive: tuple[str, ...] = option(
        (), help="what is not to be learned, items or groups: a file, one a line, or a,b,c"
    )
    qid: tuple[str, ...] = option((), help="items an attacker may know; any other item in the data is an error")
    group_column: str = option("group", help="the column with the group of each published record")

    @property
    def adds_columns(self) -> tuple[str, ...]:
        """The groups."""
        return (self.group_column,)

    @property
    def unverifiable_assumption(self) -> str:
        """A count is all that can be checked."""
        return (
            "Sensitive items were counted, group by group. Whether they were shuffled within the groups, so that "
            "those of a record say nothing about it, cannot be seen from a file."
        )

    def as_published(self, data: Dataset) -> Published:
        """With the groups that the column tells; without such a column everything is raw."""
        if data.table is None or self.group_column not in data.table.names:
            return super().as_published(data)
        grouping = Grouping.of_column(data, self.group_column, self.p)
        if len(alone := np.flatnonzero(grouping.of < 0)):
            raise DataError(
                f"Column '{self.group_column}' of {data.origin.name} tells no group for "
                f"{data.origin.place(int(alone[0]))}: every record needs one."
            )
        return replace(super().as_published(data), grouping=grouping)

    def validated_view(self, data: Dataset) -> Published:
        """A file must have the column."""
        names = () if data.table is None else data.table.names
        if self.group_column not in names:
            listed = ", ".join(f"'{name}'" for name in names) or "none"
            raise OptionError(
                f"{data.origin.name} has no column '{self.group_column}'{did_you_mean(self.group_column, names)} with "
                f"the group of each record (its columns are: {listed}): name it with --group-column."
            )
        return super().validated_view(data)

    def to_dataset(self, data: Dataset, published: Published) -> Dataset:
        """With one more column, for the groups."""
        dataset = super().to_dataset(data, published)
        if published.grouping is None:
            return dataset
        import pyarrow as pa

        beside = dataset.table or Table(pa.table({"": pa.nulls(len(dataset))}).select([]))
        return replace(dataset, table=beside.with_column(self.group_column, pa.array(published.grouping.of + 1)))

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count sensitive items group by group."""
        _, values = self.both(published)
        if published.grouping is None:
            name = type(self).__name__
            raise OptionError(f"{name}: the rows come without their groups: verify {name}.view(dataset).")
        tick = engine.tick("verifying")
        tick(0.0)
        grouping = published.grouping
        if bool(np.any(grouping.of < 0)):
            raise DataError(
                f"{self.title}: record {int(np.argmin(grouping.of)) + 1} is in no group: every record needs one."
            )
        groups, items, counts, _ = _held(values, grouping)
        wrong = np.flatnonzero(counts * self.p > grouping.sizes[groups])
        worst = wrong[np.lexsort((items[wrong], groups[wrong], -(counts[wrong] / grouping.sizes[groups[wrong]])))]
        witnesses = [
            DisclosingInClass(
                (),
                int(grouping.sizes[group]),
                sensitive=values.labels[item],
                holders=int(count),
                group=grouping.names[group] if grouping.names else f"{group + 1}",
            )
            for group, item, count in zip(groups[worst[:SHOWN]], items[worst], counts[worst], strict=False)
        ]
        tick(1.0)
        return Verdict(not len(wrong), len(groups), len(wrong), tuple(witnesses))

    def risk(self, published: Published, engine: Engine = LOCAL) -> Disclosure:
        """What can be learned: from raw data by known items, from groups by their shares."""
        rows, values = self.both(published)
        if published.grouping is None:
            return Disclosure.of(rows, values, self.p, DRAWN, engine)
        groups, _, counts, back = _held(values, published.grouping)
        sizes, holders = published.grouping.sizes[groups], row_ids(values.indptr)
        likely, certain = (len(np.unique(holders[told[back]])) for told in (counts * self.p > sizes, counts == sizes))
        return Disclosure(self.p, values.non_empty, (likely,) * DRAWN, (certain,) * DRAWN)

    def feasible(self, published: Published) -> None:
        """All records together are the best group that there can be."""
        _, values = self.both(published)
        for code, count in enumerate(values.supports.tolist()):
            if count * self.p > len(values):
                less = "choose a smaller p, or do not declare it sensitive" if self.p > 2 else "do not declare it so"
                raise Infeasible(
                    f"Privacy degree p={self.p} allows a sensitive item in at most 1 of {self.p} records, but "
                    f"'{values.labels[code]}' is in {count:,} of {len(values):,} ({count / len(values):.1%}): {less}."
                )

    @property
    def short(self) -> str:
        """For instance privacy degree 5."""
        return f"privacy degree {self.p}"

    def describe(self, persons: Persons | None = None) -> str:
        """In plain words."""
        return f"In each published group of records, each sensitive item belongs to at most 1 of {self.p}."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """In plain words."""
        return [
            "It does not keep anybody from finding a record: all items but the sensitive ones are published as they "
            "are, and few records, or one, may fit what is known.",
            "A sensitive item in a published record is a fact about its group, not about the record: the shuffle gave "
            "it to some record of the group without regard to who held it.",
            "An attacker who knows that others of a group do not hold a sensitive item tells more surely who does.",
            "Groups may give away whom they were formed around. GraySort forms them around records with sensitive "
            "items, and an attacker who repeats its steps on the published data can often tell which: on real baskets, "
            "at 1 in 5 by the counts, 9 of 10 such guesses were right.",
            "Items that were not declared sensitive are not protected; nor are groups of items: to know that a record "
            "has one of several diseases can be as bad as to know which.",
            "It is about this release alone. Publishing the same records again in another form can undo it.",
        ]


def _held(values: Transactions, grouping: Grouping) -> tuple[Counts, Counts, Counts, Counts]:
    """Each sensitive item of each group: the group, the item, its holders; and, for each holder, which it is."""
    width = max(1, len(values.labels))
    pairs, back, counts = np.unique(
        grouping.of[row_ids(values.indptr)] * width + values.items, return_inverse=True, return_counts=True
    )
    return *np.divmod(pairs, width), counts, back
