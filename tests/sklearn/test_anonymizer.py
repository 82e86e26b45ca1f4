"""An Anonymizer gives the release of ``shoal.anonymize``, and works wherever scikit-learn puts it.

Covers: sklearn/outputs.py.
"""

from __future__ import annotations

import pickle
import warnings
from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("sklearn")
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import shoal
from shoal.errors import DataError, OptionError, RecodingFails
from shoal.sklearn import Anonymizer, GuaranteeWarning
from tests.budget import examples

TREE = shoal.Hierarchy.from_tree(
    {"ALL": {"beer": ["ale", "stout", "lager"], "bread": ["rye", "bun"], "fruit": ["fig", "pear"]}}
)
ITEMS = TREE.items
SHOP = [["ale", "rye"], ["stout", "rye"], ["ale", "rye"], ["lager", "bun"], ["ale", "bun"], ["fig"], ["fig"], []]


def baskets(rows: int = 200, seed: int = 0) -> tuple[list[set[str]], Any]:
    """Random records, and a target that depends on them."""
    rng = np.random.default_rng(seed)
    hot = rng.random((rows, len(ITEMS))) < [0.5, 0.05, 0.2, 0.5, 0.3, 0.1, 0.05]
    return [{ITEMS[code] for code in np.flatnonzero(row)} for row in hot], hot[:, 0] | hot[:, 5]


def rare(hot: Any, k: int, m: int) -> list[tuple[int, ...]]:
    """The sets of at most m columns that are together in 1 to k-1 rows, counted one by one."""
    found: Counter[tuple[int, ...]] = Counter()
    for row in np.asarray(hot):
        held = np.flatnonzero(row).tolist()
        found.update(some for size in range(1, m + 1) for some in combinations(held, size))
    return [some for some, count in found.items() if count < k]


def as_sets(estimator: Anonymizer, hot: Any) -> list[set[str]]:
    names = estimator.get_feature_names_out()
    return [{names[column] for column in np.flatnonzero(row)} for row in hot]


@examples(400)
@given(
    st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=1, max_size=14),
    st.lists(st.frozensets(st.sampled_from(ITEMS)), min_size=1, max_size=9),
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from([None, "aa", "optimal-suppress", shoal.algorithms.Optimal(siblings="frequency")]),
    st.booleans(),
)
def test_what_leaves_is_the_release_or_was_counted(
    rows: Any, later: Any, k: int, m: int, algorithm: Any, with_tree: bool
) -> None:
    """Each output is counted by brute force; one without the guarantee comes with a warning."""
    options: Any = {"k": k, "m": m, "algorithm": algorithm, "hierarchy": TREE if with_tree else None}
    estimator = Anonymizer(**options, sparse_output=False, handle_unknown="ignore")
    try:
        release = shoal.anonymize([sorted(row) for row in rows], **options)
    except shoal.errors.Infeasible:
        with pytest.raises(shoal.errors.Infeasible):
            estimator.fit(rows)
        return
    first = estimator.fit_transform(rows)
    assert as_sets(estimator, first) == [set(row) for row in release.data]
    assert not rare(first, k, m)
    np.testing.assert_array_equal(estimator.transform(rows), first)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        unchecked = estimator.set_params(violations="warn").transform(later)
    warned = [one.category for one in caught] == [GuaranteeWarning]
    assert warned == bool(rare(unchecked, k, m))
    estimator.set_params(violations="raise")
    if warned:
        with pytest.raises(RecodingFails):
            estimator.transform(later)
    else:
        np.testing.assert_array_equal(estimator.transform(later), unchecked)
    safe = estimator.set_params(violations="suppress").transform(later)
    assert not rare(safe, k, m)
    kept = safe.any(axis=0)
    np.testing.assert_array_equal(safe[:, kept], unchecked[:, kept])  # labels are left out of all rows or of none


# -- output


def test_the_matrix_is_sparse_or_dense_and_the_lists_are_those_of_the_release() -> None:
    release = shoal.anonymize(SHOP, k=2, m=2, hierarchy=TREE)
    estimator = Anonymizer(k=2, m=2, hierarchy=TREE)
    matrix = estimator.fit_transform(SHOP)
    assert sparse.issparse(matrix)
    assert matrix.format == "csr"
    assert matrix.dtype == np.float64
    assert as_sets(estimator, matrix.toarray()) == [set(row) for row in release.data]
    assert estimator.losses_ == release.losses
    dense = clone(estimator).set_params(sparse_output=False, dtype=np.int8).fit_transform(SHOP)
    assert dense.dtype == np.int8
    np.testing.assert_array_equal(dense, matrix.toarray())
    lists = clone(estimator).set_params(output="lists")
    assert lists.fit_transform(SHOP) == release.data
    assert lists.transform(SHOP) == release.data
    assert lists.get_feature_names_out().tolist() == ["items"]
    assert CountVectorizer(analyzer=list).fit(lists.transform(SHOP)).get_feature_names_out().tolist()


