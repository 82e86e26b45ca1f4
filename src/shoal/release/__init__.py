"""Makes releases: solve, apply, verify, and only then return published data."""
