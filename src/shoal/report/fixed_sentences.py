"""Sentences for notes that need only their fields filled in. Notes with more to say have a function in wording.py."""

from __future__ import annotations

from shoal.data import notes, reading_notes, recoding_notes
from shoal.data.note import Note

SENTENCES: dict[type[Note], str] = {  # the fields of the note fill the gaps
    notes.TooManySensitive: (
        "{published:,} of {records:,} records are published with a sensitive item, but only {holders:,} really hold "
        "one. These are too many for groups of {least}. Choose a smaller k, declare fewer items sensitive, or use a "
        "model whose methods generalize (lm)."
    ),
    notes.ChangedDataMislead: (
        "Do not use these data for decisions about a single person. Do not rely on counts of items or of combinations "
        "of items."
    ),
    notes.SensitiveItemsShuffled: (
        "Sensitive items belong to groups of records here, not to single records. They were shuffled within each group "
        "without regard to who held them. The number of records of a group that hold an item is a fact. Which records "
        "these are is not."
    ),
    notes.ShuffledItemsMislead: (
        "Do not use the sensitive items for decisions about a single person. Do not count what they occur together "
        "with in a record. Count them by group."
    ),
    notes.GroupsTellHolders: (
        "Groups were formed around records with a sensitive item. An attacker who knows the method and repeats its "
        "steps on the published data can often tell which records these are (on real baskets in 9 of 10 groups). Rely "
        "on the guarantee only if no attacker would go to such lengths."
    ),
    notes.DroppedIndex: "The index of the data frame was dropped. Make it a column if you need it.",
    reading_notes.IdsReplaced: (
        "The ids of records ({columns}) are not published. Long files have running numbers instead. Records are sorted "
        "by their ids. If that order reveals something, such as the time of a purchase, give the records random ids."
    ),
    reading_notes.IdsKept: (
        "The ids of records ({columns}) are published. An attacker who knows an id finds its record, whatever the "
        "guarantee."
    ),
    reading_notes.VaryingColumns: "Columns with several values in one record were left out: {columns}.",
    notes.LinkingColumns: (
        "These columns look like ids and are published unchanged: {columns}. If one of them identifies a person, all "
        "records of that person can be linked, and an attacker who finds one of them finds all. Leave such a column "
        "out with identifiers=."
    ),
    reading_notes.IdentifyingColumns: (
        "Columns with a different value in nearly every record were left out, like ids: {columns}. To publish them "
        "anyway, pass keep_ids=True, and name them and the ids with plain=."
    ),
    reading_notes.ColumnsLikeIds: (
        "Columns with a different value in nearly every record were left out, like ids: {columns}."
    ),
    reading_notes.NullItemsDropped: "{rows:,} rows without a value in '{column}' were left out.",
    reading_notes.Filtered: "Only rows with {condition} were read: {kept:,} of {total:,}.",
    reading_notes.HierarchyBuilt: (
        "No hierarchy was given, so one was built: items that are about equally common share a group (items {items:,}, "
        "groups {groups:,}, fanout {fanout}). Anyone who sees the groups learns which items are about equally common. "
        "To choose the groups yourself, write this hierarchy to a file ('shoal hierarchy build DATA -o hierarchy.csv', "
        "or shoal.hierarchies.build in Python), edit it, and name it with hierarchy=."
    ),
    notes.DroppedItems: "These items were left out when the data were read: {labels}.",
    notes.AddedItemsNamed: (
        "Labels of groups and the code book also name these items, however rare they are. If nobody may learn that "
        "they exist, add them to the hierarchy below a node of their own."
    ),
    notes.UnusedHierarchy: (
        "Items are published as sets of items such as (A,B), not as groups of the hierarchy. within='aa' and "
        "within='optimal' publish groups of the hierarchy only."
    ),
    notes.ZeroWeights: (
        "All items in the data have weight 0. Nothing counts as lost, so every recoding is as good as any other."
    ),
    notes.MethodReveals: (
        "An attacker who knows the method and its options can rule out some original records, and may learn more than "
        "the published labels say. The guarantee still holds by its definition. But in a test on a tiny domain, such "
        "an attacker found a record with {certainty}. See docs/concepts/minimality.md."
    ),
    notes.NoPrivateItems: (
        "No item was declared private with sensitive=. So the guarantee is {k}^{p}-anonymity of all items, and h has "
        "no effect."
    ),
    notes.MissedSensitive: "These sensitive labels are not in the data: {labels}. Check the spelling.",
    notes.NothingSensitive: (
        "No record holds a sensitive item. Nothing had to be protected, and all records are published unchanged."
    ),
    notes.LooksSensitive: "'{label}' is sensitive. '{other}' looks like it, but was not declared sensitive.",
    notes.SensitiveLookAlike: (
        "'{label}' and '{other}' look alike, but count as two different sensitive values. If they mean the same, write "
        "them the same way."
    ),
    notes.UnprotectedLookAlike: "'{other}' looks like '{label}', but was not declared sensitive. It is not protected.",
    notes.ProtectedValues: "Only these values of the column '{column}' are protected: {values}.",
    notes.NamesPeople: (
        "Column '{column}' has a different value in every record and was treated as a quasi-identifier. If it "
        "identifies people, declare it as an identifier with identifiers=."
    ),
    notes.MixedColumn: (
        "Column '{column}' was treated as categories because {others:,} of its {values:,} different values are not "
        "numbers. Correct these values, or declare them as missing with missing=."
    ),
    notes.FewNumbers: (
        "These columns have few different whole numbers and were treated as numbers: {columns}. Values next to each "
        "other become ranges such as [1:3]. If some of these columns hold codes without a meaningful order, declare "
        "them as categories with categorical=."
    ),
    notes.UntouchedSets: "The sets are published unchanged. The guarantee covers the quasi-identifying columns only.",
    recoding_notes.NewColumns: ("The earlier release did not publish these columns, so they were left out: {columns}."),
}
