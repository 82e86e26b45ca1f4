"""Say why a new release would break the promise of its series, and what to do."""

from __future__ import annotations

from shoal.report.formatting import count_noun, share
from shoal.risk.together import Group, Matched
from shoal.series.check import Linked, SeriesCheck

LINKED_BY = {"position": "by position", "record ids": "by id"}
REGROUPED = (
    "The same records must be grouped alike in all releases: publish them in a series with the rule same-recoding, or "
    "publish only records that are in no earlier release."
)


def why_broken(found: SeriesCheck, name: str, *, same_recoding: bool) -> str:
    """Return why a new release would break the promise, and the way out. An empty text: it would not.

    ``same_recoding``: the rule of the series, under which a break can only come from records that came or left.
    """
    for linking in found.linked:
        for group in linking.groups:
            if not group.holds:
                remedy = _way_out(group, name, same_recoding=same_recoding)
                return f"{_of_group(group, linking, found)} Nothing was published. {remedy}"
    for pair in found.matched:
        if pair.holds is False:
            return f"{_of_pair(pair, found)} Nothing was published. {REGROUPED}"
    return ""


def doubts(found: SeriesCheck) -> list[str]:
    """Return what the check could not decide, one sentence each."""
    pairs = [pair for pair in found.matched if pair.holds is None]
    return [
        *(
            f"Each record of {pair.releases[0]} matches records of {pair.releases[1]}. If both hold the same records, "
            f"the promise may be broken: nothing shows that it is, nor that it is not."
            for pair in pairs
        ),
        *(
            f"{' and '.join(pair)}: nothing tells whether they hold the same records. If they do, see link='none'."
            for pair in found.unchecked
        ),
    ]


def linked_by(linking: Linked) -> str:
    """Return how records are linked.

    >>> from shoal.series.check import Linked
    >>> linked_by(Linked("position", False, ())), linked_by(Linked("card", False, ()))
    ('by position', "by the column 'card'")
    """
    return LINKED_BY.get(linking.by, f"by the column '{linking.by}'")


def _of_group(group: Group, linking: Linked, found: SeriesCheck) -> str:
    """Return what somebody learns who links records."""
    crowd = "" if group.crowd is None else f", the smallest of {count_noun(int(group.crowd.low), 'record')}"
    records = count_noun(group.records, "record")
    short = found.model.short
    if len(group.releases) == 1:
        return (
            f"{records} {'is' if group.records == 1 else 'are'} in {group.releases[0]} only. For somebody who knows "
            f"that a person is among them, crowds violate {short}{crowd}."
        )
    sure = ""
    if group.recovered is not None and group.recovered_alone is not None and group.recovered > group.recovered_alone:
        sure = f" All items of {count_noun(group.recovered, 'record')} are certain then, instead of "
        sure += f"{group.recovered_alone:,}."
    return (
        f"{records} {'is' if group.records == 1 else 'are'} in {' and '.join(group.releases)}. For somebody who links "
        f"them {linked_by(linking)}, crowds violate {short}{crowd}.{sure}"
    )


def _of_pair(pair: Matched, found: SeriesCheck) -> str:
    """Return what somebody learns who compares records."""
    below = 0.0 if pair.below is None else pair.below.value
    return (
        f"{' and '.join(pair.releases)} seem to hold the same records in another order. {share(pair.single.value)} of "
        f"them match a single record of the other release, and {share(below)} have a crowd that violates "
        f"{found.model.short}."
    )


def _way_out(group: Group, name: str, *, same_recoding: bool) -> str:
    """Say what to do."""
    if group.releases == (name,):
        return (
            "Wait until there are more new records, leave these out, or, if the series has record ids, generalize "
            "further with hide_new=True."
        )
    if len(group.releases) > 1 and not same_recoding:
        return REGROUPED
    return (
        f"Too few records came or left, so that the others do not hide them: keep in {name} all records that were "
        f"published before, or publish less often."
    )
