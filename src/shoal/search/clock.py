"""The time limit of a search: one rule for all its parts.

A search ends at the latest two seconds after its limit. Two steps may take longer:

- the first safe result, because there is nothing to return without it;
- the comparison with AA, if there is no proof, because no result without a proof may be worse than AA's.

Then the search ends at the latest two seconds after that step. A *strict* clock has no time for the comparison: it is
for a search inside another one, which makes the comparison itself. After Ctrl-C, the work that follows the search ends
within 3 seconds.

The last part of the limit and the two seconds are for the work that follows the search: a bound, the comparison, the
polish.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from dataclasses import replace

from shoal.engines import Engine

AFTER = 1.5  # seconds after the limit or the last step that may exceed it; the rest is for steps without a clock
CONCLUDING = 0.2  # share of the limit for the work that follows the search
AFTER_CTRL_C = 3.0  # limit in seconds for that work after Ctrl-C, while the user waits


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
    >>> with clock.as_needed(0.5):
    ...     clock.check()
    ...     print("always reached")
    always reached

    Parameters
    ----------
    seconds
        The limit.
    strict
        Whether :meth:`as_needed` keeps to the limit, too.
    whole
        The clock that starts with this one.
    outer
        The clock of the search around this one, which ends soon after Ctrl-C, too.
    """

    def __init__(
        self, seconds: float, *, strict: bool = False, whole: Clock | None = None, outer: Clock | None = None
    ) -> None:
        now = time.monotonic()
        self.limit, self.strict, self.whole, self.outer = seconds, strict, whole, outer or whole
        self.interrupted = self.safe = False  # safe: whether there is a safe result outside of the search
        self.half_time, self.deadline, self.limit_at = (
            now + seconds / 2,
            now + seconds * (1 - CONCLUDING),
            now + seconds,
        )
        self.until = math.inf  # the limit that applies now
        self.end = math.inf  # the limit for all work

    @classmethod
    def of(cls, time_limit: float | str, *, strict: bool = False) -> Clock:
        """Return a clock for the option ``time_limit``: a number of seconds, or "none"."""
        return cls(math.inf if time_limit == "none" else float(time_limit), strict=strict)

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
            self._interrupt()
        self.until = self.end

    def _interrupt(self) -> None:
        """Let this clock and those around it end soon. The first Ctrl-C counts."""
        if not self.interrupted:
            self.interrupted = True
            self.end = min(self.end, time.monotonic() + AFTER_CTRL_C)
        if self.outer is not None:
            self.outer._interrupt()

    def check(self) -> None:
        """Raise OutOfTime if time is up."""
        if time.monotonic() >= self.until:
            raise OutOfTime

    def limited(self, engine: Engine) -> Engine:
        """Return an engine for other algorithms, which stops them when time is up."""

        def progress(stage: str, share: float) -> None:
            self.check()
            engine.progress(stage, share)

        return replace(engine, progress=progress)

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

    @contextlib.contextmanager
    def as_needed(self, part: float) -> Iterator[None]:
        """Give the block all the time it needs. If the clock is strict or the user interrupted: a part of what is left.

        The work that follows the search ends at the latest two seconds after the block.
        """
        if self.strict or self.interrupted:
            with self.share(part):
                yield
            return
        until, concluding = self.until, self.until == self.end
        self.until = math.inf
        try:
            yield
        finally:
            self.end = max(self.end, time.monotonic() + AFTER)
            self.until = self.end if concluding else until

    def first(self, part: float, *, strict: bool = False) -> Clock:
        """Return a clock for the inner search that finds the first safe result, with a part of the limit."""
        return Clock(self.limit * part, strict=strict or self.strict, whole=self)

    def before(self, part: float) -> Clock:
        """Return a clock for an inner search without a safe result: a part of the limit, or of the remaining time."""
        if self.until < math.inf:
            return self.part(part)
        return Clock(self.limit * part, strict=True, outer=self)

    def part(self, part: float, *, least: float = 0.0, safe: bool = True) -> Clock:
        """Return a strict clock for an inner search that must end, with all its work, in a part of the remaining time.

        ``least``: seconds that it gets in any case.
        ``safe``: whether there is a safe result already, so that the limit applies from the beginning.
        """
        inner = Clock(max(self.left() * part, least), strict=True, outer=self)
        inner.until, inner.end, inner.safe = inner.deadline if safe else math.inf, inner.limit_at, safe
        return inner
