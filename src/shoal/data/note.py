"""Note: what all notes to a publisher are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Note:
    """Something that a publisher must know. Its ``str`` is a short form, where the repr of a release shows it."""

    left_out: ClassVar[str] = ""  # why columns are, if it is about such: "differs within a record"
    untrue: ClassVar[bool] = False  # whether it is about what is published and not true
