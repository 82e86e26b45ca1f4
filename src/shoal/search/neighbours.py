"""Groups of similar rows around sensitive ones: the common part of STN, GSC and K-NN (Wang et al. 2014).

A row is sensitive if it contains a sensitive item. Each group has a seed, which is a sensitive row, and k - 1 other
rows. Flips make them the same (:class:`shoal.recoding.Flips`). If fewer than k rows are unused, the remaining sensitive
rows join finished groups. The paper takes rows without sensitive items first. If any row may be taken, a group can
contain several sensitive rows, and there are fewer groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from shoal.data.arrays import Counts
from shoal.data.sensitive import merged
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.kernels.search.neighbours.nearest_groups import nearest_groups
from shoal.models.sensitive_k import SensitiveK
from shoal.problem import Prepared
from shoal.published import Grouping
from shoal.recoding import Flips
from shoal.recoding.solution import Solution
from shoal.search.joining import Joining

SHORTAGES = ("fill", "merge")
SHORTAGE_HELP = "What to do when records without sensitive items run out: use others, or merge into finished groups."


def sensitive_rows(problem: Prepared[SensitiveK]) -> Counts:
    """Return the rows with a sensitive item, in input order; none if the data satisfy the model already."""
    rows = np.flatnonzero(problem.sensitive_items.sizes)
    held = merged(problem.items, problem.sensitive_items).take(rows)
    counts = Counter(row.tobytes() for row in held)
    return rows if any(count < problem.model.k for count in counts.values()) else rows[:0]


def fewest_sensitive_first(problem: Prepared[SensitiveK]) -> Counts:
    """Return the sensitive rows by their number of sensitive items, then in input order (as in STN)."""
    rows = sensitive_rows(problem)
    return rows[np.argsort(problem.sensitive_items.sizes[rows], kind="stable")]


def nearest_first(
    problem: Prepared[SensitiveK], seeds: Counts, engine: Engine, *, candidates: str, shortage: str
) -> Solution:
    """Let each unused seed in turn take its k - 1 nearest unused rows.

    Distance is the Hamming distance on the items that are not sensitive. Ties go by input order. Candidates are ``all``
    rows, or the ``nonsensitive`` ones first. When these run out, the next seeds ``fill`` their groups with sensitive
    rows, or ``merge`` into finished groups.
    """
    items, sensitive = problem.items, problem.sensitive_items.sizes > 0
    deferred = sensitive if candidates == "nonsensitive" else np.zeros_like(sensitive)
    groups = nearest_groups(
        items.indptr,
        items.items,
        len(items.labels),
        seeds,
        deferred,
        problem.model.k - 1,
        threads=engine.threads,
        tick=engine.tick("looking for neighbours"),
    )
    if shortage == "merge":
        groups = groups[: _without_shortage(groups, deferred)]
    return finished(problem, groups.tolist(), seeds)


def _without_shortage(groups: Counts, deferred: npt.NDArray[np.bool_]) -> int:
    """Count the groups before the first one whose seed took deferred rows; at least one, which others can join."""
    short = np.flatnonzero(deferred[groups[:, 1:]].any(axis=1))
    return max(1, int(short[0])) if len(short) else len(groups)


def finished(problem: Prepared[SensitiveK], groups: Sequence[Sequence[int]], seeds: Iterable[int]) -> Solution:
    """Return the flips for groups of rows, each with its seed first. Seeds in no group join the most similar group.

    That is the group whose published row has the smallest Hamming distance on the items that are not sensitive (ties:
    most sensitive items in common, then the first group). Its published row is updated after each row that joins.
    """
    grown = [list(group) for group in groups]
    used = {row for group in grown for row in group}
    left = [row for row in map(int, seeds) if row not in used]
    if left:
        joining = Joining((problem.items, problem.sensitive_items), grown, _published(problem, grown))
        for row in left:
            joining.join(row)
    return Solution(_flips(problem, grown), statistics={"groups": len(grown), "joined_rows": len(left)})


def _flips(problem: Prepared[SensitiveK], groups: Sequence[Sequence[int]]) -> Flips:
    """Return the recoding for groups of rows, each with its seed first."""
    marks = np.full(len(problem.items), -1, dtype=np.int64)
    for number, group in enumerate(groups):
        marks[group] = number
    grouping = Grouping.numbered(marks, problem.model.k)
    seeds = np.full(len(grouping), -1, dtype=np.int64)
    firsts = np.array([group[0] for group in groups], dtype=np.int64)
    seeds[grouping.of[firsts]] = firsts
    return Flips(grouping, seeds)


def _published(problem: Prepared[SensitiveK], groups: Sequence[Sequence[int]]) -> tuple[Transactions, Transactions]:
    """Return the published items of each group: those that are not sensitive, and the sensitive ones."""
    published = _flips(problem, groups).apply(problem.items, problem.sensitive_part)
    assert published.sensitive is not None
    firsts = np.array([group[0] for group in groups], dtype=np.int64)
    return published.rows.take(firsts), published.sensitive.items.take(firsts)
