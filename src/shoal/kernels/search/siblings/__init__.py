"""Kernels that group siblings of a hierarchy, and bound the cost of every grouping."""
