"""CSV and TSV: a header, columns of sets with their own delimiter inside the cells, other columns untouched.

Every value is text: ``007``, ``1.50`` and a quoted empty cell stand in the output as they stood in the input. An empty
cell in the set column is an empty set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from shoal.data import Dataset, Transactions
from shoal.data.arrays import Offsets
from shoal.data.arrow import arrow_text, arrow_texts
from shoal.errors import DataError, did_you_mean
from shoal.files import FileBytes
from shoal.io import formulas
from shoal.io.coding import Batch, Ragged, as_text
from shoal.io.grid import SET_NAMES, Grid, HeadedLayout, guess_delimiter
from shoal.io.layout import ReaderOptions, SetColumn, set_position
from shoal.io.messages import listed, shorten, shown
from shoal.io.text import Text, check_label, glued, joined, name_of, quote, spaced

_ITEM_DELIMITERS = ("|", ";", ",", "\t")  # those that are guessed inside a cell


@dataclass(frozen=True, kw_only=True, eq=False)
class Csv(HeadedLayout):
    """A table with one column of sets."""

    format: ClassVar[str] = "csv"
    about: ClassVar[str] = "a table with a header and one column of sets; other columns pass through (.csv)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    tabular: ClassVar[bool] = True
    delimiter: str = ","
    column: str = "items"
    item_delimiter: str = "|"
    before: tuple[str, ...] | None = None  # the columns before the sets; None: all
    quote_cells: bool = False  # quote every set, even where it is not needed
    blank_lines: bool = False  # an empty set that is the only cell of its row is nothing at all, not ""
    line_of: Offsets | None = None  # None: every row is one line
    parsed: Any = None  # pyarrow.Table of the other columns as read
    raw: Any = None  # the same as they stand in the file; None: nothing is quoted

    @property
    def marks(self) -> str:
        """What separates items, or could be taken for it."""
        return "".join((self.item_delimiter.strip(" ") or " ", *_ITEM_DELIMITERS))

    @classmethod
    def read(cls, file: FileBytes, options: ReaderOptions) -> Dataset:
        """Take the file apart and find the sets."""
        import pyarrow.compute as pc

        text = Text.of(file)
        name = str(file.path)
        grid = Grid.of(text, options.delimiter or cls.guess_delimiter(text, name), name, options)
        position = _set_column(grid.names, options.column, name) if options.sets else None
        others = [i for i in range(len(grid.names)) if i != position]
        table = cls(
            without_sets=True,
            header=grid.header,
            escaped_formulas=bool(options.escaped_formulas),
            delimiter=grid.delimiter,
            blank_lines=len(grid.names) == 1 and pc.any(pc.equal(grid.column(0, raw=True), "")).as_py(),
            line_of=grid.records.line_of,
            parsed=grid.table(others),
            raw=grid.table(others, raw=True) if grid.records.raw is not None else None,
            **text.style,
        )
        if position is None:
            return table.dataset(file, Transactions.nothing(table.parsed.num_rows), table.parsed)
        cells = grid.column(position)
        layout = replace(
            table,
            without_sets=False,
            column=grid.names[position],
            item_delimiter=options.item_delimiter or _item_delimiter(cells, grid.names[position], name),
            before=tuple(grid.names[:position]),
            quote_cells=_all_quoted(grid.column(position, raw=True)),
        )
        return layout.dataset(file, options.encode(Ragged.split_parts(cells, layout.item_delimiter)), layout.parsed)

    def sets_in(self, table: Any, name: str, source: str, item_delimiter: str | None) -> tuple[Ragged, SetColumn]:
        """Cells, split."""
        cells = as_text(table.column(name))
        mark = item_delimiter or _item_delimiter(cells, name, source)
        return Ragged.split(cells, mark), SetColumn(name, mark)

    @classmethod
    def cells(cls, rows: Transactions, column: SetColumn, *, fixed: bool) -> tuple[Any, SetColumn, list[str]]:
        """Text, with an item delimiter that no label contains."""
        mark = column.item_delimiter
        mark, remarks = (mark, []) if fixed else _fitting(rows, mark, column.name, cls.format)
        batch = Batch.of(rows.indptr, rows.items, rows.labels, None, 0)
        _check_items(batch.labels, mark, cls.format)
        return joined(batch.lists(batch.labels), mark), replace(column, item_delimiter=mark), remarks

    @classmethod
    def guess_delimiter(cls, text: Text, name: str) -> str:
        """The delimiter of the header."""
        return guess_delimiter(text, name)

    def fitted(self, dataset: Dataset, given: Collection[str]) -> tuple[Self, list[str]]:
        """With an item delimiter that no label contains; remarks if it changed, or if it will be guessed wrong."""
        layout, remarks = self.with_header(self._names([] if dataset.table is None else list(dataset.table.names)))
        if "item_delimiter" in given or self.without_sets:
            return layout, remarks
        mark, more = _fitting(dataset.transactions, self.item_delimiter, self.column, self.format)
        return layout.with_options({"item_delimiter": mark}), remarks + more

    def columns(self, table: Any) -> Any:
        """Text columns, quoted; those that are as they were read, exactly as they stood."""
        if self.column in table.column_names and not self.without_sets:
            raise DataError(f"Column '{shorten(self.column)}' is there already: pass another --column for the sets.")
        return quoted_columns(table, self)

    def head(self, columns: Any) -> list[str]:
        """The header."""
        if not self.header:
            return []
        names = self._names([] if columns is None else list(columns.column_names))
        return [header_line(names, self)]

    def _names(self, others: list[str]) -> list[str]:
        """The names of all columns, given those beside the sets."""
        at = set_position(self.before, others)
        return others if self.without_sets else [*others[:at], self.column, *others[at:]]

    def lines(self, batch: Batch) -> list[str]:
        """Cells joined by the delimiter."""
        cells, names = ([], []) if batch.columns is None else (list(batch.columns.columns), batch.columns.column_names)
        if not self.without_sets:
            _check_items(batch.labels, self.item_delimiter, self.format)
            texts = joined(batch.lists(batch.labels), self.item_delimiter)
            texts = formulas.escaped(texts) if self.escaped_formulas else texts
            sets = quote(texts, self.delimiter, self.quote_cells)
            cells.insert(set_position(self.before, names), sets)
        lines: list[str] = glued(cells, self.delimiter).to_pylist()
        if len(cells) > 1 or self.blank_lines:
            return lines
        return [line or '""' for line in lines]  # many tools skip a blank line

    def place(self, row: int) -> str:
        """The line where the row starts; the header, if there is one, is line 1."""
        record = row + self.header
        return f"line {record + 1 if self.line_of is None else self.line_of[record]}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Tsv(Csv):
    """CSV with tabs."""

    format: ClassVar[str] = "tsv"
    about: ClassVar[str] = "the same with tabs (.tsv)"
    suffixes: ClassVar[tuple[str, ...]] = (".tsv",)
    delimiter: str = "\t"

    @classmethod
    def guess_delimiter(cls, text: Text, name: str) -> str:
        """Nothing to guess."""
        return "\t"

    def read_options(self) -> dict[str, Any]:
        """A tab goes without saying."""
        options = super().read_options()
        return {name: value for name, value in options.items() if name != "delimiter" or value != "\t"}


def quoted_columns(table: Any, layout: Any) -> Any:
    """The other columns as text for a delimited file; ``layout`` has ``delimiter``, ``parsed`` and ``raw``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts, escape = {}, layout.escaped_formulas
    for name in table.column_names:
        column = table.column(name)
        as_read = layout.parsed is not None and name in layout.parsed.column_names
        if as_read and layout.raw is not None and not escape and column.equals(layout.parsed.column(name)):
            texts[name] = layout.raw.column(name)
            continue
        try:
            text = pc.fill_null(as_text(column), arrow_text(""))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError(
                f"Column '{shorten(name)}' ({shorten(column.type)}) cannot be written as text: write parquet or "
                f"feather, or leave it out."
            ) from None
        if pc.any(pc.match_substring_regex(text, "[\r\\x00]")).as_py():
            raise DataError(
                f"Column '{shorten(name)}' contains a carriage return or NUL: write jsonl or parquet instead."
            )
        texts[name] = quote(
            formulas.escaped(text) if escape else text,
            layout.delimiter,
            as_read and layout.raw is not None and _all_quoted(layout.raw[name]),
        )
    return pa.table(texts)


