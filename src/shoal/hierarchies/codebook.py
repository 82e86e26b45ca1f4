"""The code book of a release: the items that each published label represents.

It is a file with one line per item, ``label,parent,item``, or the same as JSON. It may be published: it lists the items
of the hierarchy below a label, whether they occur or not, and nothing about the data. :func:`load` also reads a plain
file with one group per line, for ``siblings="FILE"``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from shoal import files
from shoal.caching import cached_property
from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.errors import DataError, HierarchyError, OptionError, OutputError, did_you_mean, shorten
from shoal.hierarchies.groups import Given, grouped
from shoal.quoting import BadQuotes, cells, records

HEADER = ("label", "parent", "item")
SUFFIX, NAME_BYTES = ".codebook.csv", 255
SEPARATORS = (",", ";", "\t", "|")  # of members, in a plain file of groups; the first wins ties
WORDS = ("none", "label", "frequency", "best")  # values of siblings= that are not files


@dataclass(frozen=True)
class Entry:
    """One label: the owner's node above it ("" if there is none), and the items that it represents."""

    label: str
    parent: str
    items: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class CodeBook:
    """The items that each label of a release represents.

    Parameters
    ----------
    entries : tuple of Entry
        One entry per label.
    name : str
        The file it came from, for messages.
    sha256 : str, optional
        The hash of that file.
    places : mapping of str to str
        Where each label is given, for messages.

    Examples
    --------
    >>> book = CodeBook.of([Entry("beer | wine", "DRINKS", ("beer", "wine"))])
    >>> book.items_of("beer | wine"), "milk" in book
    (('beer', 'wine'), False)
    """

    entries: tuple[Entry, ...]
    name: str = "code book"
    sha256: str | None = None
    places: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> CodeBook:
        """Build a code book in canonical order of labels, and of the items of each."""
        by_label = {entry.label: entry for entry in entries}
        return cls(
            tuple(
                Entry(label, by_label[label].parent, tuple(canonical_order(by_label[label].items)))
                for label in canonical_order(by_label)
            )
        )

    @classmethod
    def of_labels(cls, hierarchy: Hierarchy, labels: Iterable[str]) -> CodeBook:
        """Build the code book of published labels that are groups of a hierarchy. Items are left out.

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
        """Return the code book with more labels that represent sets of items. The sets are codes of items.

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
        """Describe the size."""
        return f"CodeBook({self.name}, {len(self):,} labels)"

    def __len__(self) -> int:
        """Return the number of labels."""
        return len(self.entries)

    def __contains__(self, label: object) -> bool:
        """Whether the code book has the label."""
        return label in self._by_label

    @cached_property
    def _by_label(self) -> dict[str, Entry]:
        return {entry.label: entry for entry in self.entries}

    @property
    def labels(self) -> tuple[str, ...]:
        """Return all labels."""
        return tuple(entry.label for entry in self.entries)

    @cached_property
    def items(self) -> tuple[str, ...]:
        """Return all items that some label represents, in canonical order."""
        return tuple(canonical_order({item for entry in self.entries for item in entry.items}))

    def items_of(self, label: str) -> tuple[str, ...]:
        """Return the items that a label represents. A label that is not in the code book represents itself."""
        return self._by_label[label].items if label in self._by_label else (label,)

    def place(self, label: str) -> str:
        """Return where a label is given, for messages."""
        return self.places.get(label, self.name)

    def check(self, labels: Iterable[str], source: str) -> None:
        """Raise an error if no label of a file is in the code book, because it then belongs to another file."""
        if self.entries and not any(label in self for label in labels):
            raise DataError(
                f"{self.name} is not the code book of {source}: none of its labels, such as "
                f"'{shorten(self.entries[0].label)}', occurs there. Give the code book that was written with it."
            )

    def tree(self, owner: Hierarchy) -> Hierarchy:
        """Return the owner's hierarchy refined by the labels that are groups of siblings. They keep their names."""
        if not self.entries:
            raise HierarchyError(f"{self.name} has no labels: wanted lines such as 'beer | wine,DRINKS,beer'.")
        tree = grouped(owner, [Given(entry.items, self.place(entry.label), entry.label) for entry in self.entries])
        return replace(tree, groups_from=(self.name, self.sha256 or ""))

    def flat(self, items: Iterable[str]) -> Hierarchy:
        """Return a hierarchy of all known items below one root, for readers without a hierarchy."""
        return Hierarchy.flat({*items, *self.items})

    # ---- files

    def save(self, path: str | Path) -> str:
        """Write the code book, as JSON if the name ends in .json, otherwise as CSV. Return the hash of the file."""
        text = self.as_json() if files.plain_suffix(Path(path)) == ".json" else self.as_csv()
        with files.atomic_output(path) as file:
            file.write(text.encode())
        return files.sha256_of(path)

    def as_csv(self) -> str:
        """Return CSV with one line per item.

        >>> CodeBook.of([Entry("oil, raw | tea", "", ("oil, raw", "tea"))]).as_csv().split()
        ['label,parent,item', '"oil,', 'raw', '|', 'tea",,"oil,', 'raw"', '"oil,', 'raw', '|', 'tea",,tea']
        """
        lines = (HEADER, *((entry.label, entry.parent, item) for entry in self.entries for item in entry.items))
        return "".join(",".join(map(_quoted, line)) + "\n" for line in lines)

    def as_json(self) -> str:
        """Return JSON: a list of objects."""
        return json.dumps(self.facts(), indent=2, ensure_ascii=False) + "\n"

    def facts(self) -> list[dict[str, Any]]:
        """Return the entries as plain values."""
        return [{"label": entry.label, "parent": entry.parent, "items": list(entry.items)} for entry in self.entries]

    @classmethod
    def load(cls, path: str | Path) -> CodeBook:
        """Read a code book from a CSV or JSON file.

        Raises
        ------
        HierarchyError
            The file is not a code book. The message names the line.
        """
        book = _read(path)
        if not isinstance(book, CodeBook):
            raise HierarchyError(
                f"{path} is not a code book: wanted the header {','.join(HEADER)} and one line per item, or JSON."
            )
        return book


