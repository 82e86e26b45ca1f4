"""Kernels of measures: they share no counting with searches and verifiers."""
