"""Draw parts of a data set by a seed: items, the rows that hold them, and sensitive items."""

from __future__ import annotations

import numpy as np

from shoal.data import Transactions
from shoal.data.arrays import Counts, row_ids
from shoal.data.labels import canonical_order
from shoal.errors import DataError


def choose(seed: int, stream: int, n: int, size: int) -> Counts:
    """Draw some of the first n numbers, in ascending order."""
    return np.sort(np.random.default_rng([seed, stream]).choice(n, min(size, n), replace=False))


def rows_holding(rows: Transactions, items: Counts) -> Counts:
    """Return the rows that hold at least one of the items, in ascending order."""
    return np.unique(row_ids(rows.indptr)[np.isin(rows.items, items)])


def only_items(rows: Transactions, items: Counts) -> Transactions:
    """Return the rows without all other items."""
    code_of = np.full(len(rows.labels), -1, dtype=np.int32)
    code_of[items] = np.arange(len(items), dtype=np.int32)
    return rows.recode(code_of, [rows.labels[item] for item in items])


def items_modulo(rows: Transactions, modulo: int) -> Transactions:
    """Number the items in the order of their labels, and take them modulo a number. Equal items of a row become one.

    The labels themselves would not do: BMS-WebView-2 has odd ids only, so ids modulo 40 would leave 20 items, not 40.
    """
    number = {label: at % modulo for at, label in enumerate(canonical_order(rows.labels))}
    codes = np.array([number[label] for label in rows.labels], dtype=np.int32)
    return rows.recode(codes, [str(one) for one in range(min(modulo, len(rows.labels)))])


def draw_sensitive(
    rows: Transactions, items: int, shares: tuple[float, float], seed: int, name: str, tries: int = 500
) -> tuple[str, ...]:
    """Draw sensitive items so that the share of rows that hold one of them lies in this range."""
    rng, (least, most) = np.random.default_rng([seed, 1]), shares
    rare = np.flatnonzero((rows.supports > 0) & (rows.supports <= most * len(rows)))
    for _ in range(tries if len(rare) >= items else 0):
        chosen = np.sort(rng.choice(rare, items, replace=False))
        if least <= len(rows_holding(rows, chosen)) / len(rows) <= most:
            return tuple(rows.labels[code] for code in chosen)
    raise DataError(
        f"{name}, seed {seed}: {tries} tries found no {items} items so that {least:.0%} to {most:.0%} of the rows hold "
        f"at least one of them: use another seed."
    )
