"""Refuses labels that a reader of the release could confuse, before the search if they are known then.

Data with several columns of sets are read with tags (:mod:`shoal.data.tags`). A group ``foo`` without a tag is written
to the first column ``A`` and read as ``A.foo``. Nothing else may have that name.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shoal.data.tags import joint_label
from shoal.errors import DataError, shorten
from shoal.models.base import PrivacyModel
from shoal.problem import Prepared
from shoal.published import Published


def refuse_before(problem: Prepared[PrivacyModel], *, groups: bool) -> None:
    """Raise an error if a label of the data, or a group that may be published, would be read as another label."""
    tree, rows, columns = problem.hierarchy, problem.data.transactions, problem.data.origin.set_columns
    if len(columns) > 1 and (joint := joint_label(columns)) in rows.labels:
        raise DataError(
            f"The item '{shorten(joint)}' in column '{shorten(columns[0])}' of {problem.data.origin.name} has the "
            f"same name as the label for all items of these columns: rename it."
        )
    known = {*tree.labels, *rows.labels, *problem.model.sensitive_labels}
    readings = _readings(problem, tree.labels if groups else tree.items)
    for label, text in readings.items():
        if text != label and text in known:
            raise _taken(problem, label, text, f"'{shorten(text)}', which is another label")


def refuse_after(problem: Prepared[PrivacyModel], published: Published) -> None:
    """Raise an error if a label that the search made would be read as another label."""
    rows, tree = published.rows, problem.hierarchy
    used = np.flatnonzero(rows.supports).tolist()
    secret = {*problem.model.sensitive_labels, *problem.sensitive.labels}
    for code, (label, text) in zip(used, _readings(problem, [rows.labels[code] for code in used]).items(), strict=True):
        node = tree.code_of.get(text, -1)
        if text in secret:
            raise _taken(problem, label, text, f"the sensitive '{shorten(text)}'")
        if node >= 0 and not np.array_equal(published.cover(code), np.arange(*tree.span[node])):
            what = "item" if node < tree.n_leaves else "group"
            raise _taken(problem, label, text, f"the {what} '{shorten(text)}', which represents something else")


def _readings(problem: Prepared[PrivacyModel], labels: Iterable[str]) -> dict[str, str]:
    """Return how each label is read. Raise an error if it is blank, or if two labels are read the same."""
    readings: dict[str, str] = {}
    first: dict[str, str] = {}
    for label in labels:
        text = readings[label] = problem.data.origin.as_read(label)
        if not text:
            raise DataError(
                f"The label '{shorten(label)}' of the hierarchy {problem.hierarchy.name} would be published as blank, "
                f"which readers of the file cannot see: rename it."
            )
        if (other := first.setdefault(text, label)) != label:
            one, same = (other, label) if label == text else (label, other)
            raise _taken(problem, one, text, f"'{shorten(same)}', which is another label")
    return readings


def _taken(problem: Prepared[PrivacyModel], label: str, text: str, what: str) -> DataError:
    """Return the error for a label that would be read as something else."""
    columns = problem.data.origin.set_columns
    if label == text or len(columns) < 2:
        return DataError(
            f"The label '{shorten(label)}' would be published, and readers would mistake it for {what}: rename one of "
            f"them."
        )
    return DataError(
        f"The label '{shorten(label)}' of the hierarchy {problem.hierarchy.name} has no tag of a column such as "
        f"'{shorten(columns[0])}.', so readers of the file would mistake it for {what}: rename one of them, or give "
        f"it a tag."
    )
