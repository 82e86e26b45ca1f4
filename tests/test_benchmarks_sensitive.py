"""What the benchmark of P1 transcribes, draws and counts."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from benchmarks import sensitive, sensitive_growth, sensitive_page
from benchmarks.sensitive_published import ITEMS, KS, METHODS, PUBLISHED, implied, published


def test_the_published_tables_are_whole_and_possible() -> None:
    assert set(PUBLISHED) == set(ITEMS) == set(sensitive.SETTINGS)
    for name, table in PUBLISHED.items():
        assert tuple(table) == METHODS
        assert {len(values) for values in table.values()} == {len(KS)}
        for method in METHODS:
            for k in KS:
                modified = implied(name, method, k)
                assert 0 < modified < ITEMS[name]
                assert math.isclose(k * 2 ** (modified - ITEMS[name]), published(name, method, k))
    assert PUBLISHED["D1"]["K-NN"] == PUBLISHED["D2"]["K-NN"]  # as printed


@pytest.mark.parametrize("name", ["D1", "D3"])
def test_drawn_data_have_the_shape_and_the_share_that_the_page_tells(name: str) -> None:
    setting = sensitive.SETTINGS[name]
    drawn, again = (next(sensitive.draws(setting, 1)) for _ in range(2))
    assert (drawn.sensitive, drawn.seed) == (again.sensitive, again.seed)
    assert np.array_equal(drawn.rows.items, again.rows.items)
    assert len(drawn.sensitive) == setting.secrets
    assert len(drawn.rows.labels) == ITEMS[name]
    holders = sum(bool(row & set(drawn.sensitive)) for row in drawn.rows.sets())
    assert drawn.facts()["sensitive rows"] == holders
    assert 0.01 <= holders / len(drawn.rows) <= 0.05
    assert drawn.most_modified(3) <= ITEMS[name]


def test_pairs_are_counted_over_runs_and_means_over_k() -> None:
    rows = [
        {"data": "D1", "run": run, "k": 3, "method": method, "verified": True, "seconds": 1.0}
        | dict.fromkeys(sensitive_page.MEASURES, value)
        for run, values in enumerate([(1.0, 2.0), (3.0, 2.0), (2.0, 2.0)])
        for method, value in zip(("GSC", "STN"), values, strict=True)
    ]
    assert sensitive_page.compared(rows, "D1", "GSC", "STN", "operations") == "1 of 3, same in 1 (+0.0 to +0.0 %)"


def test_the_exponent_of_a_square_is_two() -> None:
    rows = [{"axis": "rows", "method": "STN", "rows": n, "solve": n**2 / 1e6} for n in (10, 20, 40)]
    assert math.isclose(sensitive_growth.exponent(rows, "STN"), 2)


def test_growing_data_have_so_many_sensitive_rows(tmp_path: Path) -> None:
    file, secret, holders = sensitive_growth.made(tmp_path, 2_000, 0.05)
    rows = [set(line.split()) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 2_000
    assert holders == sum(bool(row & set(secret)) for row in rows)
    assert 0.05 <= holders / len(rows) < 0.06
