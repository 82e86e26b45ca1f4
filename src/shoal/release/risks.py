"""The risk before and after, in the figures that officers ask for. They are computed once for all documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from shoal.engines import current
from shoal.published import Published
from shoal.risk import PRESETS, Assessment, assess

if TYPE_CHECKING:
    from shoal.models.base import PrivacyModel

USUAL = tuple(sorted({one.value for one in PRESETS.values()}))  # thresholds that are always compared with


class Risks(NamedTuple):
    """The risk in the original data, and in the published data."""

    before: Assessment
    after: Assessment


@dataclass(frozen=True, eq=False)
class RiskFigures:
    """Assesses the risk before and after on demand, and remembers it."""

    original: Published
    published: Published
    model: PrivacyModel
    _known: dict[tuple[float, ...], Risks] = field(default_factory=dict)

    @property
    def known(self) -> int | Literal["all"]:
        """How many items the guarantee assumes to be known: any number, if the model sets no limit."""
        m = self.model.max_known_items
        return "all" if m is None else m

    def at(self, thresholds: Sequence[float] = ()) -> Risks:
        """Return the risk, compared with the usual thresholds and with these."""
        wanted = tuple(sorted({*USUAL, *thresholds}))
        if wanted not in self._known:
            self._known[wanted] = Risks(
                *(
                    assess(view, m=self.known, thresholds=wanted, engine=current())
                    for view in (self.original, self.published)
                )
            )
        return self._known[wanted]
