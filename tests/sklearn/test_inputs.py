"""What may be X: sets in every form that scikit-learn passes, and multi-hot matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

pytest.importorskip("sklearn")
from scipy import sparse

from shoal.errors import DataError, OptionError
from shoal.sklearn import Anonymizer
from shoal.sklearn.inputs import read_rows

SETS = [{"ale", "rye"}, {"rye"}, set(), {"ale", "bun"}]
LISTS = [["ale", "rye"], ["rye"], [], ["ale", "bun"]]
HOT = np.array([[1, 0, 1], [0, 0, 1], [0, 0, 0], [1, 1, 0]])
NAMES = ["ale", "bun", "rye"]


def objects(rows: list[Any], columns: int | None = None) -> Any:
    found = np.empty((len(rows), columns) if columns else len(rows), dtype=object)
    for number, row in enumerate(rows):
        found[(number, 0) if columns else number] = row
    return found


@pytest.mark.parametrize(
    "X",
    [
        SETS,
        LISTS,
        tuple(map(frozenset, SETS)),
        objects(SETS),
        objects(LISTS, 1),
        pd.Series(SETS),
        pd.DataFrame({"items": LISTS}, index=[7, 7, 8, 9]),
        pl.Series(LISTS),
        pl.DataFrame({"items": LISTS}),
        pd.DataFrame(HOT, columns=NAMES),
        pd.DataFrame(HOT.astype(bool), columns=NAMES),
        pl.DataFrame(HOT, schema=NAMES),
    ],
    ids=lambda X: f"{type(X).__module__}.{type(X).__name__}",
)
def test_every_form_gives_the_same_records(X: Any) -> None:
    assert [set(row) for row in read_rows(Anonymizer(), X, reset=True)] == SETS


@pytest.mark.parametrize(
    "form", [np.asarray, np.ndarray.tolist, sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix]
)
def test_columns_without_names_get_them_from_items_or_numbers(form: Any) -> None:
    named = read_rows(Anonymizer(items=NAMES), form(HOT), reset=True)
    assert named == [sorted(row) for row in SETS]
    assert read_rows(Anonymizer(), form(HOT), reset=True) == [["x0", "x2"], ["x2"], [], ["x0", "x1"]]


def test_columns_with_numbers_as_names_are_items() -> None:
    frame = pd.DataFrame(HOT, columns=[101, 102, 103])
    assert read_rows(Anonymizer(), frame, reset=True) == [["101", "103"], ["103"], [], ["101", "102"]]


def test_stored_zeros_and_repeated_entries_of_a_sparse_matrix_mean_what_the_matrix_means() -> None:
    X = sparse.csr_matrix(([1, 0, 0.25, 0.75], [2, 0, 1, 1], [0, 2, 4]), shape=(2, 3))
    assert read_rows(Anonymizer(items=NAMES), X, reset=True) == [["rye"], ["bun"]]
    assert X.nnz == 4  # the caller's matrix did not change


def test_numbers_are_binarized_only_on_demand() -> None:
    counts = np.array([[2, 0, -1], [0, 1, 3]])
    with pytest.raises(DataError, match=r"matrix of 0 and 1, got 2 in row 1, column 'x0': .* with binarize=0\."):
        read_rows(Anonymizer(), counts, reset=True)
    assert read_rows(Anonymizer(binarize=0), counts, reset=True) == [["x0"], ["x1", "x2"]]
    assert read_rows(Anonymizer(binarize=1.5), counts, reset=True) == [["x0"], ["x2"]]
    for wrong in (-1, float("nan"), "yes", True):
        with pytest.raises(OptionError, match="binarize must be a number of at least 0, or None, got"):
            read_rows(Anonymizer(binarize=wrong), counts, reset=True)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("X", "options", "error", "message"),
    [
        ([[1, 2], [3]], {}, DataError, "lists of numbers of different lengths"),
        (["ale", "rye"], {}, DataError, "Row 1 must be a list or set of items, got str"),
        (pd.Series(["ale", "rye"]), {}, DataError, "Row 1 must be a list or set of items, got str"),
        ([{"ale"}, None], {}, DataError, "Row 2 must be a list or set of items, got NoneType"),
        (pd.Series([], dtype=object), {}, DataError, "X holds no records"),
        (pd.DataFrame({"age": [1], "items": [{"a"}]}), {}, DataError, r"'items' holds sets: pass .* \['items'\]\)\]"),
        (HOT, {"items": ["a"]}, OptionError, "items= has 1 names, but X has 3 columns"),
        (HOT, {"items": ["a", "b", "a"]}, OptionError, "items= has 'a' twice"),
        (HOT[0], {}, ValueError, "Expected 2D array, got 1D array"),
        (np.array([[0.0, np.nan]]), {}, ValueError, "NaN"),
        ([], {}, ValueError, "Expected 2D array"),
    ],
)
def test_what_cannot_be_read_is_refused(X: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_rows(Anonymizer(**options), X, reset=True)


def test_later_records_must_have_the_columns_of_the_first() -> None:
    estimator = Anonymizer()
    read_rows(estimator, pd.DataFrame({"bought": LISTS}), reset=True)
    assert list(estimator.feature_names_in_) == ["bought"]
    with pytest.raises(ValueError, match="feature names"):
        read_rows(estimator, pd.DataFrame({"sold": LISTS}), reset=False)
    read_rows(estimator, SETS, reset=True)
    with pytest.raises(ValueError, match="X has 3 features, but Anonymizer is expecting 1"):
        read_rows(estimator, HOT, reset=False)
