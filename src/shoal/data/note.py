"""Note: the base class of all notes to a publisher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Note:
    """Something that a publisher must know. Its ``str`` is a short form for the repr of a release."""

    left_out: ClassVar[str] = ""  # why columns are left out, such as "differs within a record"
    untrue: ClassVar[bool] = False  # whether it is about published statements that are false
