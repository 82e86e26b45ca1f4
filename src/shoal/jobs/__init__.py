"""What to do, from files to files: what to read, how to anonymize it, what to write."""
