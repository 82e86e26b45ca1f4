"""Benchmarks: every row has time, peak memory and information loss together. ``python -m benchmarks --help``."""
