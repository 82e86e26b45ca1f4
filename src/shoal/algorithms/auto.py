"""The default: the exact search within a time limit (:mod:`shoal.algorithms.optimal`).

Where OR-Tools is not installed it takes the better of the greedy descent and AA, polished, and a bound that knows of
single nodes only: almost never a proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.algorithms.base import ExactAlgorithm, time_limit_option
from shoal.models.km import Km
from shoal.models.km_negative import KmNegative
from shoal.models.lm import Lm
from shoal.options import option
from shoal.search.siblings import WORDS


@dataclass(frozen=True)
class Auto(ExactAlgorithm):
    """The least loss that can be found in a given time, with a lower bound on what other recodings of its kind lose."""

    name = "auto"
    title = "Exact within a time limit"
    paper = "ours; the problem is that of P0, P3"
    solves = (Km, Lm, KmNegative)
    needs_proof = False

    siblings: str = option(
        "best",
        words=WORDS,
        file=True,
        help="groups of siblings that may be published together: none, halved by label or by frequency, the best that "
        "can be found, or those of a FILE (a code book, or one group a line)",
    )
    time_limit: float | Literal["none"] = time_limit_option(60.0)
