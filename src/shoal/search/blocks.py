"""Splits many records into blocks. Clusters are formed and merged inside each block.

Forming clusters compares records with each other, and merging compares clusters, so both take time that grows with the
square of the records. In blocks of limited size, it grows with the records.

Blocks are parts of Mondrian's cuts: all records are halved at the median of the column with the greatest NCP, and so
on, until no part has more than a fixed number of records. So blocks follow from the data and that number alone.

A class may be published with the same values in two blocks. A reader sees one class then, and it is safe: label sets of
the union are in at least as many records as in one block, and a share that is kept in both is kept in the union. Only
shares of *persons* are not additive (:mod:`shoal.search.parted`). Models that limit them keep each person in one block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from shoal.data.arrays import Codes, Counts
from shoal.engines import Engine
from shoal.models.base import PrivacyModel
from shoal.options import option
from shoal.problem import Prepared
from shoal.search.formation import FORMATIONS, by_person, cuts, numbered_people, united, whole_persons
from shoal.search.ncp_scale import NcpScale

BLOCK_ROWS = 50_000
SMALL = 4  # a block has at least 1 / SMALL of the records that it may have, if there is such a cut

Model = TypeVar("Model", bound=PrivacyModel, covariant=True)
Task = TypeVar("Task")
Result = TypeVar("Result")


def block_rows_option() -> Any:
    """Declare the option for the size of blocks."""
    return option(
        BLOCK_ROWS,
        low=2,
        help="Data with more records are split into blocks of at most this many, and clusters are formed in each.",
    )


@dataclass(frozen=True, eq=False)
class Block(Generic[Model]):
    """Some rows of a problem."""

    whole: Prepared[Model]
    rows: Counts  # ascending
    number: int = 0
    of: int = 1  # number of blocks

    @classmethod
    def only(cls, problem: Prepared[Model]) -> Block[Model]:
        """Return all rows as one block."""
        return cls(problem, np.arange(len(problem.items)))

    @property
    def problem(self) -> Prepared[Model]:
        """The problem for these rows alone. It is made each time, so that few blocks are in memory."""
        return self.whole if self.of == 1 else self.whole.take(self.rows)

    @property
    def seed(self) -> int:
        """The seed for random choices: that of the problem in the first block, others in all others."""
        if not self.number:
            return self.whole.seed
        return int(np.random.SeedSequence([self.whole.seed, self.number]).generate_state(1)[0])

    def formed(self, formation: str, k: int, engine: Engine) -> Counts:
        """Return the first cluster of each row."""
        problem, seed = self.problem, self.seed
        assert problem.relational is not None
        ncp, persons = NcpScale.of(problem.relational), problem.items.repeaters
        return FORMATIONS[formation](problem.relational, ncp, k, seed, engine, persons)


def formed_in_blocks(blocks: Sequence[Block[Model]], formation: str, k: int, engine: Engine) -> Counts:
    """Return the first cluster of each row of all data. Clusters of several blocks with equal values are united."""
    formed = in_blocks(engine, "forming clusters", lambda block, one: block.formed(formation, k, one), blocks)
    if len(blocks) == 1:
        return formed[0]
    raw, clusters = blocks[0].whole.relational, 0
    assert raw is not None
    cluster_of = np.empty(len(raw), dtype=np.int64)
    for block, own in zip(blocks, formed, strict=True):
        cluster_of[block.rows] = clusters + own
        clusters += int(own.max()) + 1
    return united(raw, cluster_of)


def split_into_blocks(
    problem: Prepared[Model],
    most: int,
    k: int,
    *,
    fits: Callable[[Counts], bool] = lambda _: True,
    keep_persons: bool = False,
) -> list[Block[Model]]:
    """Split the rows into blocks of at most ``most`` rows and at least k persons, as far as there are such cuts.

    ``fits``: whether rows can be a block. ``keep_persons``: put all rows of a person into one block.
    """
    raw = problem.relational
    assert raw is not None
    if len(raw) <= most:
        return [Block.only(problem)]
    ncp, persons = NcpScale.of(raw), problem.items.repeaters
    people = numbered_people(persons)
    waiting, done = [by_person(people, len(raw))], list[Counts]()
    while waiting:
        rows = waiting.pop()
        found = _tried(ncp, rows, people, persons if keep_persons else persons[:0], max(k, most // SMALL), k)
        halves = None if len(rows) <= most else next((pair for pair in found if all(map(fits, pair))), None)
        if halves is None:
            done.append(np.sort(rows))
        else:
            waiting += halves
    return [Block(problem, rows, number, len(done)) for number, rows in enumerate(done)]


def _tried(ncp: NcpScale, rows: Counts, people: Counts, kept: Codes, least: int, k: int) -> Iterator[list[Counts]]:
    """Yield cuts into two parts of some size, then into smaller ones. All rows of a kept person go to one part."""
    for size in dict.fromkeys((least, k)):
        for above, below in cuts(ncp, rows, people, size):
            if not len(kept):
                yield [above, below]
                continue
            side = whole_persons(np.isin(rows, below).astype(np.int64), kept[rows])
            if side.any():  # otherwise all rows were moved to one side
                yield [rows[side == 0], rows[side == 1]]


def in_blocks(
    engine: Engine, stage: str, work: Callable[[Task, Engine], Result], tasks: Sequence[Task]
) -> list[Result]:
    """Run ``work(task, engine)`` for each block: several in parallel, and one alone with all threads."""
    return [work(task, engine) for task in tasks] if len(tasks) == 1 else engine.map(stage, work, tasks)
