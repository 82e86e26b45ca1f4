"""Series on the terminal: a sentence that answers the question, and the tables behind it."""

from __future__ import annotations

from shoal.cli import console
from shoal.report.formatting import band, count, count_noun, share
from shoal.risk.figure import Figure
from shoal.series import Linked, Series, SeriesCheck
from shoal.series.wording import linked_by, told

NOTHING = "-"


def show_releases(series: Series) -> None:
    """List the releases."""
    rules = {"same-recoding": "the same recoding, or a coarser one", "new-records": "new records only"}
    console.say(
        (f"{count_noun(len(series.releases), 'release')}. ", "bold"),
        f"{series.model.describe(series.releases[0].dataset.transactions.persons)} "
        f"Rule: {rules[series.document.rule]}.",
    )
    rows = [
        (
            one.name,
            count(one.entry.records),
            count(len(one.recoding.raised)),
            count(len(one.recoding.suppressed)),
            str(one.path),
        )
        for one in series.releases
    ]
    console.table(None, ["release", "records", "groups", "items removed", "file"], rows, right=1)


def show(found: SeriesCheck, *, refused: bool = False) -> None:
    """Show what can be learned. ``refused``: an error will tell how the releases are related."""
    for part in _headline(found):
        console.say(*part)
    rows = [
        (one.name, _records(one.records, one.persons), _number(one.crowd), count(one.recovered))
        for one in found.releases
    ]
    console.say("")
    console.say(("Each release alone", "bold"))
    console.table(None, ["release", "records", "smallest crowd", "recovered"], rows)
    for linking in found.linked:
        _show_linked(linking)
    if found.matched:
        _show_matched(found)
    if not refused:
        console.notes(told(found))


def _headline(found: SeriesCheck) -> list[list[str | tuple[str, str]]]:
    """Return the answer, and what the figures mean."""
    several = found.relations or found.linked or found.matched
    whom = " for somebody who has all releases" if several else ""
    style = "bold green" if found.holds else "bold red"
    assumed = ", if they hold the same records" if found.matched and not found.relations else ""
    if not found.holds:
        answer: list[str | tuple[str, str]] = [
            ("Broken.", style),
            f" This promise does not hold{whom}{assumed}: {found.promise}",
        ]
    elif not found.sure:
        answer = [("Each release holds.", style), f" {found.promise} Together, nobody can tell: see the notes."]
    else:
        answer = [("Holds", style), f"{whom}. {found.promise}"]
    return [answer, ["A record is recovered if all its published items are certain."]]


def _show_linked(linking: Linked) -> None:
    """Show what is learned by linking records."""
    console.say("")
    what = "all records of a person" if linking.persons else "the same record"
    console.say((f"Together, if somebody links {what} {linked_by(linking)}", "bold"))
    rows = [
        (
            f"{' + '.join(group.releases)}{', changed' if group.changed else ''}",
            _records(group.records, group.persons),
            "yes" if group.holds else "NO",
            _number(group.crowd),
            _share(group.below),
            NOTHING if group.recovered_alone is None else count(group.recovered_alone),
            NOTHING if group.recovered is None else count(group.recovered),
        )
        for group in linking.groups
    ]
    columns = [
        "records in",
        "records",
        "holds",
        "smallest crowd",
        "crowd below k",
        "recovered alone",
        "recovered together",
    ]
    console.table(None, columns, rows)


def _show_matched(found: SeriesCheck) -> None:
    """Show what is learned by comparing records."""
    console.say("")
    console.say(("Together, if somebody knows that a record is in both, and compares what they say", "bold"))
    rows = [
        (
            " + ".join(pair.releases),
            {True: "yes", False: "NO", None: "open"}[pair.holds],
            _share(pair.unmatched),
            _share(pair.single),
            _number(pair.median),
            _between(pair.below, pair.maybe_below),
            _share(pair.recovered),
            NOTHING if pair.left is None else count(pair.left),
            NOTHING if pair.came is None else count(pair.came),
        )
        for pair in found.matched
    ]
    columns = [
        "releases",
        "holds",
        "no match",
        "one match",
        "median matches",
        "crowd below k",
        "recovered",
        "left",
        "came",
    ]
    console.table(None, columns, rows)
    draws = max(pair.draws for pair in found.matched)
    if draws:
        console.say(f"Figures with a range are estimated from {count(draws)} draws. The range is a 95 % interval.")


def _between(low: Figure | None, high: Figure | None) -> str:
    """Return a share that is between two, or one if they are equal."""
    ends = dict.fromkeys((_share(low), _share(high)))
    return NOTHING if low is None else " to ".join(ends)


def _records(records: int, persons: int | None) -> str:
    return count(records) if persons is None else f"{count(records)} of {count(persons)} persons"


def _number(figure: Figure | None) -> str:
    if figure is None:
        return NOTHING
    value = count(int(figure.value))
    return value if figure.exact else f"{value} ({band(int(figure.low), int(figure.high))})"


def _share(figure: Figure | None) -> str:
    if figure is None:
        return NOTHING
    if figure.exact:
        return share(figure.value)
    return f"{share(figure.value)} ({share(figure.low).removesuffix(' %')}–{share(figure.high).removesuffix(' %')})"
