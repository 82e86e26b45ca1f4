"""Anonymizer: learns a recoding in ``fit``, applies and verifies it in ``transform``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from shoal import discovery
from shoal.algorithms.base import Algorithm
from shoal.errors import DataError, OptionError, shorten
from shoal.hierarchies.weights import Weights
from shoal.jobs.anonymize import anonymize
from shoal.jobs.arguments import HierarchySource, as_algorithm, as_model
from shoal.models.base import PrivacyModel
from shoal.release.release import Release
from shoal.sklearn.checked import published
from shoal.sklearn.inputs import read_rows
from shoal.sklearn.outputs import encoded
from shoal.sklearn.scikit import BaseEstimator, TransformerMixin, check_is_fitted

WORDS = {
    "output": ("multi-hot", "lists"),
    "violations": ("raise", "suppress", "warn"),
    "handle_unknown": ("error", "ignore"),
}


class Anonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Anonymize sets of items as a step of a scikit-learn pipeline.

    ``fit`` finds a recoding as :func:`shoal.anonymize` does. ``transform`` applies it to any records, and returns them
    only if a separate check found that the guarantee holds for them. On the records of ``fit``, the result is the
    release of :func:`shoal.anonymize`. Rows keep their order, so they still fit ``y``.

    Parameters
    ----------
    k : int, optional
        Short for ``model=shoal.Km(k=..)``: an attacker is left with at least ``k`` records. Default: that of the model,
        5 for k^m-anonymity.
    m : int or "all", optional
        Short for ``model=shoal.Km(m=..)``: the number of items of a record that an attacker may know. Default: that of
        the model, 2 for k^m-anonymity.
    model : PrivacyModel or str, optional
        The guarantee, if it is not k^m-anonymity: for instance ``shoal.Lm(l=4, m=2, sensitive=["flu"])``. Models of
        columns, and models whose methods treat equal items differently, cannot be applied to other records.
    hierarchy : Hierarchy or path, optional
        The hierarchy of the items. Without one, all items are siblings.
    algorithm : Algorithm or str, optional
        The algorithm, such as ``shoal.algorithms.Optimal(siblings="frequency")``, or its name. Default: the one of the
        model. It must change an item in the same way in all records.
    weights : Weights, dict or path, optional
        How much the loss of items or groups counts, such as ``{"medicines": 10}``.
    loss : str, default "ncp"
        The information loss that the search minimises: ``"ncp"`` or ``"lm"``.
    unknown_items : {"error", "root"}, default "error"
        What ``fit`` does with items that the hierarchy lacks. ``"root"`` puts them below its root.
    allow_missing : bool, default False
        Fit even if a sensitive label is not in the data. It may be misspelt, or missing in a fold of a
        cross-validation.
    seed : int, default 0
        The seed of algorithms that draw random numbers.
    items : sequence of str, optional
        The item of each column of a multi-hot matrix. Default: the names of the columns of a data frame, or ``x0``,
        ``x1`` and so on.
    binarize : float, optional
        For a matrix of other numbers than 0 and 1: a record holds an item if its number is above this one. Default:
        other numbers are an error, because a column of ages or prices among the items is a mistake.
    output : {"multi-hot", "lists"}, default "multi-hot"
        ``"multi-hot"``: a matrix with one column for each published label. ``"lists"``: a list of labels for each
        record.
    sparse_output : bool, default True
        Return a multi-hot matrix as a SciPy CSR matrix instead of an array. Data frames (see ``set_output``) are always
        dense.
    dtype : number type, default numpy.float64
        The type of the numbers in the matrix.
    violations : {"raise", "suppress", "warn"}, default "raise"
        What ``transform`` does if the guarantee does not hold for the records that it gets. A recoding that protects
        thousands of records often does not protect a few dozen. ``"raise"``: raise
        :class:`~shoal.errors.RecodingFails`. ``"suppress"``: leave out labels from these records until the guarantee
        holds. For k^m-anonymity this removes as few items as possible. The columns stay the same. ``"warn"``: return
        the records without the guarantee, and say so with a :class:`GuaranteeWarning`. This is for scores inside a
        cross-validation, where nobody publishes the transformed test rows.
    handle_unknown : {"error", "ignore"}, default "error"
        What ``transform`` does with items that ``fit`` had no label for. ``"ignore"`` leaves them out.

    Attributes
    ----------
    labels_ : numpy.ndarray of str
        The published labels, in the order of the columns.
    losses_ : dict of str to float
        The information loss of the release of the records of ``fit``, such as ``losses_["ncp"]``.
    notes_ : list of str
        What a publisher of that release should know, as sentences.
    saved_recoding_ : SavedRecoding
        What is done to the items, for :func:`shoal.apply`. An Anonymizer keeps no records, so it can be pickled and
        passed on. But it knows all items.
    n_features_in_ : int
        The number of columns of X.
    feature_names_in_ : numpy.ndarray of str
        The names of the columns of X, if it was a data frame.

    Raises
    ------
    OptionError
        If parameters do not fit together.
    Infeasible
        If no recoding can give the guarantee.
    RecodingFails
        If the recoding does not give the guarantee for other records.

    Notes
    -----
    X may be a list, an array or a column of sets of items; a data frame whose only column holds sets, as a
    ``ColumnTransformer`` passes it; or a multi-hot matrix: an array, a SciPy sparse matrix, or a data frame. Nested
    lists of numbers are a matrix.

    The guarantee is about the transformed items alone. A target ``y`` or other columns that are published next to them
    are further facts about each record.

    Examples
    --------
    >>> from shoal import Hierarchy
    >>> from shoal.sklearn import Anonymizer
    >>> products = Hierarchy.from_tree({"ALL": {"beer": ["ale", "stout"], "bread": ["rye", "bun"]}})
    >>> baskets = [{"ale", "rye"}, {"ale", "rye"}, {"stout", "rye"}, {"ale", "bun"}, {"stout", "bun"}, {"bun"}]
    >>> anonymizer = Anonymizer(k=2, m=2, hierarchy=products, sparse_output=False)
    >>> anonymizer.fit_transform(baskets)
    array([[1., 0., 1.],
           [1., 0., 1.],
           [1., 0., 1.],
           [1., 1., 0.],
           [1., 1., 0.],
           [0., 1., 0.]])
    >>> anonymizer.get_feature_names_out()
    array(['beer', 'bun', 'rye'], dtype=object)
    >>> anonymizer.transform([{"stout"}, {"ale"}])
    array([[1., 0., 0.],
           [1., 0., 0.]])
    >>> anonymizer.transform([{"stout", "rye"}])
    Traceback (most recent call last):
    shoal.errors.RecodingFails: The fitted recoding does not give 2^2-anonymity on these 1 records ...
    """

    def __init__(
        self,
        k: int | None = None,
        m: int | Literal["all"] | None = None,
        *,
        model: PrivacyModel | str | None = None,
        hierarchy: HierarchySource = None,
        algorithm: Algorithm | str | None = None,
        weights: Weights | Mapping[str, float] | str | Path | None = None,
        loss: str = "ncp",
        unknown_items: Literal["error", "root"] = "error",
        allow_missing: bool = False,
        seed: int = 0,
        items: Sequence[str] | None = None,
        binarize: float | None = None,
        output: Literal["multi-hot", "lists"] = "multi-hot",
        sparse_output: bool = True,
        dtype: npt.DTypeLike = np.float64,
        violations: Literal["raise", "suppress", "warn"] = "raise",
        handle_unknown: Literal["error", "ignore"] = "error",
    ) -> None:
        self.k = k
        self.m = m
        self.model = model
        self.hierarchy = hierarchy
        self.algorithm = algorithm
        self.weights = weights
        self.loss = loss
        self.unknown_items = unknown_items
        self.allow_missing = allow_missing
        self.seed = seed
        self.items = items
        self.binarize = binarize
        self.output = output
        self.sparse_output = sparse_output
        self.dtype = dtype
        self.violations = violations
        self.handle_unknown = handle_unknown

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the recoding.

        Parameters
        ----------
        X
            The records.
        y
            Ignored.

        Returns
        -------
        Anonymizer
            The fitted estimator itself.
        """
        self._release(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Find the recoding, and return the anonymized records. The guarantee holds for them.

        Parameters
        ----------
        X
            The records.
        y
            Ignored.

        Returns
        -------
        matrix, array, data frame or lists
            The release of these records.
        """
        return encoded(self, self._release(X).aligned.transactions)

    def transform(self, X: Any) -> Any:
        """Apply the fitted recoding to records, and check the guarantee.

        Parameters
        ----------
        X
            The records.

        Returns
        -------
        matrix, array, data frame or lists
            The anonymized records, in the same order.
        """
        check_is_fitted(self)
        self._check_words()
        rows = self._with_labels(read_rows(self, X, reset=False))
        return encoded(self, published(self.saved_recoding_, rows, self._label_of, self.violations))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns of the output: the published labels.

        Parameters
        ----------
        input_features
            Ignored.

        Returns
        -------
        numpy.ndarray of str
            The names. For ``output="lists"``, that of the column of lists.
        """
        check_is_fitted(self)
        if self.output == "lists":
            return np.array([getattr(self, "feature_names_in_", ["items"])[0]], dtype=object)
        return self.labels_.copy()

    def _release(self, X: Any) -> Release:
        """Anonymize the records. Keep what other records need, and nothing else."""
        self._check_words()
        rows = read_rows(self, X, reset=True)
        model = as_model(self.model, self.k, self.m)
        release = anonymize(
            rows,
            model,
            hierarchy=self.hierarchy,
            algorithm=_reusable(as_algorithm(self.algorithm, model)),
            weights=self.weights,
            loss=self.loss,
            unknown_items=self.unknown_items,
            allow_missing=self.allow_missing,
            seed=self.seed,
        )
        cut = release.recoding.global_cut
        assert cut is not None  # the method is reusable
        tree, gone = cut.hierarchy, frozenset(release.saved_recoding.suppressed)
        items = {tree.labels[node]: tree.items[slice(*tree.span[node])] for node in cut.nodes.tolist()}
        others = [label for label in release.aligned.transactions.labels if label not in cut.labels]  # sensitive items
        self._label_of = {item: label for label, some in items.items() for item in some if item not in gone}
        self._label_of |= {label: label for label in others}
        self._removed = gone
        self.labels_ = np.array([*cut.labels, *others], dtype=object)
        self.losses_ = dict(release.losses)
        self.notes_ = list(release.notes)
        self.saved_recoding_ = release.saved_recoding
        return release

    def _with_labels(self, rows: list[list[str]]) -> list[list[str]]:
        """Return records without the items that are removed, or unknown. Unknown items are an error by default."""
        known = self._label_of.keys() | self._removed
        unknown = {item: number for number, row in reversed([*enumerate(rows, 1)]) for item in row if item not in known}
        if unknown and self.handle_unknown == "error":
            first = min(unknown, key=lambda item: (unknown[item], item))
            more = f", like {len(unknown) - 1:,} others" if len(unknown) > 1 else ""
            raise DataError(
                f"Item '{shorten(first)}' (row {unknown[first]}) was not known when the Anonymizer was fitted{more}: "
                f"fit with a hierarchy that has it, or leave it out with handle_unknown='ignore'."
            )
        return [[item for item in row if item in self._label_of] for row in rows]

    def _check_words(self) -> None:
        """Refuse an unknown word."""
        for name, words in WORDS.items():
            if (got := getattr(self, name)) not in words:
                allowed = " or ".join(f"'{word}'" for word in words)
                raise OptionError(f"{name} must be {allowed}, got {got!r}.")

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what X may be. Without ``binarize``, most 2D arrays of numbers are an error."""
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = self.binarize is not None
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the parameter dtype decides
        return tags


def _reusable(method: Algorithm) -> Algorithm:
    """Return the algorithm, or raise an error before the search if its recoding cannot be applied to other records."""
    if method.reusable:
        return method
    known = discovery.find("shoal.algorithms", Algorithm)
    others = [name for name, cls in known.items() if cls.reusable and set(cls.solves) & set(method.solves)]
    raise OptionError(
        f"An Anonymizer applies what it learnt to other records, but {method.name} does not change an item in the same "
        f"way in all records: "
        + (f"choose one of {', '.join(others)}." if others else "choose another model, such as km, lm or hkp.")
    )
