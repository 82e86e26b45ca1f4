"""Mondrian (LeFevre et al. 2006), for relational k-anonymity and as the first step of Poulis et al. 2013.

All records are halved again and again, by the attribute with the greatest NCP that can be cut such that both halves
keep k records. Numbers are cut at the value nearest to the median, categories between children of their lowest common
ancestor. The values of a part become the smallest that cover them. Sets are not changed. Equal values stay together.

Cost: O(n log n). Memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.clustering import ColumnAlgorithm


@dataclass(frozen=True)
class Mondrian(ColumnAlgorithm):
    """Generalize the columns within parts of the data that are halved at medians.

    The records are halved again and again, as long as both halves keep k records. The values of a part become the
    smallest range or group that covers them. Sets are not changed. The time is proportional to n log n for n
    records.

    References
    ----------
    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> import shoal
    >>> sets = [["flu"], ["flu", "rash"], ["gout"], ["gout", "rash"]]
    >>> data = shoal.read(pd.DataFrame({"age": [31, 34, 52, 58], "diagnoses": sets}), sets="diagnoses")
    >>> problem = shoal.Problem(data, shoal.Hierarchy.flat(data.transactions.labels), shoal.models.K(k=2))
    >>> release = shoal.anonymize(problem, algorithm=shoal.algorithms.Mondrian())
    >>> release.data["age"].tolist()
    ['[31:34]', '[31:34]', '[52:58]', '[52:58]']
    """

    name = "mondrian"
    title = "Mondrian"
    paper = "LeFevre et al. 2006"
