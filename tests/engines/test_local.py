"""The local engine: parts in order, threads, errors, Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Transactions
from shoal.engines import LOCAL, Engine, current
from shoal.errors import OptionError

ROWS = Transactions.from_sets([[f"i{row}"] for row in range(10)])


@given(rows=st.integers(0, 9), part_rows=st.integers(1, 12), workers=st.integers(1, 3))
def test_parts_come_in_order(rows: int, part_rows: int, workers: int) -> None:
    engine = Engine(workers=workers, part_rows=part_rows)
    parts = list(engine.over("counting", lambda part, _: part.sets(), ROWS.part(0, rows)))
    assert [row for part in parts for row in part] == ROWS.sets()[:rows]
    assert all(len(part) <= part_rows for part in parts)


class Rows(list[frozenset[str]]):
    """Rows that add up."""

    def merge(self, other: Rows) -> None:
        self.extend(other)


def test_each_part_is_added_once() -> None:
    engine = Engine(workers=3, part_rows=1)
    every = engine.accumulate("adding", Rows, lambda own, part: own.extend(part.sets()), ROWS)
    assert sorted(map(sorted, every)) == sorted(map(sorted, ROWS.sets()))


def test_a_task_has_one_worker_of_the_same_engine() -> None:
    engine = Engine(workers=2, memory=12345, part_rows=3)
    inside = list(engine.each(lambda _: (current().threads, current().memory), range(4)))
    assert inside == [(1, 12345)] * 4
    assert current() is LOCAL
    with engine.in_use():
        assert current() is engine
    assert current() is LOCAL


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_is_told_by_the_calling_thread_and_ends_at_one(workers: int) -> None:
    told: list[tuple[str, float, int]] = []
    engine = Engine(workers, lambda stage, share: told.append((stage, share, threading.get_ident())), part_rows=3)
    list(engine.over("counting", lambda part, _: len(part), ROWS))
    assert [(stage, share) for stage, share, _ in told] == [("counting", share) for share in (0.3, 0.6, 0.9, 1.0)]
    assert {thread for *_, thread in told} == {threading.get_ident()}
    told.clear()
    list(Engine(workers, engine.progress).over("counting", lambda part, _: len(part), ROWS))
    assert not told  # one part takes no time


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_ends_all(workers: int) -> None:
    seen: list[int] = []

    def work(task: int) -> int:
        seen.append(task)
        if task == 1:
            raise ValueError("one")
        return task

    with pytest.raises(ValueError, match="one"):
        list(Engine(workers=workers).each(work, range(1000)))
    assert len(seen) < 20


def test_few_tasks_run_ahead() -> None:
    """So that only a few parts are in memory."""
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(100):
            taken.append(task)
            yield task

    results = Engine(workers=2).each(abs, tasks())
    assert next(results) == 0
    assert len(taken) <= 4
    results.close()  # type: ignore[attr-defined]


def test_ctrl_c_ends_all() -> None:
    def progress(stage: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Engine(2, progress, part_rows=1).over("counting", lambda part, _: len(part), ROWS))


@pytest.mark.parametrize("field", ["workers", "memory", "part_rows"])
def test_nonsense_is_refused(field: str) -> None:
    with pytest.raises(OptionError, match=f"{field} must be at least"):
        replace(LOCAL, **{field: -1})  # type: ignore[arg-type]
