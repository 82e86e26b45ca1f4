"""Shoal anonymizes data about people whose records are sets.

One rule explains the whole: an algorithm turns a Problem into a Solution, which holds a Recoding; only
:func:`anonymize` turns that into a Release, by applying it and having the privacy model verify what will be published::

    raw file → io → Dataset → Problem(data, hierarchy, privacy, loss, seed) → Algorithm.solve → Solution
            → Recoding.apply → Published → PrivacyModel.verify → Release(published, verdict, losses, ..) → io / report
"""

import importlib
from typing import TYPE_CHECKING

from shoal._version import __version__ as __version__

if TYPE_CHECKING:  # for type checkers and editors; a test holds it to the table below
    from shoal.algorithms import Algorithm as Algorithm
    from shoal.algorithms.aa import AA as AA
    from shoal.algorithms.apx_cover import ApxCover as ApxCover
    from shoal.algorithms.auto import Auto as Auto
    from shoal.algorithms.cluster import Cluster as Cluster
    from shoal.algorithms.da import DA as DA
    from shoal.algorithms.graysort import GraySort as GraySort
    from shoal.algorithms.gsc import GSC as GSC
    from shoal.algorithms.hghs import HgHs as HgHs
    from shoal.algorithms.knn import KNN as KNN
    from shoal.algorithms.lra import LRA as LRA
    from shoal.algorithms.mhghs import MHgHs as MHgHs
    from shoal.algorithms.mm import MM as MM
    from shoal.algorithms.mondrian import Mondrian as Mondrian
    from shoal.algorithms.oa import OA as OA
    from shoal.algorithms.optimal import Optimal as Optimal
    from shoal.algorithms.optimal_suppress import OptimalSuppress as OptimalSuppress
    from shoal.algorithms.partition import Partition as Partition
    from shoal.algorithms.rfirst import Rfirst as Rfirst
    from shoal.algorithms.rmerge import RmergeR as RmergeR
    from shoal.algorithms.rmerge import RmergeRT as RmergeRT
    from shoal.algorithms.rmerge import RmergeT as RmergeT
    from shoal.algorithms.stn import STN as STN
    from shoal.algorithms.tfirst import Tfirst as Tfirst
    from shoal.algorithms.tmerge import TmergeR as TmergeR
    from shoal.algorithms.tmerge import TmergeRT as TmergeRT
    from shoal.algorithms.tmerge import TmergeT as TmergeT
    from shoal.algorithms.vpa import VPA as VPA
    from shoal.data import Dataset as Dataset
    from shoal.data import Hierarchy as Hierarchy
    from shoal.data import Table as Table
    from shoal.data import Transactions as Transactions
    from shoal.data.columns import Column as Column
    from shoal.engines import Engine as Engine
    from shoal.errors import ShoalError as ShoalError
    from shoal.evaluation.choices import Frontier as Frontier
    from shoal.evaluation.compare import compare as compare
    from shoal.evaluation.frontier import frontier as frontier
    from shoal.evaluation.recommend import recommend as recommend
    from shoal.hierarchies.weights import Weights as Weights
    from shoal.io import read as read
    from shoal.io import write as write
    from shoal.io.read_options import ReadOptions as ReadOptions
    from shoal.jobs.dataset_spec import DatasetSpec as DatasetSpec
    from shoal.jobs.explain import Explanations as Explanations
    from shoal.jobs.explain import explain as explain
    from shoal.jobs.measure import Measurement as Measurement
    from shoal.jobs.measure import measure as measure
    from shoal.jobs.profile import Profile as Profile
    from shoal.jobs.profile import profile as profile
    from shoal.jobs.verify import Verification as Verification
    from shoal.jobs.verify import verify as verify
    from shoal.jobs.workload import workload as workload
    from shoal.metrics.are import ARE as ARE
    from shoal.metrics.classes import ClassSizes as ClassSizes
    from shoal.metrics.kl import KLDivergence as KLDivergence
    from shoal.metrics.lm import LM as LM
    from shoal.metrics.ml2 import ML2 as ML2
    from shoal.metrics.ncp import NCP as NCP
    from shoal.metrics.operations import Operations as Operations
    from shoal.metrics.privacy_value import PrivacyValue as PrivacyValue
    from shoal.metrics.relational_ncp import RelationalNCP as RelationalNCP
    from shoal.metrics.risk import Risk as Risk
    from shoal.metrics.ul import UL as UL
    from shoal.metrics.workload import Query as Query
    from shoal.metrics.workload import Workload as Workload
    from shoal.privacy import PrivacyModel as PrivacyModel
    from shoal.privacy import Verdict as Verdict
    from shoal.privacy import Witness as Witness
    from shoal.privacy.hkp import HkpCoherence as HkpCoherence
    from shoal.privacy.k import KAnonymity as KAnonymity
    from shoal.privacy.k_km import KKmAnonymity as KKmAnonymity
    from shoal.privacy.k_lm import KLmDiversity as KLmDiversity
    from shoal.privacy.km import KmAnonymity as KmAnonymity
    from shoal.privacy.km_negative import KmNegative as KmNegative
    from shoal.privacy.lm import LmDiversity as LmDiversity
    from shoal.privacy.privacy_degree import PrivacyDegree as PrivacyDegree
    from shoal.privacy.sensitive_k import SensitiveK as SensitiveK
    from shoal.privacy.transactional_k import TransactionalK as TransactionalK
    from shoal.problem import Prepared as Prepared
    from shoal.problem import Problem as Problem
    from shoal.published import Grouping as Grouping
    from shoal.published import Published as Published
    from shoal.recoding import Clustered as Clustered
    from shoal.recoding import Flips as Flips
    from shoal.recoding import GlobalCut as GlobalCut
    from shoal.recoding import LocalCuts as LocalCuts
    from shoal.recoding import LocalNodes as LocalNodes
    from shoal.recoding import LocalSets as LocalSets
    from shoal.recoding import Recoding as Recoding
    from shoal.recoding import Reshuffled as Reshuffled
    from shoal.recoding.solution import Optimality as Optimality
    from shoal.recoding.solution import Solution as Solution
    from shoal.release.pipeline import anonymize as anonymize
    from shoal.release.release import Release as Release
    from shoal.report.explanations import Explanation as Explanation
