"""What public documents tell about the original data: rounded figures, and none about few records.

Exact totals of a few records can be a checksum of them: whoever knows the method may enumerate the originals, and keep
those with these totals. So figures about the original data are rounded to whole percents, crowds are left out, and
losses have two digits. About fewer than 1,000 records, no risk of the original data is told; about fewer than 100, no
loss either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.report.officer.wording import shared
from shoal.risk import Assessment, Figure

FEWEST_FOR_RISK, FEWEST_FOR_LOSS = 1_000, 100  # records


@dataclass(frozen=True)
class Discretion:
    """Who reads a document, and about how many records it is.

    >>> Discretion(False, 10).share(Figure.of(0.123)), Discretion(True, 5_000).share(Figure.of(0.123))
    ('12.3 %', '12 %')
    >>> Discretion(True, 10).share(Figure.of(0.123)) is None, Discretion(True, 500).loss(0.12345)
    (True, 0.12)
    """

    public: bool
    records: int

    @property
    def tells_risk(self) -> bool:
        """Whether figures of risk in the original data are told."""
        return not self.public or self.records >= FEWEST_FOR_RISK

    @property
    def tells_loss(self) -> bool:
        """Whether losses are told."""
        return not self.public or self.records >= FEWEST_FOR_LOSS

    def share(self, figure: Figure) -> str | None:
        """Return a share of the original data as text, or None if it is not told."""
        if not self.tells_risk:
            return None
        return f"{round(figure.value * 100)} %" if self.public else shared(figure)

    def loss(self, value: float | None) -> float | None:
        """Return a loss, or None if it is not told."""
        if value is None or not self.tells_loss:
            return None
        return float(f"{value:.2g}") if self.public else value

    def losses(self, values: Mapping[str, float | None]) -> dict[str, float | None]:
        """Return those losses that are told."""
        return {name: self.loss(value) for name, value in values.items()} if self.tells_loss else {}

    def assessed(self, before: Assessment) -> dict[str, Any] | None:
        """Return the risk in the original data as plain values, or None if it is not told."""
        if not self.public:
            return before.as_dict()
        if not self.tells_risk:
            return None
        return {
            "records": before.records,
            "scenarios": [
                {
                    "known_items": one.known_items,
                    "columns": one.columns,
                    "choice": one.choice,
                    "prosecutor_mean": round(one.prosecutor_mean.value, 2),
                    "above": [{"threshold": limit, "share": round(part.value, 2)} for limit, part in one.above],
                }
                for one in before.scenarios
            ],
        }
