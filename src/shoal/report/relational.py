"""Figures and sentences for models about columns: how the columns were treated, and classes of equal values."""

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
ORDER = ("relational_ncp", "ul", "weighted_ul", "ncp", "weighted_ncp")  # first rows of the table of losses
BY_CLASS = set(ClassSizes.meanings) - {ClassSizes.name}  # shown with the classes


def relational(release: Release) -> RelationalFacts | None:
    """Return the figures of columns and classes, or None for models about the sets alone."""
    before, after = release.problem.relational, release.published.relational
    if before is None or after is None or release.problem.data.table is None:
        return None
    roles = release.problem.data.table.roles
    named = {role: tuple(name for name, own in roles.items() if own is role) for role in Role}
    sets: Literal["generalized", "unchanged"] | None = "unchanged" if release.problem.items.total_items else None
    return RelationalFacts(
        sets="generalized" if release.problem.model.covers_sets else sets,
        columns=tuple(_column(release, before, after, at) for at in range(len(after.attributes))),
        identifiers=named[Role.IDENTIFIER],
        sensitive=named[Role.SENSITIVE],
        plain=named[Role.PLAIN],
        classes=_classes(before, after, release.problem.persons),
    )


def _column(release: Release, before: Relational, after: Relational, at: int) -> ColumnFacts:
    """Return the figures of one quasi-identifier."""
    name, was, now = after.names[at], before.values[at], after.values[at]
    source = release.provenance["columns"][name]
    ncp = release.losses.get(f"{RelationalNCP.name}:{name}")
    return ColumnFacts(
        name=name,
        type=source["type"],
        hierarchy=source["hierarchy"],
        values=_different(before, at),
        values_after=_different(after, at),
        missing=int(was.counts[was.low == MISSING].sum()),
        unchanged=int(now.counts[now.low == now.high].sum()),
        ncp=ncp,
        weight=float(after.weights[at]),
    )


def _different(data: Relational, at: int) -> int:
    """Count the different values of a column. A missing value counts as one."""
    values = data.values[at]
    return int(numbered([values.low[values.used], values.high[values.used]]).max(initial=-1)) + 1


def _classes(before: Relational, after: Relational, persons: Persons | None) -> ClassFacts:
    """Return the figures of classes: records with equal published values."""
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
    """Return how the values of a column were treated.

    >>> taken_as("number", None), taken_as("date", "calendar:year")
    ('numbers, ranges with free ends', 'dates, ranges by calendar:year')
    >>> [taken_as("category", tree) for tree in (None, "hierarchy", "my/race.csv")]
    ['categories, sets of values', 'categories, with a hierarchy', 'categories, hierarchy race.csv']
    """
    kind = KINDS[type]
    if type != "category":
        return f"{kind}, ranges {f'by {hierarchy}' if hierarchy else 'with free ends'}"
    if not hierarchy:
        return f"{kind}, sets of values"
    return f"{kind}, with a hierarchy" if hierarchy == "hierarchy" else f"{kind}, hierarchy {PurePath(hierarchy).name}"


def other_columns(table: RelationalFacts) -> list[tuple[str, tuple[str, ...]]]:
    """Return the columns that are no quasi-identifiers: how they were treated, and their names."""
    ways = [
        ("Identifiers, left out", table.identifiers),
        ("Sensitive columns, published unchanged", table.sensitive),
        ("Other columns, published unchanged", table.plain),
    ]
    return [(way, names) for way, names in ways if names]


def classes(own: ClassFacts, columns: int, nouns: str = "") -> str:
    """Return sentences on the classes of values in so many columns; ``nouns``: the name of persons, if there are any.

    >>> sizes = ClassFacts(before=9, number=3, smallest=2, median=3.0, mean=4.0, largest=7, sizes=())
    >>> classes(sizes, 2)
    'Before, there were 9 different combinations of values. Now there are 3. The records with the same combination form
    a class. The smallest class has 2 records, the median is 3, and the largest has 7.'
    >>> classes(ClassFacts(9, 1, 7, 7.0, 7.0, 7, ()), 1)
    'Before, there were 9 different values. Now all 7 records have the same values.'
    """
    what = "combinations of values" if columns > 1 else "values"
    few, many = own.smallest, own.largest
    if own.before == own.number == 1:
        return f"All {count_noun(many, 'record')} have the same {what}, as before."
    before = f"Before, there were {count(own.before)} different {what}."
    if own.number == 1:
        return f"{before} Now all {count_noun(many, 'record')} have the same values."
    sizes = (
        f"The smallest class has {count_noun(few, 'record')}, the median is {count(own.median)}, and the largest has"
    )
    sizes = f"Each has {count_noun(many, 'record')}." if few == many else f"{sizes} {count(many)}."
    fewest = own.fewest_persons
    people = "" if fewest is None else f" Each class has records of at least {count(fewest)} {nouns}."
    same = "value" if columns == 1 else "combination"
    return f"{before} Now there are {count(own.number)}. The records with the same {same} form a class. {sizes}{people}"


