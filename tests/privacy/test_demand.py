"""Covers: privacy/__init__.py. What models ask of sets of labels, and what they are compared by."""

from __future__ import annotations

from fractions import Fraction

import pytest

import shoal
from shoal import discovery
from shoal.privacy import Demand, PrivacyModel

ROWS = shoal.Transactions.from_sets([["a", "b", "c"], ["a"], []])

CASES: list[tuple[PrivacyModel, Demand | None]] = [
    (shoal.KmAnonymity(k=3, m=2), Demand(3, 2, monotone=True)),
    (shoal.KmAnonymity(k=3, m="all"), Demand(3, 3, monotone=True)),
    (shoal.KmAnonymity(k=3, m=9), Demand(3, 3, monotone=True)),
    (shoal.KmNegative(k=3, m=9), Demand(3, 3, absent=True)),
    (shoal.LmDiversity(l=3, m=2, sensitive=("s",)), Demand(1, 2, Fraction(1, 3))),
    (shoal.HkpCoherence(h=0.8, k=3, p=2), Demand(3, 2, Fraction(4, 5))),
    (shoal.KKmAnonymity(k=3, m=2), Demand(3, 2, monotone=True)),
    (shoal.KLmDiversity(k=3, l=4, m=2, sensitive=("s",)), Demand(3, 2, Fraction(1, 4))),
    (shoal.KAnonymity(k=3), None),
    (shoal.TransactionalK(k=3), None),
    (shoal.SensitiveK(k=3, sensitive=("s",)), None),
    (shoal.PrivacyDegree(p=3, sensitive=("s",)), None),
]


@pytest.mark.parametrize(("model", "demand"), CASES)
def test_demands(model: PrivacyModel, demand: Demand | None) -> None:
    assert model.demand(ROWS) == demand


def test_every_model_is_here() -> None:
    assert {type(model) for model, _ in CASES} == set(discovery.find("shoal.privacy", PrivacyModel).values())


def test_shares_of_one_in_l() -> None:
    assert Demand(1, 2).one_in == 0
    assert Demand(1, 2, Fraction(1, 5)).one_in == 5


def test_releases_are_compared_by_what_the_guarantee_changes() -> None:
    losses = {"ncp": 0.2, "weighted_ncp": 0.4, "relational_ncp": 0.6}
    assert shoal.KmAnonymity().primary_loss(losses, "ncp") == (0.4, "NCP")
    assert shoal.KAnonymity().primary_loss(losses, "ncp") == (0.6, "NCP of the columns")
    value, name = shoal.KKmAnonymity().primary_loss(losses, "ncp")
    assert value == pytest.approx(0.5)
    assert name == "mean of the NCP of columns and the NCP of items"
    assert shoal.KKmAnonymity().primary_loss({"ncp": 0.2}, "ncp")[0] is None
