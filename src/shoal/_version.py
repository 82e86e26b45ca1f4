"""The version, read from the installed distribution."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("shoal")
except PackageNotFoundError:  # imported from a source tree that was never installed
    __version__ = "0+unknown"
