"""How many random examples a property is tried on: few by default, many in ``make fuzz``.

``@examples(300)`` states what a property deserves. The default suite takes a fourteenth of that, always the same
examples. The profile ``fuzz`` takes ten times as many, with another seed in every run.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, settings

PROFILES = {"default": 1 / 14, "fuzz": 10}
PROFILE = os.environ.get("SHOAL_TEST_PROFILE", "default")

settings.register_profile(
    "shoal",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=PROFILE == "default",
    max_examples=64 if PROFILE == "default" else 100,  # of properties that state nothing
)
settings.load_profile("shoal")


def examples(deserved: int) -> Callable[[Any], Any]:
    """Try a property on this many examples, scaled by the profile."""
    return settings(max_examples=max(1, round(deserved * PROFILES[PROFILE])))
