"""What a case means, worked out from its plain values and the specification alone: nothing here knows the product."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from fuzz.problems.case import Case
from fuzz.problems.trees import Tree

Sets = list[frozenset[str]]


@dataclass(frozen=True)
class Seen:
    """Published data as a reader finds them: labels (tagged, if there are several columns of sets) and columns."""

    rows: Sets
    columns: dict[str, list[str | None]]
    book: dict[str, frozenset[str]]  # the code book: label -> items

    def same(self, other: Seen) -> bool:
        """Whether the records are the same, in the same order."""
        return (self.rows, self.columns) == (other.rows, other.columns)


@dataclass(frozen=True)
class World:
    """The original data of a case and the tree above them."""

    case: Case

    @property
    def people(self) -> list[int]:
        """Whose each record is; where nobody said, each is of another person."""
        return list(range(self.case.n_rows)) if self.case.persons is None else self.case.persons

    @property
    def has_repeaters(self) -> bool:
        """Whether some person has several records."""
        return len(set(self.people)) < len(self.people)

    @property
    def tagged(self) -> tuple[str, ...]:
        """The columns of sets, if there are several."""
        return tuple(self.case.sets) if len(self.case.sets) > 1 else ()

    @cached_property
    def rows(self) -> Sets:
        """The items of each record; blank ones do not count, repeated ones collapse or are counted."""
        records: list[set[str]] = [set() for _ in range(self.case.n_rows)]
        for column, rows in self.case.sets.items():
            for record, row in zip(records, rows, strict=True):
                for item, count in Counter(item for item in row if item.strip()).items():
                    text = f"{item}*{count}" if self.case.multiset else item
                    record.add(tagged(column, text) if self.tagged else text)
        return [frozenset(row) for row in records]

    @cached_property
    def occurring(self) -> frozenset[str]:
        """All items that occur."""
        return frozenset[str]().union(*self.rows)

    @cached_property
    def whole_tree(self) -> Tree:
        """The tree of all items, with counted items below their items."""
        parents = self.case.parents
        if parents is None:
            plain = {label.rpartition("*")[0] if self.case.multiset else label for label in self.occurring}
            root = next(
                mark for mark in ("*", "(all)", *map("({})".format, range(len(plain) + 1))) if mark not in plain
            )
            parents = {**dict.fromkeys(sorted(plain), root), root: None}
        if not self.case.multiset:
            return Tree(parents)
        leaves = Tree(parents).items
        below = {label: label.rpartition("*")[0] for label in sorted(self.occurring) if label not in parents}
        return Tree({**parents, **{label: item for label, item in below.items() if item in leaves}})

    @cached_property
    def declared(self) -> frozenset[str]:
        """The items that were declared sensitive, or are below a group that was; of multisets without counts."""
        declared: set[str] = set()
        for label in self.case.model_options.get("sensitive", ()):
            if not any(label.startswith(f"{column}=") for column in self.sensitive_columns):
                below = self.whole_tree.leaves.get(label, frozenset({label}))
                above = self.whole_tree.parents
                declared |= (
                    {label}
                    if label in below
                    else {_item(item) if above[item] == _item(item) else item for item in below}
                )
        return frozenset(declared)

    @cached_property
    def sensitive_items(self) -> frozenset[str]:
        """The items that are sensitive: those that were declared, and whatever reads as a count of them."""
        there = self.occurring | self.whole_tree.items | self.declared
        return frozenset(item for item in there if item in self.declared or _item(item) in self.declared)

    @property
    def sensitive_columns(self) -> list[str]:
        """The columns with values that must not be learned."""
        columns: list[str] = self.case.model_options.get("sensitive_column", [])
        return columns

    @cached_property
    def tree(self) -> Tree:
        """The tree of the items that may be generalized."""
        return self.whole_tree.without(set(self.sensitive_items))

    def apart(self, rows: Sets, columns: dict[str, list[str | None]]) -> tuple[Sets, Sets]:
        """What may be known of each record, and what is sensitive in it."""
        known = [row - self.sensitive_items for row in rows]
        hidden = [set(row & self.sensitive_items) for row in rows]
        named = self.case.model_options.get("sensitive", ())
        for column in self.sensitive_columns:
            chosen = {label for label in named if label.startswith(f"{column}=")}
            for values, value in zip(hidden, columns[column], strict=True):
                text = f"{column}={(value or '').strip()}"
                if (value or "").strip() and (not chosen or text in chosen):
                    values.add(text)
        return known, [frozenset(values) for values in hidden]

    def values(self, sensitive: Sets) -> Sets:
        """The sensitive values of records: an item, whatever its count; sensitive-k compares whole records."""
        if self.case.model == "sensitive-k":
            return sensitive
        return [frozenset(_item(one) if _item(one) in self.declared else one for one in row) for row in sensitive]

    @cached_property
    def known(self) -> Sets:
        """The original items that may be known."""
        return self.apart(self.rows, self.case.columns)[0]

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that may be known, for models that are about columns."""
        return [
            name
            for name in self.case.columns
            if name not in self.sensitive_columns and "role" not in self.case.roles.get(name, {})
        ]

    def cover(self, label: str, seen: Seen) -> frozenset[str] | None:
        """The original items that a published label stands for, as its reader sees it; None: nobody knows."""
        tree = self.tree
        if label in tree.leaves and label not in tree.children:
            return frozenset({label})
        if label in seen.book:
            return seen.book[label]
        if label in tree.leaves:
            return tree.leaves[label]
        if label in self.occurring or label in self.whole_tree.items:
            return frozenset({label})
        for column in self.tagged:
            text = label.removeprefix(f"{column}.")
            if text != label and text in seen.book:
                return seen.book[text]
            if text != label and text in tree.children:
                return tree.leaves[text]
            if text != label and (members := set_members(text)):
                if (whole := set_label([f"{column}.{member}" for member in members])) in tree.children:
                    return tree.leaves[whole]  # a group that is called like a set
                members = [self._item(member) for member in members]
                if all(member.startswith(tuple(f"{name}." for name in self.tagged)) for member in members):
                    return self._union(members)  # it spans columns
                return self._union([f"{column}.{member}" for member in members])
        return self._union(set_members(label))

    def _item(self, member: str) -> str:
        """An item that looks like a set itself is tagged inside: ``(B.x,B.y)`` is ``(x,y)`` in column B."""
        inner = set_members(member)
        for column in self.tagged:
            if inner and all(part.startswith(f"{column}.") for part in inner):
                return f"{column}.{set_label([part.removeprefix(f'{column}.') for part in inner])}"
        return member

    def _union(self, members: list[str]) -> frozenset[str] | None:
        parts = [self.tree.leaves.get(member) for member in members]
        if not parts or None in parts:
            return None
        return frozenset[str]().union(*(items for items in parts if items))


