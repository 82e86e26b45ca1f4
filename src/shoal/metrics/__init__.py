"""Measures of published data, compared with the original. There is one file for each measure."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
