"""Kernels of methods that suppress items."""
