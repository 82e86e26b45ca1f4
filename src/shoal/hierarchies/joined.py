"""One hierarchy for the items of several columns of sets."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.data.hierarchy import Hierarchy
from shoal.data.tags import Tags
from shoal.errors import HierarchyError, shorten


def joined(trees: Mapping[str, Hierarchy]) -> Hierarchy:
    """Join the hierarchies of several columns of sets below one root.

    Labels are tagged as :func:`shoal.read` tags the items: ``column.label``.

    Parameters
    ----------
    trees : mapping of str to Hierarchy
        The hierarchy of each column.

    Returns
    -------
    Hierarchy

    Raises
    ------
    HierarchyError
        There is no column, or two labels become the same.

    Examples
    --------
    >>> flat = Hierarchy.flat
    >>> joined({"drugs": flat(["a"]), "tests": flat(["a", "b"])}).parents_by_label()
    {'drugs.a': 'drugs.*', 'tests.a': 'tests.*', 'tests.b': 'tests.*', 'drugs.*': 'drugs+tests',
     'tests.*': 'drugs+tests', 'drugs+tests': None}
    """
    if not trees:
        raise HierarchyError("joined: a hierarchy needs at least one column with its tree, got none.")
    tags = Tags(tuple(trees))
    parent_of: dict[str, str | None] = {tags.joint: None}
    for column, tree in trees.items():
        for label, parent in tree.parents_by_label().items():
            tagged = tags.label(column, label)
            if tagged in parent_of:
                raise HierarchyError(
                    f"{tree.name}: '{shorten(label)}' of column '{shorten(column)}' gets the label "
                    f"'{shorten(tagged)}', which exists already: rename it."
                )
            parent_of[tagged] = tags.joint if parent is None else tags.label(column, parent)
    return Hierarchy.from_parents(parent_of, ", ".join(dict.fromkeys(tree.name for tree in trees.values())))
