"""Kernels that raise a cut of a hierarchy, or tell what a cut must not expand."""
