"""Measures: one file each, functions of a :class:`Comparison` of the original and the published data."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
