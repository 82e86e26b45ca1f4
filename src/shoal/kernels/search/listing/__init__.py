"""Kernels for searches that have a list of all violations instead of the rows."""
