"""The code book of a release: which items each published label represents.

A file with a line for each item, ``label,parent,item``, or the same as JSON. It may be published: it lists the items of
the hierarchy below a label, whether they occur or not, and nothing about the data. :func:`load` also reads a plain file
with one group a line, for ``--siblings FILE``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from shoal import files
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.errors import DataError, HierarchyError, OptionError, did_you_mean, shorten
from shoal.hierarchies.groups import Given, grouped
from shoal.quoting import BadQuotes, cells, records

HEADER = ("label", "parent", "item")
SUFFIX, NAME_BYTES = ".codebook.csv", 255
SEPARATORS = (",", ";", "\t", "|")  # of members, in a plain file of groups; the first of equals is taken
WORDS = ("none", "label", "frequency", "best")  # what --siblings takes instead of a file


@dataclass(frozen=True)
class Entry:
    """One label: the owner's node above it, "" if there is none, and the items that it represents."""

    label: str
    parent: str
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CodeBook:
    """Labels and what they represent.

    >>> book = CodeBook.of([Entry("beer | wine", "DRINKS", ("beer", "wine"))])
    >>> book.items_of("beer | wine"), "milk" in book
    (('beer', 'wine'), False)
    """

    entries: tuple[Entry, ...]
    name: str = "code book"  # for messages: the file it came from
    sha256: str | None = None  # of that file
    places: Mapping[str, str] = field(default_factory=dict)  # label -> where it was given

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> CodeBook:
        """A code book in canonical order of labels, and of the items of each."""
        by_label = {entry.label: entry for entry in entries}
        return cls(
            tuple(
                Entry(label, by_label[label].parent, tuple(canonical_order(by_label[label].items)))
                for label in canonical_order(by_label)
            )
        )

    @classmethod
    def of_labels(cls, hierarchy: Hierarchy, labels: Iterable[str]) -> CodeBook:
        """The code book of published labels that are nodes of a hierarchy, items apart.

        >>> CodeBook.of_labels(Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1"]}}), ["A", "b1"]).entries
        (Entry(label='A', parent='ALL', items=('a1', 'a2')),)
        """
        owner = hierarchy.refines or hierarchy
        nodes = [hierarchy.code_of.get(label, -1) for label in labels]
        return cls.of(
            Entry(
                hierarchy.labels[node],
                _owner_above(hierarchy, owner, node),
                hierarchy.items[slice(*hierarchy.span[node])],
            )
            for node in nodes
            if node >= hierarchy.n_leaves
        )

    def with_sets(self, hierarchy: Hierarchy, sets: Mapping[str, Sequence[int]]) -> CodeBook:
        """The same with labels that represent sets of items, whatever groups these are in; sets by codes of items.

        >>> tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2", "a3"], "B": ["b1"]}})
        >>> CodeBook.of([]).with_sets(tree, {"(a1,a2)": [0, 1], "(a1,b1)": [0, 3]}).entries
        (Entry(label='(a1,a2)', parent='A', items=('a1', 'a2')),
         Entry(label='(a1,b1)', parent='ALL', items=('a1', 'b1')))
        """
        more = [
            Entry(label, _common(hierarchy, items), tuple(hierarchy.items[item] for item in items))
            for label, items in sets.items()
        ]
        return CodeBook.of([*self.entries, *more])

    def __repr__(self) -> str:
        """In figures."""
        return f"CodeBook({self.name}, {len(self):,} labels)"

    def __len__(self) -> int:
        """Number of labels."""
        return len(self.entries)

    def __contains__(self, label: object) -> bool:
        """Whether it tells what a label represents."""
        return label in self._by_label

    @cached_property
    def _by_label(self) -> dict[str, Entry]:
        return {entry.label: entry for entry in self.entries}

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels."""
        return tuple(entry.label for entry in self.entries)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """All items that some label represents, in canonical order."""
        return tuple(canonical_order({item for entry in self.entries for item in entry.items}))

    def items_of(self, label: str) -> tuple[str, ...]:
        """The items that a label represents; a label that is not in the code book represents itself."""
        return self._by_label[label].items if label in self._by_label else (label,)

    def place(self, label: str) -> str:
        """Where a label is given, for messages."""
        return self.places.get(label, self.name)

    def check(self, labels: Iterable[str], source: str) -> None:
        """An error if no label of a file is in the code book: then it is that of another one."""
        if self.entries and not any(label in self for label in labels):
            raise DataError(
                f"{self.name} is not the code book of {source}: none of its labels, such as "
                f"'{shorten(self.entries[0].label)}', is published there. Give the one that was written with it."
            )

    def tree(self, owner: Hierarchy) -> Hierarchy:
        """The owner's hierarchy refined by the labels that are groups of siblings in it; they keep their names."""
        if not self.entries:
            raise HierarchyError(f"{self.name} lists no label: wanted lines such as 'beer | wine,DRINKS,beer'.")
        tree = grouped(owner, [Given(entry.items, self.place(entry.label), entry.label) for entry in self.entries])
        return replace(tree, groups_from=(self.name, self.sha256 or ""))

    def flat(self, items: Iterable[str]) -> Hierarchy:
        """All items that are known, below one root: for readers who have no hierarchy."""
        return Hierarchy.flat({*items, *self.items})

    # ---- files

    def save(self, path: str | Path) -> str:
        """Write the code book, as JSON if the name ends in .json, else as CSV; return the hash of the file."""
        text = self.as_json() if files.plain_suffix(Path(path)) == ".json" else self.as_csv()
        with files.atomic_output(path) as file:
            file.write(text.encode())
        return files.sha256_of(path)

    def as_csv(self) -> str:
        """One line for each item.

        >>> CodeBook.of([Entry("oil, raw | tea", "", ("oil, raw", "tea"))]).as_csv().split()
        ['label,parent,item', '"oil,', 'raw', '|', 'tea",,"oil,', 'raw"', '"oil,', 'raw', '|', 'tea",,tea']
        """
        lines = (HEADER, *((entry.label, entry.parent, item) for entry in self.entries for item in entry.items))
        return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)

    def as_json(self) -> str:
        """A list of objects."""
        return json.dumps(self.facts(), indent=2, ensure_ascii=False) + "\n"

    def facts(self) -> list[dict[str, Any]]:
        """The entries as plain values."""
        return [{"label": entry.label, "parent": entry.parent, "items": list(entry.items)} for entry in self.entries]

    @classmethod
    def load(cls, path: str | Path) -> CodeBook:
        """Read a code book; an error says what is wrong in which line."""
        book = _read(path)
        if not isinstance(book, CodeBook):
            raise HierarchyError(
                f"{path} is no code book: wanted the header {','.join(HEADER)} and a line for each item, or JSON."
            )
        return book


