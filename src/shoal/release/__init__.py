"""The only door out: solve, apply, verify, and only then a release."""
