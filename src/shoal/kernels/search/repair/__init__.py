"""Kernels that raise a cut for models that are not monotone."""