def test_every_item_of_the_hierarchy_has_a_column_before_it_occurs() -> None:
    estimator = Anonymizer(k=2, m=1, hierarchy=TREE, sparse_output=False).fit([{"ale"}, {"ale"}])
    assert estimator.get_feature_names_out().tolist() == list(ITEMS)
    assert as_sets(estimator, estimator.transform([{"fig"}, {"fig"}])) == [{"fig"}, {"fig"}]


@pytest.mark.parametrize("output", ["multi-hot", "lists"])
def test_data_frames_are_made_on_demand(output: Any) -> None:
    estimator = Anonymizer(k=2, m=2, hierarchy=TREE, output=output)
    X = pd.DataFrame({"bought": SHOP}, index=range(10, 18))
    plain = clone(estimator).fit_transform(X)
    for frame in (
        clone(estimator).set_output(transform="pandas").fit_transform(X),
        clone(estimator).set_output(transform="pandas").fit(X).transform(X),
    ):
        assert frame.index.tolist() == X.index.tolist()
        assert frame.columns.tolist() == estimator.fit(X).get_feature_names_out().tolist()
        assert frame.iloc[:, 0].tolist() == plain if output == "lists" else (frame == plain.toarray()).all(axis=None)
    with config_context(transform_output="pandas"):
        assert isinstance(clone(estimator).fit_transform(X), pd.DataFrame)
    framed = estimator.set_output(transform="polars").fit_transform(X)
    assert isinstance(framed, pl.DataFrame)
    assert framed.columns == estimator.get_feature_names_out().tolist()
    if output == "lists":
        assert framed["bought"].to_list() == plain
    else:
        np.testing.assert_array_equal(framed.to_numpy(), plain.toarray())


# -- other models