@dataclass(frozen=True, eq=False)
class GroupFile:
    """A plain file of groups: one a line, its members separated by a comma, a semicolon, a tab or a bar."""

    lines: tuple[tuple[int, str], ...]  # number and text
    name: str
    path: str
    sha256: str

    def tree(self, owner: Hierarchy) -> Hierarchy:
        """The owner's hierarchy refined by exactly these groups."""
        groups = min((self._split(mark) for mark in SEPARATORS), key=lambda groups: _unknown(groups, owner))
        return replace(grouped(owner, groups), groups_from=(self.name, self.sha256))

    def _split(self, mark: str) -> list[Given]:
        """The groups, if members are separated by this mark."""
        groups = []
        for number, line in self.lines:
            members = tuple(cell for cell in _cells(line, mark) if cell.strip())
            if members:
                groups.append(Given(members, f"{self.path}, line {number}"))
        return groups


def load(path: str | Path) -> CodeBook | GroupFile:
    """Read groups: a code book (CSV with the header ``label,parent,item``, or JSON), or a file of one group a line."""
    name = str(path)
    if not os.path.exists(path) and not {"/", "\\", "."} & set(name):  # a word that is misspelt, more likely
        raise OptionError(
            f"--siblings must be {', '.join(WORDS)} or the name of a file, got '{shorten(name)}'"
            f"{did_you_mean(name, WORDS)}, and there is no such file."
        )
    return _read(path)


def _read(path: str | Path) -> CodeBook | GroupFile:
    """Read a file."""
    name = str(path)
    try:
        content = files.load(path)
        text = content.text()
    except DataError as error:
        raise HierarchyError(str(error)) from None
    if not text.strip():
        raise HierarchyError(
            f"{name} is empty: wanted a code book (header {','.join(HEADER)}), or one group of siblings a line."
        )
    if files.plain_suffix(Path(path)) == ".json":
        entries, places = _from_json(text, name)
    elif _is_header(text):
        raw = content.data.decode("utf-8-sig") if content.utf8 else text
        entries, places = _from_csv(raw, name)  # carriage returns inside labels are kept
    else:
        lines = tuple((at, line) for at, line in enumerate(text.split("\n"), 1) if line.strip())
        return GroupFile(lines, Path(path).name, name, content.sha256)
    return CodeBook(entries, Path(path).name, content.sha256, places)


