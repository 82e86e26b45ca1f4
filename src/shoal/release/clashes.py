"""Labels that a reader of the release could not tell apart are refused, before the search where they are known then.

Data with several columns of sets are read with tags (:mod:`shoal.data.tags`): a group ``foo``, which has none, stands
in the first column ``A`` and is read as ``A.foo``. That must not be the name of anything else.
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
    """Refuse labels of the data and, if groups may be published, of the hierarchy that would be read as others."""
    tree, rows, columns = problem.hierarchy, problem.data.transactions, problem.data.origin.set_columns
    if len(columns) > 1 and (joint := joint_label(columns)) in rows.labels:
        raise DataError(
            f"The item '{shorten(joint)}' in column '{shorten(columns[0])}' of {problem.data.origin.name} is called "
            f"like the label for anything of these columns: rename it."
        )
    known = {*tree.labels, *rows.labels, *problem.model.sensitive_labels}
    readings = _readings(problem, tree.labels if groups else tree.items)
    for label, text in readings.items():
        if text != label and text in known:
            raise _taken(problem, label, text, f"'{shorten(text)}', which is another label")


def refuse_after(problem: Prepared[PrivacyModel], published: Published) -> None:
    """Refuse published labels that would be read as something else: names and sets that the search has made."""
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
    """How each label is read; an error if it is not, or if another one is read the same."""
    readings: dict[str, str] = {}
    first: dict[str, str] = {}
    for label in labels:
        text = readings[label] = problem.data.origin.as_read(label)
        if not text:
            raise DataError(
                f"The label '{shorten(label)}' of the hierarchy {problem.hierarchy.name} is blank where it is "
                f"published, and a reader of the file finds nothing there: rename it."
            )
        if (other := first.setdefault(text, label)) != label:
            one, same = (other, label) if label == text else (label, other)
            raise _taken(problem, one, text, f"'{shorten(same)}', which is another label")
    return readings


def _taken(problem: Prepared[PrivacyModel], label: str, text: str, what: str) -> DataError:
    """A message on a label that is read as something else."""
    columns = problem.data.origin.set_columns
    if label == text or len(columns) < 2:
        return DataError(
            f"The label '{shorten(label)}' would be published, and be taken for {what}: rename one of them."
        )
    return DataError(
        f"The label '{shorten(label)}' of the hierarchy {problem.hierarchy.name} has no tag of a column such as "
        f"'{shorten(columns[0])}.', so that a reader of the file would take it for {what}: rename one of them, or "
        f"give it a tag."
    )
