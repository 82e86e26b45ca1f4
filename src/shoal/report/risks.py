"""What an adversary could do before and can do now, in plain English."""

from __future__ import annotations

from typing import Any

from shoal.release.release import Release
from shoal.report import relational
from shoal.report.formatting import count, share, things


def known(facts: dict[str, Any], number: int) -> str:
    """What an adversary knows, in short."""
    return relational.bar_label(facts, number) if facts["relational"] else known_items(number)


def known_items(number: int) -> str:
    """What an adversary knows, as a subject.

    >>> known_items(1), known_items(2)
    ('1 item', 'up to 2 items')
    """
    return "1 item" if number == 1 else f"up to {number} items"


def both(facts: dict[str, Any]) -> tuple[str, str]:
    """What an adversary could do before, and can do now."""
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    beside = relational.known(facts, after["m"]) if facts["relational"] else None
    return risk(before, before["m"], beside), risk(after, after["m"], beside)


def risk(figures: dict[str, Any], known: int, told: tuple[str, str] | None = None) -> str:
    """What somebody who knows up to that many items can do, by the figures of the data before or after.

    ``told``: what they know as what is enough, and as what they go by, where that is not items alone.

    >>> one = {"k": 5, "below_k": [0], "unique": [0], "share_below_k": [0.0], "share_unique": [0.0]}
    >>> risk(one, 1)
    'No record can be narrowed down to fewer than 5 records by knowing 1 item of it.'
    >>> risk(one | {"below_k": [34], "share_below_k": [0.34], "unique": [12], "share_unique": [0.12]}, 1)
    'For 34 % of the records, 1 well-chosen item is enough to narrow the search down to fewer than 5 records,
    and for 12 % to one.'
    >>> risk(one | {"sensitive": True}, 1)
    'No record with a sensitive item can be narrowed down to fewer than 5 records by knowing 1 item of it.'
    >>> risk({"l": 2, "likely": [8], "certain": [0], "share_likely": [0.1], "share_certain": [0.0]}, 1)
    'For 10 % of the records with a sensitive value, 1 well-chosen item is enough to tell one with a probability
    above 1/2, and for none for certain.'
    """
    at = known - 1
    enough = "1 well-chosen item is" if known == 1 else f"{known} well-chosen items (or fewer) are"
    enough, by = told or (enough, f"{known_items(known)} of it")
    some, all_ = ("below_k", "unique") if "k" in figures else ("likely", "certain")
    below = share(figures[f"share_{some}"][at])
    alone = f"for {share(figures[f'share_{all_}'][at])}" if figures[all_][at] else "for none"
    if "k" not in figures:
        odds = f"with a probability above 1/{figures['l']}"
        if not figures[some][at]:
            return f"No sensitive value of a record can be told {odds} by knowing {by}."
        harm = f"enough to tell one {odds}, and {alone} for certain"
        return f"For {below} of the records with a sensitive value, {enough} {harm}."
    fewer = f"to fewer than {figures['k']} records"
    holding = " with a sensitive item" if figures.get("sensitive") else ""
    if not figures[some][at]:
        return f"No record{holding} can be narrowed down {fewer} by knowing {by}."
    return (
        f"For {below} of the records{holding}, {enough} enough to narrow the search down {fewer}, and {alone} to one."
    )


def worst_case(facts: dict[str, Any]) -> str:
    """When a record counts as exposed."""
    if facts["relational"]:
        return relational.worst_case(facts)
    return "A record counts if some choice of its own items is enough: the worst case for the person behind it."


def base(facts: dict[str, Any]) -> str:
    """What the drawn shares are shares of."""
    before, after = facts["risk"]["before"], facts["risk"]["after"]
    what = "sensitive value" if "l" in after else "sensitive item" if after["sensitive"] else ""
    if before["records"] != after["records"]:
        return f"the records with a {what} ({count(before['records'])} before, {count(after['records'])} now)"
    return f"all {things(after['records'], 'record')}{f' with a {what}' if what else ''}"


def reach(release: Release) -> str:
    """How far the drawn risk reaches, where that is not as far as the guarantee; else nothing."""
    m, drawn = release.problem.privacy.reach, len(next(iter(release.risk_after.degrees.values()))[1])
    more = release.problem.privacy.beyond
    if m is None or m == drawn:
        return more
    covers = "any number of known items" if m == "all" else f"up to {m} known items"
    return f"The figures stop at {drawn} known items. The guarantee, and its proof, cover {covers}. {more}".strip()
