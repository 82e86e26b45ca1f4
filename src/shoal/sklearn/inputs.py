"""Reads what scikit-learn passes as ``X``: sets of items, or a multi-hot matrix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from scipy import sparse

from shoal.errors import DataError, OptionError
from shoal.io.memory import row_labels
from shoal.sklearn.scikit import validate_data

COLLECTIONS = (set, frozenset, list, tuple, np.ndarray)


def read_rows(estimator: Any, X: Any, *, reset: bool) -> list[list[str]]:
    """Return the items of each record.

    ``reset``: whether the estimator is fitted to X, so that its number and names of columns are those of X. Otherwise
    they must be the same as before.
    """
    cells = set_cells(X)
    if cells is None:
        return _of_matrix(estimator, X, reset=reset)
    framed = X if hasattr(X, "columns") else np.empty((len(cells), 1), dtype=object)
    validate_data(estimator, framed, reset=reset, skip_check_array=True)
    if not cells:
        raise DataError("X holds no records: give at least one set.")
    return [row_labels(cell, f"Row {number}") for number, cell in enumerate(cells, 1)]


def set_cells(X: Any) -> list[Any] | None:
    """Return the sets if X holds sets, or None if it is a matrix.

    Nested lists of numbers are a matrix, as everywhere in scikit-learn.

    >>> set_cells([{"a"}, {"b"}]), set_cells([["a"], []]), set_cells([[0, 1], [1, 1]])
    ([{'a'}, {'b'}], [['a'], []], None)
    """
    if sparse.issparse(X):
        return None
    if isinstance(X, list | tuple):
        return _of_lists(X)
    if hasattr(X, "columns"):  # a data frame
        return _of_columns(X)
    if hasattr(X, "to_list"):  # a column of a data frame
        return None if _is_numeric(X) else list(X.to_list())
    if isinstance(X, np.ndarray) and X.dtype == object:
        return _of_objects(X)
    return None


def _of_lists(X: Sequence[Any]) -> list[Any] | None:
    rows = [row for row in X if isinstance(row, COLLECTIONS)]
    named = any(isinstance(row, set | frozenset) or any(isinstance(one, str) for one in row) for row in rows)
    if named or any(isinstance(row, str) for row in X):
        return list(X)
    if len({len(row) for row in rows}) > 1:
        raise DataError(
            "X holds lists of numbers of different lengths, so it is no matrix: if the numbers are items, pass sets."
        )
    return None


def _of_columns(X: Any) -> list[Any] | None:
    columns = list(X.columns)
    holding = [name for name in columns if not _is_numeric(X[name]) and _holds_sets(X[name])]
    if holding and len(columns) > 1:
        raise DataError(
            f"X has {len(columns)} columns, and '{holding[0]}' holds sets: pass this column alone, for instance with "
            f"ColumnTransformer([('items', Anonymizer(..), ['{holding[0]}'])])."
        )
    return list(X[columns[0]].to_list()) if holding else None


def _of_objects(X: Any) -> list[Any] | None:
    if X.ndim == 1:
        return list(X)
    if X.ndim == 2 and X.shape[1] == 1 and any(isinstance(cell, COLLECTIONS) for cell in X[:, 0]):
        return list(X[:, 0])
    return None


def _is_numeric(column: Any) -> bool:
    """Whether a column of a data frame, of pandas or polars, holds numbers."""
    kind: Any = getattr(column, "dtype", None)
    return bool(kind.is_numeric()) if hasattr(kind, "is_numeric") else getattr(kind, "kind", "O") in "biuf"


def _holds_sets(column: Any) -> bool:
    return hasattr(column, "to_list") and any(isinstance(cell, COLLECTIONS) for cell in column.to_list())


def _of_matrix(estimator: Any, X: Any, *, reset: bool) -> list[list[str]]:
    """Return the items of each row of a multi-hot matrix."""
    checked = validate_data(estimator, X, accept_sparse=["csr", "csc", "coo"], dtype="numeric", reset=reset)
    names = column_items(estimator, X, checked.shape[1])
    rows, codes, values = sparse.find(checked) if sparse.issparse(checked) else _entries(checked)
    limit = estimator.binarize
    if limit is None:
        _refuse_numbers(rows, codes, values, names)
    elif isinstance(limit, bool) or not isinstance(limit, Real) or not float(limit) >= 0:
        raise OptionError(f"binarize must be a number of at least 0, or None, got {limit!r}.")
    held = values > (limit or 0)
    rows, codes = rows[held], codes[held]
    order = np.lexsort((codes, rows))
    items = [names[code] for code in codes[order].tolist()]
    starts = np.searchsorted(rows[order], np.arange(checked.shape[0] + 1))
    return [items[start:stop] for start, stop in pairwise(starts.tolist())]


def _entries(matrix: Any) -> tuple[Any, Any, Any]:
    rows, codes = np.nonzero(matrix)
    return rows, codes, matrix[rows, codes]


def column_items(estimator: Any, X: Any, columns: int) -> list[str]:
    """Return the item of each column of a multi-hot matrix: ``items=``, the names of the columns, or x0, x1, .."""
    given = estimator.items
    if given is None:
        return [str(name) for name in getattr(X, "columns", map("x{}".format, range(columns)))]
    items = [str(item) for item in given]
    if len(items) != columns:
        raise OptionError(f"items= has {len(items):,} names, but X has {columns:,} columns: name each of them.")
    if len(set(items)) != columns:
        twice = next(item for item in items if items.count(item) > 1)
        raise OptionError(f"items= has '{twice}' twice: each column of X stands for an item of its own.")
    return items


def _refuse_numbers(rows: Any, codes: Any, values: Any, names: list[str]) -> None:
    """Refuse a matrix that holds other numbers than 0 and 1."""
    if len(wrong := np.flatnonzero(values != 1)):
        at = wrong[0]
        raise DataError(
            f"X must be sets of items or a matrix of 0 and 1, got {values[at]} in row {rows[at] + 1}, column "
            f"'{names[codes[at]]}': pass the columns of items alone, or count all numbers above 0 as 1 with binarize=0."
        )
