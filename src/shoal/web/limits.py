"""The limits of a workbench, so that one file or one run cannot take the whole computer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What uploads and runs may take."""

    upload: int = 4 * 10**9  # bytes of a file
    memory: int = 0  # bytes of a worker; 0: no limit
    seconds: float = 4 * 3600.0  # of a run
    queue: int = 20  # runs that wait
