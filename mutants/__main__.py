"""``python -m mutants``: which faults do the default tests notice?

Each fault is put into a copy of the project. The tests that mirror its file run first, then those of its folder, then
the whole default suite, until one fails. Exit code 1 if a fault survives or no longer fits the source.
"""

from __future__ import annotations

import argparse
import queue
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

from mutants import copy, faults_file
from mutants.copy import FAILED, NOTHING, Copy
from mutants.faults_file import Fault

KILLED = "killed"


def main() -> int:
    """Try them and report."""
    words = argparse.ArgumentParser(prog="mutants", description="Try deliberate faults on the default tests.")
    words.add_argument("names", nargs="*", help="faults to try; default: all. A part of a name will do.")
    words.add_argument("--jobs", type=int, default=2, help="faults that are tried at once")
    words.add_argument("--limit", type=float, default=900.0, help="seconds for each round of tests")
    words.add_argument("--near", action="store_true", help="only the nearest tests, to write new ones")
    words.add_argument("--list", action="store_true", help="only list the faults")
    given = words.parse_args()
    faults = [one for one in faults_file.load() if not given.names or any(name in one.name for name in given.names)]
    if given.list:
        for fault in faults:
            print(f"{fault.name}: {fault.why} ({fault.file})")
        return 0
    if not faults:
        print("No such fault.")
        return 2
    start = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as on Ctrl-C
    with ExitStack() as stack:
        free: queue.Queue[Copy] = queue.Queue()
        copies = [stack.enter_context(copy.made()) for _ in range(min(given.jobs, len(faults)))]
        for one in copies:
            free.put(one)
        if not _sound(free, faults, given.limit):
            return 2
        pool = ThreadPoolExecutor(given.jobs)
        try:
            ends = list(pool.map(lambda fault: _tried(fault, free, given.limit, near=given.near), faults))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for one in copies:
                one.end()
            pool.shutdown()
    survivors = [fault for fault, end in zip(faults, ends, strict=True) if end != KILLED]
    for fault, end in zip(faults, ends, strict=True):
        if end != KILLED:
            print(f"{end.upper()}: {fault.name} ({fault.file}): {fault.why}")
    print(f"{len(faults) - len(survivors)} of {len(faults)} faults killed in {time.monotonic() - start:.0f} s")
    return 1 if survivors else 0


def _sound(free: queue.Queue[Copy], faults: list[Fault], limit: float) -> bool:
    """Without a fault the tests pass: otherwise everything would look killed."""
    here = free.get()
    near = sorted({test for fault in faults for test in fault.rounds(here.folder)[0]})
    code, told, _ = here.run(near, 10 * limit)
    free.put(here)
    if code != 0:
        print(f"The tests fail without any fault, or do not end:\n{told}")
    return code == 0


def _tried(fault: Fault, free: queue.Queue[Copy], limit: float, *, near: bool) -> str:
    """How a fault ended."""
    here, start = free.get(), time.monotonic()
    try:
        end = _rounds(fault, here, limit, near=near)
    except ValueError as error:
        end = f"does not apply: {error}"
    finally:
        free.put(here)
    print(f"{fault.name}: {end} ({time.monotonic() - start:.0f} s)", flush=True)
    return KILLED if end.startswith(KILLED) else end


def _rounds(fault: Fault, here: Copy, limit: float, *, near: bool) -> str:
    loaded = False
    with here.with_fault(fault) as path:
        for tests in fault.rounds(here.folder)[: 1 if near else None]:
            code, told, seen = here.run(tests, limit, path)
            loaded |= seen
            if code is None:
                return f"{KILLED} (no end in time) by {' '.join(tests) or 'the suite'}"
            if code == FAILED and not seen:
                return f"never loaded: {told[-2000:]}"
            if code == FAILED:
                failed = [line.split()[1] for line in told.splitlines() if line.startswith("FAILED ")]
                return f"{KILLED} by {failed[0] if failed else ' '.join(tests)}"
            if code not in (0, NOTHING):  # it could not even be collected, or the process died
                where = " ".join(tests) or "the suite"
                return f"{KILLED} by the end of {where}" if seen else f"broken: {told[-2000:]}"
    return "survived" if loaded else "never loaded"


if __name__ == "__main__":
    sys.exit(main())
