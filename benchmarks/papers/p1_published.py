"""The privacy values that P1 prints in its tables 1 to 4, and what they say about I'."""

from __future__ import annotations

import math

KS = (3, 5, 7, 9, 10, 15, 20)
ITEMS = {"D1": 30, "D2": 30, "D3": 12, "D4": 30}
METHODS = ("STN", "GSC", "K-NN", "GraySort", "Sort APX Cover")

PUBLISHED: dict[str, dict[str, tuple[float, ...]]] = {
    "D1": {
        "STN": (1.28e-07, 5.90e-06, 6.64e-05, 2.36e-04, 3.29e-04, 4.61e-03, 3.27e-02),
        "GSC": (2.98e-07, 3.57e-06, 2.80e-05, 1.28e-04, 2.27e-04, 2.36e-03, 2.20e-02),
        "K-NN": (3.88e-08, 4.31e-07, 2.57e-06, 1.04e-05, 2.05e-05, 1.53e-03, 5.75e-02),
        "GraySort": (5.79e-09, 9.81e-09, 1.41e-08, 1.86e-08, 2.09e-08, 3.35e-08, 4.69e-08),
        "Sort APX Cover": (4.05e-08, 5.33e-07, 6.15e-06, 3.19e-05, 5.81e-05, 8.25e-04, 4.96e-03),
    },
    "D2": {
        "STN": (1.15e-07, 2.64e-06, 4.11e-05, 1.48e-04, 2.80e-04, 2.37e-03, 1.50e-02),
        "GSC": (2.94e-07, 3.95e-06, 2.64e-05, 7.20e-05, 1.86e-04, 1.68e-03, 1.05e-02),
        "K-NN": (3.88e-08, 4.31e-07, 2.57e-06, 1.04e-05, 2.05e-05, 1.53e-03, 5.75e-02),
        "GraySort": (5.77e-09, 9.80e-09, 1.42e-08, 1.87e-08, 2.09e-08, 3.34e-08, 4.65e-08),
        "Sort APX Cover": (2.72e-08, 2.60e-07, 1.80e-06, 9.99e-06, 1.98e-05, 2.85e-04, 1.67e-03),
    },
    "D3": {
        "STN": (1.70e-03, 4.29e-03, 1.18e-02, 2.86e-02, 4.31e-02, 1.88e-01, 4.79e-01),
        "GSC": (1.78e-03, 4.23e-03, 8.07e-03, 1.49e-02, 1.88e-02, 8.94e-02, 2.35e-01),
        "K-NN": (1.68e-03, 4.11e-03, 1.11e-02, 2.48e-02, 3.69e-02, 1.55e-01, 5.21e-01),
        "GraySort": (1.51e-03, 2.55e-03, 3.62e-03, 4.68e-03, 5.25e-03, 8.08e-03, 1.10e-02),
        "Sort APX Cover": (1.95e-03, 4.46e-03, 8.31e-03, 1.40e-02, 1.64e-02, 4.17e-02, 7.71e-02),
    },
    "D4": {
        "STN": (5.47e-06, 3.57e-04, 1.20e-03, 1.69e-03, 3.92e-03, 6.87e-03, 1.09e-02),
        "GSC": (2.47e-05, 1.57e-04, 2.03e-04, 3.93e-04, 3.08e-04, 6.92e-04, 6.34e-04),
        "K-NN": (4.63e-06, 4.48e-04, 1.37e-03, 3.54e-03, 3.94e-03, 6.06e-03, 8.19e-03),
        "GraySort": (8.87e-09, 1.81e-08, 3.12e-08, 4.18e-08, 4.84e-08, 7.65e-08, 1.02e-07),
        "Sort APX Cover": (4.11e-08, 5.59e-06, 8.18e-06, 1.17e-05, 4.25e-06, 8.62e-06, 2.77e-04),
    },
}


def published(data: str, method: str, k: int) -> float:
    """One printed privacy value."""
    return PUBLISHED[data][method][KS.index(k)]


def implied(data: str, method: str, k: int) -> float:
    """I' of a printed privacy value, k * 2^(I' - |I|)."""
    return math.log2(published(data, method, k) / k) + ITEMS[data]
