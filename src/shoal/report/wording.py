"""Notes in plain English: the one place where they are put into words."""

from __future__ import annotations

from functools import singledispatch

from shoal.data import notes, reading_notes
from shoal.data.note import Note
from shoal.options import format_value
from shoal.release.release import Release
from shoal.report.formatting import count_noun

SENTENCES: dict[type[Note], str] = {  # with the fields of the note
    notes.TooManySensitive: (
        "{published:,} of {records:,} records are published with a sensitive item; {holders:,} hold one. These are too "
        "many for groups of {least}: choose a smaller k, declare fewer items sensitive, or use a model whose methods "
        "generalize (lm)."
    ),
    notes.ChangedDataMislead: (
        "Do not use these data to decide anything about a single person. Counts of items, alone or together, cannot be "
        "relied on."
    ),
    notes.SensitiveItemsDealt: (
        "Sensitive items belong to groups of records here, not to single records: within each group they were "
        "shuffled without regard to who held them. How many records of a group hold each is a fact; which ones is not."
    ),
    notes.DealtItemsMislead: (
        "Do not use sensitive items in these data to decide anything about a single person, nor count what they occur "
        "together with in a record: count them by groups."
    ),
    notes.GroupsTellHolders: (
        "Groups were formed around records with a sensitive item. An attacker who knows the method and repeats its "
        "steps on the published data can often tell which ones (on real baskets in 9 of 10 groups): rely on the counts "
        "only where nobody would go to such lengths."
    ),
    notes.DroppedIndex: "The index of the data frame has no role and was dropped: make it a column if it is needed.",
    reading_notes.IdsReplaced: (
        "The ids of records ({columns}) are not published: long files have running numbers instead. Records stand in "
        "the order of their ids: if that order tells something, such as the time of an order, give them random ids."
    ),
    reading_notes.IdsKept: (
        "The ids of records ({columns}) are published: anyone who knows an id finds its record, whatever the guarantee."
    ),
    reading_notes.VaryingColumns: "Columns that differ within a record were left out: {columns}.",
    notes.LinkingColumns: (
        "These columns look like ids and are published untouched: {columns}. If one names a person, all records of "
        "that person can be put together, and whoever finds one of them finds all. Leave it out with --identifiers."
    ),
    reading_notes.IdentifyingColumns: (
        "Columns with a different value in nearly every record were left out, as ids are: {columns}. To publish them "
        "all the same, pass --keep-ids, and name them and the ids with --plain."
    ),
    reading_notes.ColumnsLikeIds: (
        "Columns with a different value in nearly every record were left out, as ids are: {columns}."
    ),
    reading_notes.NullItemsDropped: "{rows:,} rows without a value in '{column}' were left out.",
    reading_notes.Filtered: "Only rows with {condition} were read: {kept:,} of {total:,}.",
    notes.DroppedItems: "Items that were left out when the data were read: {labels}.",
    notes.AddedItemsNamed: (
        "Labels of groups and the code book name such items, too, however rare they are: if that must not be known, "
        "add them to the hierarchy below a node of their own."
    ),
    notes.UnusedHierarchy: (
        "Items are published as sets of items such as (A,B), not as groups of their hierarchy: --within aa and "
        "--within optimal publish groups of the hierarchy only."
    ),
    notes.ZeroWeights: (
        "All items that occur have weight 0: nothing counts as lost, so any cut is as good as another."
    ),
    notes.MethodReveals: (
        "An attacker who knows the method and its options can rule out some originals, and may learn more than the "
        "published labels say. The definition still holds, but in a test on a tiny domain such an attacker found a "
        "record with {certainty}: see docs/concepts/minimality.md."
    ),
    notes.NoPrivateItems: (
        "No private item was declared (--sensitive): this is {k}^{p}-anonymity of all items, and h means nothing."
    ),
    notes.MissedSensitive: "Declared sensitive, but not in the data: {labels}. Check the spelling.",
    notes.NothingSensitive: (
        "No record holds a sensitive item: nothing was protected, and all records are published as they are."
    ),
    notes.LooksSensitive: "'{label}' is sensitive, '{other}', which looks like it, is not: an item like any other.",
    notes.SensitiveLookAlike: (
        "'{label}' and '{other}' look alike, but count as two sensitive values, each for itself: write them the same."
    ),
    notes.UnprotectedLookAlike: "'{other}' looks like '{label}', but was not declared sensitive: it is not protected.",
    notes.ProtectedValues: "Of the column '{column}' only these values are protected: {values}.",
    notes.NamesPeople: (
        "Column '{column}' has a different value in every record and was taken as a quasi-identifier: if it names "
        "people, declare it as an identifier."
    ),
    notes.MixedColumn: (
        "Column '{column}' was taken as categories, as not all of its values are numbers: {others:,} of {values:,} are "
        "not. Correct them, or name them missing."
    ),
    notes.FewNumbers: (
        "These columns have few different whole numbers and were taken as numbers, so that neighbours become ranges "
        "such as [1:3]: {columns}. Are some of them codes, whose order means nothing? Then name these: "
        "--categorical A,B."
    ),
    notes.UntouchedSets: "The sets are published untouched: the guarantee covers the quasi-identifying columns only.",
}


