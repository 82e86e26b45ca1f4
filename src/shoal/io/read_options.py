"""ReadOptions: how data are read, declared once.

A field is an argument of :func:`shoal.read`, an option of every command that reads data, a key of problem files and of
grids, and words of the commands that reports print. A new reading option is one field here, and its use in a reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.io.join_spec import JoinSpec
from shoal.options import Option, Spec, changed, option


@dataclass(frozen=True, kw_only=True)
class ReadOptions(Spec):
    """How to read a source. ``None`` means: find out from the file's name and content, or ask.

    >>> list(ReadOptions(sets=["a", "b c"], multiset=True, drop_items=["-9", "x"]).words())
    ['--sets', 'a', '--sets', 'b c', '--multiset', '--drop-items=-9,x']
    >>> ReadOptions(header="no")
    Traceback (most recent call last):
    shoal.errors.OptionError: header must be true or false, got 'no'.
    """

    name = "reading"

    format: str | None = option(
        None, metavar="NAME", rare=True, help="The format of the data, such as csv or basket. Default: guessed."
    )
    sets: str | tuple[str, ...] | None = option(
        None,
        metavar="A|A,B",
        help="The column that holds the sets. With several columns, item x of column A is called A.x.",
    )
    item_delimiter: str | tuple[str | None, ...] | None = option(
        None,
        metavar="TEXT",
        rare=True,
        help="The text between the items of a set; for several columns, one for all or one for each. Default: guessed.",
    )
    no_sets: bool = option(False, rare=True, help="The data are a table without sets.")
    delimiter: str | None = option(
        None,
        metavar="TEXT",
        rare=True,
        help="The text between columns, or between the items of a basket line. Default: guessed.",
    )
    header: bool | None = option(
        None,
        rare=True,
        help="CSV: whether the first line names the columns. Without names, they are called (column 1), (column 2). "
        "Default: guessed.",
    )
    escaped_formulas: bool = option(False, rare=True, help="CSV: undo what --escape-formulas did to the file.")
    id_column: str | tuple[str, ...] | None = option(
        None,
        metavar="A|A,B",
        help="If each row holds one item: the column (or columns) of the record id.",
    )
    item_column: str | None = option(None, metavar="A", help="If each row holds one item: the column of the item.")
    quantity_column: str | None = option(
        None, metavar="A", rare=True, help="If each row holds one item: the column of its quantity. Needs --multiset."
    )
    drop_null_items: bool = option(
        False, rare=True, help="If each row holds one item: skip rows without an item. Otherwise they are an error."
    )
    keep_ids: bool = option(
        False, rare=True, help="Publish the ids of records. By default they become running numbers."
    )
    person: str | None = option(
        None,
        metavar="A",
        help="The column of the person, if a person may have several records. It is never published.",
    )
    join: str | tuple[str, ...] | None = option(
        None,
        metavar="FILE:KEY",
        help="Add the columns of another table by a key column (FILE:LEFT=RIGHT if the names differ). Repeatable.",
    )
    where: str | None = option(
        None, metavar="CONDITION", rare=True, help="Read only the rows that meet a condition, such as 'week <= 12'."
    )
    multiset: bool = option(False, rare=True, help="Read an item that a record has c times as the item 'name*c'.")
    drop_items: tuple[str, ...] = option(
        (), metavar="A,B", rare=True, help="Items to leave out when reading, such as codes for 'missing'."
    )
    max_expanded: str | int | None = option(
        None,
        metavar="SIZE",
        rare=True,
        help="The largest size that a compressed file may expand to, such as 4GB. Default: 64 times its size, at least "
        "1 GB.",
    )

    def called(self, option: Option) -> str:
        """Name an option in an error, as an argument of :func:`shoal.read`."""
        return option.name

    @property
    def joins(self) -> tuple[JoinSpec, ...]:
        """Return the tables to join, and by which columns."""
        given = (self.join,) if isinstance(self.join, str) else self.join or ()
        return tuple(map(JoinSpec.parse, given))

    @property
    def joined_files(self) -> tuple[str, ...]:
        """Return the files of the tables to join."""
        return tuple(join.file for join in self.joins)

    def words(self) -> Iterator[str]:
        """Spell the options on the command line."""
        return reading_words(changed(self))


def reading_words(given: Mapping[str, Any]) -> Iterator[str]:
    """Spell options of :func:`shoal.read` on the command line, in the order given, but those at their defaults.

    >>> list(reading_words({"item_delimiter": "|", "no_sets": True, "multiset": False, "header": False}))
    ['--item-delimiter', '|', '--no-sets', '--no-header']
    """
    known = {spec.name: spec for spec in ReadOptions.options()}
    for name, value in given.items():
        yield from known[name].words_for(None if value == known[name].default else value)
