"""Tags: labels that name the column of an item, for data with several columns of sets.

Item x of column T is the label ``T.x``, and a set of such items is ``(T.x,T.y)``. So the items of all columns form one
universe, and a combination across columns is just a set. A label may span columns: ``(T.x,U.y)``, or the joint label
``T+U``, which represents any item of these columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.data.labels import set_label, set_members
from shoal.errors import OptionError, shorten


def joint_label(columns: Iterable[str]) -> str:
    """Return the label that represents any item of these columns.

    >>> joint_label(["diagnoses", "drugs"])
    'diagnoses+drugs'
    """
    return "+".join(columns)


@dataclass(frozen=True)
class Tags:
    """The columns whose items are tagged with the name of their column.

    >>> tags = Tags(("diagnoses", "drugs"))
    >>> tags.label("drugs", "aspirin"), tags.label("drugs", "(aspirin,codeine)")
    ('drugs.aspirin', '(drugs.aspirin,drugs.codeine)')
    >>> tags.label("drugs", '("(drugs.a,drugs.b)",diagnoses.c)')  # spans columns; one of its items looks like a set
    '("(drugs.a,drugs.b)",diagnoses.c)'
    >>> tags.place("drugs.aspirin"), tags.place("(drugs.a,drugs.b)"), tags.place("(diagnoses.a,drugs.b)")
    (('drugs', 'aspirin'), ('drugs', '(a,b)'), ('diagnoses', '(diagnoses.a,drugs.b)'))
    """

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse columns whose labels would be ambiguous."""
        for at, column in enumerate(self.columns):
            if column in self.columns[:at]:
                raise OptionError(f"Column '{shorten(column)}' is named twice as a column of sets: name it once.")
            if column.startswith("("):
                raise OptionError(
                    f"Column '{shorten(column)}' cannot be one of several columns of sets, because '(' starts a set "
                    f"of labels: rename it."
                )
        for column in self.columns:
            for other in (*self.columns, joint_label(self.columns)):
                if other != column and f"{other}.".startswith(f"{column}."):
                    raise OptionError(
                        f"Labels of the columns of sets '{shorten(column)}' and '{shorten(other)}' would be ambiguous, "
                        f"because '{shorten(column)}.' starts both: rename one of the columns."
                    )

    @property
    def joint(self) -> str:
        """Return the label that represents any item of the columns."""
        return joint_label(self.columns)

    def label(self, column: str, text: str) -> str:
        """Return the label of a cell's text. A text that spans columns is a label already."""
        if text == self.joint and column == self.columns[0]:
            return text
        members = _members(text)
        if members and all(map(self._is_tagged, members)):
            return text
        if members:
            return set_label([f"{column}.{member}" for member in members])
        return f"{column}.{text}"

    def place(self, label: str) -> tuple[str, str]:
        """Return the column in which a label is written, and its text there.

        Labels that span columns go to the first.
        """
        for column in self.columns:
            if label.startswith(f"{column}."):
                return column, label[len(column) + 1 :]
        parts = [self.place(part) for part in _members(label) if self._is_tagged(part)]
        owners = {column for column, _ in parts}
        if len(owners) != 1 or len(parts) < len(_members(label)):
            return self.columns[0], label
        column = owners.pop()
        text = set_label([part for _, part in parts])
        return column, text if self.label(column, text) == label else label

    def as_read(self, label: str) -> str:
        """Return the label that a reader of the written columns gets, or "" if the text is blank.

        >>> tags = Tags(("diagnoses", "drugs"))
        >>> tags.as_read("drugs.aspirin"), tags.as_read("medicine"), tags.as_read("drugs. ")
        ('drugs.aspirin', 'diagnoses.medicine', '')
        """
        column, text = self.place(label)
        return self.label(column, text) if text.strip() else ""

    def _is_tagged(self, text: str) -> bool:
        """Whether a label names its column, or is a set of labels that do."""
        if any(text.startswith(f"{column}.") for column in self.columns):
            return True
        members = _members(text)
        return bool(members) and all(map(self._is_tagged, members))


def _members(text: str) -> list[str]:
    """Return the members of a set in our spelling, or an empty list if the text is no such set.

    >>> _members("(a,b)"), _members("(a, b)"), _members("(a)")
    (['a', 'b'], [], [])
    """
    members = set_members(text)
    return members if len(members) > 1 and all(members) and set_label(members) == text else []
