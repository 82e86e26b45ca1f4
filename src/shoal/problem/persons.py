"""Checks for data in which a person may have several records.

The model must count persons, and no published column may link the records of a person.
"""

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

MOST_PAIRED = 8  # if there are more columns, pairs of them are not checked
MANY = 0.05  # share of the persons with several records from which on linked records are reported


def require_counting(model: PrivacyModel, data: Dataset) -> None:
    """Refuse a model that cannot count persons, if persons are given."""
    if data.transactions.persons is None or model.counts_persons:
        return
    counting = [name for name, one in discovery.find("shoal.models", PrivacyModel).items() if one.counts_persons]
    raise OptionError(
        f"The model {model.name} counts records, not persons: leave out person=, or choose a model that "
        f"counts persons ({', '.join(sorted(counting))})."
    )


def refuse_linking(problem: Prepared[PrivacyModel]) -> None:
    """Refuse to publish record ids or a column that links the records of a person."""
    persons = problem.persons
    if persons is None or not persons.several:
        return
    for note in problem.data.origin.notes:
        if isinstance(note, IdsKept):
            raise OptionError(
                f"keep_ids=True would publish '{shorten(note.columns[0])}', the id of each record, but some "
                f"{persons.noun} has several records: an attacker with a list of the ids could link them. Leave out "
                f"keep_ids=True to number the records instead."
            )
    for link in _links(problem.data, persons):
        if link.determines:
            join = f": id_column={shorten(persons.column)!r}" if persons.column else ""
            raise OptionError(
                f"Column '{shorten(link.column)}' of {problem.data.origin.name} links the records of a {persons.noun}: "
                f"each of its {link.values:,} values belongs to one {persons.noun} only. Leave it out "
                f"(identifiers={shorten(link.column)!r}, or columns= without it), or join the records of each "
                f"{persons.noun} first{join}."
            )


def linking_notes(problem: Prepared[PrivacyModel]) -> Iterator[Note]:
    """Yield notes about columns whose values link records of a person, alone or together."""
    persons = problem.persons
    if persons is None or not persons.several:
        return
    for link in _links(problem.data, persons):
        if link.linking:
            yield link
    yield from linked_together(problem.data, persons)


def _unchanged(data: Dataset) -> list[str]:
    """Return the other columns that are published unchanged."""
    roles = {} if data.table is None else data.table.roles
    changed = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
    return [name for name in (() if data.table is None else data.table.names) if roles.get(name) not in changed]


def linked_together(data: Dataset, persons: Persons) -> Iterator[LinkingCombination]:
    """Yield the two columns, or all columns, that together link the records of most persons, if these are many.

    A combination counts only if it links more persons than each of its columns. Blanks count as values.
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
    """Count the persons who have several records with a value that nobody else has, and these records.

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
    """Yield for each unchanged column how its values link records of persons. Blanks are not values."""
    width = np.int64(persons.of.max(initial=0)) + 1  # persons may be more than rows, because numbers may be left out
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
