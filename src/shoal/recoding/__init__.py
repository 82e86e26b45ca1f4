"""Recodings: the changes that an algorithm may return. Each can be applied to the data."""

from shoal.recoding.base import Recoding, RecodingSummary
from shoal.recoding.clusters import Clustered
from shoal.recoding.cuts import GlobalCut, LocalCuts, LocalNodes
from shoal.recoding.flips import Flips, Reshuffled
from shoal.recoding.sets import LocalSets

__all__ = [
    "Clustered",
    "Flips",
    "GlobalCut",
    "LocalCuts",
    "LocalNodes",
    "LocalSets",
    "Recoding",
    "RecodingSummary",
    "Reshuffled",
]
