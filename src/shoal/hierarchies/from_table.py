"""A hierarchy from the category columns of a table, such as product_id, product_type, department.

Real tables are dirty, but the result is always a tree. A node is a label on a level. Its parent is always on a higher
level, so there are no cycles. The parent is the label that the rows of the node name on the nearest level above. Blank
cells count only if no row of the node has a label on that level. If rows name several labels there, one of them wins,
or the node is split. Groups without items are left out. If two nodes have the same label, groups get their level or
their parent in brackets. Items keep their labels, because the data use them.

Neither the order of rows nor that of equal labels changes the result: ties are broken by the order of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from shoal.data.hierarchy import Hierarchy
from shoal.data.labels import canonical_order
from shoal.errors import DataError, HierarchyError, OptionError, shorten
from shoal.hierarchies import table_findings
from shoal.hierarchies.level_columns import LevelColumn, count_items, level_columns
from shoal.hierarchies.table_findings import counted_parents, lookalikes, quoted
from shoal.hierarchies.table_summary import Finding, TableSummary
from shoal.hierarchies.table_tree import TableTree, nothing_above

SeveralParents = Literal["most-frequent", "split", "error"]
UnknownItems = Literal["group", "root", "list"]
_FEW = 0.1  # if no more than this share of the data's items are leaves, another column may be meant


def from_table(
    frame: Any,
    levels: Sequence[str],
    *,
    several_parents: SeveralParents = "most-frequent",
    items: Any = None,
    only_used: bool = False,
    unknown_items: UnknownItems = "group",
    root: str = "*",
    name: str = "",
) -> Hierarchy:
    """Build a hierarchy from the category columns of a table, as ``shoal hierarchy from-table`` does.

    Parameters
    ----------
    frame
        A pandas or polars data frame, a pyarrow.Table, a DuckDB relation, or a dict of lists.
    levels
        Names of columns: the items first, then their groups, from the narrowest to the widest.
    several_parents
        What to do with a group whose rows name several parents. ``most-frequent``: take the one that most rows name.
        ``split``: make a group for each, called ``type (category)``. ``error``: raise an error. An item cannot be
        split, because data refer to it by its label: it always goes to the parent that most rows name.
    items
        The items of the data, to weight parents: a column, or a mapping from items to counts. Each row of the table
        then counts as often as the data use its item.
    only_used
        Leave out rows whose item is not among ``items``.
    unknown_items
        What to do with ``items`` that the table lacks. ``group``: put them below ``(no department)``, with those whose
        levels are all blank. ``root``: put them directly below the root. ``list``: only mention them in the summary.
    root
        Label of the root.
    name
        What messages call the table, such as its file.

    Returns
    -------
    Hierarchy
        :func:`from_table_with_summary` also reports what was done about problems in the table.

    Raises
    ------
    InputError
        If a column is missing, no row has an item, or the items of the data are in another column.

    Examples
    --------
    >>> products = {"id": [1, 2, 3, 4], "type": ["ale", "ale", None, "oats"], "department": ["bar", "bar", "bar", ""]}
    >>> from_table(products, levels=["id", "type", "department"]).parents_by_label()
    {'4': 'oats', '3': 'bar', '1': 'ale', '2': 'ale', 'oats': '(no department)', '(no department)': '*',
     'ale': 'bar', 'bar': '*', '*': None}
    """
    return from_table_with_summary(
        frame,
        levels,
        several_parents=several_parents,
        items=items,
        only_used=only_used,
        unknown_items=unknown_items,
        root=root,
        name=name,
    ).hierarchy


def from_table_with_summary(
    frame: Any,
    levels: Sequence[str],
    *,
    several_parents: SeveralParents = "most-frequent",
    items: Any = None,
    only_used: bool = False,
    unknown_items: UnknownItems = "group",
    root: str = "*",
    name: str = "",
) -> TableSummary:
    """Build a hierarchy like :func:`from_table`, and report what was done about problems in the table.

    Parameters
    ----------
    frame, levels, several_parents, items, only_used, unknown_items, root, name
        As in :func:`from_table`.

    Returns
    -------
    TableSummary
        The hierarchy, the size of each level, and the findings.

    Raises
    ------
    InputError
        As in :func:`from_table`.

    Examples
    --------
    >>> products = {"id": [1, 2, 3, None], "type": ["ale", "ale", "oats", "oats"], "aisle": ["bar", "pub", "pub", ""]}
    >>> for sentence in from_table_with_summary(products, levels=["id", "type", "aisle"], items=[1, 1, 5]).sentences():
    ...     print(sentence)
    4 items, height 3: 3 id, 2 type, 2 aisle.
    1 group has several parents (1 type) and was put below the parent that the data use most, which moved 1
    item (several_parents='split' splits them instead): 'ale' under 'bar' (2), 'pub' (0).
    1 row has no id and was left out.
    2 items of the table do not occur in the data and were kept: '2'; '3'.
    1 item of the data is not in the table (used 1 time) and was put below '(no aisle)': '5'.
    """
    levels = _checked(levels, several_parents, unknown_items, root, only_used and items is None)
    table = name or "The table"
    uses = None if items is None else count_items(items)
    columns = level_columns(frame, levels, table, uses or ())
    columns[0] = _as_the_data_spell(columns[0], uses)
    columns[1:] = [column.without_fractions().in_order() for column in columns[1:]]
    columns[-1] = columns[-1].mapped(lambda label: "" if label == nothing_above(levels[-1]) else label)
    kept = columns[0].codes >= 0
    if not np.any(kept):
        raise DataError(f"{table} has no label in '{shorten(levels[0])}': a hierarchy needs at least one item.")
    findings = [
        table_findings.out_of_order(columns),
        table_findings.floats(columns),
        table_findings.rows_without_item(levels[0], int(np.count_nonzero(~kept))),
    ]
    unknown: list[str] = []
    if uses is not None:
        leaves = columns[0].labels
        _check_leaf_level(columns, uses, table)
        unknown = canonical_order(uses.keys() - set(leaves))
        findings += [
            table_findings.unused([label for label in leaves if label not in uses], left_out=only_used),
            table_findings.unknown(unknown, leaves, uses, _place(unknown_items, levels[-1])),
        ]
        if only_used:
            kept &= np.array([label in uses for label in leaves])[columns[0].codes]
    tree = TableTree([column.at(kept) for column in columns], uses, split=several_parents == "split")
    if several_parents == "error":
        _refuse_several_parents(tree, table)
    more = [] if unknown_items == "list" else unknown
    return _summary(tree, more, unknown_items == "root", root, name or "from a table", findings)


def _place(unknown_items: str, top: str) -> str | None:
    """Return where items go that the table lacks. None: they are left out."""
    return {"list": None, "root": "the root"}.get(unknown_items, f"'{nothing_above(top)}'")


def _summary(
    tree: TableTree,
    more_items: Sequence[str],
    below_root: bool,
    root: str,
    name: str,
    findings: Sequence[Finding | None],
) -> TableSummary:
    """Return the hierarchy of a tree with more items, and all findings.

    The items go directly below the root, or below the group of items without a label on the widest level.

    They go directly below its root, or below the group of all that have no label on the widest level.
    """
    if root in tree.columns[0].labels or root in more_items:
        raise HierarchyError(
            f"{name}: the root cannot be called {quoted(root)}, as an item has that name: choose another root=."
        )
    names = tree.names(root, more_items)
    nodes = np.flatnonzero(tree.alive)[1:]
    pairs = zip(nodes.tolist(), tree.parent[nodes].tolist(), strict=True)
    parent_of = {root: None, **{names[node]: names[above] for node, above in pairs}}
    group = root if below_root or not more_items else tree.rest(names, more_items)
    parent_of |= {group: root} if group != root else {}
    parent_of |= dict.fromkeys(more_items, group)
    sizes = [(column.name, len(tree.level_nodes(level))) for level, column in enumerate(tree.columns)]
    found = [one for one in (*table_findings.in_tree(tree, names), *findings) if one is not None]
    return TableSummary(Hierarchy.from_parents(parent_of, name), tuple(sizes), tuple(found))


def _checked(
    levels: Sequence[str], several_parents: str, unknown_items: str, root: str, nothing_used: bool
) -> list[str]:
    """Return the names of the levels. Raise an error if options are invalid."""
    if isinstance(levels, str) or not all(isinstance(level, str) for level in levels):
        raise OptionError(f"levels= must be a list of column names, got {shorten(repr(levels))}.")
    if not root.strip():
        raise OptionError("root= must be a label, got an empty text.")
    check_levels(levels)
    for option, value, known in (
        ("several_parents", several_parents, get_args(SeveralParents)),
        ("unknown_items", unknown_items, get_args(UnknownItems)),
    ):
        if value not in known:
            raise OptionError(f"{option}= must be one of {', '.join(known)}, got '{shorten(value)}'.")
    if nothing_used:
        raise OptionError("only_used=True needs the items of the data: pass items= too.")
    return list(levels)


def check_levels(levels: Sequence[str], option: str = "levels") -> None:
    """Refuse fewer than two levels, and repeated levels."""
    if len(levels) < 2:
        raise OptionError(
            f"{option} must name at least two columns, got {len(levels)}: name the items first, then their groups "
            f"up to the widest, such as product_id,product_type,department."
        )
    for at, level in enumerate(levels):
        if level in levels[:at]:
            raise OptionError(f"{option} names the column '{shorten(level)}' twice: name each level once.")


def _as_the_data_spell(leaves: LevelColumn, uses: Mapping[str, int] | None) -> LevelColumn:
    """Remove ``.0`` from the items if all have it, unless the data write them with it."""
    whole = leaves.without_fractions()
    if uses is None or whole is leaves:
        return whole
    return leaves if len(uses.keys() & set(leaves.labels)) > len(uses.keys() & set(whole.labels)) else whole


def _check_leaf_level(columns: Sequence[LevelColumn], uses: Mapping[str, int], name: str) -> None:
    """Raise an error if the items of the data are not in the first column, but perhaps in another."""
    if not uses:
        raise DataError("The data have no items: leave them out, or name another column.")
    shares = [len(uses.keys() & set(column.labels)) / len(uses) for column in columns]
    elsewhere = int(np.argmax(shares))
    leaf = shorten(columns[0].name)
    if shares[0] <= _FEW and shares[elsewhere] > max(shares[0], 0.5):
        column = shorten(columns[elsewhere].name)
        raise OptionError(
            f"{name}: the items of the data are not in '{leaf}', the first level, but in '{column}': "
            f"put '{column}' first."
        )
    if not shares[0]:
        items, leaves = canonical_order(uses), canonical_order(columns[0].labels)
        alike = lookalikes(items, leaves)
        item, other = alike[0] if alike else (items[0], leaves[0])
        remedy = "spell both alike" if alike else "name the column of the items first"
        raise OptionError(
            f"{name}: none of the {len(items):,} items of the data is in '{leaf}', the first level: the data "
            f"have items such as {quoted(item)}, the table such as {quoted(other)}: {remedy}."
        )


def _refuse_several_parents(tree: TableTree, name: str) -> None:
    """Raise an error if rows name several parents for a node."""
    several = [(level, *node) for level in range(len(tree.columns)) for node in tree.several(level)]
    if several:
        level, label, parents = several[0]
        noun = "use" if tree.weighted and level else "row"
        more = f" Other labels with several parents: {len(several) - 1:,}." if several[1:] else ""
        raise HierarchyError(
            f"{name}: {shorten(tree.columns[level].name)} {quoted(label)} has {len(parents)} parents, "
            f"{counted_parents(parents, noun)}: correct the table, or pass several_parents='most-frequent' or "
            f"several_parents='split'.{more}"
        )
