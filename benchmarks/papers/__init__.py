"""The papers' experiments: run their named grids, draw the figures, and put what was seen into research/papers/."""
