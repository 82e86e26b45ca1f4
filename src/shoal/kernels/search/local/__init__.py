"""Kernels of methods that recode each row separately."""
