"""What a publisher must know about the columns of a release: what may still be told, and what may be a mistake."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from shoal.data.columns import is_nested, values_of
from shoal.data.dataset import Dataset
from shoal.data.labels import label_key
from shoal.data.table import Role
from shoal.options import say
from shoal.privacy import PrivacyModel
from shoal.problem import Prepared
from shoal.published import Published

FEW = 20  # records, or different values, below which an order or a difference is chance
LOST = 0.95  # of a column's values, that is nearly everything


def notes(
    problem: Prepared[PrivacyModel], published: Published, released: Dataset, losses: dict[str, float]
) -> list[str]:
    """For models that are about columns; nothing, for others."""
    if problem.relational is None or published.relational is None or problem.data.table is None:
        return []
    return [*_in_order(problem), *_untouched(problem, published, released), *_mistakes(problem), *_lost(losses)]


def _in_order(problem: Prepared[PrivacyModel]) -> list[str]:
    """The order of records is kept; where it is that of a column, it tells about that column."""
    assert problem.data.table is not None
    sorted_by = []
    for name in problem.data.table.names:
        if is_nested(problem.data, name):
            continue
        texts, codes = values_of(problem.data, name)
        steps = np.diff(_ranks(texts)[codes])
        if len(texts) >= FEW and (bool(np.all(steps >= 0)) or bool(np.all(steps <= 0))):
            sorted_by.append(f"'{name}'")
    if not sorted_by:
        return []
    return [
        f"The records stand in the order of {' and '.join(sorted_by)}, and are published in this order: it tells about "
        f"values that were generalized or dropped. Shuffle the data first, unless nobody could make use of it."
    ]


def _ranks(texts: list[str]) -> npt.NDArray[np.int64]:
    """The place of each value in their order: numbers by size, then texts."""
    order = sorted(range(len(texts)), key=lambda at: label_key(texts[at]))
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[order] = np.arange(len(texts))
    return ranks


def _untouched(problem: Prepared[PrivacyModel], published: Published, released: Dataset) -> list[str]:
    """Values of plain columns that whoever finds a class learns, or that are alone."""
    assert published.relational is not None
    classes, found = published.relational.classes, []
    sizes = np.bincount(classes)
    roles = {} if released.table is None else released.table.roles
    for name in (name for name, role in roles.items() if role is Role.PLAIN):
        if is_nested(released, name):
            continue
        texts, codes = values_of(released, name)
        pairs = np.unique(classes * len(texts) + codes)
        alone = np.flatnonzero(np.bincount(pairs // len(texts), minlength=len(sizes)) == 1)
        once = int(np.count_nonzero(np.bincount(codes) == 1))
        said = []
        if len(alone) and len(texts) > 1:
            said.append(
                f"in {len(alone):,} of {len(sizes):,} classes ({int(sizes[alone].sum()):,} records) all records have "
                f"the same value: whoever knows the class learns it"
            )
        if once:
            said.append(f"{once:,} value{' occurs' if once == 1 else 's occur'} only once")
        if said:
            found.append(f"Of the untouched column '{name}', {'; '.join(said)}.")
    return found


def _mistakes(problem: Prepared[PrivacyModel]) -> list[str]:
    """Columns that may be something else than they were taken for."""
    raw, found = problem.relational, []
    assert raw is not None
    for attribute, low in zip(raw.attributes, raw.low, strict=True):
        if len(low) >= FEW and len(np.unique(low)) == len(low):
            found.append(
                f"Column '{attribute.name}' has a different value in every record and was taken as a quasi-identifier: "
                f"if it names people, declare it as an identifier."
            )
        said = problem.quasi_identifiers[attribute.name]
        if said.type == "auto" and said.hierarchy is None:
            others = [text for text in attribute.categories if label_key(text)[0]]
            if 0 < 5 * len(others) < len(attribute.categories):
                found.append(
                    f"Column '{attribute.name}' was taken as categories, as not all of its values are numbers: "
                    f"{len(others):,} of {len(attribute.categories):,} are not. Correct them, or name them missing."
                )
    return found


def _lost(losses: dict[str, float]) -> list[str]:
    """Columns of which hardly anything is left."""
    each = {name.partition(":")[2]: loss for name, loss in losses.items() if name.startswith("relational_ncp:")}
    gone = tuple(name for name, loss in each.items() if loss >= LOST)
    if not gone:
        return []
    columns = f"Column {gone[0]} has" if len(gone) == 1 else f"Columns {say(gone)} have"
    return [f"{columns} lost nearly everything: a lower delta, a smaller k or fewer quasi-identifiers would keep more."]
