"""Mondrian (LeFevre, DeWitt, Ramakrishnan 2006), for relational k-anonymity and as P2's first step.

All records are halved again and again, by the attribute with the greatest NCP that can be cut such that both halves
keep k records: numbers at the value nearest to the median, categories between children of their lowest common ancestor.
The values of a part become the smallest that cover them. Sets are not touched. Equal values are never separated.

Cost: O(n log n); memory is proportional to the data.
"""

from __future__ import annotations

from dataclasses import dataclass

from shoal.algorithms.base import ColumnAlgorithm


@dataclass(frozen=True)
class Mondrian(ColumnAlgorithm):
    """All records are halved again and again, at medians, as long as both halves keep k."""

    name = "mondrian"
    title = "Mondrian"
    paper = "LeFevre, DeWitt and Ramakrishnan 2006"
