"""Anonymization algorithms. Each turns a problem into a solution, and has the name that its paper gives it."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
