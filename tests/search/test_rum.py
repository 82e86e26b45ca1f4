"""The losses of columns that clusters can be merged by: what they are, and that bounds are exact."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from shoal.data.arrays import Counts
from shoal.data.ordered import OrderedAttribute
from shoal.data.relational import Relational
from shoal.data.transactions import Transactions
from shoal.search.ncp_scale import NcpScale
from shoal.search.rum import RUMS, UNBOUNDED, ColumnLoss, Rum, whole

X = [0, 3, 10, 10]  # two clusters: 0 to 3 and 10; 0 to 4 and 0 to 10
Y = [0, 4, 0, 10]
TWO, ONE = [0, 0, 1, 1], [0, 0, 0, 0]


def table(weights: tuple[Fraction, ...] = (), most: int = 10) -> Relational:
    columns = tuple(np.array(values, dtype=np.int64) for values in (X, Y))
    attributes = tuple(OrderedAttribute(name, 0, most) for name in "xy")
    return Relational.of_rows(attributes, columns, weights=weights)


def measured(rum: Rum, raw: Relational, clusters: list[int]) -> tuple[ColumnLoss, int, list[Counts]]:
    loss, of = ColumnLoss(rum, raw, NcpScale.of(raw)), np.array(clusters)
    items = Transactions.from_sets([["a"]] * 4)
    members = [np.flatnonzero(of == one) for one in range(max(clusters) + 1)]
    return loss, loss.merging(items, of, 1).total, members


@pytest.mark.parametrize(
    ("rum", "wanted"),
    [
        ("ncp", (0.35 + 0.5) / 2),  # the means of 0.3 and 0.4, of 0 and 1
        ("l2", (math.sqrt((0.09 + 0.16) / 2) + math.sqrt(0.5)) / 2),
        ("max", (0.4 + 1) / 2),
        ("discernibility", (4 + 4) / 16),
        ("class-size", 2 / 4),
    ],
)
def test_what_each_of_them_is(rum: Rum, wanted: float) -> None:
    loss, total, members = measured(rum, table(), TWO)
    assert loss.share(total, 2) == pytest.approx(wanted, abs=2**-19 if rum == "l2" else 1e-12)
    for delta, beyond in ((wanted + 1e-6, False), (wanted - 1e-6, True)):
        assert loss.beyond(round(delta, 9), total, members) is beyond


@pytest.mark.parametrize("rum", RUMS)
def test_merging_never_lowers_it(rum: Rum) -> None:
    """P2's Property 2."""
    apart, together = measured(rum, table(), TWO), measured(rum, table(), ONE)
    assert apart[0].share(apart[1], 2) <= together[0].share(together[1], 1) <= apart[0].worst


def test_a_bound_is_met_exactly() -> None:
    """Rum of one cluster of everything is 1, so 1 is a bound that it meets, and anything lower is not."""
    for rum in RUMS:
        loss, total, members = measured(rum, table(), ONE)
        assert not loss.beyond(1.0, total, members)
        assert loss.beyond(0.999999, total, members)
    halves = (Fraction(1, 2), Fraction(1, 2))
    loss, total, members = measured("max", table(halves, most=2**21 + 1), TWO)  # where costs are rounded
    assert loss.scale.slack
    exact = Fraction(4 + 10, 2 * (2**21 + 1))
    assert not loss.beyond(float(f"{float(exact):.12f}") + 1e-12, total, members)
    assert loss.beyond(float(exact) - 1e-9, total, members)


@pytest.mark.parametrize("rum", ["ncp", "l2", "max"])
def test_what_is_certainly_within_a_bound(rum: Rum) -> None:
    loss = measured(rum, table(), TWO)[0]
    assert loss.most(1.0) == UNBOUNDED
    assert loss.most(0.5) == 2 * loss.scale.unit - 4 * loss.scale.slack
    heavy = measured(rum, table((Fraction(2), Fraction(2))), TWO)[0]
    assert (heavy.most(1.0) == UNBOUNDED) is (rum == "max")  # others may lose up to 4, and its root
    assert heavy.worst == {"ncp": 4, "l2": 2, "max": 1}[rum]


def test_a_column_without_weight_does_not_count() -> None:
    weights = (Fraction(1), Fraction(0))
    for rum in ("ncp", "l2", "max"):
        loss, total, _ = measured(rum, table(weights), TWO)
        assert loss.share(total, 2) == pytest.approx(0.15, abs=2**-19)


def test_how_many_clusters_must_be_left() -> None:
    sizes, ncp = (measured(rum, table(), TWO)[0] for rum in ("class-size", "ncp"))
    assert [sizes.fewest(delta) for delta in (0.5, 0.4, 1.0, 0.0)] == [2, 3, 1, 1]
    assert ncp.fewest(0.1) == 1


def test_weights_become_whole_numbers_that_are_not_too_low() -> None:
    weights = [Fraction(1, 65_537), Fraction(1, 3)]
    numbers, one = whole(weights)
    assert one == 2**16
    assert all(
        0 <= Fraction(number, one) - weight < Fraction(1, one) for number, weight in zip(numbers, weights, strict=True)
    )
