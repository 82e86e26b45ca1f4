"""What persons ask of a problem: a model that counts them, and no column that tells whose a record is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from shoal import discovery
from shoal.data.arrays import Counts
from shoal.data.columns import coded_texts
from shoal.data.dataset import Dataset
from shoal.data.note import Note
from shoal.data.notes import LinkingCombination, LinkingValues
from shoal.data.persons import Persons
from shoal.data.reading_notes import IdsKept
from shoal.data.relational import numbered
from shoal.data.table import Role
from shoal.errors import OptionError, shorten
from shoal.models.base import PrivacyModel

if TYPE_CHECKING:
    from shoal.problem.prepared import Prepared

MOST_PAIRED = 8  # columns whose pairs are looked at; of more, only all together
MANY = 0.05  # of the persons with several records, whose records a combination of columns links


def require_counting(model: PrivacyModel, data: Dataset) -> None:
    """Refuse a model that is not defined by persons, if these are given."""
    if data.transactions.persons is None or model.counts_persons:
        return
    counting = [name for name, one in discovery.find("shoal.models", PrivacyModel).items() if one.counts_persons]
    raise OptionError(
        f"The model {model.name} counts records, not persons: leave out the persons (--person, --persons), or choose "
        f"a model that counts persons ({', '.join(sorted(counting))})."
    )


def refuse_linking(problem: Prepared[PrivacyModel]) -> None:
    """Refuse to publish what tells whose a record is, where some person has several: ids of records, or a column."""
    persons = problem.persons
    if persons is None or not persons.several:
        return
    for note in problem.data.origin.notes:
        if isinstance(note, IdsKept):
            raise OptionError(
                f"--keep-ids is for publishing '{shorten(note.columns[0])}', the id of each record, but some "
                f"{persons.noun} has several records: whoever has a list of the ids could put them together again. "
                f"Leave out --keep-ids, and records are numbered."
            )
    for link in _links(problem.data, persons):
        if link.determines:
            join = f": --id-column {shorten(persons.column)}" if persons.column else ""
            raise OptionError(
                f"Column '{shorten(link.column)}' of {problem.data.origin.name} tells whose a record is: each of its "
                f"{link.values:,} values belongs to one {persons.noun} only, so records of one {persons.noun} could be "
                f"put together. Leave it out (--identifiers {shorten(link.column)}, or --columns without it), or join "
                f"the records of each {persons.noun} first{join}."
            )


def linking_notes(problem: Prepared[PrivacyModel]) -> Iterator[Note]:
    """Columns of which some values link records of one person, and columns that do so together."""
    persons = problem.persons
    if persons is None or not persons.several:
        return
    for link in _links(problem.data, persons):
        if link.linking:
            yield link
    yield from linked_together(problem.data, persons)


def _unchanged(data: Dataset) -> list[str]:
    """The columns beside the sets that are published as they are."""
    roles = {} if data.table is None else data.table.roles
    changed = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
    return [name for name in (() if data.table is None else data.table.names) if roles.get(name) not in changed]


def linked_together(data: Dataset, persons: Persons) -> Iterator[LinkingCombination]:
    """The two columns, or all columns, that tell of most persons which records are theirs, if these are many.

    Unless one of the columns tells as much by itself. Here blanks are values like any others.
    """
    names = _unchanged(data)
    codes = {name: numbered([coded_texts(data, name)[1]]) for name in names}
    alone = {name: _persons_linked(codes[name], persons)[0] for name in names}
    several = int(np.count_nonzero(np.bincount(persons.of) > 1))
    groups = [*(combinations(names, 2) if len(names) <= MOST_PAIRED else ()), *([tuple(names)] if names[2:] else [])]
    best: LinkingCombination | None = None
    for group in groups:
        linked, records = _persons_linked(numbered([codes[name] for name in group]), persons)
        more = linked > max(alone[name] for name in group) and (best is None or linked > best.persons)
        if more and linked >= MANY * several:
            best = LinkingCombination(group, linked, several, records, persons.noun, persons.nouns)
    if best is not None:
        yield best


def _persons_linked(codes: Counts, persons: Persons) -> tuple[int, int]:
    """How many persons have several records with a value that nobody else has, and how many records these are.

    >>> _persons_linked(np.array([0, 0, 1, 1, 2]), Persons(np.array([7, 7, 3, 5, 5])))
    (1, 2)
    """
    records = np.bincount(codes)
    least, greatest = np.full(len(records), len(persons.of) + int(persons.of.max())), np.zeros(len(records), np.int64)
    np.minimum.at(least, codes, persons.of)
    np.maximum.at(greatest, codes, persons.of)
    links = (least == greatest) & (records > 1)
    return len(np.unique(least[links])), int(records[links].sum())


def _links(data: Dataset, persons: Persons) -> Iterator[LinkingValues]:
    """What each column that is published as it is tells about persons; blanks are no values."""
    width = np.int64(persons.of.max(initial=0)) + 1  # numbers may be left out, so there may be fewer rows
    for name in _unchanged(data):
        texts, codes = coded_texts(data, name)
        known = np.array([text is not None and bool(text.strip()) for text in texts], dtype=np.bool_)
        records = np.bincount(codes, minlength=len(texts))
        pairs = np.unique(codes.astype(np.int64) * width + persons.of)
        alone = np.bincount(pairs // width, minlength=len(texts)) == 1
        links = known & alone & (records > 1)
        values, of_one = int(np.count_nonzero(known)), int(np.count_nonzero(known & alone))
        with_value = int(records[known].sum())
        yield LinkingValues(
            column=name,
            values=values,
            linking=int(np.count_nonzero(links)),
            records=int(records[links].sum()),
            noun=persons.noun,
            determines=values > 0 and of_one == values and 2 * with_value >= len(persons),
        )
