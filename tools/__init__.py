"""Tools for maintainers: the documentation site and the trial of the wheel. They are not part of the package."""
