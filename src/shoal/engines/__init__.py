"""Engines run the work, and know where the data are. The only one so far runs it in this process, with threads."""

from shoal.engines.background import Background
from shoal.engines.batches import CollectedBatches, release_batches
from shoal.engines.local import LOCAL, PART_ROWS, Engine, PerThread, Progress, current
from shoal.engines.storage import Collected, open_scratch, release

__all__ = [
    "LOCAL",
    "PART_ROWS",
    "Background",
    "Collected",
    "CollectedBatches",
    "Engine",
    "PerThread",
    "Progress",
    "current",
    "open_scratch",
    "release",
    "release_batches",
]
