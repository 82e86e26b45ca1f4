"""Comparisons of methods, recommendations, and the costs of k and m, from many verified runs."""
