"""Supports of nodes: native ≡ Python ≡ oracle, in parts."""

from __future__ import annotations

from types import ModuleType

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.testing import hierarchies
from tests.kernels.rows import csr


@given(tree=hierarchies(), data=st.data())
def test_node_supports(kernel: ModuleType, tree: object, data: st.DataObject) -> None:
    from shoal.data import Hierarchy

    assert isinstance(tree, Hierarchy)
    rows = data.draw(st.lists(st.sets(st.integers(0, tree.n_leaves - 1)), max_size=10))
    persons = sorted(data.draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows))))
    cut = data.draw(st.integers(0, len(rows)))
    code_of = np.array(data.draw(st.permutations(range(tree.n_leaves))), dtype=np.int32)
    counter = kernel.NodeSupports(code_of, tree.parent)
    for start, stop in ((0, cut), (cut, len(rows))):
        indptr, items, _ = csr(rows[start:stop])
        counter.add(indptr, items, np.array(persons[start:stop], dtype=np.int32))
    for node, (first, last) in enumerate(tree.span.tolist()):
        holders = {
            person if person >= 0 else -1 - row
            for row, (items_of_row, person) in enumerate(zip(rows, persons, strict=True))
            if any(first <= code_of[item] < last for item in items_of_row)
        }
        assert counter.cells()[node] == len(holders)
