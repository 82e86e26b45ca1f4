"""Kernels that raise a cut for the models that are not monotone."""
