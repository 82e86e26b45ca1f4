"""Kernels that read text: they split it into tokens, and check quotes."""
