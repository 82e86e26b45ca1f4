"""One file for each kind of part that can be added to Shoal from outside; test_entry_points.py installs them."""
