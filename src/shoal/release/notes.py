"""Notes on a release: what a publisher must know beyond the guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import numpy as np

from shoal.data import notes
from shoal.data.columns import looks_like_id
from shoal.data.note import Note
from shoal.data.reading_notes import ColumnsLikeIds, IdentifyingColumns, IdsKept, IdsReplaced, PersonColumn
from shoal.data.sensitive import lookalikes, spelling_notes
from shoal.problem.persons import linking_notes
from shoal.release import column_notes

if TYPE_CHECKING:
    from shoal.release.release import Release

FEW = 100  # items of records; with fewer, a share means little
UNCHANGED = 0.01  # share of unchanged items; below it, hardly any item is unchanged
STRENGTHS = ("k", "l", "m", "p")  # options of models; smaller values mean a weaker guarantee


def of_release(release: Release) -> tuple[Note, ...]:
    """Return all notes in the order in which they are shown, first those on false statements."""
    problem = release.problem
    return (
        *release.falsehoods,
        *problem.model.notes,
        *_persons(release),
        *_untouched(release),
        *_left_out(release),
        *column_notes.notes(problem, release.published, release.aligned, release.losses),
        *([notes.UnusedHierarchy()] if release.recoding.ignores_hierarchy and not problem.hierarchy.is_flat else []),
        *_declared(release),
        *_search(release),
        *_few_unchanged(release),
        *_without_items(release),
    )


def _untouched(release: Release) -> Iterator[Note]:
    """Note what is published unchanged."""
    problem, model, table = release.problem, release.problem.model, release.aligned.table
    if not model.covers_sets and problem.items.total_items:
        yield notes.UntouchedSets()
    treated = {*model.columns, *model.adds_columns, *problem.quasi_identifiers}
    names = tuple(name for name in (() if table is None else table.names) if name not in treated)
    if names:
        sets: Literal["both", "sets"] = "both" if problem.quasi_identifiers else "sets"
        yield notes.UntouchedColumns(names, sets if model.covers_sets else "columns", bool(release.falsehoods))
    if ids := tuple(name for name in names if looks_like_id(name)):
        yield notes.LinkingColumns(ids)


def _persons(release: Release) -> Iterator[Note]:
    """Note what matters if a person may have several records."""
    persons, origin = release.problem.persons, release.problem.data.origin
    if persons is None:
        return
    if not persons.several:
        yield notes.PersonsOfOneRecord(persons.column, persons.noun)
        return
    yield from (note for note in origin.notes if isinstance(note, PersonColumn))
    ids = tuple(name for note in origin.notes if isinstance(note, IdsReplaced | IdsKept) for name in note.columns)
    yield notes.RecordsSorted(persons.noun, tuple(name for name in ids if name != persons.column), origin.has_index)
    yield notes.OneRecordKnown(persons.noun, persons.nouns, persons.column)
    yield from linking_notes(release.problem)


def _left_out(release: Release) -> Iterator[Note]:
    """Note what is not published."""
    origin, by_content = release.problem.data.origin, release.order is not None
    if release.problem.model.relational and origin.has_index and not by_content:
        yield notes.DroppedIndex()
    if origin.dropped:
        yield notes.DroppedItems(origin.dropped)
    published = () if release.aligned.table is None else release.aligned.table.names
    for note in origin.notes:
        if isinstance(note, PersonColumn) or (isinstance(note, IdsReplaced | IdsKept) and by_content):  # noted before
            continue
        if isinstance(note, IdentifyingColumns) and by_content:
            note = ColumnsLikeIds(note.columns)
        hidden = isinstance(note, IdsKept) and not all(name in published for name in note.columns)
        yield IdsReplaced(note.columns) if isinstance(note, IdsKept) and hidden else note


def _declared(release: Release) -> Iterator[Note]:
    """Note what matters about sensitive items and values."""
    problem, hidden = release.problem, release.problem.sensitive_part
    if hidden is None:
        return
    if problem.missing_sensitive:
        yield notes.MissedSensitive(problem.missing_sensitive)
    if problem.model.about_holders and not problem.sensitive.non_empty:
        yield notes.NothingSensitive()
    for group, items in problem.sensitive_groups.items():
        if items:
            yield notes.SensitiveGroup(group, items)
    for label, other in lookalikes(hidden.values.labels, problem.items.in_use().labels):
        yield notes.LooksSensitive(label, other)
    yield from spelling_notes(problem.data, hidden)
    for column in sorted(hidden.columns):
        named = tuple(sorted(label for label in hidden.labels if label.startswith(f"{column}=")))
        if named:
            yield notes.ProtectedValues(column, named)


def _search(release: Release) -> Iterator[Note]:
    """Note what matters about the hierarchy, the weights and the algorithm."""
    problem, algorithm = release.problem, release.algorithm
    yield from release.solution.notes
    if problem.added_items:
        yield notes.AddedItems(problem.added_items)
        if release.groups_siblings:
            yield notes.AddedItemsNamed()
    weightless = problem.weights is not None and not problem.occurrences[-1]
    if algorithm.truthful and weightless and problem.items.total_items:
        yield notes.ZeroWeights()
    if algorithm.reveals:
        yield notes.MethodReveals(algorithm.reveals)


def _few_unchanged(release: Release) -> Iterator[Note]:
    """Note that hardly any item is unchanged, unless the release is nearly worthless anyway."""
    algorithm = release.algorithm
    if not release.problem.model.covers_sets or not algorithm.truthful or not algorithm.generalizes:
        return
    useful = release.usefulness
    if useful.items < FEW or useful.unchanged >= UNCHANGED * useful.items or useful.median_items is None:
        return
    if release.worthless is None:
        given = release.problem.model.values()
        limits = {one.name: one.low for one in release.problem.model.options()}
        weaker = (f"a smaller {name}" for name in STRENGTHS if name in given and given[name] != limits[name])
        yield notes.FewUnchanged(useful.unchanged, useful.items, useful.median_items, (*weaker, *algorithm.keeps_more))


def _without_items(release: Release) -> Iterator[Note]:
    """Note records that are published without items, and whether they had some."""
    problem, published, algorithm = release.problem, release.published, release.algorithm
    if not problem.model.covers_sets:
        return
    hidden = published.sensitive
    if problem.items.total_items and not published.rows.total_items:
        yield notes.NoItemsLeft(algorithm.truthful, algorithm.generalizes, hidden is not None)
    if published.rows.non_empty == len(published.rows):
        return
    emptied = release.comparison.covered.emptied
    if emptied:
        yield notes.EmptiedRecords(emptied, algorithm.truthful, hidden is not None)
    empty, only_sensitive = len(published.rows) - published.rows.non_empty - emptied, 0
    if hidden is not None:
        nothing = (published.rows.sizes == 0) & (problem.items.sizes == 0)
        only_sensitive = int(np.count_nonzero(nothing & (hidden.values.sizes > 0)))
    if count := empty - only_sensitive:
        yield notes.EmptyRecords(count, bool(emptied), published.relational is not None)
    if only_sensitive:
        yield notes.OnlySensitiveRecords(only_sensitive, bool(emptied))
