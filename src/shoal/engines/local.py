"""The local engine: runs work in this process, with threads inside or around the kernels, and reports progress.

It alone knows where the data are: in memory, or in a file (:mod:`shoal.engines.storage`). Code that goes over all rows
asks it to run a function on parts of them (:meth:`Engine.over`), and to collect large arrays (:meth:`Engine.collect`).
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from shoal.engines.background import Background, ahead, result_of
from shoal.engines.batches import CollectedBatches
from shoal.engines.storage import Collected, half_of_memory
from shoal.errors import OptionError

PART_ROWS = 1 << 17  # rows of a part: large enough for the kernels, small enough for the memory of many threads

Progress = Callable[[str, float], None]  # (stage, share done in 0..1)
Task = TypeVar("Task")
Result = TypeVar("Result")
State = TypeVar("State")


def _silent(stage: str, share: float) -> None:
    """Show no progress."""


class Cancelled(Exception):
    """The task is cancelled because another task failed or the user interrupted."""


class Rows(Protocol):
    """Rows that can be split into parts."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def part(self, start: int, stop: int) -> Self:
        """Return some consecutive rows without copying them."""

    def release(self) -> None:
        """Let go of the memory of rows that are in a file."""


SomeRows = TypeVar("SomeRows", bound=Rows)


class Mergeable(Protocol):
    """What adds up over parts of the rows, in any order.

    It can be sent to other processes, and ``copy.copy`` returns one that shares no counts with it.
    """

    def merge(self, other: Self) -> None:
        """Add what was counted in other rows."""


Sum = TypeVar("Sum", bound=Mergeable)


