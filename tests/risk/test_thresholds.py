"""Thresholds by name and by number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.errors import OptionError
from shoal.risk import PRESETS, threshold
from shoal.risk.tally import Tally


def test_names_stand_for_groups() -> None:
    assert {name: one.crowd for name, one in PRESETS.items()} == {
        "ema": 11,
        "health-canada": 11,
        "cell-size-3": 3,
        "cell-size-5": 5,
        "cell-size-11": 11,
        "cell-size-20": 20,
    }
    for name, one in PRESETS.items():
        assert f"{threshold(name):.2f}".rstrip("0") == one.text
        enough, too_few = (
            Tally.of(np.array([size])).share_above(threshold(name)) for size in (one.crowd, one.crowd - 1)
        )
        assert (enough.value, too_few.value) == (0, 1)


def test_a_number_is_taken_as_it_is() -> None:
    assert threshold("0.09") == threshold(0.09) == 0.09
    assert Tally.of(np.array([11])).share_above(0.09).value == 1  # 1/11 is 0.0909


@pytest.mark.parametrize("wrong", ["emma", "0", 0, 1.5, -0.1, "nan", float("nan"), ""])
def test_others_are_refused(wrong: Any) -> None:
    with pytest.raises(OptionError, match="threshold"):
        threshold(wrong)


def test_a_misspelt_name_gets_a_hint() -> None:
    with pytest.raises(OptionError, match=r"did you mean 'ema'\?.*health-canada"):
        threshold("emma")
