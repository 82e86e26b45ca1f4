"""Data that are made up, for tests, demos and comparisons: baskets and watched videos."""