@dataclass(frozen=True)
class Engine:
    """Where and how the work is done: threads, memory, progress. Nothing of it changes any result.

    Parameters
    ----------
    workers : int, default 0
        How many threads may run at once. 0 means one for each processor.
    progress : callable, optional
        Called with the name of the current stage and the share done, from 0 to 1.
    built_trees : bool, default False
        Also count the nodes of the count-trees that the papers build, as a statistic of the solution.
    memory : int, default 0
        The memory for data, in bytes. Larger data are kept in a file. 0 means half of what the machine has.
    work_dir : Path, optional
        The folder of that file. By default the system's temporary folder.
    part_rows : int, default 131072
        The number of rows that a task gets.

    Examples
    --------
    >>> Engine(workers=4).threads
    4
    """

    workers: int = 0
    progress: Progress = _silent
    built_trees: bool = False
    memory: int = 0
    work_dir: Path | None = None
    part_rows: int = PART_ROWS

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        for name, least in (("workers", 0), ("memory", 0), ("part_rows", 1)):
            if (got := getattr(self, name)) < least:
                raise OptionError(f"Engine: {name} must be at least {least}, got {got}.")

    @property
    def threads(self) -> int:
        """The actual number of threads."""
        if self.workers:
            return min(self.workers, 1024)
        allowed = getattr(os, "sched_getaffinity", None)
        return len(allowed(0)) if allowed else os.cpu_count() or 1

    @property
    def spreads(self) -> bool:
        """Whether data are read by other processes, and stay there."""
        return False

    @property
    def memory_limit(self) -> int:
        """The memory for data, in bytes."""
        return self.memory or _half_of_memory()

    def collect(self, dtype: type[np.generic], most: int = 0, over: npt.NDArray[np.generic] | None = None) -> Collected:
        """Return an empty array that may grow larger than memory.

        ``most``: the largest possible length, if known. ``over``: an array that may be written over.
        """
        return Collected(dtype, self.memory_limit, self.work_dir, most, over)

    def background(self) -> Background:
        """Return a thread that copies or writes while the calling thread goes on, if there are several threads."""
        return Background(self.threads)

    def ahead(self, items: Generator[Result, None, None]) -> Generator[Result, None, None]:
        """Iterate over items, of which none is None. The next one is made in a thread, if there are several."""
        return ahead(items) if self.threads > 1 else items

    def collect_batches(self, schema: Any) -> CollectedBatches:
        """Return an empty table that may grow larger than memory. ``schema``: the pyarrow.Schema of its batches."""
        return CollectedBatches(schema, self.memory_limit, self.work_dir)

    @contextlib.contextmanager
    def in_use(self) -> Iterator[Self]:
        """Make this the engine of all work in the block that is given no engine (:func:`current`)."""
        token = _CURRENT.set(self)
        try:
            yield self
        finally:
            _CURRENT.reset(token)

    def tick(self, stage: str) -> Callable[[float], None]:
        """Return a progress callback for one stage, for a kernel."""
        return lambda share: self.progress(stage, share)

    def section(self, start: float, stop: float) -> Self:
        """Return the same engine for a section of the current work, whose progress goes from ``start`` to ``stop``.

        >>> Engine(progress=lambda stage, share: print(stage, share)).section(0.5, 1).tick("forming")(0.5)
        forming 0.75
        """
        return replace(self, progress=lambda stage, share: self.progress(stage, start + (stop - start) * share))

    def map(self, stage: str, work: Callable[[Task, Engine], Result], tasks: Sequence[Task]) -> list[Result]:
        """Run ``work(task, engine)`` for every task, and return the results in the order of the tasks.

        Each task gets an engine with one worker. Tasks run in threads, because the kernels release the GIL. Only the
        calling thread reports progress and handles Ctrl-C. If a task fails, the others end at their next tick.

        >>> Engine(workers=2).map("squaring", lambda task, engine: task * task, [1, 2, 3])
        [1, 4, 9]
        """
        shares = [0.0] * len(tasks)
        ended, finished, left = threading.Event(), threading.Event(), iter(range(len(tasks) - 1, -1, -1))
        sequential = self.threads == 1 or len(tasks) < 2

        def run(at: int) -> Result:
            def progress(_: str, share: float) -> None:
                if ended.is_set():
                    raise Cancelled
                shares[at] = max(shares[at], share)
                if sequential:
                    self.progress(stage, (at + shares[at]) / len(tasks))

            result = work(tasks[at], replace(self, workers=1, progress=progress))
            progress(stage, 1.0)
            return result

        def note_end(future: Future[Result]) -> None:
            if next(left) == 0 or future.cancelled() or future.exception() is not None:
                finished.set()

        if sequential:
            return [run(at) for at in range(len(tasks))]
        with ThreadPoolExecutor(min(self.threads, len(tasks))) as pool:
            futures = [pool.submit(run, at) for at in range(len(tasks))]
            try:
                for future in futures:
                    future.add_done_callback(note_end)
                while not finished.wait(0.05):  # waiting for all futures would look at each of them every time
                    self.progress(stage, sum(shares) / len(tasks))
                for future in futures:
                    if future.done():
                        future.result()
            except BaseException:
                ended.set()
                for future in futures:
                    future.cancel()
                raise
            return [future.result() for future in futures]

    def over(self, stage: str, work: Callable[[SomeRows, Engine], Result], rows: SomeRows) -> Iterator[Result]:
        """Run ``work(part, engine)`` on parts of the rows, and yield the results in the order of the rows.

        Only a few parts are in memory at a time. Each gets an engine with one worker.
        """
        ends = range(self.part_rows, max(1, len(rows)) + self.part_rows, self.part_rows)

        def run(end: int) -> Result:
            part = rows.part(end - self.part_rows, min(end, len(rows)))
            result = work(part, current())
            part.release()
            return result

        if len(ends) > 1 and (tell := getattr(self.progress, "rows", None)):
            tell(stage, len(rows))  # a progress that shows rows per second
        for end, result in zip(ends, self.each(run, ends), strict=True):
            yield result
            if len(ends) > 1:
                self.progress(stage, min(1.0, end / len(rows)))

    def each(self, work: Callable[[Task], Result], tasks: Iterable[Task], *, ahead: bool = True) -> Iterator[Result]:
        """Run ``work(task)`` for every task, and yield the results in the order of the tasks.

        A few tasks run ahead of what is taken, unless ``ahead`` is false. Inside, :func:`current` is an engine with
        one worker.

        >>> list(Engine(workers=2).each(abs, [-1, 2, -3]))
        [1, 2, 3]
        """
        alone = replace(self, workers=1, progress=_silent)

        def run(task: Task) -> Result:
            with alone.in_use():
                return work(task)

        tasks = iter(tasks)
        first = list(islice(tasks, 2))
        if self.threads == 1 or len(first) < 2 or not ahead:
            yield from map(run, chain(first, tasks))
            return
        running = deque[Future[Result]]()
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                for task in chain(first, tasks):
                    running.append(pool.submit(run, task))
                    if len(running) > self.threads:
                        yield result_of(running.popleft())
                while running:
                    yield result_of(running.popleft())
            finally:
                for future in running:
                    future.cancel()

    def over_with(
        self, stage: str, make: Callable[[], State], work: Callable[[State, SomeRows], Result], rows: SomeRows
    ) -> Iterator[Result]:
        """Run ``work(state, part)`` on parts of the rows, and yield the results in the order of the rows.

        Each worker has a state of its own, which ``make`` returns.
        """
        states = PerThread(make)
        yield from self.over(stage, lambda part, _: work(states.own, part), rows)

    def accumulate(
        self, stage: str, make: Callable[[], Sum], add: Callable[[Sum, SomeRows], None], rows: SomeRows
    ) -> Sum:
        """Add all parts of the rows to what ``make`` returns, one for each worker, and return the sum of these."""
        states = PerThread(make)
        for _ in self.over(stage, lambda part, _: add(states.own, part), rows):
            pass
        first, *others = states.all
        for other in others:
            first.merge(other)
        return first


@functools.cache
def _half_of_memory() -> int:
    """Ask the system once."""
    return half_of_memory()


class PerThread(Generic[State]):
    """One object for each thread that asks.

    >>> lists = PerThread(list)
    >>> lists.own.append(1)
    >>> lists.own, lists.all
    ([1], [[1]])
    """

    def __init__(self, make: Callable[[], State]) -> None:
        self._make, self._local = make, threading.local()
        self.all: list[State] = []

    @property
    def own(self) -> State:
        """The object of this thread."""
        if not hasattr(self._local, "state"):
            self._local.state = self._make()
            self.all.append(self._local.state)
        state: State = self._local.state
        return state


LOCAL = Engine()
_CURRENT: ContextVar[Engine] = ContextVar("engine", default=LOCAL)


def current() -> Engine:
    """Return the engine in use (:meth:`Engine.in_use`), for code that goes over all rows but is given no engine.

    >>> with Engine(workers=3).in_use():
    ...     current().threads
    3
    """
    return _CURRENT.get()
