"""A bound on the loss of the columns that suits the data, and what its neighbours would cost.

No bound below what the first clusters lose can be met, and how much that is depends on the data: 0.10 with five columns
of 26,854 patients, 0.55 with seven columns of 801 households. So unless a bound is given, the columns may lose what the
first clusters lose, and a share of what is left.
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

SHARE = 0.15  # of what the first clusters leave
NEIGHBOURS = (SHARE / 2, SHARE * 2)


def relative(clusters: Clusters, share: float = SHARE) -> float:
    """A bound between what clusters lose now and all that they can lose."""
    least = clusters.loss
    return math.ceil((least + share * max(0.0, clusters.worst - least)) * 1e4) / 1e4


def chosen(first: Clusters, merged: Clusters, sets: Recoding, within: SetGeneralizer, engine: Engine) -> ChosenDelta:
    """What was chosen for these first clusters and what lower and higher bounds cost.

    The sets of neighbours are generalized quickly; what that costs is told in proportion to what was found.
    """
    quick, lost = within.quick, within.share(sets)
    roughly = quick.share(quick.recoding(merged.members(), engine))
    delta = relative(first)

    def neighbours() -> Iterator[DeltaCost]:
        for other in (relative(first, share) for share in NEIGHBOURS):
            with contextlib.suppress(Infeasible):  # other clusters may hold too many of a sensitive value
                if other != delta and roughly:
                    near = first.copy()
                    near.merge_within_bound(other)
                    share = quick.share(quick.recoding(near.members(), engine))
                    yield DeltaCost(other, near.loss, min(1.0, lost * share / roughly))

    return ChosenDelta(DeltaCost(delta, merged.loss, lost), first.loss, tuple(neighbours()))
