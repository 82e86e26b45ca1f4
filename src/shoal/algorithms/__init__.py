"""Algorithms: one file each (or a small family), named as its paper names it. They turn a Problem into a Solution."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
