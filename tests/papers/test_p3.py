"""P3 (VLDBJ'11): Gray order, E2 of the spec, mining loss. Its l^m-diversity is wrong: tests/models/test_lm.py."""

from __future__ import annotations

import itertools

import pytest

import shoal
from shoal.kernels.search.neighbours.gray_order import gray_order
from shoal.metrics.comparison import Comparison
from shoal.metrics.ml2 import mining_loss

H = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]


def gray_rank(signature: str) -> int:
    """Where a signature comes among all of its length, by the library's order."""
    strings = ["".join(bits) for bits in itertools.product("01", repeat=len(signature))]
    rows = [[str(at) for at, bit in enumerate(reversed(string)) if bit == "1"] for string in strings]
    items = shoal.data.Transactions.from_sets(rows, [str(at) for at in range(len(signature))])
    order = gray_order(items.indptr, items.items).tolist()
    return int(order.index(strings.index(signature)))


def test_the_table_of_gray_codes() -> None:
    codes = ["000", "001", "011", "010", "110", "111", "101", "100"]
    assert [gray_rank(code) for code in codes] == list(range(8))


def test_signatures_of_the_example() -> None:
    """Fig. 7: a1 is the lowest bit."""
    items = H.encode(shoal.data.Transactions.from_sets(ROWS))
    signatures = ["".join("1" if item in row else "0" for item in (3, 2, 1, 0)) for row in items]
    assert signatures == ["1101", "0110", "1110", "1011"]
    assert [gray_rank(signature) for signature in signatures] == [9, 4, 11, 13]
    assert gray_order(items.indptr, items.items).tolist() == [1, 0, 2, 3]  # t2, t1, t3, t4


def test_o1_and_o2_are_generalized_in_one_part_and_not_in_the_other() -> None:
    """s.4.5: o1 and o2 occur twice each in one part, not at all and four times in the other; k=3."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"g": ["o1", "o2"], "h": ["p", "q", "r"]}})
    rows = [["o1"], ["o1"], ["o2"], ["o2"], *[["o2", "p", "q", "r"]] * 4]
    data = shoal.Dataset(shoal.data.Transactions.from_sets(rows))
    problem = shoal.Problem(data, tree, shoal.Km(k=3, m=1))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.LRA(chunks=2, flexibility=4))
    assert release.published.rows.sets() == [{"g"}] * 4 + [{"o2", "p", "q", "r"}] * 4


def test_mining_loss_of_the_example() -> None:
    """S.3.3 for Fig. 2: {a1,a2} -> A, worked out by hand (the paper gives no figures).

    In 2 of 4 rows, level 0: a1 a2 b1 b2, a1b2 a2b1 a2b2 b1b2; level 1: A B AB. Found: b1 b2 b1b2 and all of level 1;
    the other five are found one level up. In 3 of 4 rows, level 0: a2 b1 b2; level 1: A B AB. Only a2 is missed.
    """
    raw = shoal.published.Published.plain(H.encode(shoal.data.Transactions.from_sets(ROWS)))
    general = [["A" if item.startswith("a") else item for item in row] for row in ROWS]
    published = shoal.published.Published.resolve(shoal.data.Transactions.from_sets([set(row) for row in general]), H)
    half, most = mining_loss(raw, published, H, [0.5, 0.75])
    assert (half.itemsets, half.found, half.levels) == (11, 6, 5)
    assert (most.itemsets, most.found, most.levels) == (6, 5, 1)
    found = shoal.metrics.ML2(H, (0.5, 0.75)).of(Comparison(raw, published))
    assert found["ml2"] == pytest.approx((5 / 11 + 1 / 6) / 2, abs=1e-12)
    assert found["dml2"] == pytest.approx((5 / 11 + 1 / 6) / 2, abs=1e-12)
    assert found["dml2_missed"] == 1


def test_an_itemset_that_is_found_two_levels_up_with_fewer_items() -> None:
    """S.3.3: a generalized form may have a smaller arity. {a1,a2} -> {A} and on to {U}, where B hides too."""
    tree = shoal.Hierarchy.from_tree({"ALL": {"U": {"A": ["a1", "a2"], "B": ["b1", "b2"]}, "V": {"C": ["c1"]}}})
    raw = shoal.published.Published.plain(
        tree.encode(shoal.data.Transactions.from_sets([["a1", "a2"], ["a1", "a2"], ["c1"]]))
    )
    published = shoal.published.Published.resolve(shoal.data.Transactions.from_sets([["U"], ["U"], ["c1"]]), tree)
    [found] = mining_loss(raw, published, tree, [0.5])
    assert found.itemsets == 3 + 1 + 1  # a1 a2 a1a2, A, U
    assert found.found == 1
    assert found.levels == 3 * 2 + 1
    assert found.dml2_missed == 7 / 4
