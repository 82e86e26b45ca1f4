"""How many records are left for an attacker who knows a few items: for very many records, part by part.

The supports of all small sets are counted in a table. Then the least support of the sets of each record is looked up,
and only how often each number occurs is kept.
"""

from __future__ import annotations

from math import comb

import numpy as np

from shoal.data.arrays import Counts, counted
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.measure.support_table import SupportTable

LARGE = 2_000_000  # items of records: below this, all records are looked at at once
BYTES_OF_ITEM = 64  # that this takes
BYTES_OF_CELL = 4
TABLE_SHARE = 4  # the tables of all threads may take this part of the memory
QUICK = 2  # size of the sets for which a table is faster in any case

Counted = tuple[Counts, Counts]  # different numbers, ascending, and how often each occurs


def counts_by_table(rows: Transactions, m: int, engine: Engine) -> bool:
    """Whether a table is the better way, and fits into memory."""
    if rows.total_items < LARGE or m > 3 or len(rows.repeaters):
        return False
    cells = sum(comb(len(rows.labels), size) for size in range(1, m + 1))
    fits = BYTES_OF_CELL * cells * engine.threads <= engine.memory_limit // TABLE_SHARE
    return fits and (m <= QUICK or BYTES_OF_ITEM * rows.total_items > engine.memory_limit)


def crowd_sizes(rows: Transactions, m: int, engine: Engine) -> list[Counted]:
    """Return for 1, 2, .. m known items how often each number of records is the least that some of them leave.

    Records without items leave all records.

    >>> from shoal.engines import LOCAL
    >>> sizes = crowd_sizes(Transactions.from_sets([["a", "b"], ["a"], ["b"], []]), 2, LOCAL)
    >>> [(numbers.tolist(), times.tolist()) for numbers, times in sizes]
    [([2, 4], [3, 1]), ([1, 2, 4], [1, 2, 1])]
    """
    rank = np.empty(len(rows.labels), dtype=np.int32)
    rank[np.argsort(-rows.supports, kind="stable")] = np.arange(len(rank))
    table = engine.accumulate(
        "risk", lambda: SupportTable(rank, m), lambda own, part: own.add(part.indptr, part.items), rows
    )
    everybody = len(rows)

    def looked_up(part: Transactions, _: Engine) -> list[Counted]:
        return [counted(least) for least in table.least(part.indptr, part.items, everybody)]

    parts = list(engine.over("risk", looked_up, rows))
    return [_added([part[size] for part in parts]) for size in range(m)]


def _added(parts: list[Counted]) -> Counted:
    """Add up how often each number occurs."""
    numbers, places = np.unique(np.concatenate([own for own, _ in parts]), return_inverse=True)
    times = np.zeros(len(numbers), dtype=np.int64)
    np.add.at(times, places, np.concatenate([own for _, own in parts]))
    return numbers, times
