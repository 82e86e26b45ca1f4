"""Kernels of measures. They share no counting code with searches and verifiers."""
