"""The Dask engine: runs work on parts of the rows at the workers of a Dask cluster that hold them.

It runs inside a task on one of the workers, the *lead* (:mod:`shoal.engines.lead`). Rows that are spread over the
workers (:mod:`shoal.data.spread`) stay there: the work is sent to them, and counts, tables and published text come
back. Everything else runs on the lead, in threads, as on one machine. Results come in the order of the rows, and counts
add up in any order, so neither the number of workers nor the parts change a result.

A lost worker is no error: Dask makes what it held again, from the files.
"""

from __future__ import annotations

import contextlib
import copy
import ctypes
import functools
import threading
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, TypeVar

from shoal.engines.cluster import task_error
from shoal.engines.local import Engine, SomeRows, State, Sum, Task, current
from shoal.engines.shipping import Failed, Held, Remote, Shipped, attempt, contents_of, pack, result_or_error

Result = TypeVar("Result")

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of mallopt
REUSED = 1 << 26  # bytes
TOGETHER = 8  # results that are fetched at once
FAN_IN = 4  # sums that a worker merges at once
LARGE = 1 << 20  # bytes of an argument that is sent once, and not with every task
WAIT = 0.2  # seconds between two looks at whether the run was cancelled


@dataclass(frozen=True)
class DaskEngine(Engine):
    """The engine of the lead. Its fields beyond those of :class:`~shoal.engines.Engine` are set by the lead."""

    client: Any = field(default=None, repr=False, compare=False)
    check: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)  # raises if it was cancelled
    received: Counter[str] = field(default_factory=Counter, repr=False, compare=False)  # bytes of results, by stage

    @property
    def spreads(self) -> bool:
        """Whether data are read by workers, and stay there."""
        return True

    def submit(self, stage: str, work: Callable[..., Any], *given: Any, worker: str | None = None) -> Any:
        """Start a task, and return its future. Its name tells the stage, and nothing of the data."""
        where: dict[str, Any] = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        key = f"shoal-{stage.replace(' ', '-')}-{uuid.uuid4().hex}"  # see stage_of
        return self.client.submit(work, *given, key=key, pure=False, **where)

    def shared(self, stage: str, work: Shipped) -> Any:
        """Return an argument for many tasks. If it is large, it is sent to each worker once.

        Unlike data that are scattered, the result of a task can be made again if a worker is lost.
        """
        return self.submit(stage, _as_it_is, work) if work.__sizeof__() > LARGE else work

    def fetch(self, future: Any) -> Any:
        """Return the result of a task, or raise its error."""
        self.wait(future)
        return self._results([future])[0]

    def _results(self, futures: Sequence[Any]) -> list[Any]:
        """Return the results of tasks that have ended, or raise the first error."""
        try:
            values = self.client.gather(futures)
        except Exception as error:  # tasks return their own errors, so this is one of the cluster
            raise task_error(error) from None
        return [self._opened(future, value) for future, value in zip(futures, values, strict=True)]

    def _opened(self, future: Any, value: Any) -> Any:
        """Return the value of a result that has arrived, or raise its error."""
        if isinstance(value, Shipped):
            self.received[stage_of(future.key)] += value.__sizeof__()
            value = value.open()
        return result_or_error(value)

    def wait(self, future: Any) -> None:
        """Wait until a task has ended. Look from time to time whether the run was cancelled."""
        ended = threading.Event()
        if not future.done():
            future.add_done_callback(lambda _: ended.set())
        while not future.done():
            self.check()
            ended.wait(WAIT)

    def over(self, stage: str, work: Callable[[SomeRows, Engine], Result], rows: SomeRows) -> Iterator[Result]:
        """Run ``work(part, engine)`` on parts of the rows, and yield the results in the order of the rows."""
        bounds = getattr(rows, "bounds", None)
        if bounds is None:
            yield from super().over(stage, work, rows)
            return
        self._begin(stage, rows)
        shipped = Shipped.of(work)
        parts = (rows.part(start, stop) for start, stop in pairwise(bounds))
        for end, result in zip(bounds[1:], self._remote(stage, _run_on_part, shipped, parts), strict=True):
            yield result
            self.progress(stage, end / max(1, len(rows)))

    def _begin(self, stage: str, rows: Any) -> None:
        """Tell that a stage begins, and its number of rows, so that its time and speed can be shown."""
        if tell := getattr(self.progress, "rows", None):
            tell(stage, len(rows))
        self.progress(stage, 0.0)

    def each(self, work: Callable[[Task], Result], tasks: Iterable[Task], *, ahead: bool = True) -> Iterator[Result]:
        """Run ``work(task)`` for every task, and yield the results in the order of the tasks.

        Tasks about rows on workers run there.
        """
        tasks = iter(tasks)
        for first in tasks:
            if _is_remote(first):
                yield from self.send("writing", work, chain([first], tasks))
            else:
                yield from super().each(work, chain([first], tasks), ahead=ahead)

    def send(self, stage: str, work: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
        """Run ``work(task)`` for every task about rows on workers, where these are. Yield the results in order."""
        yield from self._remote(stage, _run_on_task, Shipped.of(work), tasks)

    def over_with(
        self, stage: str, make: Callable[[], State], work: Callable[[State, SomeRows], Result], rows: SomeRows
    ) -> Iterator[Result]:
        """Run ``work(state, part)`` on parts of the rows. Each worker goes over its parts with a state of its own."""
        bounds = getattr(rows, "bounds", None)
        if bounds is None:
            yield from super().over_with(stage, make, work, rows)
            return
        found: dict[int, Result] = {}
        tasks = self._grouped(stage, _results_on_parts, Shipped.of((make, work)), rows, bounds)
        for places, task in self._finished(stage, tasks, bounds):
            found.update(zip(places, self.fetch(task), strict=True))
        for place in range(len(bounds) - 1):
            yield found.pop(place)

    def accumulate(
        self, stage: str, make: Callable[[], Sum], add: Callable[[Sum, SomeRows], None], rows: SomeRows
    ) -> Sum:
        """Add all parts of the rows to sums, one for each worker. Workers merge them, and the lead gets the last."""
        bounds = getattr(rows, "bounds", None)
        if bounds is None:
            return super().accumulate(stage, make, add, rows)
        tasks = self._grouped(stage, _sum_on_parts, Shipped.of((make, add)), rows, bounds)
        sums = [task for _, task in self._finished(stage, tasks, bounds)]
        while len(sums) > 1:
            groups = [sums[at : at + FAN_IN] for at in range(0, len(sums), FAN_IN)]
            sums = [self.submit(stage, _merged, *group) if len(group) > 1 else group[0] for group in groups]
        return self.fetch(self.submit(stage, _sent, sums[0]))  # type: ignore[no-any-return]

    def _remote(self, stage: str, run: Callable[..., Shipped], work: Shipped, parts: Iterable[Any]) -> Iterator[Any]:
        """Run a task for each part, and yield the results in order.

        All tasks are there from the start: neighbouring parts are often on the same worker, and the others would wait.
        """
        running: deque[Any] = deque()
        common = self.shared(stage, work)
        try:
            for part in parts:
                shipped, futures = pack(part)
                running.append(self.submit(stage, run, common, shipped, *futures))
            while running:
                self.wait(running[0])
                first = [running.popleft()]
                while running and len(first) < TOGETHER and running[0].done():
                    first.append(running.popleft())
                yield from self._results(first)
        finally:
            self._drop(list(running))

    def _grouped(
        self, stage: str, run: Callable[..., Any], work: Shipped, rows: Any, bounds: Sequence[int]
    ) -> list[tuple[list[int], Any]]:
        """Start one task for each thread of each worker, on the parts that are there.

        Return the numbers of the parts and the future of each task.
        """
        self._begin(stage, rows)
        tasks, common = [], self.shared(stage, work)
        for worker, places in self._by_worker([rows.part(*pair) for pair in pairwise(bounds)]):
            packed = [pack(rows.part(bounds[place], bounds[place + 1])) for place in places]
            futures = [future for _, some in packed for future in some]
            parts = [(part, len(some)) for part, some in packed]
            tasks.append((places, self.submit(stage, run, common, parts, *futures, worker=worker)))
        return tasks

    def _finished(
        self, stage: str, tasks: list[tuple[list[int], Any]], bounds: Sequence[int]
    ) -> Iterator[tuple[list[int], Any]]:
        """Yield the tasks when they have ended, in their order."""
        done = 0
        try:
            for places, task in tasks:
                self.wait(task)
                yield places, task
                done += sum(bounds[place + 1] - bounds[place] for place in places)
                self.progress(stage, done / max(1, bounds[-1]))
        finally:
            self._drop([task for _, task in tasks])

    def _by_worker(self, parts: list[Any]) -> Iterator[tuple[str | None, list[int]]]:
        """Yield groups of parts: for each worker those that it holds, in as many groups as it has threads."""
        futures = [pack(part)[1][0] for part in parts]
        for future in dict.fromkeys(futures):
            self.wait(future)
        holders, threads = self.client.who_has(futures), self.client.nthreads()
        groups: dict[str | None, list[int]] = {}
        for place, future in enumerate(futures):
            known = [one for one in holders.get(future.key, ()) if one in threads]
            groups.setdefault(known[0] if known else None, []).append(place)
        for worker, places in groups.items():
            several = min(len(places), threads.get(worker, 1) if worker else max(1, len(threads)))
            for at in range(several):
                yield worker, places[at * len(places) // several : (at + 1) * len(places) // several]

    def _drop(self, futures: list[Any]) -> None:
        """Let go of tasks. Those that have not begun will not run."""
        left = [future for future in futures if not future.done()]
        if left:
            with contextlib.suppress(Exception):  # the cluster may be gone
                self.client.cancel(left)


def stage_of(key: str) -> str:
    """Return the stage of a task.

    >>> stage_of("shoal-counting-sets-0123456789abcdef")
    'counting sets'
    """
    return " ".join(key.split("-")[1:-1])


def _as_it_is(work: Shipped) -> Shipped:
    return work


def _is_remote(task: Any) -> bool:
    """Whether a task is about rows on workers."""
    return isinstance(task, Remote) or (isinstance(task, tuple) and any(isinstance(one, Remote) for one in task))


def _run_on_part(work: Shipped, part: Shipped, *held: Held) -> Shipped:
    """Run work on a part of the rows, on a worker."""
    return on_worker(lambda: work.open()(part.open(contents_of(held)), current()))


def _run_on_task(work: Shipped, task: Shipped, *held: Held) -> Shipped:
    """Run a task on a worker."""
    return on_worker(lambda: work.open()(task.open(contents_of(held))))


def _on_parts(work: Shipped, parts: list[tuple[Shipped, int]], held: Sequence[Held]) -> tuple[Any, list[Any]]:
    """Run work with one state on several parts of the rows. Return the state, and the results."""
    make, each = work.open()
    state, results, contents = make(), [], iter(held)
    for part, number in parts:
        own = contents_of([next(contents) for _ in range(number)])
        results.append(each(state, part.open(own)))
    return state, results


def _results_on_parts(work: Shipped, parts: list[tuple[Shipped, int]], *held: Held) -> Shipped:
    """Return the results of work on several parts of the rows, from a worker."""
    return on_worker(lambda: _on_parts(work, parts, held)[1])


def _sum_on_parts(work: Shipped, parts: list[tuple[Shipped, int]], *held: Held) -> Held:
    """Keep the sum over several parts of the rows on a worker."""
    return hold(lambda: _on_parts(work, parts, held)[0])


def _merged(*sums: Held) -> Held:
    """Merge the sums of several workers. They stay as they are, because a task may have to be repeated."""

    def merge() -> Any:
        first, *others = contents_of(sums)
        merged = copy.copy(first)
        for other in others:
            merged.merge(other)
        return merged

    return hold(merge)


def _sent(one: Held) -> Shipped:
    """Send what a worker keeps."""
    return on_worker(lambda: contents_of([one])[0])


def hold(run: Callable[[], Any]) -> Held:
    """Run a call in a task, with an engine of one thread. Its result, or its error, stays on the worker."""
    reuse_memory()
    with worker_engine().in_use():
        return Held(attempt(run))


def on_worker(run: Callable[[], Any]) -> Shipped:
    """Run a call in a task, with an engine of one thread, and ship its result or its error."""
    value = hold(run).value
    shipped = attempt(lambda: Shipped.of(value))
    if not isinstance(shipped, Failed):
        return shipped  # type: ignore[no-any-return]
    kind = type(value.error if isinstance(value, Failed) else shipped.error).__name__
    return Shipped.of(Failed(RuntimeError(f"{kind} on a worker, which cannot be sent")))


@functools.cache
def reuse_memory() -> None:
    """Let this process keep freed memory up to some size, as it does without Dask.

    Dask starts workers so that they give all freed memory back at once. Arrays that are made and freed for each part
    then take two to three times as long, most of it in the kernel of the system.
    """
    with contextlib.suppress(Exception):  # only the C library of GNU has it
        allocator = ctypes.CDLL(None).mallopt
        for option in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            allocator(option, REUSED)


def worker_engine(threads: int = 1) -> Engine:
    """Return the engine of a task: with a share of the memory of its worker."""
    from distributed import get_worker

    worker = get_worker()
    limit = worker.memory_manager.memory_limit or 0
    return Engine(workers=threads, memory=limit * threads // (2 * max(1, worker.state.nthreads)))
