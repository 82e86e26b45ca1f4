"""Shoal anonymizes data about people whose records are sets: baskets, diagnoses, clicks, queries.

>>> import shoal
>>> baskets = [["ale", "rye"], ["ale", "rye"], ["stout", "rye"], ["stout", "rye"]]
>>> release = shoal.anonymize(baskets, k=2, m=2)
>>> release.verdict.holds
True

The verbs do what the commands do: :func:`anonymize`, :func:`verify`, :func:`measure`, :func:`profile`, :func:`explain`,
:func:`frontier`, :func:`recommend`, :func:`compare` and so on. The families are in :mod:`shoal.models`,
:mod:`shoal.algorithms`, :mod:`shoal.metrics`, :mod:`shoal.hierarchies` and :mod:`shoal.errors`.

Inside, an algorithm turns a Problem into a Solution, which holds a Recoding. Only :func:`anonymize` turns that into a
Release: it applies the recoding, and the privacy model verifies what will be published::

    raw file → io → Dataset → Problem(data, hierarchy, model, loss, seed) → Algorithm.solve → Solution
            → Recoding.apply → Published → PrivacyModel.verify → Release(published, verdict, losses, ..) → io / report
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
