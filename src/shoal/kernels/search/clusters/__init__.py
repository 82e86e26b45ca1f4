"""Kernels of methods for rows that have attributes beside their items."""
