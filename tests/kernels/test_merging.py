"""Tables of counts that other processes have filled: sent, opened and added up, they are as if one had counted all."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import choice
from shoal.kernels.measure.support_table import SupportTable
from shoal.kernels.search.cuts.set_table import SetTable
from shoal.kernels.search.node_supports import NodeSupports
from shoal.kernels.search.repair.node_sets import NodeSets
from shoal.kernels.verify.fact_counts import FactCounts
from shoal.kernels.verify.set_counts import SetCounts
from shoal.kernels.verify.share_counts import ShareCounts
from tests.budget import examples
from tests.conftest import TWINS
from tests.kernels.rows import Sets, csr, plain, row_lists

RANK = np.arange(8, dtype=np.int32)[::-1].copy()
LABELS, ABOVE = np.array([1, 2, 3, 4, 6, 7, 8, 9], dtype=np.int32), np.array([-1, 0, 0, 0, 0, -1, 5, 5, 5, 5], np.int32)
PARENT = np.array([8, 8, 8, 8, 9, 9, 9, 9, 10, 10, -1], dtype=np.int32)
SPAN = np.array([*([leaf, leaf + 1] for leaf in range(8)), [0, 4], [4, 8], [0, 8]], dtype=np.int32)
NODE_SETS = partial(NodeSets, PARENT, SPAN, np.array([*range(3, 11), 1, 2, 0], dtype=np.int32))
TABLES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "set-counts": (lambda: SetCounts(RANK, 3, 2), lambda table: table.result()),
    "wide-set-counts": (lambda: SetCounts(RANK, 300, 2), lambda table: table.result()),
    "some-set-counts": (lambda: SetCounts(RANK, 3, 3, within=range(2, 6)), lambda table: table.result()),
    "fact-counts": (lambda: FactCounts(RANK, 2), lambda table: table.result(3, 9, np.full(8, 5))),
    "node-sets": (lambda: NODE_SETS(3), lambda table: plain(table.violating(3, (1, 1), most=99))),
    "some-node-sets": (
        lambda: NODE_SETS(2, within=range(4, 9)),
        lambda table: plain(table.violating_facts(3, 20, np.arange(3, 14), most=99)),
    ),
    "support-table": (
        lambda: SupportTable(RANK, 2),
        lambda table: table.least(*csr([{0, 1}, {2, 3, 4}, {5, 7}])[:2], 9).tolist(),
    ),
    "node-supports": (
        lambda: NodeSupports(np.arange(8, dtype=np.int32), PARENT),
        lambda table: table.supports.tolist(),
    ),
    "set-table": (
        lambda: SetTable(LABELS, ABOVE, 3, 2),
        lambda table: [table.support(list(one)) for one in ([], [0], [1], [5], [0, 5], [1, 6], [1, 2], [0, 6])],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def chosen(kernel: ModuleType) -> Iterator[None]:
    """Make all tables with the compiled kernels, or with their twins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice, "ASKED_FOR_TWINS", True)
        patch.setattr(choice, "native", None if kernel is TWINS else kernel)
        yield


def summed(tables: list[Any]) -> Any:
    first, *others = tables
    for other in others:
        first.merge(other)
    return first


@pytest.mark.parametrize("name", TABLES)
@examples(30)
@given(rows=row_lists, cut=st.integers(0, 12))
def test_tables_of_other_processes(name: str, rows: Sets, cut: int) -> None:
    make, result = TABLES[name]
    whole, parts = make(), [make(), make()]
    whole.add(*csr(rows)[:2])
    for table, some in zip(parts, (rows[:cut], rows[cut:]), strict=True):
        table.add(*csr(some)[:2])
    sent = [pickle.loads(pickle.dumps(table)) for table in parts]
    assert result(sent[0]) == result(parts[0])
    assert result(summed(sent)) == result(whole)


SHARES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "share-counts": (lambda: ShareCounts(RANK, 2), lambda table: table.result((1, 2), 2)),
    "some-share-counts": (
        lambda: ShareCounts(RANK, 3, within=range(2, 6), persons=True),
        lambda table: table.result((1, 3), 1),
    ),
    "node-sets": (lambda: NODE_SETS(3), lambda table: plain(table.violating(2, (1, 2), most=99))),
    "some-node-sets": (
        lambda: NODE_SETS(2, within=range(4, 9), persons=True),
        lambda table: plain(table.violating(2, (1, 3), most=99)),
    ),
}


@pytest.mark.parametrize("name", SHARES)
@examples(30)
@given(rows=row_lists, cut=st.integers(0, 12), there=st.booleans(), data=st.data())
def test_rows_with_values_are_added_to_the_sum(
    name: str, rows: Sets, cut: int, there: bool, data: st.DataObject
) -> None:
    """Others count all rows, and may count those with any sensitive value. Rows with each value are added here."""
    make, result = SHARES[name]
    held = data.draw(st.lists(st.sets(st.integers(0, 2), max_size=2), min_size=len(rows), max_size=len(rows)))
    whole, parts = make(), [make(), make()]

    def add_sensitive(table: Any, some: slice) -> None:
        if isinstance(table, ShareCounts):
            table.add_sensitive(*csr([row for row, has in zip(rows[some], held[some], strict=True) if has])[:2])

    def add_values(table: Any) -> None:
        for value in range(3):
            table.add_with_value(*csr([row for row, has in zip(rows, held, strict=True) if value in has])[:2])
            table.close_value()

    whole.add(*csr(rows)[:2])
    add_sensitive(whole, slice(None))
    add_values(whole)
    for table, some in zip(parts, (slice(cut), slice(cut, None)), strict=True):
        table.add(*csr(rows[some])[:2])
        if there:
            add_sensitive(table, some)
    total = summed([pickle.loads(pickle.dumps(table)) for table in parts])
    if not there:
        add_sensitive(total, slice(None))
    add_values(total)
    assert result(total) == result(whole)


@pytest.mark.parametrize("make", [make for make, _ in SHARES.values()], ids=SHARES)
def test_rows_with_values_may_be_missing(make: Callable[[], Any]) -> None:
    table = make()
    table.add(*csr([{0, 1}, {0, 1}, {2}])[:2])
    table.close_value()
    total = summed([table, pickle.loads(pickle.dumps(table))])
    if isinstance(total, ShareCounts):
        assert total.result((1, 2), 1) == (0, 0)
        total.add_sensitive(*csr([{0, 1}])[:2])
        assert total.result((1, 2), 1)[1] == 0
    else:
        assert not len(total.violating(2, (1, 2), most=99))
        assert len(total.violating(3, (1, 2), most=99))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (partial(SetCounts, RANK, 3, 2), partial(SetCounts, RANK, 3, 1)),
        (partial(SetCounts, RANK, 3, 2), partial(SetCounts, RANK[:5] - 3, 3, 2)),
        (partial(NODE_SETS, 2), partial(NODE_SETS, 3)),
        (partial(NODE_SETS, 2), partial(NODE_SETS, 2, within=range(1, 11))),
        (partial(ShareCounts, RANK, 2), partial(ShareCounts, RANK, 1)),
        (partial(ShareCounts, RANK, 2), partial(ShareCounts, RANK, 3)),
    ],
)
def test_tables_must_be_of_the_same_sets(one: Callable[[], Any], other: Callable[[], Any]) -> None:
    if choice.native is None:
        pytest.skip("only the compiled kernels check")
    with pytest.raises(ValueError, match="differ"):
        one().merge(other())
