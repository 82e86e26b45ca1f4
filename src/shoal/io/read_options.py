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

    format: str | None = option(None, help="Format of the data; default: by its name and content.")
    sets: str | tuple[str, ...] | None = option(
        None,
        metavar="A|A,B",
        help="The column that holds the sets, or several: A,B, or the option once for each; item x of column A is then "
        "called A.x.",
    )
    item_delimiter: str | tuple[str | None, ...] | None = option(
        None,
        help="What separates the items inside that column; of several, one for all or one for each; default: guessed.",
    )
    no_sets: bool = option(False, help="The data are a table without sets (CSV, Parquet, Feather, JSON lines).")
    delimiter: str | None = option(
        None, help="What separates columns, or the items of a basket line; default: guessed."
    )
    header: bool | None = option(
        None,
        help="CSV: the first line names the columns, or is a record (the columns are then called (column 1), "
        "(column 2)); default: guessed, or asked for.",
    )
    escaped_formulas: bool = option(False, help="CSV: the file was written with --escape-formulas: undo that.")
    id_column: str | tuple[str, ...] | None = option(
        None,
        metavar="A|A,B",
        help="Data with one row for each item: the column that names the record, or several that do so together.",
    )
    item_column: str | None = option(None, help="Data with one row for each item: the column that names the item.")
    quantity_column: str | None = option(
        None, help="Data with one row for each item: how many of it; needs --multiset."
    )
    drop_null_items: bool = option(False, help="Leave out rows without an item, instead of refusing them.")
    keep_ids: bool = option(
        False,
        help="Keep the ids of records, and columns that tell records apart as ids do, instead of running numbers.",
    )
    person: str | None = option(
        None,
        metavar="COLUMN",
        help="The column that says whose a record is, if a person may have several: guarantees then count persons. It "
        "is never published.",
    )
    join: str | tuple[str, ...] | None = option(
        None,
        metavar="FILE:KEY",
        help="Add the columns of another table by a key column (FILE:LEFT=RIGHT if its name differs); repeatable.",
    )
    where: str | None = option(
        None, metavar="CONDITION", help="Read only rows that fulfil a condition, such as 'week <= 12'."
    )
    multiset: bool = option(False, help="An item given c times in a record becomes the item 'name*c'.")
    drop_items: tuple[str, ...] = option(
        (), metavar="A,B", help="Items to leave out at load, such as codes for 'missing'."
    )
    max_expanded: str | int | None = option(
        None,
        metavar="SIZE",
        help="The most that a compressed file may expand to, such as 4GB; default: 64 times its size, at least 1 GB.",
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
