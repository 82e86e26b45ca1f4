"""The local engine: runs work in this process, with threads inside or around the kernels, and reports progress."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TypeVar

from shoal.errors import OptionError

Progress = Callable[[str, float], None]  # (stage, share done in 0..1)
Task = TypeVar("Task")
Result = TypeVar("Result")


def _silent(stage: str, share: float) -> None:
    """Show no progress."""


class Cancelled(Exception):
    """The task is cancelled because another task failed or the user interrupted."""


@dataclass(frozen=True)
class Engine:
    """The number of workers, and a callback for progress. Neither changes any result.

    Parameters
    ----------
    workers : int, default 0
        How many threads may run at once. 0 means one for each processor.
    progress : callable, optional
        Called with the name of the current stage and the share done, from 0 to 1.
    built_trees : bool, default False
        Also count the nodes of the count-trees that the papers build, as a statistic of the solution.

    Examples
    --------
    >>> Engine(workers=4).threads
    4
    """

    workers: int = 0
    progress: Progress = _silent
    built_trees: bool = False

    def __post_init__(self) -> None:
        """Refuse a negative number of workers."""
        if self.workers < 0:
            raise OptionError(f"Engine: workers must be at least 0, got {self.workers}.")

    @property
    def threads(self) -> int:
        """The actual number of threads."""
        if self.workers:
            return min(self.workers, 1024)
        allowed = getattr(os, "sched_getaffinity", None)
        return len(allowed(0)) if allowed else os.cpu_count() or 1

    def tick(self, stage: str) -> Callable[[float], None]:
        """Return a progress callback for one stage, for a kernel."""
        return lambda share: self.progress(stage, share)

    def map(self, stage: str, work: Callable[[Task, Engine], Result], tasks: Sequence[Task]) -> list[Result]:
        """Run ``work(task, engine)`` for every task, and return the results in the order of the tasks.

        Each task gets an engine with one worker. Tasks run in threads, because the kernels release the GIL. Only the
        calling thread reports progress and handles Ctrl-C. If a task fails, the others end at their next tick.

        >>> Engine(workers=2).map("squaring", lambda task, engine: task * task, [1, 2, 3])
        [1, 4, 9]
        """
        shares = [0.0] * len(tasks)
        ended = threading.Event()
        sequential = self.threads == 1 or len(tasks) < 2

        def run(at: int) -> Result:
            def progress(_: str, share: float) -> None:
                if ended.is_set():
                    raise Cancelled
                shares[at] = max(shares[at], share)
                if sequential:
                    self.progress(stage, sum(shares) / len(tasks))

            result = work(tasks[at], replace(self, workers=1, progress=progress))
            shares[at] = 1.0
            return result

        if sequential:
            return [run(at) for at in range(len(tasks))]
        with ThreadPoolExecutor(min(self.threads, len(tasks))) as pool:
            futures = [pool.submit(run, at) for at in range(len(tasks))]
            try:
                while wait(futures, timeout=0.05, return_when=FIRST_EXCEPTION).not_done:
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


LOCAL = Engine()
