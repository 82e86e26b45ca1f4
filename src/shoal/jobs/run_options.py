"""The table [run] of a problem file as declared options, for forms."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.options import Spec, option


@dataclass(frozen=True)
class RunOptions(Spec):
    """What is searched for, and when a result is refused.

    Examples
    --------
    >>> RunOptions(max_loss=0.2).values()
    {'max_loss': 0.2, 'loss': 'ncp', 'seed': 0}
    """

    name = "run"

    max_loss: float | None = option(
        None, low=0, high=1, help="Write nothing if more than this share of the information is lost, such as 0.2."
    )
    loss: str = option("ncp", words=("ncp", "lm"), help="The measure of lost information that the search minimizes.")
    seed: int = option(0, low=0, help="The start of random numbers. The same seed gives the same release.")
