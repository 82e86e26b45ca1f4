"""Privacy models, with one file for each: its definition and its verifier.

A verifier reads published data only, never an algorithm's bookkeeping, and shares no code path with the algorithms:
this package imports neither ``algorithms`` nor ``recoding`` nor ``search`` (import-linter enforces it).
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
