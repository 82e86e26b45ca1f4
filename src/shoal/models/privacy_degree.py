"""Privacy degree p (Ghinita et al. 2011): groups of records in which sensitive items are shuffled.

Each published row names its group. Items that an attacker may know (QID) are unchanged. The sensitive items of a group
are shuffled within it, so only their counts mean something: in a group G, count(e) / |G| <= 1/p for each sensitive item
e. The model is infeasible if an item is in more than |D| / p rows.

The verifier reads the column with the groups and counts. It takes one pass, and memory proportional to the data.
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

SHOWN = 20  # witnesses in a verdict


@dataclass(frozen=True)
class PrivacyDegree(SensitiveItems):
    """Privacy degree p: in each published group of records, each sensitive item is in at most 1 of p records.

    Sensitive items are shuffled within the groups, so that a record reveals nothing about them beyond its group. All
    other items are published unchanged, and an attacker may find a record by them.

    Parameters
    ----------
    p : int, default 5
        At most 1 in p of the records of a group may hold the same sensitive item. At least 2.
    sensitive : tuple of str
        Sensitive items, or groups of the hierarchy.
    qid : tuple of str
        Items that an attacker may know. If given, any other item in the data is an error.
    group_column : str, default "group"
        Name of the published column with the group of each record.

    References
    ----------
    G. Ghinita, P. Kalnis, Y. Tao: Anonymous publication of sensitive transactional data. IEEE TKDE 23(2), 2011.

    Examples
    --------
    >>> import shoal
    >>> visits = [["a", "HIV"], ["a"], ["c"], ["c", "flu"]]
    >>> release = shoal.anonymize(visits, shoal.models.PrivacyDegree(p=2, sensitive=("HIV", "flu")))
    >>> release.verdict.holds
    True
    """

    name = "privacy-degree"
    title = "privacy degree p"
    protects = "Sets: at most 1 in p records of a group has a sensitive item. Shuffles items."
    promise = (
        "In each published group of records, at most 1 in p has the same sensitive item, and nobody can tell which one."
    )
    about_learning = True
    suits = "Readers need the exact items, and accept that sensitive items are shuffled within small groups."
    paper = "Ghinita et al. 2011"
    default_algorithm = "graysort"
    views = ("group with a sensitive item", "groups with their sensitive items")
    counted = "how many records of each published group hold each sensitive item"
    check_scope = "one for each sensitive item of every published group"
    risk_caveat = (
        "The charts assume that all records of a group are equally likely to hold its sensitive items, whatever an "
        "attacker knows about other items. An attacker who works out how the groups were formed can learn more."
    )

    p: int = option(5, low=2, help="At most 1 in p of the records of a group may hold the same sensitive item.")
    sensitive: tuple[str, ...] = option(
        (), help="Items or groups that must not be learned: a,b,c or a file with one a line."
    )
    qid: tuple[str, ...] = option((), help="Items an attacker may know. Any other item in the data is an error.")
    group_column: str = option("group", help="Name of the column with the group of each published record.")

    @property
    def adds_columns(self) -> tuple[str, ...]:
        """The column with the groups."""
        return (self.group_column,)

    @property
    def unverifiable_assumption(self) -> str:
        """Say that a file cannot show whether items were shuffled."""
        return (
            "The check counts the sensitive items of each group. A file cannot show whether these items were shuffled "
            "within the groups, so that those of a record say nothing about it."
        )

    def as_published(self, data: Dataset) -> Published:
        """Return the data with the groups of their column. Data without this column are raw data."""
        if data.table is None or self.group_column not in data.table.names:
            return super().as_published(data)
        grouping = Grouping.of_column(data, self.group_column, self.p)
        if len(alone := np.flatnonzero(grouping.of < 0)):
            raise DataError(
                f"Column '{self.group_column}' of {data.origin.name} has no group for "
                f"{data.origin.place(int(alone[0]))}: every record needs one."
            )
        return replace(super().as_published(data), grouping=grouping)

    def validated_view(self, data: Dataset) -> Published:
        """Return the data as published, or raise an error if the column with the groups is missing."""
        names = () if data.table is None else data.table.names
        if self.group_column not in names:
            listed = ", ".join(f"'{name}'" for name in names) or "none"
            raise OptionError(
                f"{data.origin.name} has no column '{self.group_column}'{did_you_mean(self.group_column, names)} with "
                f"the group of each record (its columns are: {listed}): name it with group_column=."
            )
        return super().validated_view(data)

    def to_dataset(self, data: Dataset, published: Published) -> Dataset:
        """Return the published data with a column for the groups."""
        dataset = super().to_dataset(data, published)
        if published.grouping is None:
            return dataset
        import pyarrow as pa

        table = dataset.table or Table(pa.table({"": pa.nulls(len(dataset))}).select([]))
        return replace(dataset, table=table.with_column(self.group_column, pa.array(published.grouping.of + 1)))

    def verify(self, published: Published, engine: Engine = LOCAL) -> Verdict:
        """Count the sensitive items of each group, and return the verdict."""
        _, values = self.both(published)
        if published.grouping is None:
            name = type(self).__name__
            raise OptionError(f"{name}: these rows have no groups: verify {name}.validated_view(dataset).")
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
        """Count the records whose sensitive item is revealed: by known items, or by the shares of their group."""
        rows, values = self.both(published)
        if published.grouping is None:
            return Disclosure.of(rows, values, self.p, DRAWN, engine)
        groups, _, counts, back = _held(values, published.grouping)
        sizes, holders = published.grouping.sizes[groups], row_ids(values.indptr)
        likely, certain = (len(np.unique(holders[told[back]])) for told in (counts * self.p > sizes, counts == sizes))
        return Disclosure(self.p, values.non_empty, (likely,) * DRAWN, (certain,) * DRAWN)

    def feasible(self, published: Published) -> None:
        """Raise an error if an item is too frequent in all records together."""
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
        """The guarantee in a few words, such as "privacy degree 5"."""
        return f"privacy degree {self.p}"

    def describe(self, persons: Persons | None = None) -> str:
        """Describe the guarantee in one sentence."""
        return f"In each published group of records, each sensitive item belongs to at most 1 of {self.p}."

    def caveats(self, persons: Persons | None = None) -> list[str]:
        """List what the guarantee does not promise."""
        return [
            "It does not keep an attacker from finding a record. All items that are not sensitive are published "
            "unchanged, and few records, or only one, may fit what an attacker knows.",
            "A sensitive item in a published record is a fact about its group, not about the record. It was given to "
            "some record of the group, without regard to who held it.",
            "An attacker who knows that some records of a group do not hold a sensitive item can guess better which "
            "records do.",
            "Groups may reveal the records around which they were formed. GraySort forms them around records with "
            "sensitive items, and an attacker who repeats its steps on the published data can often tell which ones. "
            "On real baskets with p = 5, 9 of 10 such guesses were right.",
            "It does not protect items that were not declared sensitive, nor groups of items. To know that a record "
            "has one of several diseases can be as bad as to know which one.",
            "It covers this release only. Publishing the same records again in another form can undo it.",
        ]


def _held(values: Transactions, grouping: Grouping) -> tuple[Counts, Counts, Counts, Counts]:
    """Return for each sensitive item of each group: the group, the item, its holders; and for each holder its index."""
    width = max(1, len(values.labels))
    pairs, back, counts = np.unique(
        grouping.of[row_ids(values.indptr)] * width + values.items, return_inverse=True, return_counts=True
    )
    return *np.divmod(pairs, width), counts, back