else:

    def __getattr__(name: str) -> object:
        """Import a public name, or a module such as ``shoal.hierarchies``, when it is first asked for."""
        if name in _HOMES:
            value = getattr(importlib.import_module(f"shoal.{_HOMES[name]}"), name)
            globals()[name] = value  # the next time, it is simply there
            return value
        try:
            if not name.startswith("_"):
                return importlib.import_module(f"shoal.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"shoal.{name}":  # it is there, but something that it needs is not
                raise
        raise AttributeError(f"module 'shoal' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


_HOMES = {  # where each public name is defined
    "Algorithm": "algorithms",
    "AA": "algorithms.aa",
    "ApxCover": "algorithms.apx_cover",
    "Auto": "algorithms.auto",
    "Cluster": "algorithms.cluster",
    "DA": "algorithms.da",
    "GraySort": "algorithms.graysort",
    "GSC": "algorithms.gsc",
    "HgHs": "algorithms.hghs",
    "KNN": "algorithms.knn",
    "LRA": "algorithms.lra",
    "MHgHs": "algorithms.mhghs",
    "MM": "algorithms.mm",
    "Mondrian": "algorithms.mondrian",
    "OA": "algorithms.oa",
    "Optimal": "algorithms.optimal",
    "OptimalSuppress": "algorithms.optimal_suppress",
    "Partition": "algorithms.partition",
    "Rfirst": "algorithms.rfirst",
    "RmergeR": "algorithms.rmerge",
    "RmergeRT": "algorithms.rmerge",
    "RmergeT": "algorithms.rmerge",
    "STN": "algorithms.stn",
    "Tfirst": "algorithms.tfirst",
    "TmergeR": "algorithms.tmerge",
    "TmergeRT": "algorithms.tmerge",
    "TmergeT": "algorithms.tmerge",
    "VPA": "algorithms.vpa",
    "Dataset": "data",
    "Hierarchy": "data",
    "Table": "data",
    "Transactions": "data",
    "Column": "data.columns",
    "Engine": "engines",
    "ShoalError": "errors",
    "Weights": "hierarchies.weights",
    "read": "io",
    "write": "io",
    "ARE": "metrics.are",
    "ClassSizes": "metrics.classes",
    "KLDivergence": "metrics.kl",
    "LM": "metrics.lm",
    "ML2": "metrics.ml2",
    "NCP": "metrics.ncp",
    "Operations": "metrics.operations",
    "PrivacyValue": "metrics.privacy_value",
    "RelationalNCP": "metrics.relational_ncp",
    "Risk": "metrics.risk",
    "UL": "metrics.ul",
    "Query": "metrics.workload",
    "Workload": "metrics.workload",
    "PrivacyModel": "privacy",
    "Verdict": "privacy",
    "Witness": "privacy",
    "HkpCoherence": "privacy.hkp",
    "KAnonymity": "privacy.k",
    "KKmAnonymity": "privacy.k_km",
    "KLmDiversity": "privacy.k_lm",
    "KmAnonymity": "privacy.km",
    "KmNegative": "privacy.km_negative",
    "LmDiversity": "privacy.lm",
    "PrivacyDegree": "privacy.privacy_degree",
    "SensitiveK": "privacy.sensitive_k",
    "TransactionalK": "privacy.transactional_k",
    "Grouping": "published",
    "Published": "published",
    "Clustered": "recoding",
    "Flips": "recoding",
    "GlobalCut": "recoding",
    "LocalCuts": "recoding",
    "LocalNodes": "recoding",
    "LocalSets": "recoding",
    "Recoding": "recoding",
    "Optimality": "recoding.solution",
    "Solution": "recoding.solution",
    "anonymize": "release.pipeline",
    "Release": "release.release",
    "Explanation": "report.explanations",
    "explain": "jobs.explain",
    "Explanations": "jobs.explain",
    "measure": "jobs.measure",
    "Measurement": "jobs.measure",
    "profile": "jobs.profile",
    "Profile": "jobs.profile",
    "verify": "jobs.verify",
    "Verification": "jobs.verify",
    "workload": "jobs.workload",
    "Prepared": "problem",
    "Problem": "problem",
    "compare": "evaluation.compare",
    "frontier": "evaluation.frontier",
    "Frontier": "evaluation.choices",
    "recommend": "evaluation.recommend",
    "ReadOptions": "io.read_options",
    "DatasetSpec": "jobs.dataset_spec",
    "Reshuffled": "recoding",
}
__all__ = ["__version__", *_HOMES]  # noqa: PLE0604
