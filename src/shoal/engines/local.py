"""The local engine: this process, with threads inside the kernels or around them, and one callback for progress."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TypeVar

from shoal.errors import OptionError

Progress = Callable[[str, float], None]  # (what is being done, share done in 0..1)
Task = TypeVar("Task")
Result = TypeVar("Result")


def _silent(stage: str, share: float) -> None:
    """No progress display."""


class Cancelled(Exception):
    """Another task failed, or the user interrupted: this one is not wanted any more."""


@dataclass(frozen=True)
class Engine:
    """How many workers may run at once, and whom to tell about progress. Neither changes any result.

    ``built_trees``: also count the nodes of the count-trees that the papers build, as a statistic of the solution.
    """

    workers: int = 0  # 0: one for each processor
    progress: Progress = _silent
    built_trees: bool = False

    def __post_init__(self) -> None:
        """Refuse a negative number of workers."""
        if self.workers < 0:
            raise OptionError(f"Engine: workers must be at least 0, got {self.workers}.")

    @property
    def threads(self) -> int:
        """The number of workers, resolved."""
        if self.workers:
            return min(self.workers, 1024)
        allowed = getattr(os, "sched_getaffinity", None)
        return len(allowed(0)) if allowed else os.cpu_count() or 1

    def tick(self, stage: str) -> Callable[[float], None]:
        """A callback for one stage, to hand to a kernel."""
        return lambda share: self.progress(stage, share)

    def map(self, stage: str, work: Callable[[Task, Engine], Result], tasks: Sequence[Task]) -> list[Result]:
        """``work(task, engine)`` for every task, each with an engine of one worker; results in the order of the tasks.

        Threads, as the kernels let go of Python while they run. Progress is told, and Ctrl-C is heard, in the calling
        thread alone; a failure of one task ends the others at their next tick.

        >>> Engine(workers=2).map("squaring", lambda task, engine: task * task, [1, 2, 3])
        [1, 4, 9]
        """
        shares = [0.0] * len(tasks)
        ended = threading.Event()
        alone = self.threads == 1 or len(tasks) < 2

        def run(at: int) -> Result:
            def progress(_: str, share: float) -> None:
                if ended.is_set():
                    raise Cancelled
                shares[at] = max(shares[at], share)
                if alone:
                    self.progress(stage, sum(shares) / len(tasks))

            result = work(tasks[at], replace(self, workers=1, progress=progress))
            shares[at] = 1.0
            return result

        if alone:
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
