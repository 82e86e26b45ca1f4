"""Finds label sets in too few published rows, for the verifiers of k^m-anonymity and (h,k,p)-coherence."""

from __future__ import annotations

from typing import Literal

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.verify.rare_itemsets import Rare, rare_itemsets, rare_rows
from shoal.models.set_counting import count_sets, counts_by_table


def rare_sets(rows: Transactions, k: int, m: int | Literal["all"], engine: Engine) -> Rare:
    """Find the sets of 1..m labels that occur in rows of fewer than k persons, of the smallest size that has any.

    If m is large, whole rows are checked instead: if k persons have rows that contain a row, they have all its subsets.
    Then the sets are subsets of such rows that have no smaller rare subset.

    >>> from shoal.engines import LOCAL
    >>> rare_sets(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2, LOCAL).sets
    [([2], 1)]
    """
    tick, longest = engine.tick("verifying"), rows.longest
    if m != "all" and m < longest and counts_by_table(rows, m, engine):
        occurring, rare = count_sets(rows, k, m, engine)
        if not rare:
            return Rare(occurring, 0, [])  # else the other way names them
    arrays, persons = (rows.indptr, rows.items, len(rows.labels), k), rows.repeaters
    if m == "all" or m >= longest or (m > 3 and not rare_rows(*arrays, persons=persons, keep=0).violations):
        return rare_rows(*arrays, persons=persons, tick=tick)
    return rare_itemsets(*arrays, m, persons=persons, first_size_only=True, threads=engine.threads, tick=tick)
