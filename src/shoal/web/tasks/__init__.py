"""What workers do for the pages: each function takes a session and plain values, and returns plain values."""
