"""Build a hierarchy over the items of a data set, with one column of sets or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from shoal.data.dataset import Dataset, Origin
from shoal.data.hierarchy import Hierarchy
from shoal.data.tags import Tags, joint_label
from shoal.errors import OptionError, shorten
from shoal.hierarchies.balance import balanced
from shoal.hierarchies.joined import joined
from shoal.hierarchies.names import readable
from shoal.hierarchies.prefixes import from_prefixes


def build(
    data: Dataset,
    *,
    by: Literal["frequency", "random", "label", "prefix"] = "frequency",
    fanout: int = 5,
    seed: int = 0,
    lengths: Sequence[int] | None = None,
    root: str | None = None,
    marks: str = "",
) -> Hierarchy:
    """Build a hierarchy over the items of a data set, as ``shoal hierarchy build`` does.

    The names of groups can be written to files like that of the data.

    Parameters
    ----------
    data
        What :func:`shoal.read` returned.
    by
        Group items that are about equally common, items at random, neighbours by label, or codes by their prefixes.
    fanout
        The number of children of a node. Groups by prefix have as many children as there are.
    seed
        The seed of the random order.
    lengths
        Lengths of prefixes to group by.
    root
        Label of the root. Default: ``*``, or for several columns of sets ``A+B``.
    marks
        More characters that names avoid. They always avoid those that separate items in the data.

    Returns
    -------
    Hierarchy

    Raises
    ------
    OptionError
        The root has no tag of a column, although there are several columns of sets.

    Examples
    --------
    >>> import shoal
    >>> build(shoal.read([["tea", "rum"], ["tea", "ale"], ["tea", "ale"], ["oat"]]), fanout=2).labels[4:]
    ('ale or tea', 'oat or rum', '*')
    """
    rows, origin = data.transactions, data.origin
    root = root or _root(origin.set_columns)
    if origin.as_read(root) != root:
        raise OptionError(
            f"root={shorten(root)!r} would be published as '{shorten(origin.as_read(root))}', as it has no tag of a "
            f"column: leave it out, or write '{shorten(origin.as_read(root))}'."
        )
    supports = dict(zip(rows.labels, rows.supports.tolist(), strict=True))
    columns, marks = origin.set_columns, origin.marks + marks
    return over(supports, by, fanout=fanout, seed=seed, lengths=lengths, root=root, marks=marks, columns=columns)


def in_order(
    origin: Origin,
    supports: Mapping[str, int],
    by: Literal["frequency", "random", "label"],
    *,
    fanout: int,
    seed: int = 0,
    root: str | None = None,
    marks: str = "",
) -> Hierarchy:
    """Group these items of data by falling frequency, at random or by label; ``supports``: how often each occurs."""
    return over(
        supports, by, fanout=fanout, seed=seed, root=root, marks=origin.marks + marks, columns=origin.set_columns
    )


def over(
    supports: Mapping[str, int],
    by: Literal["frequency", "random", "label", "prefix"],
    *,
    fanout: int = 5,
    seed: int = 0,
    lengths: Sequence[int] | None = None,
    root: str | None = None,
    marks: str = "",
    columns: tuple[str, ...] = (),
) -> Hierarchy:
    """Build a hierarchy over labels with the number of records that hold each: items, or the values of a column."""
    root = root or _root(columns)
    if by == "prefix":
        tree = _by_prefixes(list(supports), columns, lengths, root)
    else:
        tree = balanced(
            supports, fanout=fanout, order=by, supports=supports, seed=seed, root=root, marks=marks, columns=columns
        )
    return readable(tree, columns, marks)


def _root(columns: tuple[str, ...]) -> str:
    """The label of the root where none is asked for."""
    return joint_label(columns) if len(columns) > 1 else "*"


def _by_prefixes(
    labels: Sequence[str], columns: tuple[str, ...], lengths: Sequence[int] | None, root: str
) -> Hierarchy:
    """Group codes by their prefixes. With several columns of sets, each is grouped by itself, without its tag."""
    if len(columns) < 2:
        return from_prefixes(labels, lengths=lengths, root=root)
    tags = Tags(columns)
    codes: dict[str, list[str]] = {column: [] for column in columns}
    for label in labels:
        column, code = tags.place(label)
        codes[column].append(code)
    trees = {
        column: from_prefixes(some, lengths=lengths, root="*" if "*" not in some else "(all)")
        for column, some in codes.items()
        if some
    }
    tree = joined(trees)
    return replace(tree, labels=(*tree.labels[:-1], root))
