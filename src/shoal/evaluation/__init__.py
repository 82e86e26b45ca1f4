"""Experiments, and the data generators they run on: :mod:`.quest` (any size) and :mod:`.supermarket` (the demo's)."""
