"""Notes about recodings that repeat an earlier release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from shoal.data.note import Note


@dataclass(frozen=True)
class RecodingRepaired(Note):
    """The recoding of an earlier release was generalized further."""

    labels: int  # of the earlier release that represent more now
    removed: int  # items that are removed now, and were not before
    least: bool  # whether it is proved that no other repair loses less
    stopped: Literal["time limit", "interrupted"] | None = None  # what ended the search early


@dataclass(frozen=True)
class NewColumns(Note):
    """The data have columns that the earlier release did not publish."""

    columns: tuple[str, ...]
