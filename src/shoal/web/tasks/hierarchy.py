"""What a hierarchy looks like: its tree with counts, its place for each label, and what is wrong with it.

A hierarchy is that of a *subject*: ``items``, ``set.NAME`` (one of several columns of sets) or ``column.NAME``. The
``spec`` says what the user chose: ``file`` and ``format``, or ``levels`` such as ``width:5,10``, and for a column its
``type``, ``missing`` and ``order``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal import hierarchies
from shoal.data import Dataset, Hierarchy, Transactions
from shoal.data.attributes import is_missing
from shoal.data.columns import Column, values_of
from shoal.data.labels import label_key
from shoal.data.ordered import OrderedAttribute
from shoal.data.tags import Tags
from shoal.errors import HierarchyError, InputError, OptionError
from shoal.hierarchies.axes import relational
from shoal.hierarchies.check import some_problems
from shoal.hierarchies.default import build_default
from shoal.hierarchies.formats import text_of
from shoal.hierarchies.ranges import tree_of_ranges
from shoal.hierarchies.repair import repair
from shoal.hierarchies.tree_counts import records_of_nodes
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.web.tasks.data import data_key, found
from shoal.web.tasks.hierarchy_problems import find_problems
from shoal.web.words import in_page
from shoal.web.worker import Session, file_key

PAGE = 100  # children that a list shows at once
RESULTS = 50  # of a search
LISTED = 100  # labels that a form lists
NAMES = 500  # groups that a field suggests
Spec = dict[str, Any]


@dataclass(frozen=True)
class View:
    """A hierarchy with the records of its subject."""

    tree: Hierarchy
    rows: Transactions
    records: Any  # of each node
    state: str  # file, built (Shoal builds it when it runs), joined (of several columns of sets), levels

    def below(self, parent: int) -> Sequence[int]:
        """Return the children of a node: ranges by their first value, anything else by label."""
        children = self.tree.children[parent]
        if self.state != "levels":
            return children
        leaves = [self.tree.labels[slice(*self.tree.span[child])] for child in children]
        first = [min(map(label_key, labels)) for labels in leaves]
        return [child for _, child in sorted(zip(first, children, strict=True))]

    def node(self, node: int) -> dict[str, Any]:
        """Describe a node."""
        return {
            "id": node,
            "label": self.tree.labels[node],
            "group": node >= self.tree.n_leaves,
            "leaves": int(self.tree.leaves[node]),
            "records": int(self.records[node]),
            "children": len(self.tree.children[node]),
        }

    def children(self, parent: int, start: int) -> dict[str, Any]:
        """Describe some children of a node."""
        below = self.below(parent)
        start = max(0, min(start, len(below) - 1)) // PAGE * PAGE
        shown = [self.node(child) for child in below[start : start + PAGE]]
        return {"parent": parent, "nodes": shown, "start": start, "total": len(below), "page": PAGE}

    def open(self, at: int, start: int = 0) -> dict[str, Any]:
        """Describe the tree with the path to a node open."""
        path = self.tree.ancestors(at)[::-1]
        top = here = self.node(path[0])
        for parent, child in pairwise(path):
            here["below"] = self.children(parent, self.below(parent).index(child))
            here = next(one for one in here["below"]["nodes"] if one["id"] == child)
        if here["group"]:
            here["below"] = self.children(at, start)
        return top


def rows_of(session: Session, data: dict[str, Any], of: str, missing: list[str] | None = None) -> Transactions:
    """Return what the hierarchy of a subject is about, as records of items: a value of a column is the only item."""
    layout = found(session, data)
    key = [data_key(data), missing]
    rows: Transactions = session.keep(f"rows of {of}", key, lambda: _rows(layout.data, data, of, missing or []))
    return rows


def _rows(data: Dataset, reading: dict[str, Any], of: str, missing: list[str]) -> Transactions:
    """Read the records of a subject."""
    kind, _, name = of.partition(".")
    rows = data.transactions
    if kind == "column":
        texts, codes = values_of(data, name)
        kept = np.array([not is_missing(text, missing) for text in texts], dtype=bool)
        starts = np.concatenate([[0], np.cumsum(np.ones(len(codes), dtype=np.int64))])
        every = Transactions(starts, codes.astype(np.int32), tuple(texts), rows.persons)
        labels = [text for text, keep in zip(texts, kept, strict=True) if keep]
        return every.recode(np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32), labels)
    names = list(rows.labels)
    if kind == "set":
        tags = Tags(data.origin.set_columns)
        places = [tags.place(label) for label in names]
        names = [text if column == name else "" for column, text in places]
    elif reading.get("multiset"):
        names = [hierarchies.without_counts([label])[0] for label in names]
    if names == list(rows.labels):
        return rows
    different = [label for label in dict.fromkeys(names) if label]
    code_of = {label: code for code, label in enumerate(different)}
    return rows.recode(np.array([code_of.get(label, -1) for label in names], dtype=np.int32), different)


def view(session: Session, data: dict[str, Any], of: str, spec: Spec) -> View | None:
    """Return the hierarchy of a subject, or None if it has none."""
    rows = rows_of(session, data, of, spec.get("missing"))

    def make() -> View | None:
        tree, state = _tree(session, data, of, spec)
        if tree is None:
            return None
        session.progress("counting records", 0.0)
        return View(tree, rows, records_of_nodes(tree, rows), state)

    key = [data_key(data), spec, file_key(spec.get("file") or "", *spec.get("sets", {}).values())]
    kept: View | None = session.keep(f"view of {of}", key, make)
    return kept


def _tree(session: Session, data: dict[str, Any], of: str, spec: Spec) -> tuple[Hierarchy | None, str]:
    """Return the tree of a subject, and where it comes from."""
    kind, _, name = of.partition(".")
    dataset = found(session, data).data
    if spec.get("file"):
        session.progress("reading the hierarchy", 0.0)
        return hierarchies.load(spec["file"], format=spec.get("format") or None), "file"
    if kind == "items":
        if not dataset.transactions.labels:
            return None, "none"
        session.progress("building a hierarchy", 0.0)
        if spec.get("sets"):
            named = {name: file for name, file in spec["sets"].items() if file}
            return DatasetSpec(file=data["file"], hierarchy=named).load_item_hierarchy(dataset), "joined"
        rows = rows_of(session, data, of)
        _, tree = build_default(dataset.with_transactions(rows), spec.get("sensitive", ()))
        return tree, "built"
    if kind == "column" and spec.get("levels"):
        rows = rows_of(session, data, of, spec.get("missing"))
        return tree_of_ranges(axis(session, data, name, spec), rows.used_labels), "levels"
    return None, "none"


def axis(session: Session, data: dict[str, Any], name: str, spec: Spec) -> Any:
    """Return a column as an attribute, or raise what is wrong with what was chosen."""
    about = {one: spec[one] for one in ("type", "missing", "order") if spec.get(one)}
    column = Column(hierarchy=spec.get("file") or spec.get("levels") or None, **about)
    return relational(found(session, data).data, {name: column}).attributes[0]


def describe_axis(session: Session, data: dict[str, Any], name: str, spec: Spec) -> dict[str, Any]:
    """Describe how the values of a column are generalized, with two of its values as an example."""
    kept = {one: spec.get(one) for one in ("levels", "type", "missing", "order")}
    rows = rows_of(session, data, f"column.{name}", spec.get("missing"))
    values = sorted(rows.labels)
    try:
        found_axis = axis(session, data, name, kept)
    except InputError as error:
        return {"kind": "", "why": str(error), "values": len(values)}
    about: dict[str, Any] = {"kind": found_axis.kind, "values": len(values), "collected": False, "why": ""}
    if isinstance(found_axis, OrderedAttribute):
        places = sorted({found_axis.parse(text)[0] for text in values})
        if len(places) > 1:
            low, high = places[len(places) // 2 - 1], places[len(places) // 2]
            about["example"] = [
                found_axis.text(low, low),
                found_axis.text(high, high),
                _covering(found_axis, low, high),
            ]
    else:
        common = np.argsort(-rows.supports, kind="stable")[:2].tolist()
        about["collected"] = True
        about["example"] = [rows.labels[code] for code in common]
    return about


def _covering(axis: OrderedAttribute, low: int, high: int) -> str:
    """Return the text that two values are published as, if they are published together."""
    lows, highs = axis.generalize(np.array([low]), np.array([high]))
    return str(axis.text(int(lows[0]), int(highs[0])))


def look(session: Session, data: dict[str, Any], of: str, spec: Spec, at: int = -1, start: int = 0) -> dict[str, Any]:
    """Describe the hierarchy of a subject: its size, an example, its problems, and the tree with one path open."""
    try:
        seen = view(session, data, of, spec)
    except (HierarchyError, OptionError) as error:
        return _broken(spec, error)
    if seen is None:
        return {"state": "none"}
    tree = seen.tree
    given, at = at, at if 0 <= at < len(tree) else tree.root
    dataset = found(session, data).data
    as_read = dataset.origin.as_read if of == "items" else None
    problems = find_problems(tree, seen.rows, seen.state, as_read, spec.get("sensitive", ()))
    return {
        "state": seen.state,
        "noun": "value" if of.startswith("column.") else "item",
        "figures": _figures(tree),
        "levels": _levels(tree),
        "example": _example(seen),
        "problems": [one.plain() for one in problems],
        "tree": seen.open(at, start),
        "at": given,
        "chosen": node(session, data, of, spec, at) if given == at else None,
    }


def _broken(spec: Spec, error: InputError) -> dict[str, Any]:
    """Describe a file that is not a hierarchy, and what a repair would do."""
    shown, more = [str(error)], list[str]()
    done: tuple[str, ...] = ()
    if spec.get("file"):
        format = spec.get("format") or None
        shown, more = some_problems(hierarchies.problems(spec["file"], format=format) or shown)
        try:
            done = repair(spec["file"], format=format).done
        except InputError:
            done = ()
    return {
        "state": "broken",
        "problems": [in_page(_without_name(one, spec)) for one in shown],
        "more": more,
        "repair": [in_page(one) for one in done[:LISTED]],
        "repairs": len(done),
    }


def _without_name(problem: str, spec: Spec) -> str:
    """Return a problem without the name of the file, which the page shows above."""
    text = problem.removeprefix(str(spec.get("file"))).lstrip(":, ")
    return text[:1].upper() + text[1:]


def _figures(tree: Hierarchy) -> dict[str, Any]:
    """Return the size of a tree."""
    lowest = len({int(parent) for parent in tree.parent[: tree.n_leaves]})
    return {
        "items": tree.n_leaves,
        "groups": len(tree) - tree.n_leaves,
        "levels": tree.height + 1,
        "mean": round(tree.n_leaves / lowest, 1) if len(tree) > 1 else 1.0,
    }


def _levels(tree: Hierarchy) -> list[dict[str, Any]]:
    """Return the groups of each level, from the top, with the number of items that they have."""
    levels = []
    groups = np.arange(len(tree)) >= tree.n_leaves
    for depth in range(tree.height):
        sizes = tree.leaves[groups & (tree.depth == depth)]
        if len(sizes):
            levels.append(
                {"groups": len(sizes), "mean": float(sizes.mean()), "least": int(sizes.min()), "most": int(sizes.max())}
            )
    return levels


def _example(seen: View) -> list[str]:
    """Return the path of the most frequent item that has a group below the root."""
    tree = seen.tree
    deep = np.where(tree.depth[: tree.n_leaves] > 1, seen.records[: tree.n_leaves], -1)
    leaf = int(np.argmax(deep))
    return [tree.labels[one] for one in tree.ancestors(leaf)] if deep[leaf] > 0 else []


def children(
    session: Session, data: dict[str, Any], of: str, spec: Spec, parent: int, start: int = 0
) -> dict[str, Any]:
    """Describe some children of a node."""
    seen = _seen(session, data, of, spec, parent)
    return seen.children(parent, start)


def search(session: Session, data: dict[str, Any], of: str, spec: Spec, text: str) -> dict[str, Any]:
    """Find labels that contain a text, groups first, each with its path from the root."""
    seen, text = _seen(session, data, of, spec, 0), text.strip().lower()
    tree = seen.tree
    hits = [node for node, label in enumerate(tree.labels) if text in label.lower()] if text else []
    hits.sort(key=lambda node: (tree.labels[node].lower() != text, node < tree.n_leaves, -int(seen.records[node])))
    results = [
        {**seen.node(node), "path": [tree.labels[one] for one in tree.ancestors(node)[:0:-1]]}
        for node in hits[:RESULTS]
    ]
    return {"found": len(hits), "results": results}


def node(session: Session, data: dict[str, Any], of: str, spec: Spec, at: int) -> dict[str, Any]:
    """Describe a node with what its forms need: its path, its children, the groups, and items without a place."""
    seen = _seen(session, data, of, spec, at)
    tree = seen.tree
    below = [tree.labels[child] for child in tree.children[at]]
    missing = [label for label in seen.rows.used_labels if label not in tree.code_of]
    groups = sorted(range(tree.n_leaves, len(tree)), key=lambda one: (int(tree.depth[one]), tree.labels[one]))
    path = [{"id": one, "label": tree.labels[one]} for one in tree.ancestors(at)[:0:-1]]
    return {
        **seen.node(at),
        "root": at == tree.root,
        "path": path,
        "below": below[: 2 * LISTED],
        "below_more": max(0, len(below) - 2 * LISTED),
        "names": [tree.labels[one] for one in groups[:NAMES]],
        "missing": missing[:LISTED],
        "missing_more": max(0, len(missing) - LISTED),
    }


def _seen(session: Session, data: dict[str, Any], of: str, spec: Spec, at: int) -> View:
    """Return the view that a part of the page is about."""
    seen = view(session, data, of, spec)
    if seen is None or not 0 <= at < len(seen.tree):
        raise InputError("The hierarchy has changed since this page was made: reload the page.")
    return seen


def file_text(session: Session, data: dict[str, Any], of: str, spec: Spec) -> str:
    """Return the hierarchy as the text of a CSV file that Shoal reads."""
    return text_of(_seen(session, data, of, spec, 0).tree)


def view_size(session: Session, data: dict[str, Any], of: str, spec: Spec) -> int:
    """Return the number of nodes of a hierarchy, or raise what is wrong with what was chosen."""
    if of.startswith("column.") and not spec.get("file"):
        axis(session, data, of.partition(".")[2], spec)
    seen = view(session, data, of, spec)
    return 0 if seen is None else len(seen.tree)
