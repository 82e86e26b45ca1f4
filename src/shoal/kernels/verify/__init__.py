"""Kernels of verifiers: they share no counting with searches (decision 0005)."""
