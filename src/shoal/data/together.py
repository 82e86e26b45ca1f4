"""Brings rows on workers together: those of a person, so that numbers of persons add up over the parts, or of a record.

The lead knows the group of every row, so it tells each worker which of its rows go where. Rows then travel from worker
to worker: each part is split once, and each new part is joined from what it gets of the others. Persons with one row
need no company: their rows come first, in their old order, and most of them stay where they are.

Decision 0033 has the alternatives that were measured: Dask's own shuffle of data frames, and sets of person ids in
every count.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts, csr_from_pairs, row_ids
from shoal.data.spread import HeldPart, Piece
from shoal.data.transactions import Transactions
from shoal.engines.shipping import Held, Shipped, contents_of, pack

if TYPE_CHECKING:
    from shoal.data.spread import SpreadTransactions
    from shoal.engines.dask import DaskEngine

STAGE = "moving rows"


def bring_together(
    home: DaskEngine, rows: SpreadTransactions, group_of: npt.NDArray[np.signedinteger[Any]], *, unite: bool = False
) -> list[Piece]:
    """Return the rows in the order of their groups, a stable one, in parts that no group has rows in two of.

    Rows of group -1 belong to no group. ``unite``: each group becomes one row, with the items of all.
    """
    order = np.argsort(group_of, kind="stable")
    groups = group_of[order]
    ends = _cuts(groups, len(rows.bounds) - 1)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    arriving: list[list[tuple[Any, Counts]]] = [[] for _ in ends[1:]]
    for start, stop in pairwise(rows.bounds):
        own = np.argsort(place[start:stop])
        places = place[start:stop][own]
        cuts = np.searchsorted(places, ends)
        shipped, futures = pack(rows.part(start, stop))
        split = home.submit(STAGE, _split, shipped, Shipped.of((own.astype(np.int32), cuts)), *futures)
        for target in np.flatnonzero(np.diff(cuts)).tolist():
            future = home.submit(STAGE, _pick, split, target)
            arriving[target].append((future, places[cuts[target] : cuts[target + 1]]))
    pieces = []
    for some, (start, stop) in zip(arriving, pairwise(ends), strict=True):
        places = np.argsort(np.concatenate([places for _, places in some])).astype(np.int32)
        number = groups[start:stop] - groups[start] if unite else None
        length = stop - start if number is None else int(number[-1]) + 1
        joined = home.submit(STAGE, _join, Shipped.of((places, rows.labels, number)), *(future for future, _ in some))
        pieces.append(Piece(joined, "rows that were moved", "", 0, length))
    return pieces


def _cuts(groups: npt.NDArray[np.signedinteger[Any]], parts: int) -> list[int]:
    """Return where about equal parts begin and end. Rows of a group are consecutive, and are not separated.

    >>> _cuts(np.array([-1, -1, -1, 0, 0, 0, 1, 1]), 4)
    [0, 2, 6, 8]
    """
    ends = {0, len(groups)}
    for at in (part * len(groups) // parts for part in range(1, parts)):
        before = groups[at - 1]
        inside = before >= 0 and groups[at] == before
        ends.add(int(np.searchsorted(groups, before, side="right")) if inside else at)
    return sorted(ends)


def _split(part: Shipped, where: Shipped, *held: Held) -> Held:
    """Order the rows of a part, and cut them into one piece for each new part."""
    from shoal.engines.dask import hold

    def split() -> list[Transactions]:
        own, cuts = where.open()
        rows = part.open(contents_of(held)).take(own)
        return [rows.part(int(first), int(last)) for first, last in pairwise(cuts)]

    return hold(split)


def _pick(split: Held, target: int) -> Held:
    """Return what one of the new parts gets."""
    from shoal.engines.dask import hold

    return hold(lambda: contents_of([split])[0][target])


def _join(how: Shipped, *arriving: Held) -> Held:
    """Put together what has arrived from all parts."""
    from shoal.engines.dask import hold

    def join() -> HeldPart:
        order, labels, number = how.open()
        every = [(rows.indptr, rows.items) for rows in contents_of(arriving)]
        rows = Transactions.joined(every, labels, rows=len(order), most=sum(len(items) for _, items in every))
        rows = rows if len(every) == 1 else rows.take(order)
        if number is not None:
            indptr, items = csr_from_pairs(number[row_ids(rows.indptr)], rows.items, int(number[-1]) + 1)
            rows = Transactions(indptr, items, labels)
        return HeldPart(rows, "")

    return hold(join)
