"""Draw queries from data, as ``shoal workload`` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from shoal.data.sensitive import split_sensitive_values
from shoal.hierarchies import axes
from shoal.jobs.arguments import ColumnsSource, as_columns, as_dataset
from shoal.jobs.column_specs import names_in
from shoal.metrics.workload import QUERIES, Workload
from shoal.published import Published


def workload(
    data: Any,
    *,
    queries: int = QUERIES,
    values: int | None = None,
    items: int | Sequence[int] | None = None,
    seed: int = 0,
    sensitive: str | Sequence[str] = (),
    quasi_identifiers: ColumnsSource = (),
    **reading: Any,
) -> Workload:
    """Draw queries that count records. :func:`shoal.measure` compares releases by the same queries.

    Parameters
    ----------
    data
        The original data: anything that :func:`shoal.read` takes, or what it returned.
    queries
        How many queries to draw.
    values, items
        How many quasi-identifiers and items a query asks for. Default: 2 of each, or fewer if there are not so many.
        With several numbers of items, so many queries are drawn of each.
    seed
        For drawing.
    sensitive
        Items that queries do not ask for.
    quasi_identifiers
        Columns that queries ask for: their names, or a :class:`shoal.Column` for each name.
    **reading
        Options of :func:`shoal.read`, if the data are not read yet.

    Returns
    -------
    Workload
        The queries. ``result.save("queries.jsonl")`` writes them.

    Examples
    --------
    >>> import shoal
    >>> queries = shoal.workload([["milk", "tea"], ["milk", "tea"], ["milk"]], queries=20, items=2)
    >>> len(queries), queries.queries[0].items
    (20, ('milk', 'tea'))
    """
    dataset, named = as_dataset(data, reading=reading), as_columns(quasi_identifiers)
    known, _ = split_sensitive_values(dataset, names_in(sensitive))
    original = Published.plain(known.in_use())
    if named:
        dataset.keep_columns(list(named))  # raises an error if one is missing
        original = replace(original, relational=axes.relational(dataset, named))
    return Workload.generated(original, queries, values, items, seed)
