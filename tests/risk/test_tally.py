"""Figures of crowd sizes that are known within bounds, or drawn. Covers: risk/figure.py."""

from __future__ import annotations

import numpy as np

from shoal.risk.figure import Figure
from shoal.risk.tally import Tally


def test_sizes_within_bounds_give_figures_within_bounds() -> None:
    tally = Tally.of(np.array([1, 4, 4]), np.array([2, 4, 8]))
    assert tally.smallest() == Figure(1, 1, 2, False)
    assert tally.smallest().inverse() == Figure(1.0, 0.5, 1.0, False)
    assert tally.mean_risk() == Figure(0.5, (1 / 2 + 1 / 4 + 1 / 8) / 3, 0.5, False)
    assert tally.share_above(0.2) == Figure(1.0, 2 / 3, 1.0, False)
    assert tally.share_above(0.25) == Figure.of(1 / 3)
    assert [band.share for band in tally.histogram()][:4] == [
        Figure(1 / 3, 0, 1 / 3, False),
        Figure(0, 0, 1 / 3, False),
        Figure(2 / 3, 1 / 3, 2 / 3, False),
        Figure(0, 0, 1 / 3, False),
    ]
    assert tally.quantiles(9)[-1] == (0.5, Figure.of(4))


def test_drawn_sizes_do_not_show_the_smallest() -> None:
    tally = Tally.of(np.array([3, 5]), None, np.array([13, 87]), draws=100)
    assert tally.smallest() == Figure(3, 1, 3, False)
    assert tally.smallest(least=3) == Figure.of(3)
    above = tally.share_above(0.3)
    assert (above.value, above.exact) == (0.13, False)
    assert 0.05 < above.low < 0.13 < above.high < 0.25
    assert tally.quantiles(9)[0] == (0.01, Figure(3, 1, 3, False))
    assert tally.quantiles(9)[1][1].high == 3


def test_no_records_have_no_risk() -> None:
    tally = Tally.of(np.zeros(0, dtype=np.int64))
    assert tally.smallest() == tally.mean_risk() == tally.share_above(0.5) == tally.smallest().inverse() == Figure.of(0)
    assert {share.value for _, share in tally.quantiles(9)} == {0}


def test_a_figure_is_no_larger_than_a_bound() -> None:
    drawn = Figure(0.2, 0.1, 0.4, False)
    assert drawn.at_most(Figure.of(0.3)) == Figure(0.2, 0.1, 0.3, False)
    assert drawn.at_most(Figure.of(0.15)) == Figure(0.15, 0.1, 0.15, False)
    assert drawn.at_most(Figure.of(0.05)) == Figure(0.05, 0.0, 0.05, False)
    assert drawn.at_most(Figure.of(0.0)) == Figure.of(0.0)
    assert drawn.at_most(Figure.of(0.5)) == drawn
    assert Figure.of(0.2).at_most(Figure.of(0.1)) == Figure.of(0.2)
