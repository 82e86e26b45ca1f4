"""What several measures and reports ask for is counted once.

Covers: metrics/base.py, metrics/coverage.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal.data import Transactions
from shoal.metrics.change import Change
from shoal.metrics.comparison import Comparison
from shoal.metrics.coverage import Covered
from shoal.published import Published
from tests.metrics.test_operations import FLIPPED, RAW
from tests.report.test_report import release


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The published data of each call of Covered.of."""
    calls: list[object] = []
    own = Covered.of

    def of(original: Transactions, published: Published) -> Covered:
        calls.append(published)
        return own(original, published)

    monkeypatch.setattr(Covered, "of", of)
    return calls


def test_a_run_with_three_reports_looks_for_covers_once(counted: list[object], tmp_path: Path) -> None:
    made = release().save(tmp_path / "out.basket")
    for form in ("json", "md", "html"):
        made.report(tmp_path / f"report.{form}")
    made._repr_html_()
    assert counted == [made.published]


def test_measures_of_changes_share_one_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    own = Change.of

    def of(original: Published, published: Published) -> Change | None:
        calls.append(published)
        return own(original, published)

    monkeypatch.setattr(Change, "of", of)
    pair = Comparison(RAW, FLIPPED)
    for measure in (shoal.metrics.Operations(), shoal.metrics.KLDivergence(), shoal.metrics.PrivacyValue()):
        assert measure.of(pair)
    assert calls == [FLIPPED]
    assert pair.change is pair.change_in_groups