def test_sensitive_items_stay_and_have_columns() -> None:
    rows = [{"ale", "flu"}, {"ale"}, {"stout"}, {"rye"}, {"rye", "flu"}, {"rye"}, {"bun"}, {"ale"}, {"lager"}]
    tree = shoal.Hierarchy.from_tree(
        {"ALL": {"beer": ["ale", "stout", "lager"], "bread": ["rye", "bun"], "x": ["flu"]}}
    )
    options: Any = {"model": shoal.Lm(l=3, m=1, sensitive=("flu",)), "hierarchy": tree}
    estimator = Anonymizer(**options, sparse_output=False)
    hot = estimator.fit_transform(rows)
    assert as_sets(estimator, hot) == [set(row) for row in shoal.anonymize(rows, **options).data]
    assert "flu" in estimator.get_feature_names_out()
    without = [{"ale"}, {"rye"}]  # sensitive items may be missing later
    assert len(estimator.transform(without)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "lra"}, "lra does not change an item in the same way in all records: choose one of aa, auto"),
        ({"model": "k-km"}, "rmerge-rt does not .*: choose another model"),
        ({"k": 3, "model": shoal.Km()}, "k= is given, and a model too"),
        ({"k": 1}, "k must be at least 2"),
        ({"violations": "repair"}, "violations must be 'raise' or 'suppress' or 'warn', got 'repair'"),
        ({"output": "sets"}, "output must be 'multi-hot' or 'lists'"),
        ({"handle_unknown": None}, "handle_unknown must be 'error' or 'ignore', got None"),
        ({"unknown_items": "ignore"}, "unknown_items must be"),
    ],
)
def test_what_does_not_fit_is_refused_by_fit(options: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Anonymizer(**options).fit(SHOP)


# -- items that are new


def test_new_items_are_an_error_or_left_out() -> None:
    estimator = Anonymizer(k=2, m=1, hierarchy=TREE, output="lists").fit(SHOP)
    later = [{"ale", "gin"}, {"ale"}, {"rum", "gin"}]
    with pytest.raises(DataError, match=r"Item 'gin' \(row 1\) was not known when .* fitted, like 1 others"):
        estimator.transform(later)
    assert estimator.set_params(handle_unknown="ignore").transform(later) == [["ale"], ["ale"], []]
    with pytest.raises(DataError, match="not in the hierarchy"):
        clone(estimator).fit(later)
    rooted = clone(estimator).set_params(unknown_items="root", algorithm="optimal").fit([*later, {"gin"}, {"rum"}])
    assert rooted.transform([{"rum"}, {"rum"}]) == [["rum"], ["rum"]]


def test_items_that_were_removed_are_known_and_stay_removed() -> None:
    rows = [{"ale"}, {"ale", "fig"}, {"ale"}]
    estimator = Anonymizer(k=2, m=1, algorithm="optimal-suppress", output="lists", violations="warn")
    assert estimator.fit_transform(rows) == [["ale"]] * 3
    with pytest.warns(GuaranteeWarning):
        assert estimator.transform([{"fig"}, {"ale", "fig"}]) == [[], ["ale"]]


# -- what scikit-learn does with it


def test_it_is_cloned_with_its_parameters_and_without_what_it_learnt() -> None:
    estimator = Anonymizer(k=3, m=1, hierarchy=TREE, algorithm=shoal.algorithms.AA()).fit(SHOP)
    other = clone(estimator)
    assert other.get_params().keys() == estimator.get_params().keys()
    assert (other.k, other.m, other.algorithm) == (3, 1, shoal.algorithms.AA())
    with pytest.raises(NotFittedError):
        other.transform(SHOP)
    np.testing.assert_array_equal(other.fit_transform(SHOP).toarray(), estimator.transform(SHOP).toarray())


def test_a_pickle_holds_no_records_and_does_the_same() -> None:
    """Whether records are in it shows: its size does not depend on their number."""
    rows, _ = baskets(300)
    for tree in (TREE, None):
        estimator = Anonymizer(k=2, m=2, hierarchy=tree)
        first = estimator.fit_transform(rows)
        small = pickle.dumps(estimator)
        copy = pickle.loads(small)
        np.testing.assert_array_equal(copy.transform(rows).toarray(), first.toarray())
        large = pickle.dumps(clone(estimator).fit([row for row in rows for _ in range(40)]))
        assert abs(len(large) - len(small)) < 200  # one bit for each of the 11,700 further records would be 1,462
        assert not any(isinstance(value, shoal.Release | shoal.Dataset) for value in vars(copy).values())


def test_it_is_a_step_of_a_pipeline_and_a_column_transformer() -> None:
    rows, y = baskets()
    X = pd.DataFrame({"age": np.arange(len(rows)) % 40, "items": [sorted(row) for row in rows]})
    anonymizer = Anonymizer(k=5, m=2, hierarchy=TREE, violations="warn")
    columns = make_column_transformer((StandardScaler(), ["age"]), (anonymizer, ["items"]))
    whole = columns.fit_transform(X)
    names = columns.get_feature_names_out().tolist()
    labels = columns.named_transformers_["anonymizer"].get_feature_names_out()
    assert names == ["standardscaler__age", *(f"anonymizer__{label}" for label in labels)]
    alone = clone(anonymizer).fit_transform(rows).toarray()
    np.testing.assert_array_equal(np.asarray(whole[:, 1:]), alone)
    frame = clone(columns).set_output(transform="pandas").fit_transform(X)
    np.testing.assert_array_equal(frame.iloc[:, 1:], alone)
    series = ColumnTransformer([("items", clone(anonymizer), "items")]).fit_transform(X)  # a column, not a table
    np.testing.assert_array_equal(np.asarray(series.todense() if sparse.issparse(series) else series), alone)
    model = make_pipeline(columns, BernoulliNB()).fit(X, y)
    assert model.score(X, y) > max(y.mean(), 1 - y.mean())


def test_a_grid_search_varies_k_and_m() -> None:
    rows, y = baskets()
    pipeline = make_pipeline(Anonymizer(hierarchy=TREE, algorithm="optimal"), BernoulliNB())
    grid = {"anonymizer__k": np.array([2, 10]), "anonymizer__m": [1, 2], "anonymizer__violations": ["suppress"]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(rows, y)
    assert len(search.cv_results_["params"]) == 4
    best = search.best_estimator_[0]
    again = Anonymizer(k=best.k, m=best.m, hierarchy=TREE, algorithm="optimal").fit_transform(rows)
    assert not rare(again.toarray(), best.k, best.m)
    np.testing.assert_array_equal(best.transform(rows).toarray(), again.toarray())
    with pytest.warns(GuaranteeWarning):
        GridSearchCV(pipeline, grid | {"anonymizer__violations": ["warn"]}, cv=3, error_score="raise").fit(rows, y)
