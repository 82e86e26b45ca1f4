"""What persons ask of a problem: a model that counts them, and no column that tells whose a record is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from shoal import discovery
from shoal.data.columns import coded_texts
from shoal.data.dataset import Dataset
from shoal.data.note import Note
from shoal.data.notes import LinkingValues
from shoal.data.persons import Persons
from shoal.data.reading_notes import IdsKept
from shoal.data.table import Role
from shoal.errors import OptionError, shorten
from shoal.privacy import PrivacyModel

if TYPE_CHECKING:
    from shoal.problem.prepared import Prepared


def require_counting(privacy: PrivacyModel, data: Dataset) -> None:
    """Refuse a model that is not defined by persons, if these are given."""
    if data.transactions.persons is None or privacy.counts_persons:
        return
    counting = [name for name, one in discovery.find("shoal.privacy", PrivacyModel).items() if one.counts_persons]
    raise OptionError(
        f"The model {privacy.name} counts records, not persons: leave out the persons (--person, --persons), or choose "
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
    """Columns of which some values link records of one person."""
    persons = problem.persons
    for link in [] if persons is None or not persons.several else _links(problem.data, persons):
        if link.linking:
            yield link


def _unchanged(data: Dataset) -> list[str]:
    """The columns beside the sets that are published as they are."""
    roles = {} if data.table is None else data.table.roles
    changed = (Role.IDENTIFIER, Role.QUASI_IDENTIFIER)
    return [name for name in (() if data.table is None else data.table.names) if roles.get(name) not in changed]


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
