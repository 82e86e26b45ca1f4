"""The local engine: this process, with threads inside the kernels, and one callback for progress."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from shoal.errors import OptionError

Progress = Callable[[str, float], None]  # (what is being done, share done in 0..1)


def _silent(stage: str, share: float) -> None:
    """No progress display."""


@dataclass(frozen=True)
class Engine:
    """How many workers may run at once, and whom to tell about progress. Neither changes any result."""

    workers: int = 0  # 0: one for each processor
    progress: Progress = _silent

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


LOCAL = Engine()
