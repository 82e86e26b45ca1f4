"""Anonymization as a step of scikit-learn: ``shoal.sklearn.Anonymizer``.

It needs the extra ``sklearn``: ``pip install 'shoal[sklearn]'``. The package is called like the one that it extends.
Imports are absolute, so ``sklearn`` always means scikit-learn.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
