"""``python -m shoal.cli``."""

from shoal.cli import main

main()
