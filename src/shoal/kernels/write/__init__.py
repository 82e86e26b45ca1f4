"""Kernels that write text."""
