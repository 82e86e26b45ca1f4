"""NCP of quasi-identifying columns: the share of its domain that a published value represents."""

from __future__ import annotations

import operator
from fractions import Fraction

import numpy as np

from shoal.data.attributes import MISSING
from shoal.data.relational import Relational
from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison
from shoal.metrics.coverage import check_fit

EACH = "relational_ncp:COLUMN"  # the name of the value of one column; COLUMN is its own name


class RelationalNCP(Measure):
    """Normalized certainty penalty of columns: the share of its domain that a published value represents.

    For a category it is leaves(v) / leaves(root), for a number the length of the range / the length of the domain. A
    single value has 0, a removed value 1. ``relational_ncp`` is the weighted sum over columns of the mean over records.
    There is also a value for each column.

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
    >>> round(losses["relational_ncp"], 4)  # two of three records have 3 of 29 years
    0.069
    """

    name = "relational_ncp"
    meanings = {  # noqa: RUF012
        "relational_ncp": (
            "Normalized certainty penalty of the columns (relational NCP)",
            "The share of its domain that a published value of a quasi-identifying column represents, on average over "
            "all records and all columns (weighted). 0 %: every value is published unchanged. A removed value counts "
            "as 100 %.",
        ),
        EACH: (
            "Normalized certainty penalty of column COLUMN",
            "The share of the column's domain that a published value represents, on average over all records.",
        ),
    }
    paper = "Poulis et al. 2013, s.2"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``relational_ncp`` and the value of each column, or nothing without columns.

        The values are between 0 and 1, unless the weights add up to more than 1.

        >>> from dataclasses import replace
        >>> from shoal.data.ordered import OrderedAttribute
        >>> from shoal.published import Published
        >>> from shoal.data.transactions import Transactions
        >>> ages = Relational.of_rows((OrderedAttribute("age", 19, 70),), [np.array([19, 22, 70])])
        >>> was = replace(Published.plain(Transactions.nothing(3)), relational=ages)
        >>> now = replace(was, relational=ages.generalized(np.array([0, 0, 1])))
        >>> RelationalNCP().of(Comparison(was, now))
        {'relational_ncp': 0.039..., 'relational_ncp:age': 0.039...}
        """
        original, published = compared.original, compared.published
        if published.relational is None:
            return {}
        check_fit(original.rows, published)
        each = _means(original.relational, published.relational)
        total = sum(weight * mean for weight, mean in zip(published.relational.weights, each, strict=True))
        named = zip(published.relational.names, each, strict=True)
        return {"relational_ncp": float(total), **{EACH.replace("COLUMN", name): float(mean) for name, mean in named}}


def _means(original: Relational | None, published: Relational) -> list[Fraction]:
    """Return the exact mean penalty of each column."""
    means = []
    for at, (attribute, values) in enumerate(zip(published.attributes, published.values, strict=True)):
        penalties = attribute.numerators(values.low, values.high)
        total = sum(map(operator.mul, penalties.tolist(), values.counts.tolist()))  # Python integers do not overflow
        if original is not None and (values.low[values.used] == MISSING).any():
            missing = (values.low == MISSING)[values.of]
            removed = int(np.count_nonzero(missing & (original.values[at].low < MISSING)[original.values[at].of]))
            total += removed * attribute.denominator  # the numerator of a missing value is 0
        means.append(Fraction(total, attribute.denominator * max(1, len(published))))
    return means