def _item(label: str) -> str:
    """What a label such as ``milk*2`` counts; any other label as it is."""
    match = re.fullmatch(r"(.+)\*[0-9]+", label, re.DOTALL)
    return match[1] if match else label


def set_members(label: str) -> list[str]:
    """The members of a label such as ``(a,"b, c")``; none: it is no set."""
    if not (label.startswith("(") and label.endswith(")")):
        return []
    members, at, text = [], 0, label[1:-1]
    while at <= len(text):
        if text[at : at + 1] == '"':
            end = at + 1
            while end < len(text) and (text[end] != '"' or text[end : end + 2] == '""'):
                end += 2 if text[end] == '"' else 1
            members.append(text[at + 1 : end].replace('""', '"'))
            at = end + 2
        else:
            end = text.find(",", at)
            end = len(text) if end < 0 else end
            members.append(text[at:end])
            at = end + 1
    return members


def set_label(members: list[str]) -> str:
    """The label of a set."""
    quoted = ('"' + one.replace('"', '""') + '"' if re.search(r'[,"]|^\s|\s$', one) else one for one in members)
    return f"({','.join(quoted)})"


def tagged(column: str, text: str) -> str:
    """How an item of one of several columns is called: ``B.x``; what reads as a set, as ``(x,y)``: ``(B.x,B.y)``."""
    members = next(csv.reader([text[1:-1]]), []) if text.startswith("(") and text.endswith(")") else []
    if len(members) < 2 or not all(members) or _as_set(members) != text:
        return f"{column}.{text}"
    return _as_set([f"{column}.{member}" for member in members])


def _as_set(members: list[str]) -> str:
    """A set of items in one text."""
    quoted = [
        '"' + one.replace('"', '""') + '"' if set(one) & set(',"\r\n') or one != one.strip() else one for one in members
    ]
    return f"({','.join(quoted)})"
