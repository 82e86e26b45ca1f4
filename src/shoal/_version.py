"""The version: written here alone. The build reads it (``tool.scikit-build.metadata`` in pyproject.toml)."""

__version__ = "0.1.0"
