"""The kinds of solution that an algorithm may return, each of which knows how to apply itself."""

from shoal.recoding.base import Recoding
from shoal.recoding.clusters import Clustered
from shoal.recoding.cuts import GlobalCut, LocalCuts, LocalNodes
from shoal.recoding.flips import Dealt, Flips
from shoal.recoding.sets import LocalSets

__all__ = ["Clustered", "Dealt", "Flips", "GlobalCut", "LocalCuts", "LocalNodes", "LocalSets", "Recoding"]