def header_line(names: list[str], layout: Any) -> str:
    """The names of the columns; ``layout`` has ``delimiter`` and ``escaped_formulas``."""
    texts = arrow_texts(names)
    texts = formulas.escaped(texts) if layout.escaped_formulas else texts
    return str(layout.delimiter).join(quote(texts, layout.delimiter).to_pylist())


def _set_column(names: list[str], wanted: str | None, name: str) -> int:
    """The position of the set column."""
    if wanted is not None:
        if wanted not in names:
            raise DataError(f"{name} has no column '{wanted}'{did_you_mean(wanted, names)}: it has {listed(names)}.")
        return names.index(wanted)
    likely = [i for i, column in enumerate(names) if column.strip().lower() in SET_NAMES]
    if len(likely) == 1:
        return likely[0]
    if len(names) == 1:
        return 0
    raise DataError(
        f"{name}: which column holds the sets? It has {listed(names)}: pass --column (or --format long for a file of "
        f"id, item pairs, or --format basket if every line is a set)."
    )


def _all_quoted(cells: Any) -> bool:
    """Whether every set is quoted, so that quoting is the style and no need."""
    import pyarrow.compute as pc

    return bool(pc.all(pc.starts_with(cells, '"')).as_py())


def _item_delimiter(cells: Any, column: str, name: str) -> str:
    """The delimiter inside the cells; '|' hardly ever is a part of a label, so it wins."""
    import pyarrow.compute as pc

    listlike = pc.match_substring_regex(cells, r"^\s*(\[.*\]|\{.*\})\s*$")
    if pc.sum(listlike).as_py() * 2 > len(cells):
        raise DataError(
            f"{name}: the cells of column '{shorten(column)}' look like lists in brackets: write the items with a "
            f"delimiter between them and no brackets, or use jsonl or parquet; if the brackets are a part of items, "
            f"pass --item-delimiter."
        )
    likely = _likely(lambda mark: bool(pc.any(pc.match_substring(cells, mark)).as_py()))
    if len(likely) > 1:
        marks = " or ".join(name_of(mark) for mark in likely)
        raise DataError(
            f"{name}: the items in column '{shorten(column)}' may be separated by {marks}: pass --item-delimiter."
        )
    return spaced(lambda text: int(pc.sum(pc.count_substring(cells, text)).as_py()), likely[0])