def warnings(release: Release) -> list[str]:
    """What a publisher must know, in words."""
    return [worded(note) for note in release.notes]


def falsehoods(release: Release) -> list[str]:
    """What of that is about what is published and not true; mostly nothing."""
    return [worded(note) for note in release.falsehoods]


def cautions(release: Release) -> list[str]:
    """The rest of it."""
    return [worded(note) for note in release.notes if not note.untrue]


@singledispatch
def worded(note: Note) -> str:
    """A note in one or a few sentences; one that is not ours speaks for itself, by ``str``."""
    sentence = SENTENCES.get(type(note))
    if sentence is None:
        return str(note)
    return sentence.format(
        **{name: format_value(value) if isinstance(value, tuple) else value for name, value in vars(note).items()}
    )


# -- what is published and not true ------------------------------------------------------------------------------------


def times(number: int) -> str:
    """How often.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if number == 1 else f"{number:,} times"


def flipped(added: int, sensitive: int, deleted: int) -> str:
    """How often items were added and deleted, as a sentence; one of the two must have happened.

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
            f"Facts are published that are not in the data. {how} Generalization makes data vague, but leaves them "
            f"true; this method does not."
        )
    return (
        f"Items are missing that are in the data. {how} What a published record does not show may be true of it all "
        f"the same."
    )


@worded.register
def _(note: notes.SensitiveItemsInflated) -> str:
    return (
        f"Sensitive items are published {note.after / note.before:.3g} times as often as they are true, "
        f"{note.after:,} times instead of {note.before:,}. Every record that held one is published with it."
    )


