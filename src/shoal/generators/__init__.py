"""Synthetic data for tests, demos and comparisons: baskets, watched videos, and the tables of a shop."""
