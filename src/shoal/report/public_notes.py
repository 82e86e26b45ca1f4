"""Sentences for recipients: what the guarantee leaves out, and what they must know about the published data.

Notes to a publisher may name items that only the original data have, and advise on options. So recipients get sentences
of their own, and only for the kinds of notes that are listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.data import notes, reading_notes
from shoal.data.note import Note
from shoal.options import format_value
from shoal.release.release import Release
from shoal.report.fixed_sentences import SENTENCES
from shoal.report.formatting import count_noun

METHOD_KNOWN = (
    "It does not cover what an attacker can conclude from knowing how the data were anonymized. The method would have "
    "published more detail if the data had allowed it, so some original records can be ruled out."
)


def _same(note: Note) -> str:
    """Return the sentence that publishers get. It must name nothing but columns and counts."""
    return SENTENCES[type(note)].format(**vars(note))


def _columns(sentence: str, field: str = "columns") -> Callable[[Any], str]:
    """Return a function that fills a sentence with names of columns that are published."""
    return lambda note: sentence.format(format_value(getattr(note, field)))


PUBLIC: dict[type[Note], Callable[[Any], str]] = {
    notes.ItemsChanged: lambda _: (  # the same whatever was changed: that nothing was added would be telling
        "The published data contain false statements: records may lack items that they held, and hold items that they "
        "did not."
    ),
    notes.ChangedDataMislead: _same,
    notes.SensitiveItemsShuffled: _same,
    notes.ShuffledItemsMislead: _same,
    notes.GroupsTellHolders: _same,
    notes.UntouchedSets: _same,
    notes.UntouchedColumns: _columns(
        "These columns are published unchanged, and no guarantee covers them: {}.", "names"
    ),
    notes.LinkingColumns: _columns(
        "These columns look like ids and are published unchanged: {}. If one of them identifies a person, all records "
        "of that person can be linked."
    ),
    notes.RecordsSorted: lambda _: "The records are sorted by their content. Their order says nothing.",
    notes.EmptiedRecords: lambda note: f"{count_noun(note.count, 'record')} lost all items.",
    reading_notes.IdsReplaced: lambda _: "The ids of records are running numbers, not those of the original data.",
    reading_notes.IdsKept: _columns(
        "The ids of records ({}) are published. An attacker who knows an id finds its record, whatever the guarantee."
    ),
}


def for_recipients(release: Release) -> list[str]:
    """Return what recipients must know about the published data, first what is false in them."""
    return [PUBLIC[type(note)](note) for note in release.note_values if type(note) in PUBLIC]


def limits(release: Release) -> list[str]:
    """Return what the guarantee does not promise, one sentence or two each."""
    reveals = [_same(note) for note in release.note_values if isinstance(note, notes.MethodReveals)]
    known = [METHOD_KNOWN] if release.algorithm.truthful else []
    return [*release.problem.model.caveats(release.problem.persons), *(reveals or known)]
