"""A measure from outside."""

from __future__ import annotations

from typing import ClassVar

from shoal.metrics.base import Measure
from shoal.metrics.comparison import Comparison


class Untouched(Measure):
    """The share of records that are published as they were."""

    name = "toy-measure"
    meanings: ClassVar[dict[str, tuple[str, str]]] = {
        "toy_untouched": ("Toy measure", "The share of records that are published as they were.")
    }
    paper = "none"

    def of(self, compared: Comparison) -> dict[str, float]:
        """One value."""
        same = [
            one == other
            for one, other in zip(compared.original.rows.sets(), compared.published.rows.sets(), strict=True)
        ]
        return {"toy_untouched": sum(same) / max(1, len(same))}