@worded.register
def _(note: notes.GroupsOfHolders) -> str:
    return (
        f"In {count_noun(note.groups, 'group')} with {count_noun(note.records, 'record')} every record really held the "
        f"same sensitive item, so there it is a fact about each of them. The algorithm stn, or the candidates "
        f"'nonsensitive', avoid such groups while there are enough other records."
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
    return f"{were} not in the hierarchy and taken as directly below its root (unknown_items=root)."


@worded.register
def _(note: reading_notes.PersonColumn) -> str:
    records = f"{count_noun(note.records, 'record')} of {count_noun(note.persons, note.noun, note.nouns)}"
    return (
        f"Column '{note.columns[0]}' tells which {note.noun} each record belongs to. It is not published. There are "
        f"{records}, at most {note.most:,} of one {note.noun}. The guarantee counts {note.nouns}."
    )


@worded.register
def _(note: notes.PersonsOfOneRecord) -> str:
    column = f" (column '{note.column}')" if note.column else ""
    return f"Each record is of another {note.noun}{column}, so --person changes nothing."


@worded.register
def _(note: notes.RecordsSorted) -> str:
    ids = f" Running numbers replace the ids of records ({format_value(note.ids)})." if note.ids else ""
    index = " The index of the data frame is dropped." if note.index else ""
    return (
        f"Some {note.noun} has several records. So records are published sorted by their content. The order of the "
        f"input could tell which of them belong together.{ids}{index}"
    )


@worded.register
def _(note: notes.OneRecordKnown) -> str:
    how = f" (data with one row for each item: --id-column {note.column})" if note.column else ""
    return (
        f"The guarantee is about what an attacker knows of one record. An attacker who can tell which records belong "
        f"to the same {note.noun} may know more. If that is possible, join the records of each {note.noun} first{how}."
    )


@worded.register
def _(note: notes.LinkingValues) -> str:
    values = count_noun(note.linking, "value", "values")
    occurs = "occurs" if note.linking == 1 else "occur"
    return (
        f"Of the untouched column '{note.column}', {values} of {note.values:,} {occurs} in several records of a single "
        f"{note.noun} ({note.records:,} records): these records can be put together. Leave the column out, or make it "
        f"coarser."
    )


@worded.register
def _(note: notes.LinkingCombination) -> str:
    who = f"{note.persons:,} of the {note.several:,} {note.nouns} with several records"
    return (
        f"The untouched columns {format_value(note.columns)} together tell which records belong to one {note.noun}: "
        f"for {who}, some combination of their values is in several of their records and in nobody else's "
        f"({note.records:,} records). Leave a column out, or make it coarser."
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
        f"The {columns} published untouched: the guarantee covers the {only} only. Drop whatever could identify a "
        f"person.{false}"
    )


@worded.register
def _(note: notes.InOrder) -> str:
    columns = " and ".join(f"'{name}'" for name in note.columns)
    return (
        f"The records stand in the order of {columns}, and are published in this order: it tells about values that "
        f"were generalized or dropped. Shuffle the data first (data with one row for each item: give the records "
        f"random ids), unless nobody could make use of it."
    )


@worded.register
def _(note: notes.TellingColumn) -> str:
    parts = []
    if note.equal_classes:
        parts.append(
            f"in {note.equal_classes:,} of {note.classes:,} classes ({note.records:,} records) all records have the "
            f"same value: an attacker who knows the class learns it"
        )
    if note.once:
        parts.append(count_noun(note.once, "value occurs only once", "values occur only once"))
    return f"Of the untouched column '{note.column}', {'; '.join(parts)}."


@worded.register
def _(note: notes.LostColumns) -> str:
    columns = f"Column {note.names[0]} has" if len(note.names) == 1 else f"Columns {format_value(note.names)} have"
    more = f"{columns} lost nearly everything: a lower delta, a smaller k or fewer quasi-identifiers would keep more."
    if not note.unordered:
        return more
    return (
        f"{more} If the values of {format_value(note.unordered)} have an order, state it: --ordered "
        f"{note.unordered[0]}=A,B,C."
    )


@worded.register
def _(note: notes.ChosenDelta) -> str:
    own = note.chosen
    others = " and ".join(f"about {one.sets:.4f} with --delta {one.delta:g}" for one in note.neighbours)
    return (
        f"As no --delta is given, {own.delta:g} was chosen: the columns lose {own.columns:.4f} (at least "
        f"{note.least:.4f}) and the sets {own.sets:.4f}{f'; the sets would lose {others}' if others else ''}."
    )


# -- items -------------------------------------------------------------------------------------------------------------


@worded.register
def _(note: notes.FewUnchanged) -> str:
    share = f"{note.unchanged:,} of {count_noun(note.items, 'item')} ({note.unchanged / note.items:.1%})"
    *most, last = note.options or ("more data",)
    ways = f"{', '.join(most)} or {last}" if most else last
    return (
        f"Hardly any item is published unchanged: {share}. Half of all items have labels that represent at least "
        f"{note.median:,} items. {ways[0].upper()}{ways[1:]} would keep more of them."
    )


# -- records without items ---------------------------------------------------------------------------------------------


@worded.register
def _(note: notes.NoItemsLeft) -> str:
    gone = "suppressed" if note.truthful else "deleted"
    bare = "without any item but sensitive values" if note.sensitive else "empty"
    more = ", more data, or another hierarchy" if note.generalizes else " or more data"
    return f"Every item was {gone}: all records are published {bare}. A weaker guarantee{more} would keep more."


@worded.register
def _(note: notes.EmptiedRecords) -> str:
    have, stay = (
        ("has lost all that it", "it is still") if note.count == 1 else ("have lost all that they", "they are still")
    )
    apart = ", not counting sensitive values," if note.sensitive else ""
    gone = "suppression" if note.truthful else "deletion"
    return f"{count_noun(note.count, 'record')} {have} had{apart} to {gone}; {stay} published."


@worded.register
def _(note: notes.EmptyRecords) -> str:
    one, many = ("record without items", "records without items") if note.columns else ("empty record", "empty records")
    return _published(note.count, one, many, besides=note.besides)


@worded.register
def _(note: notes.OnlySensitiveRecords) -> str:
    only = "with nothing but sensitive values"
    return _published(note.count, f"record {only}", f"records {only}", besides=note.besides)


def _published(count: int, one: str, many: str, *, besides: bool) -> str:
    """That some records are published; ``besides``: they are not the only ones of their kind."""
    other = "other " if besides else ""
    return f"{count_noun(count, f'{other}{one} is', f'{other}{many} are')} published."
