"""Shoal anonymizes data about people whose records are sets.

One rule explains the whole: an algorithm turns a Problem into a Recoding; only :func:`anonymize` turns a Recoding
into a Release, and it does so by applying it and having the privacy model verify what will be published::

    raw file → io → Dataset → Problem(data, hierarchy, privacy, loss, seed) → Algorithm.solve → Recoding → apply
            → Published → PrivacyModel.verify → Release(published, verdict, losses, provenance) → io / report
"""

from shoal._version import __version__
from shoal.algorithms import Algorithm
from shoal.algorithms.aa import AA
from shoal.algorithms.da import DA
from shoal.algorithms.oa import OA
from shoal.anonymize import anonymize
from shoal.data import Dataset, Hierarchy, Table, Transactions
from shoal.engines import Engine
from shoal.errors import ShoalError
from shoal.io import read, write
from shoal.metrics.lm import LM
from shoal.metrics.ncp import NCP
from shoal.privacy import PrivacyModel, Verdict, Witness
from shoal.privacy.km import KmAnonymity
from shoal.problem import Problem
from shoal.published import Published
from shoal.recoding import GlobalCut, Recoding
from shoal.release import Release
from shoal.risk import Risk

__all__ = [
    "AA",
    "DA",
    "LM",
    "NCP",
    "OA",
    "Algorithm",
    "Dataset",
    "Engine",
    "GlobalCut",
    "Hierarchy",
    "KmAnonymity",
    "PrivacyModel",
    "Problem",
    "Published",
    "Recoding",
    "Release",
    "Risk",
    "ShoalError",
    "Table",
    "Transactions",
    "Verdict",
    "Witness",
    "__version__",
    "anonymize",
    "read",
    "write",
]
