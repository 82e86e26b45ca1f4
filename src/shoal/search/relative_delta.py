"""Chooses a bound on the loss of the columns that suits the data, and tells what other bounds would cost.

No bound below the loss of the first clusters can be met. That loss depends on the data: 0.10 with five columns of
26,854 patients, 0.55 with seven columns of 801 households. So by default, the columns may lose as much as the first
clusters, plus a share of the rest.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from shoal.data.notes import ChosenDelta, DeltaCost
from shoal.engines import Engine
from shoal.errors import Infeasible
from shoal.recoding import Recoding
from shoal.search.clusters import Clusters
from shoal.search.set_generalizer import SetGeneralizer

SHARE = 0.15  # of the range between the loss of the first clusters and the largest loss
NEIGHBOURS = (SHARE / 2, SHARE * 2)


def relative(clusters: Clusters, share: float = SHARE) -> float:
    """Return a bound between the current loss of clusters and the largest possible loss."""
    least = clusters.loss
    return math.ceil((least + share * max(0.0, clusters.worst - least)) * 1e4) / 1e4


def chosen(first: Clusters, merged: Clusters, sets: Recoding, within: SetGeneralizer, engine: Engine) -> ChosenDelta:
    """Return a note about the chosen bound, and what lower and higher bounds would cost.

    For these bounds the sets are generalized quickly. Their losses are given in proportion to the loss that was found.
    """
    quick, lost = within.quick, within.share(sets)
    roughly = quick.share(quick.recoding(merged.members(), engine))
    delta = relative(first)

    def neighbours() -> Iterator[DeltaCost]:
        for other in (relative(first, share) for share in NEIGHBOURS):
            with contextlib.suppress(Infeasible):  # other clusters may have too many of a sensitive value
                if other != delta and roughly:
                    near = first.copy()
                    near.merge_within_bound(other)
                    share = quick.share(quick.recoding(near.members(), engine))
                    yield DeltaCost(other, near.loss, min(1.0, lost * share / roughly))

    return ChosenDelta(DeltaCost(delta, merged.loss, lost), first.loss, tuple(neighbours()))
