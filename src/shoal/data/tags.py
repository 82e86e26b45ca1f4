"""Tags: labels that tell the column of an item, for data with several columns of sets.

Item x of column T is the label ``T.x``, and a set of such items is ``(T.x,T.y)``; so the items of all columns are one
universe, and a combination across columns is just a set. A label may span columns: ``(T.x,U.y)``, or the joint label
``T+U``, which stands for anything of any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from shoal.errors import OptionError, cut


def joint_label(columns: Iterable[str]) -> str:
    """The label for anything of any of these columns.

    >>> joint_label(["diagnoses", "drugs"])
    'diagnoses+drugs'
    """
    return "+".join(columns)


@dataclass(frozen=True)
class Tags:
    """The columns whose items are told apart by tags.

    >>> tags = Tags(("diagnoses", "drugs"))
    >>> tags.label("drugs", "aspirin"), tags.label("drugs", "(aspirin,codeine)")
    ('drugs.aspirin', '(drugs.aspirin,drugs.codeine)')
    >>> tags.place("drugs.aspirin"), tags.place("(drugs.a,drugs.b)"), tags.place("(diagnoses.a,drugs.b)")
    (('drugs', 'aspirin'), ('drugs', '(a,b)'), ('diagnoses', '(diagnoses.a,drugs.b)'))
    """

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse columns whose labels could not be told apart."""
        for at, column in enumerate(self.columns):
            if column in self.columns[:at]:
                raise OptionError(f"Column '{cut(column)}' is named twice as a column of sets: name it once.")
            if column.startswith("("):
                raise OptionError(
                    f"Column '{cut(column)}' cannot be one of several columns of sets, as '(' starts a set of labels: "
                    f"rename it."
                )
        for column in self.columns:
            for other in (*self.columns, joint_label(self.columns)):
                if other != column and f"{other}.".startswith(f"{column}."):
                    raise OptionError(
                        f"Labels of the columns of sets '{cut(column)}' and '{cut(other)}' could not be told apart, as "
                        f"'{cut(column)}.' starts both: rename one of the columns."
                    )

    @property
    def joint(self) -> str:
        """The label for anything of any of the columns."""
        return joint_label(self.columns)

    def label(self, column: str, text: str) -> str:
        """The label of what stands in a column; what spans columns is a label already."""
        if text == self.joint and column == self.columns[0]:
            return text
        if text.startswith("(") and text.endswith(")"):
            if self._parts(text):
                return text
            if "," in text:
                return "(" + ",".join(f"{column}.{part}" for part in text[1:-1].split(",")) + ")"
        return f"{column}.{text}"

    def place(self, label: str) -> tuple[str, str]:
        """The column where a label stands, and how it is written there; what spans columns stands in the first."""
        for column in self.columns:
            if label.startswith(f"{column}."):
                return column, label[len(column) + 1 :]
        parts = [self.place(part) for part in self._parts(label)]
        owners = {column for column, _ in parts}
        if len(owners) != 1:
            return self.columns[0], label
        column = owners.pop()
        text = "(" + ",".join(part for _, part in parts) + ")"
        return column, text if self.label(column, text) == label else label  # an item with a comma in it keeps the tags

    def _parts(self, text: str) -> list[str]:
        """The parts of a set of tagged labels; none: it is no such set."""
        found = self._set.fullmatch(text)
        return self._comma.split(found[1]) if found else []

    @cached_property
    def _set(self) -> re.Pattern[str]:
        """A text in brackets that starts with a tag."""
        return re.compile(rf"\(((?:{self._any}).*)\)", re.DOTALL)

    @cached_property
    def _comma(self) -> re.Pattern[str]:
        """A comma with a tag after it; any other is a part of an item."""
        return re.compile(rf",(?={self._any})")

    @property
    def _any(self) -> str:
        """An expression for any of the tags."""
        return "|".join(re.escape(f"{column}.") for column in self.columns)
