"""The sentences for all notes, in one place.

Sentences name Python arguments, such as ``identifiers=``. The command line and its reports show their own spelling.
"""

from __future__ import annotations

from functools import singledispatch

from shoal.data import notes, reading_notes
from shoal.data.note import Note
from shoal.data.recoding_notes import RecodingRepaired
from shoal.options import format_value
from shoal.release.release import Release
from shoal.report.fixed_sentences import SENTENCES
from shoal.report.formatting import count_noun


def warnings(release: Release) -> list[str]:
    """Return all notes of a release as sentences."""
    return [worded(note) for note in release.note_values]


def falsehoods(release: Release) -> list[str]:
    """Return the notes about false statements in the published data as sentences."""
    return [worded(note) for note in release.falsehoods]


def cautions(release: Release) -> list[str]:
    """Return all other notes as sentences."""
    return [worded(note) for note in release.note_values if not note.untrue]


@singledispatch
def worded(note: Note) -> str:
    """Return a note as one or a few sentences. A note of another package is shown by its ``str``."""
    sentence = SENTENCES.get(type(note))
    if sentence is None:
        return str(note)
    return sentence.format(
        **{name: format_value(value) if isinstance(value, tuple) else value for name, value in vars(note).items()}
    )


# -- false statements in the published data ----------------------------------------------------------------------------


