"""One more thread beside the caller: for copying and writing what is complete, and for reading what comes next.

These steps must keep their order, so they cannot be divided. They release the GIL, so they can run at the same time as
the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Self, TypeVar

Result = TypeVar("Result")


class Background:
    """Runs calls one after the other in a thread of its own, while the caller goes on.

    The first call runs at once in the caller's thread: small data have only one, and need no thread. A call waits until
    the one before has ended, so that little memory is in use. If a call fails, the caller gets the error at its next
    call, or at the end.

    The thread ends with the block, with :meth:`finish`, or when nobody refers to this object any more.

    Parameters
    ----------
    threads
        The threads of the engine. If it is 1, all calls run at once.

    Examples
    --------
    >>> numbers = []
    >>> with Background(threads=2) as background:
    ...     for number in range(5):
    ...         background.run(numbers.append, number)
    >>> numbers
    [0, 1, 2, 3, 4]
    """

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(1) if threads > 1 else None  # it starts its thread with the first task
        self._begun = False
        self._last: Future[object] | None = None

    def run(self, work: Callable[..., object], *given: Any) -> None:
        """Wait for the call before. Then run ``work(*given)``."""
        if self._pool is None or not self._begun:
            self._begun = True
            work(*given)
            return
        self._wait()
        self._last = self._pool.submit(work, *given)

    def finish(self) -> None:
        """Wait for the last call, and end the thread."""
        try:
            self._wait()
        finally:
            self._stop()

    def _wait(self) -> None:
        last, self._last = self._last, None
        if last is not None:
            result_of(last)

    def _stop(self) -> None:
        """End the thread after the call that it runs."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        """Return the object."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Wait for the last call. If the block failed, its error counts, and not that of the call."""
        if kind is None:
            self.finish()
        else:
            self._stop()


def ahead(items: Iterator[Result]) -> Generator[Result, None, None]:
    """Iterate over items, of which none is None. A thread makes the next one while the caller uses the last one.

    The thread starts when the second item is asked for, and ends with the iteration.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    first = next(items, None)
    if first is None:
        return
    yield first
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(next, items, None)
        while (item := result_of(following)) is not None:
            following = pool.submit(next, items, None)
            yield item


def result_of(future: Future[Result]) -> Result:
    """Wait for a result, and notice Ctrl-C."""
    while not wait([future], timeout=0.05).done:
        continue
    return future.result()
