"""Shoal anonymizes data about people whose records are sets.

One rule explains the whole: an algorithm turns a Problem into a Solution, which holds a Recoding; only
:func:`anonymize` turns that into a Release, by applying it and having the privacy model verify what will be published::

    raw file → io → Dataset → Problem(data, hierarchy, model, loss, seed) → Algorithm.solve → Solution
            → Recoding.apply → Published → PrivacyModel.verify → Release(published, verdict, losses, ..) → io / report
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
