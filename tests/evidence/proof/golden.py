"""A small proof, made by hand.

{a1, a2} is in one record, so A must stay whole. A costs 5 items x 2, B 6 x 2, ALL 11 x 4. The best cut is A, b1, b2.
"""

from __future__ import annotations

import shoal
from shoal.evidence.proof.document import Proof, RareSet

TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]
PROOF = Proof(
    labels=("a1", "a2", "b1", "b2", "A", "B", "ALL"),
    parents=(4, 4, 5, 5, 6, 6, -1),
    k=2,
    m=2,
    persons=False,
    loss="ncp",
    weights=None,
    costs=(0, 0, 0, 0, 10, 12, 44),
    scale=44,
    rare_sets=(RareSet((0, 1), 1),),
    cut=(4, 2, 3),
    cut_cost=10,
    lower_bound=10,
)
