"""Label sets in too few published rows: what the verifiers of k^m-anonymity and of (h,k,p)-coherence share."""

from __future__ import annotations

from typing import Literal

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.verify.rare_itemsets import Rare, rare_itemsets, rare_rows


def rare_sets(rows: Transactions, k: int, m: int | Literal["all"], engine: Engine) -> Rare:
    """Sets of 1..m labels that occur, but in fewer than k rows; of the smallest size that has any.

    If m is large, whole rows are looked at instead: if each is contained in k rows, so is all that it holds. Then the
    sets are parts of such rows none of whose own parts is rare.

    >>> from shoal.engines import LOCAL
    >>> rare_sets(Transactions.from_sets([["a", "b"], ["a", "b"], ["a", "c"]]), 2, 2, LOCAL).sets
    [([2], 1)]
    """
    tick, longest = engine.tick("verifying"), int(rows.sizes.max(initial=0))
    arrays = (rows.indptr, rows.items, len(rows.labels), k)
    if m == "all" or m >= longest or (m > 3 and not rare_rows(*arrays, keep=0).violations):
        return rare_rows(*arrays, tick=tick)
    return rare_itemsets(*arrays, m, first_size_only=True, threads=engine.threads, tick=tick)