def described(table: RelationalFacts) -> str:
    """Describe a record. If there are sets, the caller continues the sentence with their items."""
    columns = count_noun(len(table.columns), "quasi-identifying column")
    also = sum(len(names) for _, names in other_columns(table))
    others = f" and {count_noun(also, 'other column')}" if also else ""
    sets = ". There are no sets." if table.sets is None else ", and a set of items"
    return f"Each has values in {columns}{others}{sets}"


def recoded(facts: Facts, table: RelationalFacts) -> str:
    """Describe how the columns and the sets were changed."""
    how = facts.recoding
    wide = _either(table, "a range", "a group of categories")
    recoding = (
        f"The records were put into {count_noun(how.clusters or 0, 'cluster')} of similar records. All records of a "
        f"cluster are published with equal values in the quasi-identifying columns. Where their values differed, they "
        f"are published as {wide} that covers all of them. No value is made up."
    )
    if how.clusters != how.classes:
        left = count_noun(how.classes or 0, "class remains", "classes remain")
        recoding = f"{recoding} Some clusters have equal published values, so {left}."
    return f"{recoding} {_sets_recoded(facts, table)}".strip()


def _sets_recoded(facts: Facts, table: RelationalFacts) -> str:
    """Describe what was done with the sets."""
    how, source = facts.recoding, facts.provenance["hierarchy"]["name"]
    if table.sets is None:
        return ""
    if table.sets == "unchanged":
        return "The sets were not changed."
    by, meaning = "a set of items", " A label such as (A,B) means A, B or both."
    if how.sets != "local sets":
        by = f"a group of the hierarchy {'that was given' if source == 'hierarchy' else source} that contains it"
        meaning = ""
    return (
        f"The sets of each cluster were generalized separately. An item was either kept or replaced by {by}, in the "
        f"same way in every record of the cluster.{meaning}"
    )


def change(table: RelationalFacts, rows: int) -> str:
    """Describe what became of the columns, and of sets that were left unchanged."""
    part = sum(column.unchanged for column in table.columns) / max(1, rows * len(table.columns))
    kept = "values in quasi-identifying columns are published unchanged"
    wide = _either(table, "ranges", "groups")
    values = f"All {kept}." if part == 1 else f"{share(part)} of the {kept}. The others are published as {wide}."
    return f"{values} The sets are published unchanged." if table.sets == "unchanged" else values


def _either(table: RelationalFacts, of_scales: str, of_categories: str) -> str:
    """Return what values of columns became, depending on the kinds of columns."""
    kinds = {column.type == "category" for column in table.columns}
    return " or ".join([of_scales] * (False in kinds) + [of_categories] * (True in kinds))


def overlap(table: RelationalFacts) -> str:
    """Return a sentence on counts of labels for items that may have several labels."""
    if not table.sets_changed:
        return "The counts of items in the published sets are exact."
    return (
        "Some items appear under more than one label: unchanged in some clusters, and as part of a group in others. "
        "Add up their counts with care."
    )


def ordered(table: RelationalFacts, losses: Mapping[str, float | None]) -> dict[str, float | None]:
    """Return the losses for the table, columns first, without those that are shown with columns and classes."""
    only = {RelationalNCP.name, ClassSizes.name}
    first = [name for name in ORDER if name in losses]
    rest = [name for name in losses if name not in ORDER and name != ClassSizes.name]
    return {
        name: losses[name]
        for name in (*first, *rest, *({ClassSizes.name} & set(losses)))
        if ":" not in name and name not in BY_CLASS and (table.sets_changed or name in only)
    }


def tiles(table: RelationalFacts, losses: Mapping[str, float | None]) -> list[tuple[str, str]]:
    """Return the figures for the tiles at the top."""
    in_columns = ("lost in the columns (NCP)", share(losses[RelationalNCP.name] or 0.0))
    if table.sets_changed:
        return [in_columns, ("lost in the sets (UL)", share(losses["ul"] or 0.0))]
    return [("in the smallest class of equal values", count_noun(table.classes.smallest, "record")), in_columns]


def card(release: Release) -> list[tuple[str, str]]:
    """Return the figures for the notebook card."""
    table = relational(release)
    assert table is not None
    lost = [("NCP of the columns", share(release.losses[RelationalNCP.name]))]
    if table.sets_changed:
        lost += [("UL of the sets", share(release.losses["ul"])), ("NCP of the sets", share(release.losses["ncp"]))]
    return [
        ("quasi-identifiers", count(len(table.columns))),
        ("classes", count(table.classes.number)),
        ("records in the smallest class", count(table.classes.smallest)),
        *lost,
    ]
