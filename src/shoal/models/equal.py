"""Counts equal rows, for models in which whole records must be equal."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.models.base import Verdict
from shoal.models.witness import RareRecord

SHOWN = 20  # witnesses in a verdict


def equal_rows(rows: Transactions, k: int, engine: Engine) -> Verdict:
    """Check that every row occurs at least k times. The witnesses are rows that do not, the shortest first."""
    tick = engine.tick("verifying")
    bounds, text = (4 * rows.indptr).tolist(), rows.items.tobytes()  # codes of 4 bytes, ascending in each row
    tick(0.0)
    counts = Counter(text[start:stop] for start, stop in pairwise(bounds))
    tick(0.5)
    few = [(row, count) for row, count in counts.items() if count < k]
    rare = sorted((len(row) // 4, count, np.frombuffer(row, dtype=np.int32).tolist()) for row, count in few)
    tick(1.0)
    witnesses = [RareRecord(tuple(rows.labels[code] for code in codes), count) for _, count, codes in rare[:SHOWN]]
    return Verdict(not rare, len(counts), len(rare), tuple(witnesses))
