"""Intervals hold the true number as often as they say, for rare events and small samples too."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from shoal.risk.intervals import ERROR, mean_bounds, outwards, quantile_ranks, share_bounds

SHARES = (0.0005, 0.01, 0.2, 0.5, 0.97, 0.9995)


def probabilities(draws: int, share: float) -> list[float]:
    return [comb(draws, wins) * share**wins * (1 - share) ** (draws - wins) for wins in range(draws + 1)]


@pytest.mark.parametrize("draws", [1, 2, 7, 60, 200])
@pytest.mark.parametrize("share", SHARES)
def test_share_bounds_miss_in_at_most_5_percent(draws: int, share: float) -> None:
    bounds = [share_bounds(wins, wins, draws) for wins in range(draws + 1)]
    chances = probabilities(draws, share)
    too_low = sum(chance for chance, (_, high) in zip(chances, bounds, strict=True) if high < share)
    too_high = sum(chance for chance, (low, _) in zip(chances, bounds, strict=True) if low > share)
    assert too_low <= ERROR / 2
    assert too_high <= ERROR / 2


def test_share_bounds_are_those_of_tables() -> None:
    assert share_bounds(0, 0, 20) == pytest.approx((0, 1 - 0.025 ** (1 / 20)), abs=1e-6)
    assert share_bounds(20, 20, 20) == pytest.approx((0.025 ** (1 / 20), 1), abs=1e-6)
    assert share_bounds(1, 3, 20) == (share_bounds(1, 1, 20)[0], share_bounds(3, 3, 20)[1])
    assert share_bounds(10, 10, 20_000) == pytest.approx((0.000239789, 0.000919321), rel=1e-3)


@pytest.mark.parametrize("draws", [3, 50, 200])
@pytest.mark.parametrize("share", SHARES)
def test_mean_bounds_miss_in_at_most_5_percent(draws: int, share: float) -> None:
    missed = 0.0
    for wins, chance in enumerate(probabilities(draws, share)):
        drawn = np.repeat([0.2, 0.0], [wins, draws - wins])
        low, high = mean_bounds(drawn, drawn, 0.2)
        missed += chance * (not low <= 0.2 * share <= high)
    assert missed <= ERROR


def test_mean_bounds_shrink_with_more_draws() -> None:
    widths = []
    for draws in (1, 100, 10_000):
        drawn = np.resize([0.1, 0.3], draws)
        low, high = mean_bounds(drawn, drawn, 1.0)
        widths.append(high - low)
    assert widths[0] == 1.0
    assert widths == sorted(widths, reverse=True)
    assert widths[2] < 0.01


@pytest.mark.parametrize("draws", [5, 40, 300])
@pytest.mark.parametrize("share", [0.01, 0.05, 0.25, 0.5])
def test_quantile_ranks_miss_in_at_most_5_percent(draws: int, share: float) -> None:
    """If the numbers are continuous, as many draws are below the quantile as wins of a binomial draw."""
    low, high = quantile_ranks(share, draws)
    below = probabilities(draws, share)
    assert sum(below[:low]) <= ERROR / 2  # fewer than ``low`` draws are below: the bound is too high
    assert sum(below[high:]) <= ERROR / 2
    assert sum(below[: low + 1]) > ERROR / 2  # no higher rank would do
    assert high == draws + 1 or sum(below[high - 1 :]) > ERROR / 2


def test_rounding_grows() -> None:
    rng = np.random.default_rng(1)
    for number in rng.random(200) * 10.0 ** rng.integers(-8, 3, 200):
        low, high = outwards(number, number)
        assert low <= number <= high
        assert high - low < 2e-5 * number
    assert outwards(-1, 0) == (0, 0)
