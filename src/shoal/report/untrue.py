"""What to know about published data that are not all true: items were added, deleted, or dealt anew."""

from __future__ import annotations

import numpy as np

from shoal.metrics.change import Change
from shoal.recoding import Recoding

DEALT = (  # how many items are back with a holder must never be told: it would tell more than the groups do
    "Sensitive items belong to groups of records here, not to single records: inside each group they were dealt anew, "
    "without regard to who held them. How many records of a group hold each is a fact; which ones is not.",
    "Do not use sensitive items in these data to decide anything about a single person, nor count what they occur "
    "together with in a record: count them by groups.",
    "Groups were formed around records with a sensitive item. Somebody who knows the method and repeats its steps on "
    "the published data can often tell which ones (on real baskets in 9 of 10 groups): rely on the counts only where "
    "nobody would go to such lengths.",
)


def made_up(change: Change, recoding: Recoding) -> list[str]:
    """What is published that is not in the data, or not where it was; nothing, if all is as it was."""
    if recoding.reshuffles:
        return list(DEALT) if np.any(change.before[change.n_qid :]) else []
    return _flipped(change)


def times(number: int) -> str:
    """How often.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def flipped(added: int, sensitive: int, deleted: int) -> str:
    """How often items were added and deleted, as a sentence; one of the two must have happened.

    >>> flipped(12, 1, 3)
    'Items were added 12 times to records that did not have them, once a sensitive one, and deleted 3 times from records
    that had them.'
    >>> flipped(0, 0, 1)
    'An item was deleted once from a record that had it.'
    """
    of_them = f", {times(sensitive)} a sensitive one" if sensitive else ""
    if not added or not deleted:
        what, where, had = ("added", "to", "did not have") if added else ("deleted", "from", "had")
        if added + deleted == 1:
            kind = "A sensitive item" if sensitive else "An item"
            return f"{kind} was {what} once {where} a record that {had} it."
        return f"Items were {what} {times(added + deleted)} {where} records that {had} them{of_them}."
    given = f"added {times(added)} to records that did not have them{f'{of_them},' if of_them else ''}"
    lost = "a record that had it" if deleted == 1 else "records that had them"
    return f"Items were {given} and deleted {times(deleted)} from {lost}."


def _given(change: Change) -> str:
    """Who holds what they did not."""
    given = len(change.with_sensitive(change.added))
    records, held = ("1 record is", "it") if given == 1 else (f"{given:,} records are", "they")
    return f"{records} published with a sensitive item that {held} did not hold."


def _inflated(change: Change) -> list[str]:
    """How much more often sensitive items are published than they are true, and whether that ruins the data."""
    held = int(change.before[change.n_qid :].sum())
    now = held + change.sensitive_additions - change.sensitive_deletions
    notes = [
        f"Sensitive items are published {now / held:.3g} times as often as they are true, {now:,} times instead of "
        f"{held:,}. Every record that held one is published with it."
    ]
    if change.grouping is None:
        return notes
    rows = len(change.grouping.of)
    holders, given = change.with_sensitive(change.was), change.with_sensitive(change.added)
    was, shown = len(holders), len(np.union1d(holders, given))
    if 2 * shown > rows:
        notes.append(
            f"{shown:,} of {rows:,} records are published with a sensitive item; {was:,} hold one. These are too many "
            f"for groups of {change.grouping.least}: choose a smaller k, declare fewer items sensitive, or use a model "
            f"whose methods generalize (lm)."
        )
    return notes


def _flipped(change: Change) -> list[str]:
    """For items that were added and deleted."""
    added, deleted, sensitive = len(change.added.items), len(change.deleted.items), change.sensitive_additions
    if not added and not deleted:
        return []
    said = flipped(added, sensitive, deleted)
    notes = [
        f"Facts are published that are not in the data. {said} Generalization makes data vague, but leaves them "
        f"true; this method does not."
        if added
        else f"Items are missing that are in the data. {said} What a published record does not show may be true of it "
        f"all the same."
    ]
    if sensitive:
        notes.append(_given(change))
        notes += _inflated(change)
    notes.append(
        "Do not use these data to decide anything about a single person. Counts of items, alone or together, cannot be "
        "relied on."
    )
    return notes
