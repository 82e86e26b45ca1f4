"""The kernels: flat arrays in, flat results out. ``_python`` is the readable specification.

``KIND`` is "native" (C++) or "python". Without a compiler the install still works and the Python twins serve: the same
results, much slower; a warning says so once. ``SHOAL_KERNELS=python`` asks for the twins on purpose.
"""

from shoal.kernels.choice import KIND, Tick
from shoal.kernels.groups import claim, cover, sweep
from shoal.kernels.measures import MOST_ITEMSETS, Itemsets, frequent_itemsets, least_supports
from shoal.kernels.merge_chains import Flow, MergeChains
from shoal.kernels.merge_clauses import Clauses, MergeClauses, Variables
from shoal.kernels.regroup import Regroup
from shoal.kernels.relational import Merging, blended, form_clusters
from shoal.kernels.search import (
    MOST,
    MOST_MOLES,
    Breaches,
    Conflict,
    Conflicts,
    Mended,
    Pass,
    Suppressed,
    Suppression,
    Threats,
    direct_pass,
    gray_coded_order,
    gray_order,
    mend_diversity,
    mend_negative,
    minimal_moles,
)
from shoal.kernels.verify import (
    Disclosing,
    Rare,
    RareFacts,
    disclosing_sets,
    rare_facts,
    rare_itemsets,
    rare_rows,
    smallest_disclosing,
    smallest_rare,
)

__all__ = [
    "KIND",
    "MOST",
    "MOST_ITEMSETS",
    "MOST_MOLES",
    "Breaches",
    "Clauses",
    "Conflict",
    "Conflicts",
    "Disclosing",
    "Flow",
    "Itemsets",
    "Mended",
    "MergeChains",
    "MergeClauses",
    "Merging",
    "Pass",
    "Rare",
    "RareFacts",
    "Regroup",
    "Suppressed",
    "Suppression",
    "Threats",
    "Tick",
    "Variables",
    "blended",
    "claim",
    "cover",
    "direct_pass",
    "disclosing_sets",
    "form_clusters",
    "frequent_itemsets",
    "gray_coded_order",
    "gray_order",
    "least_supports",
    "mend_diversity",
    "mend_negative",
    "minimal_moles",
    "rare_facts",
    "rare_itemsets",
    "rare_rows",
    "smallest_disclosing",
    "smallest_rare",
    "sweep",
]
