"""Kernels of methods that put similar rows into groups."""
