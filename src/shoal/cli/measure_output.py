"""What ``shoal measure`` found, as tables for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import shoal
from shoal.cli import console
from shoal.metrics.are import AreResult
from shoal.metrics.ml2 import Mined
from shoal.report import sentences
from shoal.report.formatting import share, things
from shoal.report.risks import known_items

_PARTS = ("below_k", "unique", "prosecutor", "average")


@dataclass
class Measured:
    """All that was measured."""

    losses: Mapping[str, float]
    counts: Mapping[str, int]
    asked: AreResult | None = None
    mined: Sequence[Mined] = ()
    risks: tuple[shoal.Risk, ...] = field(default=())  # before and after, or none

    def show_json(self) -> None:
        """For machines."""
        figures = {**self.losses, **self.counts}
        found: dict[str, Any] = {name: value if math.isfinite(value) else None for name, value in figures.items()}
        if self.asked is not None:
            found["are_by_size"] = self.asked.by_size
        if self.mined:
            found["mining"] = [{**asdict(one), "ml2": one.ml2, "dml2": one.dml2} for one in self.mined]
        if self.risks:
            found["risk"] = {
                "k": self.risks[0].k,
                **{when: _listed(risk) for when, risk in zip(("before", "after"), self.risks, strict=True)},
            }
        console.show_json(found)

    def show(self) -> None:
        """For people."""
        figures = [(name, _figure(name, value)) for name, value in self.losses.items()]
        figures += [(name.replace("_", " "), f"{value:,}") for name, value in self.counts.items()]
        console.table(None, ["measure", "value"], figures)
        if self.asked is not None and len(self.asked.by_size) > 1:
            console.say("")
            console.table(
                "average relative error by size of query",
                ["asking for", "are"],
                [(size, f"{error:.6f}") for size, error in self.asked.by_size.items()],
            )
        if self.mined:
            console.say("")
            console.table(
                "frequent itemsets of all levels, and those found in the published data",
                ["in at least", "itemsets", "found", "ml2", "dml2", "dml2_missed"],
                [
                    (
                        f"{things(one.least, 'record')} ({share(one.threshold)})",
                        *(f"{number:,}" for number in (one.itemsets, one.found)),
                        *(f"{loss:.6f}" for loss in (one.ml2, one.dml2, one.dml2_missed)),
                    )
                    for one in self.mined
                ],
            )
        if self.risks:
            console.say("")
            self._show_risks()

    def _show_risks(self) -> None:
        """Before and after, one below the other."""
        lines: list[tuple[str, ...]] = []
        for at in range(len(self.risks[0].below_k)):
            for when, risk in zip(("before", "after"), self.risks, strict=True):
                counts = (
                    f"{counted[at]:,} ({share(counted[at] / max(1, risk.records))})" for _, counted in _counts(risk)
                )
                chances = (f"{chance[at]:.6f}" for chance in (risk.prosecutor, risk.average))
                lines.append((known_items(at + 1) if when == "before" else "", when, *counts, *chances))
        console.table(
            "risk: what an adversary can pin records down to",
            ["knowing", "", f"fewer than {self.risks[0].k} records", "exactly one", "prosecutor", "average"],
            lines,
            right=2,
        )
        console.say("(before: knowing items; after: knowing as many labels of the published record)")


def _counts(risk: shoal.Risk) -> Iterable[tuple[str, tuple[int, ...]]]:
    """Titles and counts of the two degrees."""
    return risk.degrees.values()


def _listed(risk: shoal.Risk) -> list[dict[str, Any]]:
    """For each number of known items."""
    parts = [getattr(risk, part) for part in _PARTS]
    return [
        {"known_items": number, "records": risk.records, **dict(zip(_PARTS, found, strict=True))}
        for number, found in enumerate(zip(*parts, strict=True), 1)
    ]


def _figure(name: str, value: float) -> str:
    """A measured value with all the digits that a comparison may need."""
    if name == "privacy_value" or isinstance(value, int) or not math.isfinite(value):
        return sentences.loss(name, value)
    return f"{value:.6f}"
