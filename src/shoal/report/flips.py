"""Figures and sentences for methods that add and delete items, or shuffle them within groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.metrics.change import Change
from shoal.metrics.operations import Operations
from shoal.metrics.privacy_value import PrivacyValue
from shoal.release.release import Release
from shoal.report.bands import sized
from shoal.report.formatting import count, count_noun, share
from shoal.report.sections import SensitiveFacts
from shoal.report.wording import flipped

if TYPE_CHECKING:
    from shoal.report.facts import Facts

UNCHANGED = "Nothing had to be changed. The original data satisfy the guarantee. Every item is published unchanged."
SIZE_BANDS = (1, 2, 3, 6, 11, 21, 51, 101)  # first number of records of each band of groups


@dataclass(frozen=True)
class GroupBand:
    """How many groups have between ``low`` and ``high`` records."""

    low: int
    high: int
    groups: int


@dataclass(frozen=True)
class ChangedItem:
    """An item that was added or deleted: how many records had it, and how many have it now."""

    label: str
    sensitive: bool
    before: int
    added: int
    deleted: int
    after: int


@dataclass(frozen=True)
class Bar:
    """A bar of the chart that shows what became of the items."""

    label: str
    share: float  # of the items before; it may exceed 1
    count: int
    kept: bool
    length: float  # scaled to the chart


@dataclass(frozen=True)
class _Groups:
    """The groups of records that were changed together."""

    kind: str
    groups: int
    records_in_groups: int
    smallest_group: int
    largest_group: int
    group_sizes: tuple[GroupBand, ...]

    secret: ClassVar[frozenset[str]] = frozenset()  # measures that must not be shown

    @property
    def _groups(self) -> tuple[str, str]:
        return "groups of records", count(self.groups)

    @property
    def _formed_row(self) -> tuple[str, str]:
        name, number = self._groups
        largest = f" ({count_noun(self.records_in_groups, 'record')}, the largest has {count(self.largest_group)})"
        return name, f"{number}{largest if self.groups else ''}"

    @property
    def formed(self) -> str:
        """Return a sentence on the groups of records.

        >>> ShuffledFacts("shuffled", 2, 11, 5, 6, ()).formed
        '2 groups of records were formed, with 11 records in all, from 5 to 6 in a group.'
        """
        few, many = self.smallest_group, self.largest_group
        sizes = f"{count(few)} in each" if few == many else f"from {count(few)} to {count(many)} in a group"
        if not self.groups:
            return "No groups of records were formed."
        if self.groups == 1:
            return f"1 group of records was formed, with {count_noun(many, 'record')}."
        records = count_noun(self.records_in_groups, "record")
        return f"{count(self.groups)} groups of records were formed, with {records} in all, {sizes}."


@dataclass(frozen=True)
class ShuffledFacts(_Groups):
    """The figures of sensitive items that were shuffled within groups.

    No figure says how many items went back to a record that held them. That would reveal more than the groups do.
    """

    unnamed: int = 0
    listed: None = None

    secret = frozenset((*Operations.meanings, *PrivacyValue.meanings))  # they depend on which records got an item back
    title = "What was shuffled within groups"
    heading = "Sensitive items belong to groups, not to records"
    unchanged = False
    overlap = (
        "Counts of items are exact, for all records and for each group. It is not exact which records of a group hold "
        "a sensitive item, and together with which other items."
    )

    def recoded(self, facts: Facts) -> str:
        """Describe how the items were changed."""
        held = facts.sensitive
        how = (
            f"All items that are not sensitive are published unchanged. The records were put into "
            f"{count_noun(self.groups, 'group')}. The column '{facts.model.options['group_column']}' shows the group."
        )
        if held is None or not held.records:
            return f"{how} There was nothing sensitive to shuffle."
        return (
            f"{how} Each sensitive item was shuffled within each group, without regard to who held it."
            f"{_held_before_and_now(held)}"
        )

    def change(self, facts: Facts) -> str:
        """Describe what became of the items."""
        shuffled = facts.sensitive.times if facts.sensitive else 0
        if not shuffled:
            return "No record holds a sensitive item. Nothing was shuffled, and every item is published unchanged."
        return (
            f"All items that are not sensitive are published unchanged. {count_noun(shuffled, 'sensitive item')} of "
            f"records {'was' if shuffled == 1 else 'were'} shuffled within groups."
        )

    def bars(self, facts: Facts) -> list[Bar]:
        """Return no bars: what became of single items must not be shown."""
        return []

    def card(self) -> list[tuple[str, str]]:
        """Return the figures for the notebook card."""
        return [self._groups]

    def rows(self, change: Change) -> list[tuple[str, str]]:
        """Return the figures for the command line."""
        shuffled = int(change.before[change.n_qid :].sum())
        return [self._formed_row, ("sensitive items shuffled within groups", count(shuffled))]

    def tiles(self, facts: Facts) -> list[tuple[str, str]]:
        """Return the figures for the tiles at the top."""
        shuffled = facts.sensitive.times if facts.sensitive else 0
        return [self._groups, ("sensitive items shuffled within groups", count(shuffled))]


@dataclass(frozen=True)
class FlipFacts(_Groups):
    """The figures of items that were added and deleted."""

    records_changed: int
    records_given_sensitive: int
    emptied_records: int
    qid_additions: int
    qid_deletions: int
    sensitive_additions: int
    sensitive_deletions: int
    different_items: int
    unnamed: int  # of the items: those that must not be named
    listed: tuple[ChangedItem, ...] | None

    title = "What was added and deleted"
    overlap = "Each label represents one item. But items were added or deleted, so do not rely on counts of items."

    @property
    def heading(self) -> str:
        """Return the heading of the warnings."""
        return "The published data contain false statements" if self.additions else "The published data lack some items"

    @property
    def additions(self) -> int:
        """How many items were added."""
        return self.qid_additions + self.sensitive_additions

    @property
    def deletions(self) -> int:
        """How many items were deleted."""
        return self.qid_deletions + self.sensitive_deletions

    @property
    def unchanged(self) -> bool:
        """Whether every record is published as it was."""
        return not self.additions and not self.deletions

    @property
    def how_often(self) -> str:
        """Return a sentence on how often items were added and deleted."""
        return flipped(self.additions, self.sensitive_additions, self.deletions)

    def recoded(self, facts: Facts) -> str:
        """Describe how the items were changed."""
        if not self.groups:
            return "No groups of records had to be formed, and no record was changed."
        alone, held = facts.data.rows - self.records_in_groups, facts.sensitive
        rest = f" The other {count(alone)} are published unchanged." if alone else ""
        if alone == 1:
            rest = " The other one is published unchanged."
        known = "An item that is not sensitive" if held else "An item"
        tie = "If exactly half had it, the group follows the record around which it was formed."
        none = f"in none if fewer than half had it. {tie}" if held else "in none otherwise."
        same = f"{known} is published in all records of a group if more than half of them had it, and {none}"
        added = " A sensitive item is published in all records of a group if any of them had it." if held else ""
        records, groups = count_noun(self.records_in_groups, "record"), count_noun(self.groups, "group")
        return (
            f"{records} were put into {groups} of similar records. All records of a group are published as equal. "
            f"{same}{added}{rest}{_held_before_and_now(held)}"
        )

    def change(self, facts: Facts) -> str:
        """Describe what became of the items."""
        data, held = facts.data, facts.sensitive
        if not data.total_items and not (held and held.records):
            return "All records are empty. There was nothing to change." if self.unchanged else self.how_often
        if self.unchanged:
            return UNCHANGED
        kept = ""
        if data.total_items:
            among = "items that are not sensitive" if held else "items"
            kept = f" {share(facts.unchanged_share)} of all {among} are published unchanged."
        return f"{self.how_often}{kept}{lost_all(self.emptied_records, sensitive=held is not None)}"

    def bars(self, facts: Facts) -> list[Bar]:
        """Return the bars on what became of the items."""
        held = facts.sensitive
        kinds = [("other items, " if held else "", facts.data.total_items, self.qid_additions, self.qid_deletions)]
        if held:
            kinds.insert(0, ("sensitive items, ", held.times, self.sensitive_additions, self.sensitive_deletions))
        parts = [
            (f"{name}{what}", number / total, number, kept)
            for name, total, added, deleted in kinds
            for what, number, kept in (
                ("unchanged", total - deleted, True),
                ("deleted", deleted, False),
                ("added", added, False),
            )
            if total and (number or kept)
        ]
        longest = max([1.0, *(part for _, part, _, _ in parts)])
        return [Bar(label, part, number, kept, part / longest) for label, part, number, kept in parts]

    def card(self) -> list[tuple[str, str]]:
        """Return the figures for the notebook card."""
        return [self._groups, ("items added", count(self.additions)), ("items deleted", count(self.deletions))]

    def rows(self, change: Change) -> list[tuple[str, str]]:
        """Return the figures for the command line."""
        sensitive = f" ({count(self.sensitive_additions)} sensitive)" if self.sensitive_additions else ""
        return [
            self._formed_row,
            ("records changed", count(self.records_changed)),
            ("items added", f"{count(self.additions)}{sensitive}"),
            ("items deleted", count(self.deletions)),
        ]

    def tiles(self, facts: Facts) -> list[tuple[str, str]]:
        """Return the figures for the tiles at the top."""
        given = self.sensitive_additions
        of_them = f", {count(given)} of them sensitive" if given else ""
        return [
            (f"items added to records that did not have them{of_them}", count(self.additions)),
            ("items deleted from records that had them", count(self.deletions)),
        ]


GroupFacts = ShuffledFacts | FlipFacts


def lost_all(records: int, *, sensitive: bool) -> str:
    """Return a sentence on records that lost all their items, starting with a space, or an empty string."""
    their, apart = "its" if records == 1 else "their", ", not counting sensitive values" if sensitive else ""
    return f" {count_noun(records, 'record')} lost all {their} items{apart}." if records else ""


def _held_before_and_now(held: SensitiveFacts | None) -> str:
    """Return a sentence on how many records hold sensitive items before and after, or an empty string."""
    if held is None or held.after is None:
        return ""
    return (
        f" {count_noun(held.records, 'original record')} and {count_noun(held.after.records, 'published record')} hold "
        f"sensitive items. These do not count as items in this report."
    )


def flips(release: Release, *, named: bool) -> GroupFacts | None:
    """Return the figures on added, deleted or shuffled items, or None for other recodings.

    ``named``: with the items and their counts, which come from the raw data.
    """
    change, grouping = release.change, release.published.grouping
    if change is None or grouping is None:
        return None
    sizes = grouping.sizes
    largest = int(sizes.max(initial=0))
    smallest = int(sizes.min(initial=largest))
    group_sizes = tuple(GroupBand(*band) for band in sized(sizes, SIZE_BANDS))
    groups = (len(sizes), int(sizes.sum()), smallest, largest, group_sizes)
    if release.recoding.reshuffles:
        return ShuffledFacts("shuffled", *groups)
    changed = int(np.count_nonzero(change.per_item(change.added) + change.per_item(change.deleted)))
    listed = _listed(release, change)
    return FlipFacts(
        "added and deleted",
        *groups,
        records_changed=change.records_changed,
        records_given_sensitive=len(change.with_sensitive(change.added)),
        emptied_records=release.comparison.outcome.emptied,
        qid_additions=change.qid_additions,
        qid_deletions=change.qid_deletions,
        sensitive_additions=change.sensitive_additions,
        sensitive_deletions=change.sensitive_deletions,
        different_items=changed,
        unnamed=changed - len(listed),
        listed=listed if named else None,
    )


def _listed(release: Release, change: Change) -> tuple[ChangedItem, ...]:
    """Return the items that were added or deleted, most changed first, without items that only the raw data have."""
    added, deleted = change.per_item(change.added), change.per_item(change.deleted)
    before, after = change.before, change.after
    secret = release.problem.secret_items
    return tuple(
        ChangedItem(
            change.labels[code],
            code >= change.n_qid,
            int(before[code]),
            int(added[code]),
            int(deleted[code]),
            int(after[code]),
        )
        for code in np.lexsort((np.arange(len(added)), -(added + deleted))).tolist()
        if added[code] + deleted[code] and not (code < change.n_qid and secret[code] and not after[code])
    )