def _fitting(rows: Transactions, mark: str, column: str, format: str) -> tuple[str, list[str]]:
    """An item delimiter that no label contains, if possible this one; remarks if it changed, or is not guessed."""
    labels = [rows.labels[code] for code in np.unique(rows.items).tolist()]
    sets = any(label.startswith("(") and "," in label for label in labels)  # (A,B): a comma would be guessed
    marks = ["|"] * sets + [mark, *_ITEM_DELIMITERS, "/", "~", "^"]
    fitting = next((mark for mark in marks if all(_holds(label, mark) for label in labels)), None)
    if fitting is None:
        raise DataError(
            f"Format {format} cannot hold the items of column '{shorten(column)}': they contain everything that could "
            f"separate them: write jsonl or parquet (a name such as out.jsonl, or --output-format)."
        )
    remarks = []
    items = f"Items in column '{shorten(column)}' are"
    if fitting != mark:
        why = (
            "labels such as (A,B) contain commas"
            if sets and mark != ","
            else f"a published label contains {name_of(mark)}"
        )
        remarks.append(f"{items} now separated by {name_of(fitting)}: {why}.")
    if _misread(labels, fitting, single=int(rows.sizes.max(initial=0)) < 2):
        remarks.append(
            f"{items} separated by {name_of(fitting)}, which is not what would be guessed from the file: "
            f"pass --item-delimiter to read it."
        )
    return fitting, remarks


def _check_items(labels: Iterable[str], mark: str, format: str) -> None:
    """Refuse labels that would be taken apart."""
    for label in labels:
        if not _holds(label, mark):
            raise DataError(
                f"Item {shown(label)} contains {name_of(mark)}, which separates the items of a cell: pass another "
                f"item_delimiter, or write jsonl or parquet."
            )
        check_label(label, "\r\0", format, "jsonl or parquet")


def _likely(there: Callable[[str], bool]) -> list[str]:
    """What may separate the items in cells: one delimiter, unless that is unclear; ``there`` tells if a text is."""
    marks = [mark for mark in _ITEM_DELIMITERS if there(mark)]
    return marks[:1] if marks[:1] == ["|"] else marks or ([" "] if there(" ") else ["|"])


def _holds(label: str, delimiter: str) -> bool:
    """Whether a label with the delimiter after it is split where the label ends.

    >>> _holds("oat milk", "|"), _holds("oat milk", " "), _holds("a|", "||")
    (True, False, False)
    """
    return (label + delimiter).find(delimiter) == len(label)


def _misread(labels: list[str], delimiter: str, *, single: bool) -> bool:
    """Whether these labels would be taken apart in a wrong way, without an error; single: they stand alone in cells."""
    cells = labels if single else [delimiter.join(labels)]
    body = "\n".join(cells)
    likely = _likely(body.__contains__)
    if len(likely) > 1:
        return False
    guess = spaced(body.count, likely[0])
    read_back = [label for cell in cells for label in cell.split(guess)]
    return read_back != labels or (not single and any(label.startswith(" ") for label in labels))
