"""Covers: models/base.py. What models ask of sets of labels, and what they are compared by."""

from __future__ import annotations

from fractions import Fraction

import pytest

import shoal
from shoal import discovery
from shoal.models.base import Demand, PrivacyModel

ROWS = shoal.data.Transactions.from_sets([["a", "b", "c"], ["a"], []])

CASES: list[tuple[PrivacyModel, Demand | None]] = [
    (shoal.Km(k=3, m=2), Demand(3, 2, monotone=True)),
    (shoal.Km(k=3, m="all"), Demand(3, 3, monotone=True)),
    (shoal.Km(k=3, m=9), Demand(3, 3, monotone=True)),
    (shoal.models.KmNegative(k=3, m=9), Demand(3, 3, absent=True)),
    (shoal.Lm(l=3, m=2, sensitive=("s",)), Demand(1, 2, Fraction(1, 3))),
    (shoal.models.Hkp(h=0.8, k=3, p=2), Demand(3, 2, Fraction(4, 5))),
    (shoal.KKm(k=3, m=2), Demand(3, 2, monotone=True)),
    (shoal.KLm(k=3, l=4, m=2, sensitive=("s",)), Demand(3, 2, Fraction(1, 4))),
    (shoal.models.K(k=3), None),
    (shoal.models.TransactionalK(k=3), None),
    (shoal.models.SensitiveK(k=3, sensitive=("s",)), None),
    (shoal.models.PrivacyDegree(p=3, sensitive=("s",)), None),
]


@pytest.mark.parametrize(("model", "demand"), CASES)
def test_demands(model: PrivacyModel, demand: Demand | None) -> None:
    assert model.demand(ROWS) == demand


def test_every_model_is_here() -> None:
    assert {type(model) for model, _ in CASES} == set(discovery.find("shoal.models", PrivacyModel).values())


def test_shares_of_one_in_l() -> None:
    assert Demand(1, 2).one_in == 0
    assert Demand(1, 2, Fraction(1, 5)).one_in == 5


def test_releases_are_compared_by_what_the_guarantee_changes() -> None:
    losses = {"ncp": 0.2, "weighted_ncp": 0.4, "relational_ncp": 0.6}
    assert shoal.Km().primary_loss(losses, "ncp") == (0.4, "NCP")
    assert shoal.models.K().primary_loss(losses, "ncp") == (0.6, "NCP of the columns")
    value, name = shoal.KKm().primary_loss(losses, "ncp")
    assert value == pytest.approx(0.5)
    assert name == "mean of the NCP of columns and the NCP of items"
    assert shoal.KKm().primary_loss({"ncp": 0.2}, "ncp")[0] is None
