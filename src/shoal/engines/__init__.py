"""Where the work runs. For now: this process, with threads inside the kernels."""

from shoal.engines.local import LOCAL, Engine, Progress

__all__ = ["LOCAL", "Engine", "Progress"]
