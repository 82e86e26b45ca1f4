"""Kernels of verifiers. They share no counting code with searches (decision 0005)."""
