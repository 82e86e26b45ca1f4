"""The section on what analysts still find: the most frequent sets and the best rules, with a picture of each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.engines import Engine
from shoal.metrics.patterns import SHOWN, Patterns, patterns
from shoal.release.release import Release
from shoal.report import formatting
from shoal.report.formatting import count, count_noun, share

MOST_ITEMS = 20_000_000  # in all records; larger data would take more than a few seconds
SIDE, LEFT, TOP = 260, 56, 26  # the square of a picture
STRIP = 22  # below it, for what is not visible
WIDTH, HEIGHT = LEFT + SIDE + 22, TOP + SIDE + STRIP + 44
ASSUMED = (
    "Where a group is published, a reader has to estimate. The estimates here take a group as any set of its items, "
    "all equally likely. If one item makes up nearly all of its group, the estimate for it is far too low. Then 'at "
    "most' is closer."
)


def of_release(release: Release, engine: Engine) -> Patterns | None:
    """Return what analysts still find in a release, or None if its sets were not changed or there are too many items.

    The records must be in one place.
    """
    rows = release.problem.items
    if not release.problem.model.covers_sets or rows.bounds is not None or rows.total_items > MOST_ITEMS:
        return None
    return patterns(release.comparison.original, release.comparison.published, engine=engine)


def facts(found: Patterns | None, release: Release, *, named: bool) -> dict[str, Any] | None:
    """Return the figures for the JSON report.

    ``named``: with sets and rules. Those with an item that may be known from the original data only are left out.
    """
    if found is None:
        return None
    problem = release.problem
    secret = {label for label, one in zip(problem.hierarchy.items, problem.secret_items, strict=True) if one}
    figures = found.as_dict()
    for name in ("sets", "rules"):
        if name in figures:
            listed = figures[name]["listed"]
            told = [one for one in listed if secret.isdisjoint(_items(one))]
            figures[name] |= {"unnamed": len(listed) - len(told), "listed": told if named else None}
    return figures


def _items(one: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the items of a set, or of a rule."""
    return one["items"] if "items" in one else (*one["given"], one["item"])


@dataclass(frozen=True)
class Mark:
    """A set or a rule in a picture."""

    x: float
    y: float
    kind: str  # how it is shown: items, groups or none
    title: str


@dataclass(frozen=True)
class Tick:
    """A line of the grid with its label."""

    at: float
    label: str


@dataclass(frozen=True)
class Picture:
    """Original figures across, published figures up. What is right lies on the diagonal."""

    title: str
    across: str
    up: str
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Part:
    """What is said about the sets, or about the rules."""

    heading: str
    sentences: tuple[str, ...]
    picture: Picture | None
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int  # columns of text


def parts(figures: Mapping[str, Any] | None) -> list[Part]:
    """Return what the section shows: of sets, and of rules."""
    if figures is None:
        return []
    made = {"sets": _sets, "rules": _rules}
    return [make(figures[name], figures["records"]) for name, make in made.items() if name in figures]


def too_large(release: Release) -> str:
    """Return why the section is missing although sets were changed, or an empty string."""
    rows = release.problem.items
    if not release.problem.model.covers_sets or (rows.bounds is None and rows.total_items <= MOST_ITEMS):
        return ""
    why = f"the data have more than {count(MOST_ITEMS)} items" if rows.bounds is None else "the data are on a cluster"
    return (
        f"This report does not look for frequent sets and rules, because {why}. shoal measure --mining --rules does so "
        f"for files."
    )


def _sets(told: Mapping[str, Any], records: int) -> Part:
    """Return what is said about sets."""
    number = sum(_counts(told))
    listed = told["listed"] or ()
    visible = number - told["not_visible"]
    sentences = [_still_there(count_noun(number, "most frequent set") + " of items", told)]
    if visible:
        sentences.append(f"The supports of those that are visible are off by {share(told['mean_error_of_support'])}.")
    own = count_noun(told["published_sets"], "most frequent set")
    found = "include" if told["published_sets"] != 1 else "includes"
    sentences.append(f"The {own} of the published file {found} {count(told['matching_sets'])} of these sets.")
    picture = Picture(
        "Frequent sets: their support, before and as a reader would estimate it",
        "share of records before",
        "estimate from the published data",
        *_logarithmic([(one["support"] / records, _estimate(one, records), one) for one in listed]),
    )
    rows = tuple(
        (
            _joined(one["items"]),
            _joined(one["labels"]) or "not visible",
            count(one["support"]),
            count(round(one["estimate"])) if one["labels"] else "",
            count(one["most"]) if one["labels"] else "",
        )
        for one in listed
    )
    columns = ("Set of items", "Published as", "Records before", "Estimate", "At most")
    return Part("Frequent sets", tuple(sentences), picture if listed else None, columns, rows, 2)


