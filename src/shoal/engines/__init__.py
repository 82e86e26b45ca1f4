"""Engines run the work. The only one so far runs it in this process, with threads."""

from shoal.engines.local import LOCAL, Engine, Progress

__all__ = ["LOCAL", "Engine", "Progress"]
