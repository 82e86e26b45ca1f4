"""Read a published file of any tool, and find out what its labels represent."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from shoal.data import Dataset, Hierarchy
from shoal.data.hierarchy import NO_HIERARCHY
from shoal.data.labels import set_members
from shoal.data.transactions import Transactions
from shoal.errors import DataError, OptionError, did_you_mean, shorten
from shoal.hierarchies.codebook import CodeBook, codebook_path
from shoal.jobs.arguments import CodeBookSource, HierarchySource, as_dataset, as_hierarchy
from shoal.published import Published
from shoal.release.release import Release
from shoal.report.formatting import count_noun

ORIGINAL_ONLY = (  # options of reading that are no use for what was published
    "multiset",
    "drop_items",
    "join",
    "where",
    "quantity_column",
    "drop_null_items",
    "keep_ids",
    "person",
)
SUPPRESSED = "*"  # what ARX and Amnesia write
GROUP = re.compile(r"\bgroup[ -]\d+[ -]of[ -]\d+")  # how Shoal names groups of siblings


@dataclass(frozen=True, eq=False)
class LabelMeanings:
    """The meaning of published labels: items, groups of the hierarchy, and labels of the code book."""

    tree: Hierarchy
    book: CodeBook | None
    alone: bool  # no hierarchy is given, so the tree is flat

    @classmethod
    def of(
        cls,
        original: Dataset,
        published: Dataset,
        hierarchy: HierarchySource,
        codebook: CodeBookSource,
        notes: list[str],
    ) -> LabelMeanings:
        """Take the hierarchy and the code book. Without a hierarchy, all known items lie below one root."""
        items = original.transactions.labels
        tree = as_hierarchy(hierarchy) or Hierarchy.flat(items)
        alone = tree.name == NO_HIERARCHY
        book = codebook_of(codebook, published, set(items), None if alone else tree, notes)
        if alone and book is not None:
            tree = book.flat(tree.items)
        return cls(tree, book, alone)

    @property
    def given_tree(self) -> Hierarchy | None:
        """The hierarchy that was given, or None."""
        return None if self.alone else self.tree


def read_both(original: Any, published: Any, reading: Mapping[str, Any]) -> tuple[Dataset, Dataset]:
    """Read the original and the published data with the same options, without those that hold for the original only.

    Data that are read already take none.
    """
    done = (Dataset, Release)
    after = {name: value for name, value in reading.items() if name not in ORIGINAL_ONLY}
    both = isinstance(original, done) and isinstance(published, done)  # then options are an error
    before = reading if both or not isinstance(original, done) else {}
    return as_dataset(original, reading=before), as_dataset(
        published, reading={} if isinstance(published, done) else after
    )


def codebook_of(
    source: CodeBookSource, published: Dataset, items: Collection[str], tree: Hierarchy | None, notes: list[str]
) -> CodeBook | None:
    """Return the given code book, or the one next to the published file if some labels need it."""
    rows, origin = published.transactions, published.origin
    if source is not None or origin.codebook is not None:
        return given_codebook(source, published)
    used = rows.in_use().labels
    unknown = [label for label in used if label not in items and (tree is None or label not in tree.code_of)]
    if not unknown or origin.path is None or not (path := codebook_path(origin.path)).is_file():
        return None
    book = CodeBook.load(path)
    if not any(label in book for label in unknown):
        return None
    notes.append(f"Labels are looked up in {path}, which is next to {origin.path.name}.")
    return book


def given_codebook(source: CodeBookSource, published: Dataset) -> CodeBook:
    """Return the given code book, or the one of the data. A code book of other data is an error."""
    source = published.origin.codebook if source is None else source
    book = source if isinstance(source, CodeBook) else CodeBook.load(source)
    book.check(published.transactions.in_use().labels, published.origin.name)
    return book


def check_labels(labels: Sequence[str], book: CodeBook, tree: Hierarchy | None, data: Dataset) -> None:
    """Refuse a label that is neither an item nor in the code book. Without a hierarchy, unknown labels pass as items.

    With one, the code book must agree with it.
    """
    code_of = {label: code for code, label in enumerate(data.transactions.labels)}
    if tree is not None:
        rows = Transactions.from_sets([labels])
        Published.resolve(rows, tree, places(data, rows), book)
        return
    items = set(book.items)
    for label in labels:
        if label in book or label in items:
            continue
        if GROUP.search(label):
            raise DataError(
                f"Published label '{shorten(label)}' ({data.first_use(code_of[label])}) is named like a group, but is "
                f"not "
                f"in the code book {book.name}{did_you_mean(label, book.labels)}: give the one that was written with "
                f"the data, or hierarchy= if it is a node or an item there."
            )


def without_suppressed(
    published: Dataset, marks: Sequence[str] | None, items: Collection[str], meanings: LabelMeanings, notes: list[str]
) -> Dataset:
    """Return the published data without the labels that mark suppressed items.

    ``marks`` are such labels; None: ``*``, with a note that says how many, unless it is an item or a group.
    """
    rows, name = published.transactions, published.origin.name
    tree, book = meanings.given_tree, meanings.book
    for mark in (SUPPRESSED,) if marks is None else marks:
        root = tree is not None and mark == tree.labels[-1]
        known = mark in items or (tree is not None and mark in tree.code_of and not root)
        known = known or (book is not None and mark in book and (marks is None or not root))
        if marks is not None and (known or mark not in rows.labels):
            why = "is an item, or a group of the hierarchy" if known else f"is in no record of {name}"
            raise OptionError(f"suppressed= names '{shorten(mark)}', which {why}: leave it out.")
        if known or mark not in rows.labels:
            continue
        code = rows.labels.index(mark)
        times = int(rows.supports[code])
        if root and marks is None:
            notes.append(
                f"'{mark}' is in {count_noun(times, 'record')} of {name}: taken as the root of the hierarchy, some "
                f"item. If it represents what was suppressed, add suppressed='{mark}'."
            )
            continue
        if marks is None and times:
            notes.append(
                f"'{mark}' is in {count_noun(times, 'record')} of {name}, and is neither an item nor a group: taken as "
                f"what was suppressed."
            )
        codes = np.arange(len(rows.labels), dtype=np.int32)
        codes[code] = -1
        rows = rows.recode(codes, rows.labels)
    return replace(published, transactions=rows)


def refuse_torn(data: Dataset) -> None:
    """Refuse labels such as (a,b) that were split at the comma: the pieces would count as labels."""
    rows = data.transactions
    supports = rows.supports
    used = [
        (code, label)
        for code, label in enumerate(rows.labels)
        if supports[code] and label.count("(") != label.count(")")
    ]
    opened = [(code, label) for code, label in used if label.startswith("(") and ")" not in label]
    if opened and any(label.endswith(")") and "(" not in label for _, label in used):
        code, label = opened[0]
        raise DataError(
            f"Label '{shorten(label)}' ({data.first_use(code)}) looks like a piece of a set such as (a,b): the "
            f"delimiter of items is also used inside the sets. Quote them ('\"(a,b)\"'), or use another delimiter."
        )


def places(data: Dataset, rows: Transactions) -> Callable[[int], str]:
    """Return a function that tells where a label is first used."""
    code_of = {label: code for code, label in enumerate(data.transactions.labels)}
    return lambda code: data.first_use(code_of[rows.labels[code]])


def require_items(published: Dataset, original: Dataset, book: CodeBook | None = None) -> None:
    """Refuse a published label that is neither an item nor in the code book, if there is no hierarchy."""
    items, rows = set(original.transactions.labels), published.transactions
    if book is not None:
        items |= {*book.labels, *book.items}
    for code in np.flatnonzero(rows.supports).tolist():
        label = rows.labels[code]
        if label not in items and not items.issuperset(set_members(label) or [label]):
            raise DataError(
                f"Published label '{shorten(label)}' ({published.first_use(code)}) is not an item of "
                f"{original.origin.name}"
                f"{did_you_mean(label, items)}: if it is a group, give the hierarchy that it comes from (hierarchy=), "
                f"or the code book of the release (codebook=)."
            )


def sensitive_items(label: str, tree: Hierarchy, data: Dataset) -> Sequence[str]:
    """Return the items that a sensitive label names: itself, or all items of a group."""
    items, below = data.transactions.labels, tree.items_of(label)
    if label not in items and label not in tree.code_of:
        near = did_you_mean(label, (*items, *tree.labels))
        raise OptionError(f"Sensitive '{label}'{near} is not in {data.origin.name}: correct or remove it.")
    if label in items and label not in below:
        raise OptionError(f"'{label}' is an item of the data and a group in {tree.name}: rename one of them.")
    return below
