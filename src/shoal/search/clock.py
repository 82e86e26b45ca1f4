"""The time limit of a search: one rule for all its parts.

A search ends at the latest two seconds after its limit. Only the first safe result may take longer, as there is nothing
to return without one; then the search ends at the latest two seconds after that.

The last part of the limit, and the two seconds, are for what follows the search itself: a bound, a comparison, the
polish.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator

AFTER = 1.5  # seconds after the limit, or after a first safe result; the rest is for steps that hear no clock
CONCLUDING = 0.2  # of the limit, for the work that follows the search
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

    def __init__(self, seconds: float, whole: Clock | None = None) -> None:
        now = time.monotonic()
        self.limit, self.whole = seconds, whole
        self.half_time, self.deadline, self.limit_at = (
            now + seconds / 2,
            now + seconds * (1 - CONCLUDING),
            now + seconds,
        )
        self.until = math.inf  # what holds now
        self.end = math.inf  # of all work

    @classmethod
    def of(cls, time_limit: float | str) -> Clock:
        """A clock for an option: a number of seconds, or "none"."""
        return cls(math.inf if time_limit == "none" else float(time_limit))

    def start(self) -> None:
        """There is a first safe result: from now on the search is limited."""
        if self.end == math.inf:
            self.end = max(self.limit_at, time.monotonic()) + AFTER
            if self.whole is not None:
                self.whole.start()
                self.end = min(self.end, self.whole.end)
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

    def first(self, part: float) -> Clock:
        """A clock for the search within this one that finds the first safe result: a part of the limit is for it."""
        return Clock(self.limit * part, self)

    def before(self, part: float) -> Clock:
        """A clock for a search whose result is not safe yet: a part of the limit, or of the time that is left."""
        return Clock(self.limit * part) if self.until == math.inf else self.part(part)

    def part(self, part: float, *, least: float = 0.0) -> Clock:
        """A clock for a search within this one: it must end, with all its work, in a part of the time that is left.

        ``least``: seconds that it gets in any case.

        Unlike other clocks it holds from the beginning: there is a safe result already.
        """
        inner = Clock(max(self.left() * part, least))
        inner.until, inner.end = inner.deadline, inner.limit_at
        return inner