def times(number: int) -> str:
    """Return how often something happened, in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def flipped(added: int, sensitive: int, deleted: int) -> str:
    """Return a sentence on how often items were added and deleted. One of the two must have happened.

    >>> flipped(12, 1, 3)
    'Items were added 12 times to records that did not have them, once a sensitive one, and deleted 3 times from records
    that had them.'
    >>> flipped(0, 0, 1)
    'An item was deleted once from a record that had it.'
    """
    of_them = f", {times(sensitive)} a sensitive one" if sensitive else ""
    if not added or not deleted:
        what, where, had = ("added", "to", "did not have") if added else ("deleted", "from", "had")
        if added + deleted == 1:
            kind = "A sensitive item" if sensitive else "An item"
            return f"{kind} was {what} once {where} a record that {had} it."
        return f"Items were {what} {times(added + deleted)} {where} records that {had} them{of_them}."
    given = f"added {times(added)} to records that did not have them{f'{of_them},' if of_them else ''}"
    lost = "a record that had it" if deleted == 1 else "records that had them"
    return f"Items were {given} and deleted {times(deleted)} from {lost}."


@worded.register
def _(note: notes.ItemsChanged) -> str:
    how = flipped(note.added, note.sensitive, note.deleted)
    if note.added:
        return (
            f"The published data contain false statements. {how} Generalization makes data less precise, but keeps "
            f"them true. This method does not keep them true."
        )
    return (
        f"The published data lack some items of the original data. {how} An item that a published record does not show "
        f"may still be in the original record."
    )


@worded.register
def _(note: notes.SensitiveItemsInflated) -> str:
    return (
        f"Sensitive items are published {note.after / note.before:.3g} times as often as they are true: "
        f"{note.after:,} times instead of {note.before:,}. Every record that held one is published with it."
    )


@worded.register
def _(note: notes.GroupsOfHolders) -> str:
    return (
        f"In {count_noun(note.groups, 'group')} with {count_noun(note.records, 'record')}, every record really held "
        f"the same sensitive item. There it is a fact about each record. algorithm='stn' and candidates='nonsensitive' "
        f"avoid such groups while there are enough other records."
    )


@worded.register
def _(note: notes.SensitiveItemsGiven) -> str:
    are, held = ("is", "it") if note.records == 1 else ("are", "they")
    return f"{count_noun(note.records, 'record')} {are} published with a sensitive item that {held} did not hold."


# -- the data and the problem ------------------------------------------------------------------------------------------


@worded.register
def _(note: reading_notes.Joined) -> str:
    unmatched = f" {note.unmatched}." if note.unmatched else ""
    return f"Columns of {note.file} were added by '{note.key}'.{unmatched}"


@worded.register
def _(note: notes.AddedItems) -> str:
    were = count_noun(note.count, "item was", "items were")
    children = "a child" if note.count == 1 else "children"
    return f"{were} not in the hierarchy and treated as {children} of its root (unknown_items='root')."


STOPPED = {
    "interrupted": "Interrupted: the best repair found so far was verified and published. Another run may find a "
    "better one.",
    "time limit": "The time limit ended the search. Another run may find a better repair.",
}


@worded.register
def _(note: RecodingRepaired) -> str:
    parts = [f"{count_noun(note.labels, 'label')} of the earlier release became more general"] if note.labels else []
    parts += [f"{count_noun(note.removed, 'item was', 'items were')} removed"] if note.removed else []
    least = " No other repair loses less (proved)." if note.least else ""
    stopped = "" if note.least or note.stopped is None else f" {STOPPED[note.stopped]}"
    return f"The recoding was repaired: {' and '.join(parts)}.{least}{stopped}"


@worded.register
def _(note: reading_notes.PersonColumn) -> str:
    records = f"{count_noun(note.records, 'record')} of {count_noun(note.persons, note.noun, note.nouns)}"
    return (
        f"Column '{note.columns[0]}' says which {note.noun} each record belongs to. It is not published. There are "
        f"{records}, at most {note.most:,} of one {note.noun}. The guarantee counts {note.nouns}."
    )


@worded.register
def _(note: notes.PersonsOfOneRecord) -> str:
    column = f" (column '{note.column}')" if note.column else ""
    return f"No {note.noun}{column} has more than one record, so person= has no effect."


@worded.register
def _(note: notes.RecordsSorted) -> str:
    ids = f" Running numbers replace the ids of records ({format_value(note.ids)})." if note.ids else ""
    index = " The index of the data frame is dropped." if note.index else ""
    return (
        f"At least one {note.noun} has several records. So the records are published sorted by their content. The "
        f"order of the input could reveal which records belong together.{ids}{index}"
    )


@worded.register
def _(note: notes.OneRecordKnown) -> str:
    how = f" (data with one row for each item: id_column='{note.column}')" if note.column else ""
    return (
        f"The guarantee is about what an attacker knows of one record. An attacker who can tell which records belong "
        f"to the same {note.noun} may know more. If that is possible, join the records of each {note.noun} first{how}."
    )


@worded.register
def _(note: notes.LinkingValues) -> str:
    values = count_noun(note.linking, "value", "values")
    occurs = "occurs" if note.linking == 1 else "occur"
    return (
        f"Column '{note.column}' is published unchanged, and {values} of {note.values:,} {occurs} only in several "
        f"records of one {note.noun}. An attacker can link these {note.records:,} records. Leave the column out, or "
        f"generalize it."
    )


@worded.register
def _(note: notes.LinkingCombination) -> str:
    who = f"{note.persons:,} of the {note.several:,} {note.nouns} with several records"
    return (
        f"The unchanged columns {format_value(note.columns)} together reveal which records belong to one {note.noun}. "
        f"For {who}, some combination of values occurs in several of their records and in no others "
        f"({note.records:,} records). Leave a column out, or generalize it."
    )


# -- what was declared sensitive ---------------------------------------------------------------------------------------


@worded.register
def _(note: notes.SensitiveGroup) -> str:
    return f"'{note.label}' represents {count_noun(note.items, 'sensitive item')}."


# -- columns -----------------------------------------------------------------------------------------------------------


@worded.register
def _(note: notes.UntouchedColumns) -> str:
    names = [f"'{name}'" for name in note.names]
    columns = f"column {names[0]} is" if len(names) == 1 else f"columns {', '.join(names)} are"
    only = {
        "both": "sets and the quasi-identifying columns",
        "sets": "sets",
        "columns": "quasi-identifying columns",
    }[note.guarded]
    false = " Items that were added would be false statements about that person." if note.false_items else ""
    return (
        f"The {columns} published unchanged. The guarantee covers the {only} only. Leave out every column that could "
        f"identify a person.{false}"
    )


@worded.register
def _(note: notes.InOrder) -> str:
    columns = " and ".join(f"'{name}'" for name in note.columns)
    return (
        f"The records are sorted by {columns} and are published in this order. The order reveals something about "
        f"values that were generalized or left out. Unless no attacker could use it, shuffle the records first (data "
        f"with one row for each item: give the records random ids)."
    )


@worded.register
def _(note: notes.TellingColumn) -> str:
    parts = []
    if note.equal_classes:
        parts.append(
            f"In {note.equal_classes:,} of {note.classes:,} classes ({note.records:,} records), all records have the "
            f"same value. An attacker who knows the class learns that value."
        )
    if note.once:
        parts.append(f"{count_noun(note.once, 'value occurs', 'values occur')} only once.")
    return f"Column '{note.column}' is published unchanged. {' '.join(parts)}"


@worded.register
def _(note: notes.LostColumns) -> str:
    columns = f"Column {note.names[0]} has" if len(note.names) == 1 else f"Columns {format_value(note.names)} have"
    more = f"{columns} lost nearly everything. A lower delta, a smaller k or fewer quasi-identifiers would keep more."
    if not note.unordered:
        return more
    return (
        f"{more} If the values of {format_value(note.unordered)} have an order, state it with ordered=, the least "
        f"value first."
    )


@worded.register
def _(note: notes.ChosenDelta) -> str:
    own = note.chosen
    others = " and ".join(f"about {one.sets:.4f} with delta={one.delta:g}" for one in note.neighbours)
    also = f" The sets would lose {others}." if others else ""
    return (
        f"No delta= was given, so {own.delta:g} was chosen. The columns lose {own.columns:.4f} (with any delta at "
        f"least {note.least:.4f}), and the sets lose {own.sets:.4f}.{also}"
    )


# -- items -------------------------------------------------------------------------------------------------------------


@worded.register
def _(note: notes.FewUnchanged) -> str:
    share = f"{note.unchanged:,} of {count_noun(note.items, 'item')} ({note.unchanged / note.items:.1%})"
    *most, last = note.options or ("more data",)
    ways = f"{', '.join(most)} or {last}" if most else last
    return (
        f"Hardly any item is published unchanged: {share}. Half of all items are published under labels that represent "
        f"at least {note.median:,} items. {ways[0].upper()}{ways[1:]} would keep more of them."
    )


# -- records without items ---------------------------------------------------------------------------------------------


@worded.register
def _(note: notes.NoItemsLeft) -> str:
    gone = "suppressed" if note.truthful else "deleted"
    bare = "without any item but sensitive values" if note.sensitive else "empty"
    more = ", more data, or another hierarchy" if note.generalizes else " or more data"
    return f"Every item was {gone}. All records are published {bare}. A weaker guarantee{more} would keep more."


@worded.register
def _(note: notes.EmptiedRecords) -> str:
    have, stay = ("has lost all its items", "It is") if note.count == 1 else ("have lost all their items", "They are")
    apart = ", not counting sensitive values" if note.sensitive else ""
    gone = "suppression" if note.truthful else "deletion"
    return f"{count_noun(note.count, 'record')} {have} to {gone}{apart}. {stay} still published."


@worded.register
def _(note: notes.EmptyRecords) -> str:
    one, many = ("record without items", "records without items") if note.columns else ("empty record", "empty records")
    return _published(note.count, one, many, besides=note.besides)


@worded.register
def _(note: notes.OnlySensitiveRecords) -> str:
    only = "with nothing but sensitive values"
    return _published(note.count, f"record {only}", f"records {only}", besides=note.besides)


def _published(count: int, one: str, many: str, *, besides: bool) -> str:
    """Return a sentence on records that are published; ``besides``: they are not the only ones of their kind."""
    other = "other " if besides else ""
    return f"{count_noun(count, f'{other}{one} is', f'{other}{many} are')} published."
