"""The fuzzer, ``make fuzz``: random problems, broken files and sanitized kernels. See docs/internals/testing.md."""
