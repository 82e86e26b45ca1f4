"""Turns published records into what scikit-learn hands on: a multi-hot matrix, or lists of labels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from shoal.data import Transactions
from shoal.sklearn.scikit import frames_wanted


def encoded(estimator: Any, rows: Transactions) -> Any:
    """Return published records in the form that the parameters of an estimator ask for."""
    place = {label: column for column, label in enumerate(estimator.labels_)}
    columns = np.array([place[label] for label in rows.labels], dtype=np.int32)
    ones = np.ones(len(rows.items), dtype=estimator.dtype)
    shape = (len(rows), len(place))
    matrix = sparse.csr_matrix((ones, columns[rows.items], rows.indptr), shape=shape)
    matrix.sort_indices()
    if estimator.output == "lists":
        return _lists(estimator, matrix)
    return matrix if estimator.sparse_output and not frames_wanted(estimator) else matrix.toarray()


def _lists(estimator: Any, matrix: Any) -> Any:
    """Return lists of labels, or a data frame with one column of lists."""
    labels = [str(estimator.labels_[column]) for column in matrix.indices]
    lists = [labels[start:stop] for start, stop in pairwise(matrix.indptr.tolist())]
    wanted = frames_wanted(estimator)
    if not wanted:
        return lists
    if wanted == "polars":
        import polars as pl

        return pl.DataFrame({"items": pl.Series(lists, dtype=pl.List(pl.String))})
    column = np.empty((len(lists), 1), dtype=object)  # of which scikit-learn makes a data frame with the index of X
    column[:, 0] = lists
    return column
