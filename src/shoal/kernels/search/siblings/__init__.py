"""Kernels that group siblings of a hierarchy, and bound what that must cost."""
