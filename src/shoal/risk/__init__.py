"""Risk in the words of those who must judge it: crowds, prosecutor, marketer and journalist risk, and inference.

:mod:`shoal.metrics.risk` has the few figures that charts of reports show; this package answers an officer's questions.
"""

from shoal.risk.assessment import Assessment, Band, Inference, Posterior, Scenario
from shoal.risk.figure import Figure
from shoal.risk.scenarios import assess
from shoal.risk.thresholds import PRESETS, Threshold, threshold

__all__ = [
    "PRESETS",
    "Assessment",
    "Band",
    "Figure",
    "Inference",
    "Posterior",
    "Scenario",
    "Threshold",
    "assess",
    "threshold",
]
