"""One more thread beside the caller: the same order, no lost error, no thread that is left."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator
from functools import partial

import pytest

from shoal.engines import Engine
from shoal.engines.background import Background, ahead

MAIN = threading.get_ident()


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(5)  # one that nobody refers to any more needs a moment
        assert not thread.is_alive()


def run_all(threads: int, *calls: Callable[[], object]) -> None:
    with Background(threads) as background:
        for call in calls:
            background.run(call)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_calls_run_in_their_order_and_one_at_a_time(threads: int) -> None:
    seen: list[int] = []
    running: list[int] = []

    def work(number: int) -> None:
        running.append(number)
        time.sleep(0.002)
        assert running == [number]
        running.clear()
        seen.append(number)

    with Engine(workers=threads).background() as background:
        for number in range(20):
            background.run(work, number)
    assert seen == list(range(20))


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_call_needs_no_thread(threads: int) -> None:
    idents: list[int] = []
    with Background(threads) as background:
        for _ in range(3):
            background.run(lambda: idents.append(threading.get_ident()))
    others = [ident != threading.get_ident() for ident in idents]
    assert others == [False, threads > 1, threads > 1]


@pytest.mark.parametrize("failing", [0, 1, 2, 9])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_reaches_the_caller_and_no_later_call_runs(threads: int, failing: int) -> None:
    seen: list[int] = []

    def work(number: int) -> None:
        if number == failing:
            raise OSError("full")
        seen.append(number)

    with pytest.raises(OSError, match="full"):
        run_all(threads, *(partial(work, number) for number in range(10)))
    assert seen == list(range(failing))


def test_an_error_of_the_block_counts() -> None:
    def fail() -> None:
        raise OSError("full")

    def block() -> None:
        with Background(2) as background:
            background.run(int)
            background.run(fail)
            raise ValueError("block")

    with pytest.raises(ValueError, match="block"):
        block()


def test_a_thread_ends_if_nobody_needs_it() -> None:
    background = Background(2)
    for _ in range(3):
        background.run(int)
    del background  # the fixture looks for threads


def test_ctrl_c_is_heard_while_the_caller_waits() -> None:
    ended = threading.Event()

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.2)
        ended.set()

    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run_all(2, int, int, interrupt, ended.wait)  # the second call starts the thread
    assert time.monotonic() - started < 2
    assert ended.is_set()  # a call that runs is not cut off


def test_one_item_is_made_ahead_in_a_thread() -> None:
    made: list[tuple[int, bool]] = []

    def items() -> Iterator[int]:
        for number in range(1, 6):
            made.append((number, threading.get_ident() == MAIN))
            yield number

    results = ahead(items())
    assert next(results) == 1
    assert made == [(1, True)]  # a single item needs no thread
    assert next(results) == 2
    time.sleep(0.1)
    assert made == [(1, True), (2, False), (3, False)]
    results.close()
    assert len(made) == 3


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_after_the_items_before_it(workers: int) -> None:
    def items() -> Generator[int, None, None]:
        yield from (1, 2)
        raise ValueError("third")

    results = Engine(workers).ahead(items())
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ValueError, match="third"):
        next(results)


def test_one_worker_makes_nothing_ahead() -> None:
    numbers = (number for number in range(3))
    assert Engine(workers=1).ahead(numbers) is numbers
