"""A population, with the labels and classes of the data that are part of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.data.arrays import Counts, csr_from_pairs, row_ids
from shoal.data.transactions import Transactions
from shoal.errors import DataError
from shoal.published import Published
from shoal.risk.facts import Facts


def as_seen_in(view: Published, population: Published) -> Facts:
    """Return the population in the labels of the data.

    A record of the population has a label if it has an item, or a label, that this label covers. So the population may
    hold original items, and the data groups of them.

    >>> from shoal.data.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    >>> people = Published.resolve(Transactions.from_sets([["a1"], ["a2", "b1"]]), tree)
    >>> data = Published.resolve(Transactions.from_sets([["A", "b1"]]), tree)
    >>> as_seen_in(data, people).rows.sets()
    [frozenset({'A'}), frozenset({...})]
    """
    if (view.rows.persons is None) != (population.rows.persons is None):
        raise DataError(
            "population: the data and the population must both have persons, or neither: give person= for both."
        )
    facts, others = Facts.of(view), Facts.of(population)
    if (facts.class_of is None) != (others.class_of is None):
        raise DataError("population: it must have the same quasi-identifying columns as the data.")
    rows = others.rows
    pairs = _covering(view, population)
    ids = row_ids(rows.indptr)
    labels, starts = pairs
    sizes = np.diff(starts)[rows.items]
    at = np.arange(int(sizes.sum())) + np.repeat(starts[rows.items] - np.cumsum(sizes) + sizes, sizes)
    seen = csr_from_pairs(np.repeat(ids, sizes), labels[at], len(rows))
    classes = None
    if others.class_of is not None:
        code = {name: at for at, name in enumerate(_class_names(view, "the data"))}
        number = np.array([code.get(name, -1) for name in _class_names(population, "the population")], dtype=np.int64)
        number[number < 0] = len(code) + np.arange(int(np.count_nonzero(number < 0)))  # classes that the data lack
        classes = number[others.class_of]
    return Facts(Transactions(*seen, view.rows.labels, rows.persons), classes)


def _covering(view: Published, population: Published) -> tuple[Counts, Counts]:
    """Return the labels of the data that cover each label of the population, and where those of each begin."""
    code = {name: at for at, name in enumerate(view.items)}
    covers: dict[int, set[int]] = {}  # by item: the labels of the data that cover it
    for label in range(len(view.rows.labels)):
        for item in view.cover(label).tolist():
            covers.setdefault(item, set()).add(label)
    found = list[Sequence[int]]()
    for label in range(len(population.rows.labels)):
        items = [code.get(population.items[item], -1) for item in population.cover(label).tolist()]
        found.append(sorted(set.intersection(*(covers.get(item, set()) for item in items))))
    sizes = [len(labels) for labels in found]
    flat = np.array([label for labels in found for label in labels], dtype=np.int64)
    return flat, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _class_names(published: Published, whose: str) -> list[str]:
    """Return the values of each class as text. Two classes with the same text are an error."""
    if published.classes is not None:
        names = list(published.classes.names)
    else:
        assert published.relational is not None
        classes, texts = published.relational.classes, published.relational.columns()
        first = np.unique(classes, return_index=True)[1].tolist()
        names = [
            ", ".join(
                f"{name}={column[at] or ''}" for name, column in zip(published.relational.names, texts, strict=True)
            )
            for at in first
        ]
    if len(set(names)) != len(names):
        raise DataError(f"population: two classes of {whose} look alike: shorten the values of the columns.")
    return names
