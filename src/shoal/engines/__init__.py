"""Engines run the work, and know where the data are: in this process (``local``), or on a Dask cluster (``dask``)."""

from shoal.engines.background import Background
from shoal.engines.batches import CollectedBatches, release_batches
from shoal.engines.local import LOCAL, PART_ROWS, Engine, PerThread, Progress, SomeRows, current
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
    "SomeRows",
    "current",
    "open_scratch",
    "release",
    "release_batches",
]