def _estimate(one: Mapping[str, Any], records: int) -> float | None:
    return one["estimate"] / records if one["labels"] else None


def _rules(told: Mapping[str, Any], records: int) -> Part:
    """Return what is said about rules."""
    number = sum(_counts(told))
    listed = told["listed"] or ()
    sentences = [
        f"The rules are made of sets in at least {count_noun(told['least_support'], 'record')}, and have a confidence "
        f"of at least {share(told['least_confidence'])}.",
        _still_there(f"{count_noun(number, 'rule')} with the highest lift", told),
    ]
    if number - told["not_visible"]:
        points = f"{told['mean_error_of_confidence'] * 100:.1f} percentage points"
        lift = share(told["mean_error_of_lift"])
        sentences.append(f"The confidences of those that are visible are off by {points}, the lifts by {lift}.")
    picture = Picture(
        "Rules: their confidence, before and as a reader would estimate it",
        "confidence before",
        "estimate from the published data",
        *_linear([(one["confidence"], one["published_confidence"], one) for one in listed]),
    )
    rows = tuple(
        (
            _rule(_items(one)),
            _rule(one["labels"]) or "not visible",
            share(one["confidence"]),
            "" if one["published_confidence"] is None else share(one["published_confidence"]),
            f"{one['lift']:.2f}",
            "" if one["published_lift"] is None else f"{one['published_lift']:.2f}",
        )
        for one in listed
    )
    columns = ("Rule", "Published as", "Confidence before", "Now", "Lift before", "Now")
    return Part("Association rules", tuple(sentences), picture if listed else None, columns, rows, 2)


def _counts(told: Mapping[str, Any]) -> list[int]:
    return [told[shown.replace(" ", "_")] for shown in SHOWN]


def _still_there(what: str, told: Mapping[str, Any]) -> str:
    """Return how many are still there, and in which way."""
    items, groups, gone = map(count, _counts(told))
    return f"Of the {what}, {items} can be read as items and {groups} as groups. {gone} cannot be seen."


Point = tuple[float, float | None, Mapping[str, Any]]  # before, published (None: not visible), and what it is
Drawn = tuple[tuple[Mark, ...], tuple[Tick, ...], tuple[Tick, ...]]


def _logarithmic(points: Sequence[Point]) -> Drawn:
    """Place points on scales where each step is a factor. Both axes have the same scale."""
    values = [value for was, now, _ in points for value in (was, now) if value]
    if not values:
        return (), (), ()
    low, high = math.log10(min(values)) - 0.08, math.log10(max(values)) + 0.08
    ticks = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in (1, 2, 5)]
    inside = [tick for tick in ticks if low <= math.log10(tick) <= high] or [min(values), max(values)]
    return _drawn(points, inside, lambda value: (math.log10(value) - low) / (high - low) if value else 0.0)


def _linear(points: Sequence[Point]) -> Drawn:
    """Place shares on scales from 0 to 100 %."""
    return _drawn(points, [0, 0.25, 0.5, 0.75, 1], lambda value: value)


def _drawn(points: Sequence[Point], ticks: Sequence[float], scale: Any) -> Drawn:
    """Return the marks and the ticks of both axes."""
    marks = []
    for was, now, one in points:
        y = TOP + SIDE + STRIP / 2 if now is None else TOP + SIDE * (1 - scale(now))
        kind = one["shown"].rpartition(" ")[2].replace("visible", "none")
        marks.append(Mark(round(LEFT + SIDE * scale(was), 1), round(y, 1), kind, _title(was, now, one)))
    marks.reverse()  # the first ones lie on top
    labels = [(scale(tick), share(tick)) for tick in ticks]
    x_ticks = tuple(Tick(round(LEFT + SIDE * at, 1), label) for at, label in labels)
    return tuple(marks), x_ticks, tuple(Tick(round(TOP + SIDE * (1 - at), 1), label) for at, label in labels)


def _title(was: float, now: float | None, one: Mapping[str, Any]) -> str:
    """Return what a mark says when one points at it."""
    named = _joined if "items" in one else _rule
    if now is None:
        return f"{named(_items(one))}: {share(was)}; not visible"
    return f"{named(_items(one))}: {share(was)}; {share(now)} published as {named(one['labels'])}"


def _joined(labels: Sequence[str]) -> str:
    return ", ".join(map(formatting.label, labels))


def _rule(labels: Sequence[str]) -> str:
    return f"{_joined(labels[:-1])} → {formatting.label(labels[-1])}" if labels else ""
