"""Kernels of searches. They share no counting code with verifiers (decision 0005)."""
