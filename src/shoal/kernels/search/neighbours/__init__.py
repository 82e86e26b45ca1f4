"""Kernels of methods that group similar rows."""
