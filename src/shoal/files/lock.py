"""A lock on a folder, so that two processes do not mix up what they write there."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import OutputError


@contextlib.contextmanager
def exclusive_lock(folder: Path, busy: str) -> Iterator[None]:
    """Hold a folder. If another process holds it, raise an OutputError with the message ``busy``.

    The lock ends with the process. Where the system has no locks, nothing is held.
    """
    try:
        import fcntl

        held = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # no locks here, or no such folder: writing will raise the error
        yield
        return
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OutputError(busy) from None
        except OSError:  # a file system without such marks
            pass
        yield
    finally:
        os.close(held)
