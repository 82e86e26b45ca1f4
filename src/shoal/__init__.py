"""Shoal anonymizes data about people whose records are sets.

One rule explains the whole: an algorithm turns a Problem into a Solution, which holds a Recoding; only
:func:`anonymize` turns that into a Release, by applying it and having the privacy model verify what will be published::

    raw file → io → Dataset → Problem(data, hierarchy, privacy, loss, seed) → Algorithm.solve → Solution
            → Recoding.apply → Published → PrivacyModel.verify → Release(published, verdict, losses, ..) → io / report
"""

from shoal._version import __version__
from shoal.algorithms import Algorithm
from shoal.algorithms.aa import AA
from shoal.algorithms.apx_cover import ApxCover
from shoal.algorithms.auto import Auto
from shoal.algorithms.cluster import Cluster
from shoal.algorithms.da import DA
from shoal.algorithms.graysort import GraySort
from shoal.algorithms.gsc import GSC
from shoal.algorithms.hghs import HgHs
from shoal.algorithms.knn import KNN
from shoal.algorithms.lra import LRA
from shoal.algorithms.mhghs import MHgHs
from shoal.algorithms.mm import MM
from shoal.algorithms.mondrian import Mondrian
from shoal.algorithms.oa import OA
from shoal.algorithms.optimal import Optimal
from shoal.algorithms.optimal_suppress import OptimalSuppress
from shoal.algorithms.partition import Partition
from shoal.algorithms.rfirst import Rfirst
from shoal.algorithms.rmerge import RmergeR, RmergeRT, RmergeT
from shoal.algorithms.stn import STN
from shoal.algorithms.tfirst import Tfirst
from shoal.algorithms.tmerge import TmergeR, TmergeRT, TmergeT
from shoal.algorithms.vpa import VPA
from shoal.data import Dataset, Hierarchy, Table, Transactions
from shoal.data.columns import Column
from shoal.engines import Engine
from shoal.errors import ShoalError
from shoal.evaluation.compare import compare
from shoal.evaluation.recommend import recommend
from shoal.hierarchies.weights import Weights
from shoal.io import read, write
from shoal.io.read_options import ReadOptions
from shoal.jobs.dataset_spec import DatasetSpec
from shoal.metrics.are import ARE
from shoal.metrics.classes import ClassSizes
from shoal.metrics.kl import KLDivergence
from shoal.metrics.lm import LM
from shoal.metrics.ml2 import ML2
from shoal.metrics.ncp import NCP
from shoal.metrics.operations import Operations
from shoal.metrics.privacy_value import PrivacyValue
from shoal.metrics.relational_ncp import RelationalNCP
from shoal.metrics.risk import Risk
from shoal.metrics.ul import UL
from shoal.metrics.workload import Query, Workload
from shoal.privacy import PrivacyModel, Verdict, Witness
from shoal.privacy.hkp import HkpCoherence
from shoal.privacy.k import KAnonymity
from shoal.privacy.k_km import KKmAnonymity
from shoal.privacy.k_lm import KLmDiversity
from shoal.privacy.km import KmAnonymity
from shoal.privacy.km_negative import KmNegative
from shoal.privacy.lm import LmDiversity
from shoal.privacy.privacy_degree import PrivacyDegree
from shoal.privacy.sensitive_k import SensitiveK
from shoal.privacy.transactional_k import TransactionalK
from shoal.problem import Problem
from shoal.published import Grouping, Published
from shoal.recoding import Clustered, Dealt, Flips, GlobalCut, LocalCuts, LocalNodes, LocalSets, Recoding
from shoal.recoding.solution import Optimality, Solution
from shoal.release.pipeline import anonymize
from shoal.release.release import Release
from shoal.report.explanations import Explanation, explain

__all__ = [
    "AA",
    "ARE",
    "DA",
    "GSC",
    "KNN",
    "LM",
    "LRA",
    "ML2",
    "MM",
    "NCP",
    "OA",
    "STN",
    "UL",
    "VPA",
    "Algorithm",
    "ApxCover",
    "Auto",
    "ClassSizes",
    "Cluster",
    "Clustered",
    "Column",
    "Dataset",
    "DatasetSpec",
    "Dealt",
    "Engine",
    "Explanation",
    "Flips",
    "GlobalCut",
    "GraySort",
    "Grouping",
    "HgHs",
    "Hierarchy",
    "HkpCoherence",
    "KAnonymity",
    "KKmAnonymity",
    "KLDivergence",
    "KLmDiversity",
    "KmAnonymity",
    "KmNegative",
    "LmDiversity",
    "LocalCuts",
    "LocalNodes",
    "LocalSets",
    "MHgHs",
    "Mondrian",
    "Operations",
    "Optimal",
    "OptimalSuppress",
    "Optimality",
    "Partition",
    "PrivacyDegree",
    "PrivacyModel",
    "PrivacyValue",
    "Problem",
    "Published",
    "Query",
    "ReadOptions",
    "Recoding",
    "RelationalNCP",
    "Release",
    "Rfirst",
    "Risk",
    "RmergeR",
    "RmergeRT",
    "RmergeT",
    "SensitiveK",
    "ShoalError",
    "Solution",
    "Table",
    "Tfirst",
    "TmergeR",
    "TmergeRT",
    "TmergeT",
    "TransactionalK",
    "Transactions",
    "Verdict",
    "Weights",
    "Witness",
    "Workload",
    "__version__",
    "anonymize",
    "compare",
    "explain",
    "read",
    "recommend",
    "write",
]
