"""Kernels of methods for rows with attributes and items."""
