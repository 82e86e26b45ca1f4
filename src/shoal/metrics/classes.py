"""Sizes of classes: how many records have the same published values (Poulis et al. 2013)."""

from __future__ import annotations

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.published import Grouping


class ClassSizes(Measure):
    """Discernibility (the sum of squared class sizes), and the mean, smallest and largest size of a class.

    A class is all records with equal published values in all quasi-identifying columns.

    References
    ----------
    G. Poulis, G. Loukides, A. Gkoulalas-Divanis, S. Skiadopoulos: Anonymizing data with relational and transaction
    attributes. ECML PKDD 2013, section 2.

    Examples
    --------
    >>> import shoal
    >>> import pyarrow as pa
    >>> before = pa.table({"age": [31, 34, 60], "items": [["flu"]] * 3})
    >>> after = pa.table({"age": ["[31:34]", "[31:34]", "60"], "items": [["flu"]] * 3})
    >>> losses = shoal.measure(before, after, quasi_identifiers=["age"]).losses
    >>> losses["discernibility"], losses["average_class_size"]
    (5, 1.5)
    """

    name = "discernibility"
    meanings = {  # noqa: RUF012
        "discernibility": (
            "Discernibility",
            "For each record, the number of records with the same values in all quasi-identifying columns, itself "
            "included. This is the sum over all records.",
        ),
        "average_class_size": (
            "Records per class",
            "How many records have the same values in all quasi-identifying columns, on average over all different "
            "combinations of values.",
        ),
        "smallest_class": ("Smallest class", "How many records have the rarest combination of these values."),
        "largest_class": ("Largest class", "How many records have the most frequent combination of these values."),
    }
    paper = "Poulis et al. 2013, s.2"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return the four values, or nothing without quasi-identifiers or records.

        >>> import numpy as np
        >>> from dataclasses import replace
        >>> from shoal.data.transactions import Transactions
        >>> from shoal.published import Published
        >>> rows = Published.plain(Transactions.nothing(3))
        >>> ClassSizes().of(Comparison(rows, replace(rows, classes=Grouping(np.array([0, 1, 0]), 1))))
        {'discernibility': 5, 'average_class_size': 1.5, 'smallest_class': 1, 'largest_class': 2}
        """
        published = compared.published
        classes = published.classes
        if classes is None and published.relational is not None:
            classes = Grouping(published.relational.classes, 1)
        if classes is None or not len(classes):
            return {}
        sizes = classes.sizes
        return {
            "discernibility": int((sizes * sizes).sum()),
            "average_class_size": int(sizes.sum()) / len(sizes),
            "smallest_class": int(sizes.min()),
            "largest_class": int(sizes.max()),
        }
