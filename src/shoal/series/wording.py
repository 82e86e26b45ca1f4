"""Say why a new release would break the promise of its series, and what to do."""

from __future__ import annotations

from shoal.report.formatting import count_noun, share
from shoal.risk.together import Group, Matched
from shoal.series.check import Linked, SeriesCheck
from shoal.series.relations import Relation

LINKED_BY = {"position": "by position", "record ids": "by id"}
REGROUPED = (
    "The same records must be grouped alike in all releases: publish them in a series with the rule same-recoding, or "
    "publish only records that are in no earlier release."
)

FEW = (
    "Keep in {name} all records that were published before, or publish again when many have come and left. If you must "
    "remove records, such as after a request for erasure, this release cannot be part of the series."
)
CHANGED = (
    "Publish these records as they were, or wait until many have changed. A record id must name a record that never "
    "changes: a person with a growing set of items is no such record."
)
OPEN = (
    "{} and {}: if both hold the same records, the promise may be broken. Nothing shows that it is, nor that it is not."
)


def why_broken(found: SeriesCheck, name: str, *, same_recoding: bool, ids: bool) -> str:
    """Return why a new release would break the promise, and the way out. An empty text: it would not.

    ``same_recoding``: the rule of the series. ``ids``: whether it has record ids.
    """
    why = _why(found, name, same_recoding=same_recoding, ids=ids)
    return f"'{name}' was not published. {why}" if why else ""


def _why(found: SeriesCheck, name: str, *, same_recoding: bool, ids: bool) -> str:
    """Return the reason and the remedy."""
    for one in found.relations:
        if not same_recoding and one.how in ("position", "order", "partly"):
            return f"This series publishes new records only, but {_of_relation(one)} {REGROUPED}"
    for linking in found.linked:
        for group in linking.groups:
            if not group.holds:
                remedy = _way_out(group, name, same_recoding=same_recoding, ids=ids)
                return f"{_of_group(group, linking, found)} {remedy}"
    for pair in found.matched:
        if pair.holds is False:
            return f"{_of_pair(pair, found)} {FEW.format(name=name) if pair.exposed else REGROUPED}"
    return ""


def told(found: SeriesCheck) -> list[str]:
    """Return how the releases are related, and what the check could not decide, one sentence each."""
    return [*map(_of_relation, found.relations), *(OPEN.format(*pair.releases) for pair in open_pairs(found))]


def notes_of(found: SeriesCheck | None, left_out: int) -> list[str]:
    """Return what the publisher of a new release must know, one sentence each."""
    were = "record of the data was" if left_out == 1 else "records of the data were"
    gone = [f"{left_out:,} {were} published before, and left out."] if left_out else []
    return [*gone, *(() if found is None else told(found))]


def open_pairs(found: SeriesCheck) -> list[Matched]:
    """Return the pairs of releases of which nobody can tell whether they keep the promise together."""
    return [pair for pair in found.matched if pair.holds is None]


def linked_by(linking: Linked) -> str:
    """Return how records are linked.

    >>> from shoal.series.check import Linked
    >>> linked_by(Linked("position", False, ())), linked_by(Linked("card", False, ()))
    ('by position', "by the column 'card'")
    """
    return LINKED_BY.get(linking.by, f"by the column '{linking.by}'")


def _of_relation(one: Relation) -> str:
    """Return whether two releases hold the same records."""
    first, second = one.releases
    both = f"{first} and {second}"
    stated = f" (you stated that those of {second} are new)" if one.stated_new else ""
    pairs = _figures(one, "records", ": ")
    texts = {
        "id": f"{both}: records are linked by their ids.",
        "position": f"{second} holds the records of {first} at the same places{_figures(one, 'rows', ': ')}{stated}.",
        "order": f"{second} holds the records of {first} again, in another order{pairs}{stated}.",
        "partly": f"{second} holds a large part of the records of {first}{pairs}{stated}.",
        "different": f"{both} hold mostly different records{pairs}{stated}.",
        "unknown": f"{both} were not put together: their labels do not tell if they hold the same records{stated}.",
        "large": f"{both} were not put together: they are too large to see if they hold the same records{stated}.",
    }
    return texts[one.how]


def _figures(one: Relation, what: str, before: str) -> str:
    """Return how many records can be the same."""
    if one.share is None or one.by_chance is None:
        return ""
    compared = "rows apart" if what == "rows" else "random halves"
    return f"{before}{share(one.share)} of the {what} fit one there each ({share(one.by_chance)} of {compared})"


def _of_group(group: Group, linking: Linked, found: SeriesCheck) -> str:
    """Return what somebody learns who links records."""
    what = "person" if group.persons is not None else "record"
    records = count_noun(group.records, "record")
    verb = "is" if group.records == 1 else "are"
    small = ""
    if not group.enough:
        small = f"They are too few to hide among each other, whatever they hold ({found.model.short})."
    elif group.crowd is not None:
        small = f"The smallest crowd is {count_noun(int(group.crowd.low), what)}, too small for {found.model.short}."
    else:
        small = f"They violate {found.model.short}."
    if group.changed:
        where = " and ".join(group.releases)
        return f"{records} changed between {where}. Somebody may know that a record was changed. {small}"
    if len(group.releases) == 1:
        where = f"{records} {verb} in {group.releases[0]} only. Somebody may know that a person is among them."
        return f"{where} {small}"
    sure = ""
    if group.recovered is not None and group.recovered_alone is not None and group.recovered > group.recovered_alone:
        sure = f" All items of {count_noun(group.recovered, 'record')} are certain then, instead of "
        sure += f"{group.recovered_alone:,}."
    where = f"{records} {verb} in {' and '.join(group.releases)}. Somebody may link them {linked_by(linking)}."
    return f"{where} {small}{sure}"


def _of_pair(pair: Matched, found: SeriesCheck) -> str:
    """Return what somebody learns who compares records."""
    both = " and ".join(pair.releases)
    if pair.exposed:
        return (
            f"{both} hold the same records in another order, but {count_noun(pair.left or 0, 'record')} of "
            f"{pair.releases[0]} left and {count_noun(pair.came or 0, 'record')} came. They are too few or too special "
            f"to hide among each other ({found.model.short})."
        )
    below = 0.0 if pair.below is None else pair.below.value
    return (
        f"{both} hold the same records in another order. {share(pair.single.value)} of them match a single record of "
        f"the other release, and {share(below)} have a crowd too small for {found.model.short}."
    )


def _way_out(group: Group, name: str, *, same_recoding: bool, ids: bool) -> str:
    """Say what to do."""
    if group.changed:
        return CHANGED.format(name=name)
    if group.releases == (name,):
        hide = ", or generalize further with hide_new=True" if same_recoding and ids else ""
        return f"Wait until there are more new records, or leave these out{hide}."
    if len(group.releases) > 1 and not same_recoding:
        return REGROUPED
    return FEW.format(name=name)
