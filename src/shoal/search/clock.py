"""The time limit of a search: when it starts to hold, and how long the work after it may take.

1. Until there is a first safe result, no limit holds: without one there is nothing to return.
2. From then on the search has until its deadline, which counts from the beginning.
3. What is left to do after the search (a bound, the polish) may take the limit again and two seconds, no more.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

AFTER = 2.0  # seconds for the work after the limit, besides the limit again
AFTER_CTRL_C = 30.0  # seconds at most for the same work, if the user is waiting for it


class OutOfTime(Exception):
    """The time for what is being done has passed."""


class Clock:
    """The time limit of one search, shared by all its parts.

    >>> clock = Clock(0.0)
    >>> clock.check()  # no limit yet
    >>> clock.start()
    >>> with clock.share(0.5):
    ...     clock.check()
    ...     print("not reached")
    >>> clock.conclude()
    >>> clock.check()  # there are two seconds for this
    """

    def __init__(self, seconds: float) -> None:
        now = time.monotonic()
        self.limit, self.half_time, self.deadline = seconds, now + seconds / 2, now + seconds
        self.until = math.inf  # what holds now
        self.end = math.inf  # of all work

    def start(self) -> None:
        """There is a first safe result: from now on the search is limited."""
        if self.end == math.inf:
            self.end = max(self.deadline, time.monotonic()) + self.limit + AFTER
        self.until = self.deadline

    def conclude(self, *, interrupted: bool = False) -> None:
        """The search is over: what is left to do may take until the end."""
        if interrupted:
            self.end = min(self.end, time.monotonic() + AFTER_CTRL_C)
        self.until = self.end

    def check(self) -> None:
        """Raise OutOfTime if time is up."""
        if time.monotonic() >= self.until:
            raise OutOfTime

    def left(self) -> float:
        """The seconds that are left."""
        return max(0.0, self.until - time.monotonic())

    @contextlib.contextmanager
    def share(self, part: float, *, most: float = math.inf) -> Iterator[None]:
        """Give what follows a part of the time that is left; when that is used up, go on after it."""
        until = self.until
        self.until = time.monotonic() + min(self.left() * part, most)
        with contextlib.suppress(OutOfTime):
            try:
                yield
            finally:
                self.until = until

    def part(self, part: float) -> Clock:
        """A clock for a search within this one: it must end, with all its work, in a part of the time that is left."""
        inner = Clock(self.left() * part / 2)
        inner.until, inner.end = inner.deadline, inner.deadline + inner.limit
        return inner
