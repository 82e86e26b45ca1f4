"""The recoding of one half of real data is applied to the other half, and repaired. Covers: jobs/apply.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.algorithms import AA
from shoal.errors import RecodingFails
from tests.real_data.test_cuts import load, rarest

SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("bms-webview-1", "bms-webview-2")]


@pytest.mark.parametrize("name", ["groceries", *SLOW])
def test_the_other_half_is_comparable_and_keeps_nearly_as_much(real_data: Path, tmp_path: Path, name: str) -> None:
    data, tree = load(real_data, name)
    middle = len(data) // 2
    first, second = (data.take(np.arange(*part)) for part in ((0, middle), (middle, len(data))))
    options = {"k": 5, "m": 2, "hierarchy": tree, "algorithm": AA(siblings="frequency")}
    one, fresh = (shoal.anonymize(half, **options) for half in (first, second))  # type: ignore[arg-type]
    one.save(tmp_path / "one.basket", recoding=tmp_path / "r.json")
    shoal.apply(tmp_path / "r.json", first).save(tmp_path / "again.basket")
    assert (tmp_path / "one.basket").read_bytes() == (tmp_path / "again.basket").read_bytes()

    with pytest.raises(RecodingFails):
        shoal.apply(tmp_path / "r.json", second)
    two = shoal.apply(tmp_path / "r.json", second, repair=True)
    assert rarest(two.published.rows, 2) >= 5
    assert len(two.published.rows) == len(second)
    assert fresh.loss < 1
    assert two.loss < 3 * fresh.loss  # far from the root, which loses everything

    before, after = one.saved_recoding, two.saved_recoding
    label_of = {item: label for label, items in after.represents.items() for item in items}
    for label, items in before.represents.items():
        assert len({label_of[item] for item in items}) == 1, label
    again = shoal.apply(after, first)  # the first half under the labels of the second
    own = [{label_of[item] for item in row} for row in first.transactions.sets()]
    assert again.published.rows.sets() == own
