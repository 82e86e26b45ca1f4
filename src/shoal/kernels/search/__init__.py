"""Kernels of searches: they share no counting with verifiers (decision 0005)."""