def beside(path: str | Path) -> Path:
    """Where the code book of a published file lies, if nothing else is said.

    >>> beside("out/public.basket.gz").as_posix()
    'out/public.codebook.csv'
    """
    path = Path(path)
    plain = path.with_suffix("") if files.codec_of(path) else path
    stem = plain.stem.encode()[: NAME_BYTES - len(SUFFIX)].decode(errors="ignore")  # a name may have so many bytes
    return plain.with_name(stem + SUFFIX)


def _common(hierarchy: Hierarchy, items: Sequence[int]) -> str:
    """The lowest of the owner's nodes above all of some items."""
    owner, node = hierarchy.refines or hierarchy, min(items)
    while hierarchy.span[node, 1] <= max(items) or hierarchy.labels[node] not in owner.code_of:
        node = int(hierarchy.parent[node])
    return hierarchy.labels[node]


def _owner_above(hierarchy: Hierarchy, owner: Hierarchy, node: int) -> str:
    """The owner's node above a node; "" above the root, or where no hierarchy was given."""
    if owner.is_flat and owner.name == "no hierarchy":
        return ""
    for above in hierarchy.ancestors(node)[1:]:
        if hierarchy.labels[above] in owner.code_of:
            return hierarchy.labels[above]
    return ""


def _is_header(text: str) -> bool:
    """Whether a text starts as a code book does."""
    return tuple(_cells(text.split("\n", 1)[0].strip(), ",")) == HEADER


def _cells(line: str, mark: str) -> list[str]:
    """The cells of a line, some of them perhaps in quotes."""
    return cells(line, mark) if '"' in line else line.split(mark)


def _from_csv(text: str, name: str) -> tuple[tuple[Entry, ...], dict[str, str]]:
    """The entries of a CSV file, and where they start."""
    items: dict[str, dict[str, None]] = {}
    parents: dict[str, str] = {}
    places: dict[str, str] = {}
    for line, row in _records(text, name):
        place = f"{name}, line {line}"
        if len(row) != len(HEADER) or not row[0] or not row[2]:
            raise HierarchyError(
                f"{place}: wanted {', '.join(HEADER)} (a label, the node above it, an item), got {len(row)} "
                f"cell{'' if len(row) == 1 else 's'}{', of which some are empty' if len(row) == 3 else ''}."
            )
        label, parent, item = row
        if parents.setdefault(label, parent) != parent:
            raise HierarchyError(
                f"{place}: '{shorten(label)}' is below '{shorten(parent)}' here, but below '{shorten(parents[label])}' "
                f"in {places[label]}: give one parent."
            )
        places.setdefault(label, place)
        items.setdefault(label, {})[item] = None
    return tuple(Entry(label, parents[label], tuple(members)) for label, members in items.items()), places


def _records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """The records behind the header that are not blank, each with its first line."""
    try:
        yield from islice(records(text, ","), 1, None)
    except BadQuotes as error:
        raise HierarchyError(f"{name}, line {error.line}: not CSV: check the quotes.") from None


def _from_json(text: str, name: str) -> tuple[tuple[Entry, ...], dict[str, str]]:
    """The entries of a JSON file, and their numbers."""
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        raise HierarchyError(f"{name}, line {error.lineno}: not JSON ({error.msg}).") from None
    entries: dict[str, Entry] = {}
    places: dict[str, str] = {}
    for at, entry in enumerate(parsed if isinstance(parsed, list) else [parsed], 1):
        place = f"{name}, entry {at}"
        items = entry.get("items") if isinstance(entry, dict) else None
        texts = [entry.get("label"), entry.get("parent", ""), *items] if isinstance(items, list) and items else [None]
        if not all(isinstance(text, str) for text in texts) or not texts[0]:
            raise HierarchyError(
                f'{place}: wanted objects such as {{"label": "beer | wine", "parent": "DRINKS", "items": ["beer", '
                f'"wine"]}}, got {shorten(json.dumps(entry, ensure_ascii=False))}.'
            )
        label, parent, *members = map(str, texts)
        if label in entries:
            raise HierarchyError(f"{place}: '{shorten(label)}' is given twice ({places[label]}): remove one.")
        entries[label], places[label] = Entry(label, parent, tuple(dict.fromkeys(members))), place
    return tuple(entries.values()), places


def _unknown(groups: Iterable[Given], owner: Hierarchy) -> int:
    """How many members the hierarchy does not know."""
    known = owner.code_of
    return sum(member not in known and member.strip() not in known for group in groups for member in group.members)


def _quoted(text: str) -> str:
    """A cell of a CSV file, in quotes where it needs them."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', text) else text
