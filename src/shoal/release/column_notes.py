"""Notes on the columns of a release: what they may still reveal, and what may be a mistake."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from shoal.data.attributes import MISSING, Attribute
from shoal.data.columns import is_nested, values_of
from shoal.data.dataset import Dataset
from shoal.data.labels import label_key
from shoal.data.note import Note
from shoal.data.notes import FewNumbers, InOrder, LostColumns, MixedColumn, NamesPeople, TellingColumn
from shoal.data.table import Role
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.published import Published

FEW = 20  # records or different values; with fewer, an order or a difference is chance
LOST = 0.9  # loss of a column that counts as nearly everything
CODES = range(3, 13)  # numbers of different whole numbers that may be codes (2 make no difference)
CODED = 50  # records that are needed to suspect codes


def notes(
    problem: Prepared[PrivacyModel], published: Published, released: Dataset, losses: dict[str, float]
) -> list[Note]:
    """Return the notes on columns. There are none for models without columns."""
    if problem.relational is None or published.relational is None or problem.data.table is None:
        return []
    return [
        *_in_order(problem),
        *_untouched(published, released),
        *_mistakes(problem),
        *_few_numbers(problem),
        *_lost(problem, losses),
    ]


def _in_order(problem: Prepared[PrivacyModel]) -> list[Note]:
    """Note columns by which the records are sorted, because the order is published."""
    if problem.persons is not None and problem.persons.several:  # the order is not published
        return []
    assert problem.data.table is not None
    sorted_by: list[str] = []
    for name in problem.data.table.names:
        if is_nested(problem.data, name):
            continue
        texts, codes = values_of(problem.data, name)
        steps = np.diff(_ranks(texts)[codes])
        if len(texts) >= FEW and (bool(np.all(steps >= 0)) or bool(np.all(steps <= 0))):
            sorted_by.append(name)
    return [InOrder(tuple(sorted_by))] if sorted_by else []


def _ranks(texts: list[str]) -> npt.NDArray[np.int64]:
    """Return the rank of each value: numbers by size, then texts."""
    order = sorted(range(len(texts)), key=lambda at: label_key(texts[at]))
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order] = np.arange(len(texts))
    return ranks


def _untouched(published: Published, released: Dataset) -> Iterator[Note]:
    """Note unchanged columns whose value is the same in a whole class, or that have values that occur once."""
    assert published.relational is not None
    classes = published.relational.classes
    sizes = np.bincount(classes)
    roles = {} if released.table is None else released.table.roles
    for name in (name for name, role in roles.items() if role is Role.PLAIN):
        if is_nested(released, name):
            continue
        texts, codes = values_of(released, name)
        pairs = np.unique(classes * len(texts) + codes)
        alone = np.flatnonzero(np.bincount(pairs // len(texts), minlength=len(sizes)) == 1)
        once = int(np.count_nonzero(np.bincount(codes) == 1))
        alone = alone if len(texts) > 1 else alone[:0]
        if len(alone) or once:
            yield TellingColumn(name, len(alone), len(sizes), int(sizes[alone].sum()), once)


def _mistakes(problem: Prepared[PrivacyModel]) -> Iterator[Note]:
    """Note columns that may have been treated wrongly."""
    raw = problem.relational
    assert raw is not None
    for attribute, values in zip(raw.attributes, raw.values, strict=True):
        if len(raw) >= FEW and len(np.unique(values.low[values.used])) == len(raw):
            yield NamesPeople(attribute.name)
        spec = problem.quasi_identifiers[attribute.name]
        if spec.type == "auto" and spec.hierarchy is None:
            others = [text for text in attribute.categories if label_key(text)[0]]
            if 0 < 5 * len(others) < len(attribute.categories):
                yield MixedColumn(attribute.name, len(others), len(attribute.categories))


def _few_numbers(problem: Prepared[PrivacyModel]) -> list[Note]:
    """Note columns of numbers that may be codes."""
    raw = problem.relational
    assert raw is not None
    names = tuple(
        attribute.name
        for attribute, values in zip(raw.attributes, raw.values, strict=True)
        if problem.quasi_identifiers[attribute.name].type == "auto"
        and attribute.whole_numbers
        and len(raw) >= CODED
        and len(np.setdiff1d(values.low[values.used], [MISSING])) in CODES
    )
    return [FewNumbers(names)] if names else []


def _lost(problem: Prepared[PrivacyModel], losses: dict[str, float]) -> list[Note]:
    """Note columns that lost nearly everything."""
    each = {name.partition(":")[2]: loss for name, loss in losses.items() if name.startswith("relational_ncp:")}
    gone = tuple(name for name, loss in each.items() if loss > LOST)
    unordered = tuple(
        name
        for name in gone
        if problem.quasi_identifiers[name].hierarchy is None and _attribute(problem, name).categories[2:]
    )
    return [LostColumns(gone, unordered)] if gone else []


def _attribute(problem: Prepared[PrivacyModel], name: str) -> Attribute:
    """Return a quasi-identifier by its name."""
    assert problem.relational is not None
    return problem.relational.attributes[problem.relational.names.index(name)]
