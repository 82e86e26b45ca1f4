"""The charts of the notebook card agree with the figures of the release."""

from __future__ import annotations

import pytest

import shoal
from shoal.report import card_charts
from shoal.report.card_charts import charts
from tests.conftest import BASKETS

ROWS = [line.split(",") for line in BASKETS.splitlines()]
TREE = shoal.Hierarchy.from_tree({"ALL": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})


def test_items_and_risk() -> None:
    release = shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE)
    items, risk = charts(release)
    assert [(bar.label, round(bar.length * 11)) for bar in items.bars] == [("unchanged", 6), ("generalized", 5)]
    assert [bar.length for bar in risk.bars] == [0.0, 0.0, 0.5, 0.0]
    card = release._repr_html_()
    assert card.count("border-radius: 2px; width:") == 6
    assert risk.title in card


def test_large_data_show_no_risk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_charts, "MOST_ITEMS", 10)
    assert len(charts(shoal.anonymize(ROWS, k=2, m=2, hierarchy=TREE))) == 1


def test_methods_that_add_items_have_no_chart_of_items() -> None:
    model = shoal.models.SensitiveK(k=2, sensitive=("s",))
    release = shoal.anonymize([["a", "s"], ["a"], ["b"]], model)
    assert all("Items" not in chart.title for chart in charts(release))
