"""For models that are about columns: what these were taken as and what became of them, the classes of records with
equal published values, and what to say about that.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal

import numpy as np

from shoal.data.attributes import MISSING
from shoal.data.persons import Persons
from shoal.data.relational import Relational, numbered
from shoal.data.table import Role
from shoal.metrics.classes import ClassSizes
from shoal.metrics.relational_ncp import RelationalNCP
from shoal.models.people import class_sizes
from shoal.published import Grouping
from shoal.release.release import Release
from shoal.report.bands import sized
from shoal.report.facts import Facts
from shoal.report.formatting import count, count_noun, share
from shoal.report.sections import ClassBand, ClassFacts, ColumnFacts, RelationalFacts

SIZE_BANDS = (1, 2, 3, 6, 11, 21, 51, 101, 201, 501, 1001, 10_001)  # first number of records of each band of classes
KINDS = {"number": "numbers", "date": "dates", "time": "times", "band": "ordered values", "category": "categories"}
ORDER = ("relational_ncp", "ul", "weighted_ul", "ncp", "weighted_ncp")  # of the table of losses; then others
BY_CLASS = set(ClassSizes.meanings) - {ClassSizes.name}  # told with the classes


def relational(release: Release) -> RelationalFacts | None:
    """The columns and the classes in figures; nothing, for models that are about the sets alone."""
    before, after = release.problem.relational, release.published.relational
    if before is None or after is None or release.problem.data.table is None:
        return None
    roles = release.problem.data.table.roles
    named = {role: tuple(name for name, own in roles.items() if own is role) for role in Role}
    sets: Literal["generalized", "unchanged"] | None = "unchanged" if len(release.problem.items.items) else None
    return RelationalFacts(
        sets="generalized" if release.problem.model.covers_sets else sets,
        columns=tuple(_column(release, before, after, at) for at in range(len(after.attributes))),
        identifiers=named[Role.IDENTIFIER],
        sensitive=named[Role.SENSITIVE],
        plain=named[Role.PLAIN],
        classes=_classes(before, after, release.problem.persons),
    )


def _column(release: Release, before: Relational, after: Relational, at: int) -> ColumnFacts:
    """One quasi-identifier."""
    name = after.names[at]
    source = release.provenance["columns"][name]
    ncp = release.losses.get(f"{RelationalNCP.name}:{name}")
    return ColumnFacts(
        name=name,
        type=source["type"],
        hierarchy=source["hierarchy"],
        values=_different(before, at),
        values_after=_different(after, at),
        missing=int(np.count_nonzero(before.low[at] == MISSING)),
        unchanged=int(np.count_nonzero(after.low[at] == after.high[at])),
        ncp=ncp,
        weight=float(after.weights[at]),
    )


def _different(data: Relational, at: int) -> int:
    """The number of different values of a column; missing is one of them."""
    return int(numbered([data.low[at], data.high[at]]).max(initial=-1)) + 1


def _classes(before: Relational, after: Relational, persons: Persons | None) -> ClassFacts:
    """How many records have the same published values."""
    sizes = np.bincount(after.classes).astype(np.int64)
    largest = int(sizes.max(initial=0))
    return ClassFacts(
        before=int(before.classes.max(initial=-1)) + 1,
        number=len(sizes),
        smallest=int(sizes.min(initial=largest)),
        median=float(np.median(sizes)) if len(sizes) else 0.0,
        mean=float(sizes.mean()) if len(sizes) else 0.0,
        largest=largest,
        sizes=tuple(ClassBand(*band) for band in sized(sizes, SIZE_BANDS)),
        fewest_persons=None
        if persons is None
        else int(class_sizes(Grouping(after.classes, 1), persons).min(initial=largest)),
    )


def taken_as(type: str, hierarchy: str | None) -> str:
    """What the values of a column were taken as.

    >>> taken_as("number", None), taken_as("date", "calendar:year")
    ('numbers, ranges of any ends', 'dates, ranges by calendar:year')
    >>> [taken_as("category", tree) for tree in (None, "hierarchy", "my/race.csv")]
    ['categories, collections of values', 'categories, with a hierarchy', 'categories, hierarchy race.csv']
    """
    kind = KINDS[type]
    if type != "category":
        return f"{kind}, ranges {f'by {hierarchy}' if hierarchy else 'of any ends'}"
    if not hierarchy:
        return f"{kind}, collections of values"
    return f"{kind}, with a hierarchy" if hierarchy == "hierarchy" else f"{kind}, hierarchy {PurePath(hierarchy).name}"


def other_columns(table: RelationalFacts) -> list[tuple[str, tuple[str, ...]]]:
    """The columns that are no quasi-identifiers: what was done with them, and their names."""
    ways = [
        ("Identifiers, dropped", table.identifiers),
        ("Sensitive columns, published as they are", table.sensitive),
        ("Plain columns, published untouched", table.plain),
    ]
    return [(way, names) for way, names in ways if names]


def classes(own: ClassFacts, columns: int, nouns: str = "") -> str:
    """The classes of values in so many columns, in a sentence; ``nouns``: what persons are called, if there are any.

    >>> sizes = ClassFacts(before=9, number=3, smallest=2, median=3.0, mean=4.0, largest=7, sizes=())
    >>> classes(sizes, 2)
    'Before, there were 9 different combinations of values. Now there are 3: classes of records with equal published
    values. The smallest class has 2 records, the median is 3, and the largest has 7.'
    >>> classes(ClassFacts(9, 1, 7, 7.0, 7.0, 7, ()), 1)
    'Before, there were 9 different values. Now all 7 records have the same.'
    """
    what = "combinations of values" if columns > 1 else "values"
    few, many = own.smallest, own.largest
    if own.before == own.number == 1:
        return f"All {count_noun(many, 'record')} have the same {what}, as they had before."
    before = f"Before, there were {count(own.before)} different {what}."
    if own.number == 1:
        return f"{before} Now all {count_noun(many, 'record')} have the same."
    sizes = (
        f"The smallest class has {count_noun(few, 'record')}, the median is {count(own.median)}, and the largest has"
    )
    sizes = f"Each has {count_noun(many, 'record')}." if few == many else f"{sizes} {count(many)}."
    fewest = own.fewest_persons
    people = "" if fewest is None else f" Each class has records of at least {count(fewest)} {nouns}."
    return (
        f"{before} Now there are {count(own.number)}: classes of records with equal published values. {sizes}{people}"
    )


def described(table: RelationalFacts) -> str:
    """What a record is; where there are sets, what is in them has to follow."""
    columns = count_noun(len(table.columns), "quasi-identifying column")
    also = sum(len(names) for _, names in other_columns(table))
    others = f" and {count_noun(also, 'other column')}" if also else ""
    sets = "; there are no sets." if table.sets is None else ", and a set of items"
    return f"Each has values in {columns}{others}{sets}"


def recoded(facts: Facts, table: RelationalFacts) -> str:
    """How the columns and the sets were changed."""
    how = facts.recoding
    wide = _either(table, "a range", "a group of categories")
    recoding = (
        f"The records were put into {count_noun(how.clusters or 0, 'cluster')} of similar ones. The records of a "
        f"cluster "
        f"are published with equal values in the quasi-identifying columns: where they differed, with {wide} that "
        f"covers the values of all of them. No value is made up."
    )
    if how.clusters != how.classes:
        left = count_noun(how.classes or 0, "class is", "classes are")
        recoding = f"{recoding} Some clusters came out with equal values: {left} left."
    return f"{recoding} {_sets_recoded(facts, table)}".strip()


def _sets_recoded(facts: Facts, table: RelationalFacts) -> str:
    """What was done with the sets."""
    how, source = facts.recoding, facts.provenance["hierarchy"]["name"]
    if table.sets is None:
        return ""
    if table.sets == "unchanged":
        return "The sets were not touched."
    by = "by a set of items, written (A,B) and read as 'one or more of these'"
    if how.sets != "local sets":
        by = f"by a group of the hierarchy {'that was given' if source == 'hierarchy' else source} that contains it"
    return (
        f"The sets of each cluster were generalized by themselves: an item was either kept or replaced {by}, in the "
        f"same way in every record of the cluster."
    )


def change(table: RelationalFacts, rows: int) -> str:
    """What became of the columns, and of sets that were left alone."""
    part = sum(column.unchanged for column in table.columns) / max(1, rows * len(table.columns))
    kept = "values in quasi-identifying columns are published as they were"
    wide = _either(table, "ranges", "groups")
    values = f"All {kept}." if part == 1 else f"{share(part)} of the {kept}, the others as {wide} that cover them."
    return f"{values} The sets are published as they were." if table.sets == "unchanged" else values


def _either(table: RelationalFacts, of_scales: str, of_categories: str) -> str:
    """What values of columns became, by the kinds of columns that there are."""
    kinds = {column.type == "category" for column in table.columns}
    return " or ".join([of_scales] * (False in kinds) + [of_categories] * (True in kinds))


def overlap(table: RelationalFacts) -> str:
    """What counts of labels are worth, where not each item has one label."""
    if not table.sets_changed:
        return "The counts of items in the published sets are exact."
    return (
        "Some items can appear under more than one label, unchanged in one cluster and in a group in another: add "
        "up their counts with care."
    )


def ordered(table: RelationalFacts, losses: Mapping[str, float | None]) -> dict[str, float | None]:
    """The losses that the table shows: the columns first; what the columns and the classes tell is not in it."""
    only = {RelationalNCP.name, ClassSizes.name}
    first = [name for name in ORDER if name in losses]
    rest = [name for name in losses if name not in ORDER and name != ClassSizes.name]
    return {
        name: losses[name]
        for name in (*first, *rest, *({ClassSizes.name} & set(losses)))
        if ":" not in name and name not in BY_CLASS and (table.sets_changed or name in only)
    }


def tiles(table: RelationalFacts, losses: Mapping[str, float | None]) -> list[tuple[str, str]]:
    """The figures to put first."""
    in_columns = ("lost in the columns (NCP)", share(losses[RelationalNCP.name] or 0.0))
    if table.sets_changed:
        return [in_columns, ("lost in the sets (UL)", share(losses["ul"] or 0.0))]
    return [("in the smallest class of equal values", count_noun(table.classes.smallest, "record")), in_columns]


def card(release: Release) -> list[tuple[str, str]]:
    """The figures of the card for notebooks."""
    table = relational(release)
    assert table is not None
    lost = [("NCP of the columns", share(release.losses[RelationalNCP.name]))]
    if table.sets_changed:
        lost += [("UL of the sets", share(release.losses["ul"])), ("NCP of the sets", share(release.losses["ncp"]))]
    return [
        ("quasi-identifiers", count(len(table.columns))),
        ("classes", count(table.classes.number)),
        ("records in the smallest", count(table.classes.smallest)),
        *lost,
    ]
