"""Kernels that raise a cut of a hierarchy, or find constraints on cuts."""
