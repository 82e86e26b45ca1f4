"""KL divergence: how much the shares of items inside groups changed (Wang et al. 2014)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from shoal.metrics.base import Measure
from shoal.metrics.change import Touched
from shoal.metrics.comparison import Comparison


class KLDivergence(Measure):
    """KL divergence: how much the shares of items inside groups of records changed.

    For each group and item, let r and s be the shares of the group's rows that had the item and have it now. The value
    is (1 - s) ln((1 - s) / (1 - r)) + s ln(s / r), summed over all items and groups. ``kl_mean`` is the mean over
    groups.

    References
    ----------
    S.-L. Wang, Y.-C. Tsai, H.-Y. Kao, T.-P. Hong: On anonymizing transactions with sensitive items. Applied
    Intelligence, 2014, equation 2.

    Examples
    --------
    >>> import shoal
    >>> losses = shoal.measure([["tea", "rum"], ["tea"]], [["tea"], ["tea"]]).losses
    >>> round(losses["kl"], 4)  # ln 2: the share of rum goes from 1/2 to 0
    0.6931
    """

    name = "kl"
    meanings = {  # noqa: RUF012
        "kl": (
            "KL divergence",
            "How much the share of records with an item changed inside the groups of records that were changed "
            "together. This is the sum over all items and groups. 0: no share changed. Infinite: a group was given an "
            "item that none of its records had, or some records of a group lost an item that all of them had.",
        ),
        "kl_mean": ("KL divergence, per group", "The KL divergence divided by the number of groups."),
    }
    paper = "Wang et al. 2014, Eq. 2"

    def of(self, compared: Comparison) -> dict[str, float]:
        """Return ``kl`` and ``kl_mean`` (0 to infinity), or nothing for data that were not changed in groups."""
        change = compared.change_in_groups
        if change is None or change.grouping is None:
            return {}
        total = math.fsum(times * divergence(*kind) for kind, times in _kinds(change.touched))
        return {"kl": total, "kl_mean": total / max(1, len(change.grouping))}


def divergence(size: int, before: int, after: int) -> float:
    """Return the divergence of one item in a group of ``size`` rows, by the rows with the item before and after.

    >>> math.isclose(divergence(3, 2, 3), math.log(3 / 2), rel_tol=1e-15)
    True
    >>> divergence(4, 2, 2), divergence(3, 0, 1), divergence(3, 3, 2)
    (0.0, inf, inf)
    """
    moved = after - before
    if not moved:
        return 0.0
    if before == 0 or before == size:
        return math.inf
    have = after / size * math.log1p(moved / before) if after else 0.0
    lack = (size - after) / size * math.log1p(-moved / (size - before)) if after < size else 0.0
    return have + lack


def _kinds(touched: Touched) -> Iterator[tuple[list[int], int]]:
    """Yield the different (size, before, after) of an item in a group, with how often each occurs."""
    _, sizes = np.unique(touched.sizes, return_inverse=True)  # codes are small enough to put two into one number
    _, moves = np.unique(touched.before * (touched.after.max(initial=0) + 1) + touched.after, return_inverse=True)
    _, first, often = np.unique(sizes * (moves.max(initial=0) + 1) + moves, return_index=True, return_counts=True)
    figures = np.stack([touched.sizes[first], touched.before[first], touched.after[first]], axis=1)
    yield from zip(figures.tolist(), often.tolist(), strict=True)
