"""In and out: one module for each format."""
