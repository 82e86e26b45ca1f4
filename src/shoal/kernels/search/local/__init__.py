"""Kernels of methods that recode each row on its own."""
