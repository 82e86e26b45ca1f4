"""The time limit of a search: one rule for all its parts.

A search ends at the latest two seconds after its limit. Only the first safe result may take longer, because there is
nothing to return without it. Then the search ends at the latest two seconds after that result.

The last part of the limit and the two seconds are for the work that follows the search: a bound, a comparison, the
polish.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

AFTER = 1.5  # seconds after the limit or the first safe result; the rest is for steps that cannot check the clock
CONCLUDING = 0.2  # share of the limit for the work that follows the search
AFTER_CTRL_C = 30.0  # limit in seconds for that work after Ctrl-C, while the user waits


class OutOfTime(Exception):
    """The time for the current work has passed."""


class Clock:
    """The time limit of one search, shared by all its parts.

    >>> clock = Clock(0.0)
    >>> clock.check()  # no limit yet
    >>> clock.start()
    >>> with clock.share(0.5):
    ...     clock.check()
    ...     print("not reached")
    >>> clock.conclude()
    >>> clock.check()  # two more seconds are allowed here
    """

    def __init__(self, seconds: float, whole: Clock | None = None) -> None:
        now = time.monotonic()
        self.limit, self.whole = seconds, whole
        self.safe = False  # whether there is a safe result outside of the search
        self.half_time, self.deadline, self.limit_at = (
            now + seconds / 2,
            now + seconds * (1 - CONCLUDING),
            now + seconds,
        )
        self.until = math.inf  # the limit that applies now
        self.end = math.inf  # the limit for all work

    @classmethod
    def of(cls, time_limit: float | str) -> Clock:
        """Return a clock for the option ``time_limit``: a number of seconds, or "none"."""
        return cls(math.inf if time_limit == "none" else float(time_limit))

    def start(self) -> None:
        """Start the limit, because there is a first safe result."""
        if self.end == math.inf:
            self.end = max(self.limit_at, time.monotonic()) + AFTER
            if self.whole is not None:
                self.whole.start()
                self.end = min(self.end, self.whole.end)
        self.until = self.deadline

    def conclude(self, *, interrupted: bool = False) -> None:
        """End the search. The work that follows may use the remaining time."""
        if interrupted:
            self.end = min(self.end, time.monotonic() + AFTER_CTRL_C)
        self.until = self.end

    def check(self) -> None:
        """Raise OutOfTime if time is up."""
        if time.monotonic() >= self.until:
            raise OutOfTime

    def left(self) -> float:
        """The remaining seconds."""
        return max(0.0, self.until - time.monotonic())

    @contextlib.contextmanager
    def share(self, part: float, *, most: float = math.inf) -> Iterator[None]:
        """Give the block a part of the remaining time. When that is used up, continue after the block."""
        until = self.until
        self.until = time.monotonic() + min(self.left() * part, most)
        with contextlib.suppress(OutOfTime):
            try:
                yield
            finally:
                self.until = until

    def first(self, part: float) -> Clock:
        """Return a clock for the inner search that finds the first safe result, with a part of the limit."""
        return Clock(self.limit * part, self)

    def before(self, part: float) -> Clock:
        """Return a clock for an inner search without a safe result: a part of the limit, or of the remaining time."""
        return Clock(self.limit * part) if self.until == math.inf else self.part(part)

    def part(self, part: float, *, least: float = 0.0, safe: bool = True) -> Clock:
        """Return a clock for an inner search that must end, with all its work, in a part of the remaining time.

        ``least``: seconds that it gets in any case.
        ``safe``: whether there is a safe result already, so that the limit applies from the beginning.
        """
        inner = Clock(max(self.left() * part, least))
        inner.until, inner.end, inner.safe = inner.deadline if safe else math.inf, inner.limit_at, safe
        return inner
