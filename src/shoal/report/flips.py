"""For methods that add and delete items or deal them anew: the figures, and what to say about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.metrics.change import Change
from shoal.recoding import Dealt, Flips
from shoal.release.release import Release
from shoal.report.bands import banded, bands
from shoal.report.formatting import count, share, things
from shoal.report.wording import flipped

SIZE_BANDS = (1, 2, 3, 6, 11, 21, 51, 101)  # first number of records of each band of groups


def flips(release: Release, *, named: bool) -> dict[str, Any] | None:
    """What was added and deleted, and in which groups; nothing, for other recodings.

    ``named``: with the items and their counts, which are taken from the raw data. Where items were dealt anew nothing
    tells how many are with a record that held them: that would say more about who did than the groups do.
    """
    made, recoding = release.change, release.recoding
    if made is None or not isinstance(recoding, Flips | Dealt):
        return None
    sizes = recoding.grouping.sizes
    largest = int(sizes.max(initial=0))
    smallest = int(sizes.min(initial=largest))
    counted = zip(bands(SIZE_BANDS, largest), banded(sizes, SIZE_BANDS), strict=False)
    groups = {
        "kind": recoding.summary()["kind"],
        "groups": len(sizes),
        "records_in_groups": int(sizes.sum()),
        "smallest_group": smallest,
        "largest_group": largest,
        "group_sizes": [
            {"low": max(low, smallest), "high": high, "groups": number} for (low, high), number in counted if number
        ],
    }
    if isinstance(recoding, Dealt):
        return {**groups, "unnamed": 0, "listed": None}
    added, deleted = made.per_item(made.added), made.per_item(made.deleted)
    listed, changed = _listed(release, made), int(np.count_nonzero(added + deleted))
    return {
        **groups,
        "records_changed": made.records_changed,
        "records_given_sensitive": len(made.with_sensitive(made.added)),
        "emptied_records": release.comparison.outcome.emptied,
        "qid_additions": made.qid_additions,
        "qid_deletions": made.qid_deletions,
        "sensitive_additions": made.sensitive_additions,
        "sensitive_deletions": made.sensitive_deletions,
        "items": changed,
        "unnamed": changed - len(listed),  # of the items: those that must not be named
        "listed": listed if named else None,
    }


def _listed(release: Release, made: Change) -> list[dict[str, Any]]:
    """The items that were added or deleted, most changed first; without any that only the raw data know."""
    added, deleted, before, after = made.per_item(made.added), made.per_item(made.deleted), made.before, made.after
    hierarchy, secret = release.problem.hierarchy, release.problem.unknown_items == "root"
    return [
        {
            "label": made.labels[code],
            "sensitive": code >= made.n_qid,
            "before": int(before[code]),
            "added": int(added[code]),
            "deleted": int(deleted[code]),
            "after": int(after[code]),
        }
        for code in np.lexsort((np.arange(len(added)), -(added + deleted))).tolist()
        if added[code] + deleted[code]
        and not (secret and code < made.n_qid and not after[code] and hierarchy.parent[code] == hierarchy.root)
    ]


def heading(made: dict[str, Any]) -> str:
    """What stands above the warnings."""
    if made["kind"] == "dealt":
        return "Sensitive items belong to groups, not to records"
    return "Not all that is published is true" if additions(made) else "Items are missing from what is published"


def formed(made: dict[str, Any]) -> str:
    """The groups of records in figures.

    >>> formed({"groups": 2, "records_in_groups": 11, "smallest_group": 5, "largest_group": 6})
    '2 groups of records were formed, with 11 records in all, from 5 to 6 in a group.'
    """
    few, many = made["smallest_group"], made["largest_group"]
    sizes = f"{count(few)} in each" if few == many else f"from {count(few)} to {count(many)} in a group"
    if not made["groups"]:
        return "No groups of records were formed."
    if made["groups"] == 1:
        return f"1 group of records was formed, with {things(many, 'record')}."
    records = things(made["records_in_groups"], "record")
    return f"{count(made['groups'])} groups of records were formed, with {records} in all, {sizes}."


def additions(made: dict[str, Any]) -> int:
    """Of all kinds of items."""
    return int(made["qid_additions"] + made["sensitive_additions"])


def deletions(made: dict[str, Any]) -> int:
    """Of all kinds of items."""
    return int(made["qid_deletions"] + made["sensitive_deletions"])


def unchanged(made: dict[str, Any]) -> bool:
    """Whether every record is published as it was."""
    return not additions(made) and not deletions(made)


def recoded(facts: dict[str, Any]) -> str:
    """How the items were changed."""
    made, held = facts["flips"], facts["sensitive"]
    groups = things(made["groups"], "group")
    if made["kind"] == "dealt":
        column = facts["model"]["options"]["group_column"]
        how = (
            f"All items but the sensitive ones are published as they were. The records were put into {groups}, which "
            f"the column '{column}' tells."
        )
        if not held["records"]:
            return f"{how} There was nothing sensitive to deal."
        return (
            f"{how} Inside each group the sensitive items were dealt anew, one after the other, without regard to who "
            f"held them.{_held_before_and_now(held)}"
        )
    if not made["groups"]:
        return "No groups of records had to be formed, and no record was changed."
    alone = facts["data"]["rows"] - made["records_in_groups"]
    rest = f" The other {count(alone)} are published as they were." if alone else ""
    if alone == 1:
        rest = " The other one is published as it was."
    known = "an item that may be known" if held else "an item"
    tie = "it is as in the record that the group was formed around" if held else "it is in none"
    same = f"{known} is in all of them if most of them had it, and in none if most had not; where half had it, {tie}."
    added = " A sensitive item is in all of them if any of them had it." if held else ""
    return (
        f"{things(made['records_in_groups'], 'record')} were put into {groups} of similar ones. All records of a group "
        f"are the same now: {same}{added}{rest}{_held_before_and_now(held)}"
    )


def _held_before_and_now(held: dict[str, Any] | None) -> str:
    """How many records hold something sensitive, before and after."""
    if held is None:
        return ""
    was, now = held["records"], held["after"]["records"]
    return (
        f" Sensitive items are in {things(was, 'record')} of the data and in {count(now)} as published. They do not "
        f"count as items here."
    )


def overlap(made: dict[str, Any]) -> str:
    """What counts are worth."""
    if made["kind"] == "dealt":
        return (
            "How often each item occurs is exact, in all and in each group. Which records of a group hold a sensitive "
            "item, and together with what, is not."
        )
    return "Each label stands for one item, but do not rely on counts of items: items were added or deleted."


def change(facts: dict[str, Any]) -> str:
    """What became of the items."""
    made, data, held = facts["flips"], facts["data"], facts["sensitive"]
    if made["kind"] == "dealt":
        dealt = sum(held["values"].values())
        if not dealt:
            return "No record holds a sensitive item: nothing was dealt, and every item is published as it was."
        return (
            f"All items but the sensitive ones are published as they were. Sensitive items, {things(dealt, 'time')} in "
            f"all, were dealt anew inside their groups."
        )
    if not data["occurrences"] and not (held and held["records"]):
        return "All records are empty: there was nothing to change." if unchanged(made) else said(made)
    if unchanged(made):
        return (
            "Nothing had to be changed: the data satisfy the guarantee as they are. Every item is published unchanged."
        )
    kept = ""
    if data["occurrences"]:
        among = "items that may be known" if held else "items"
        part = facts["generalized"]["hidden_among"][0]["share"]
        kept = f" Of all {among}, {share(part)} are published as they were."
    emptied = made["emptied_records"]
    apart = ", sensitive values apart" if held else ""
    lost = (
        f" {things(emptied, 'record')} lost all that {'it' if emptied == 1 else 'they'} had{apart}." if emptied else ""
    )
    return f"{said(made)}{kept}{lost}"


def said(made: dict[str, Any]) -> str:
    """What was added and deleted, in a sentence."""
    return flipped(additions(made), made["sensitive_additions"], deletions(made))


def bars(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """What became of the occurrences, one bar each: shares are shares of what was there before, and may exceed 1."""
    made, held, known = facts["flips"], facts["sensitive"], facts["data"]["occurrences"]
    if made["kind"] == "dealt":
        return []
    kinds = [("other items, " if held else "", known, made["qid_additions"], made["qid_deletions"])]
    if held:
        total = sum(held["values"].values())
        kinds.insert(0, ("sensitive items, ", total, made["sensitive_additions"], made["sensitive_deletions"]))
    rows = []
    for name, total, added, deleted in kinds:
        ways = [("as they were", total - deleted), ("deleted", deleted), ("added", added)]
        for what, number in ways:
            if total and (number or what == "as they were"):
                kept = what == "as they were"
                rows.append({"label": f"{name}{what}", "share": number / total, "count": number, "kept": kept})
    longest = max([1.0, *(row["share"] for row in rows)])
    return [{**row, "length": row["share"] / longest} for row in rows]


def tiles(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The figures to put first."""
    made = facts["flips"]
    if made["kind"] == "dealt":
        return [
            ("groups of records", count(made["groups"])),
            ("sensitive items dealt anew", count(sum(facts["sensitive"]["values"].values()))),
        ]
    given = made["sensitive_additions"]
    of_them = f", {count(given)} of them sensitive" if given else ""
    return [
        (f"items added to records that did not have them{of_them}", count(additions(made))),
        ("items deleted from records that had them", count(deletions(made))),
    ]
