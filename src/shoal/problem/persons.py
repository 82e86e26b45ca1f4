"""The person column of a data set: read once, then never published."""

from __future__ import annotations

import numpy as np

from shoal.data.columns import values_of
from shoal.data.dataset import Dataset
from shoal.data.persons import Persons, noun_of


def with_persons(data: Dataset, column: str) -> Dataset:
    """The data, whose rows know their person, without the column that tells it."""
    assert data.table is not None
    _, codes = values_of(data, column)
    rows = data.transactions.of_persons(Persons(codes.astype(np.int32), noun_of(column)))
    return data.with_transactions(rows).keep_columns([name for name in data.table.names if name != column])