@dataclass(frozen=True, eq=False)
class GroupFile:
    """A plain file of groups: one per line, with members separated by a comma, a semicolon, a tab or a bar."""

    lines: tuple[tuple[int, str], ...]  # number and text
    name: str
    path: str
    sha256: str

    def tree(self, owner: Hierarchy) -> Hierarchy:
        """Return the owner's hierarchy refined by exactly these groups."""
        groups = min((self._split(mark) for mark in SEPARATORS), key=lambda groups: _unknown(groups, owner))
        return replace(grouped(owner, groups), groups_from=(self.name, self.sha256))

    def _split(self, mark: str) -> list[Given]:
        """Return the groups, if this mark separates members."""
        groups = []
        for number, line in self.lines:
            members = tuple(cell for cell in _cells(line, mark) if cell.strip())
            if members:
                groups.append(Given(members, f"{self.path}, line {number}"))
        return groups


def load(path: str | Path) -> CodeBook | GroupFile:
    """Read groups: a code book (CSV with the header ``label,parent,item``, or JSON), or one group per line."""
    name = str(path)
    if not os.path.exists(path) and not {"/", "\\", "."} & set(name):  # probably a misspelt word
        raise OptionError(
            f"siblings= must be {', '.join(WORDS)} or the name of a file, got '{shorten(name)}'"
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
            f"{name} is empty: wanted a code book (header {','.join(HEADER)}), or one group of siblings per line."
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


def codebook_path(path: str | Path) -> Path:
    """Return the default path of the code book of a published file.

    >>> codebook_path("out/public.basket.gz").as_posix()
    'out/public.codebook.csv'
    """
    path = Path(path)
    plain = path.with_suffix("") if files.codec_of(path) else path
    stem = plain.stem.encode()[: NAME_BYTES - len(SUFFIX)].decode(errors="ignore")  # the longest possible name
    return plain.with_name(stem + SUFFIX)


def refuse_other_codebook(path: str | Path, book: CodeBook) -> None:
    """Refuse to write a code book over that of another release, which has the same name but another suffix."""
    place = codebook_path(path)
    if place.exists() and not Path(path).exists() and place.read_bytes() != book.as_csv().encode():
        raise OutputError(
            f"{place} belongs to another release: name another output or code book (codebook=), or delete it."
        )


def _common(hierarchy: Hierarchy, items: Sequence[int]) -> str:
    """Return the lowest of the owner's nodes above some items."""
    owner, node = hierarchy.refines or hierarchy, min(items)
    while hierarchy.span[node, 1] <= max(items) or hierarchy.labels[node] not in owner.code_of:
        node = int(hierarchy.parent[node])
    return hierarchy.labels[node]


def _owner_above(hierarchy: Hierarchy, owner: Hierarchy, node: int) -> str:
    """Return the owner's node above a node. It is "" above the root, and if no hierarchy was given."""
    if owner.is_flat and owner.name == "no hierarchy":
        return ""
    for above in hierarchy.ancestors(node)[1:]:
        if hierarchy.labels[above] in owner.code_of:
            return hierarchy.labels[above]
    return ""


def _is_header(text: str) -> bool:
    """Whether a text starts like a code book."""
    return tuple(_cells(text.split("\n", 1)[0].strip(), ",")) == HEADER


def _cells(line: str, mark: str) -> list[str]:
    """Return the cells of a line. Some of them may be quoted."""
    return cells(line, mark) if '"' in line else line.split(mark)


def _from_csv(text: str, name: str) -> tuple[tuple[Entry, ...], dict[str, str]]:
    """Return the entries of a CSV file, and where they start."""
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
                f"in {places[label]}: keep one parent."
            )
        places.setdefault(label, place)
        items.setdefault(label, {})[item] = None
    return tuple(Entry(label, parents[label], tuple(members)) for label, members in items.items()), places


def _records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Iterate over the non-blank records after the header, each with its first line."""
    try:
        yield from islice(records(text, ","), 1, None)
    except BadQuotes as error:
        raise HierarchyError(f"{name}, line {error.line}: malformed CSV: check the quotes.") from None


def _from_json(text: str, name: str) -> tuple[tuple[Entry, ...], dict[str, str]]:
    """Return the entries of a JSON file, and their numbers."""
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
            raise HierarchyError(f"{place}: '{shorten(label)}' occurs twice ({places[label]}): remove one.")
        entries[label], places[label] = Entry(label, parent, tuple(dict.fromkeys(members))), place
    return tuple(entries.values()), places


def _unknown(groups: Iterable[Given], owner: Hierarchy) -> int:
    """Return the number of members that the hierarchy does not know."""
    known = owner.code_of
    return sum(member not in known and member.strip() not in known for group in groups for member in group.members)


def _quoted(text: str) -> str:
    """Return a cell of a CSV file, quoted if needed."""
    return '"' + text.replace('"', '""') + '"' if re.search(r'[,"\r\n]|^\s|\s$', text) else text
