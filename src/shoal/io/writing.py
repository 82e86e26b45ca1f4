"""Writing: sets and columns become record batches, in the layout and format of the input or in others."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from shoal import files
from shoal.data import Dataset, Transactions
from shoal.data.source_layout import SourceLayout
from shoal.engines import current
from shoal.errors import DataError, OptionError
from shoal.io import formulas
from shoal.io.coding import BATCH_ROWS, label_lists
from shoal.io.csv import Csv
from shoal.io.detect import TABULAR, format_named, format_to_write
from shoal.io.format import Format
from shoal.io.frames import FrameFormat
from shoal.io.layout import Plain, TableLayout, Wide, arrow_table
from shoal.io.long import Long, free_name
from shoal.io.memory import Rows, python_lists
from shoal.io.several import MultiSetLayout, delimiters

LAYOUTS = ("wide", "long")


def write(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    layout: str | None = None,
    sets: str | None = None,
    item_delimiter: str | Sequence[str | None] | None = None,
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    escape_formulas: bool = False,
) -> str:
    """Write the data in the layout in which they were read.

    The file appears only if everything was written. Items are in canonical order within each record. If a label of a
    CSV file contains the item delimiter, another delimiter is used, with a warning. With several columns of sets, each
    item is written to its column, and labels that span columns to the first of them.

    Parameters
    ----------
    dataset : Dataset
        The data.
    path : path
        The file to write. Its suffix determines the format. A final ``.gz`` or ``.zst`` compresses it.
    format : str, optional
        The format, if not by the suffix: see :func:`shoal.read`.
    layout : {"wide", "long"}, optional
        One record per row, or one item per row. The default is the layout of the input.
    sets : str, optional
        The name of the column of sets.
    item_delimiter : str or sequence of str, optional
        What separates items in a cell. With several columns of sets, one for all or one for each.
    delimiter : str, optional
        What separates columns, or the items of a basket line.
    id_column, item_column : str, optional
        The names of these columns in long data.
    escape_formulas : bool
        Put a quote before cells of a CSV file that a spreadsheet would take for formulas.
        ``read(.., escaped_formulas=True)`` removes it.

    Returns
    -------
    str
        The SHA-256 hash of the file.

    Raises
    ------
    OptionError
        An option does not fit the format or the layout.
    DataError
        The format cannot hold the data.
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from shoal import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "out.basket")
    ...     sha256 = write(read([{"milk", "beer"}, {"milk"}]), path)
    ...     path.read_text().splitlines(), len(sha256)
    (['beer,milk', 'milk'], 64)
    """
    given = {
        "sets": sets,
        "delimiter": delimiter,
        "id_column": id_column,
        "item_column": item_column,
        "escape_formulas": escape_formulas,
    }
    files.check_writable(path)
    plan = plan_of(dataset, Path(path), format, layout, given, item_delimiter)
    output = plan.layout.format
    schema, pieces = plan.layout.encoded(plan.dataset)
    for remark in plan.remarks:
        warnings.warn(remark, stacklevel=2)
    digest, rows = hashlib.sha256(), 0
    with (
        files.atomic_output(path, digest=digest) as sink,
        output.writer(sink, schema) as put,
        current().background() as background,
    ):
        for piece in pieces:
            if isinstance(piece, bytes):
                background.run(put, piece)
            else:  # a batch, which may be large: it is written before the next one is made
                put(piece)
            del piece  # before the next one is made
            rows += BATCH_ROWS
            if rows < len(dataset):
                current().progress("writing", rows / len(dataset))
    return digest.hexdigest()


def options_to_read(
    dataset: Dataset,
    path: str | Path,
    *,
    format: str | None = None,
    layout: str | None = None,
    item_delimiter: str | Sequence[str | None] | None = None,
    **given: Any,
) -> dict[str, Any]:
    """Return the options with which :func:`read` reads exactly what :func:`write` writes with these arguments.

    >>> from shoal.io import read
    >>> options_to_read(read([["oat milk"]]), "out.csv")
    {'format': 'csv', 'sets': 'items', 'item_delimiter': '|', 'delimiter': ','}
    """
    return plan_of(dataset, Path(path), format, layout, given, item_delimiter).read_options


@dataclass(frozen=True, eq=False)
class Plan:
    """What will be written, and how."""

    dataset: Dataset  # with at most one column of sets
    layout: TableLayout
    read_options: dict[str, Any]
    remarks: list[str]  # for the user


def plan_of(
    dataset: Dataset,
    path: Path,
    format: str | None,
    shape: str | None,
    given: dict[str, Any],
    item_delimiter: str | Sequence[str | None] | None = None,
) -> Plan:
    """Decide how to write the data.

    Several columns of sets are written as a table. In formats that hold only sets, their items are tagged.
    """
    if shape not in (None, *LAYOUTS):
        raise OptionError(f"layout= must be one of {', '.join(LAYOUTS)}, got '{shape}'.")
    given = {name: value for name, value in given.items() if value not in (None, False)}
    if given.pop("escape_formulas", False):
        given["escaped_formulas"] = True
    source = dataset.origin.layout
    target = _target(dataset, path, format)
    target.check_options(given)
    own = target.with_options(given)
    reading: dict[str, Any] = {}
    remarks: list[str] = []
    if isinstance(source, MultiSetLayout) and target.tabular:
        if shape == "long":
            raise OptionError("layout='long' is for one column of sets, but the data have several: leave it out.")
        if "sets" in given:
            raise OptionError("sets= is for data with one column of sets: leave it out.")
        dataset, reading, remarks = source.spread(dataset, own, item_delimiter)
        layout: TableLayout = Plain(format=own)
    else:
        mark = delimiters(item_delimiter, 1)[0]
        given |= {} if mark is None else {"item_delimiter": mark}
        target.check_options(given)
        layout = _layout(dataset, own, source, shape, given)
    layout, more = layout.fitted(dataset, given)
    if isinstance(layout.format, Csv) and not layout.format.escaped_formulas:
        more = more + formulas.remarks(dataset)
    options = {name: value for name, value in layout.read_options().items() if not (reading and name == "no_sets")}
    return Plan(dataset, layout, {**options, **reading}, remarks + more)


def _current(source: SourceLayout) -> Format | None:
    """Return the format of the file that the data were read from, or None if they did not come from a file."""
    source = source.layout if isinstance(source, MultiSetLayout) else source
    format = source.format if isinstance(source, TableLayout) else None
    return None if isinstance(format, FrameFormat) else format


def _target(dataset: Dataset, path: Path, format: str | None) -> Format:
    """Return the format to write. If it is the format of the input, keep the details of the input."""
    current = _current(dataset.origin.layout)
    name = None if current is None else current.format
    target = format_named(format) if format else format_to_write(path, name, dataset.origin.name)
    return current if isinstance(current, target) and type(current) is target else target()


def _layout(
    dataset: Dataset, target: Format, source: SourceLayout, shape: str | None, given: dict[str, Any]
) -> TableLayout:
    """Return the layout to write, for data with at most one column of sets. ``source`` is the layout of the input."""
    if source.without_sets:
        if shape == "long":
            raise OptionError("layout='long' is for sets, but the data have none: leave it out.")
        return _without_sets(dataset, target, given)
    long = isinstance(source, Long) if shape is None else shape == "long"
    if long and not target.tabular:
        if shape == "long":
            raise OptionError(f"Format {target.format} has no columns, so it cannot be long: write {TABULAR}.")
        long = False
    if long:
        for name in ("sets", "item_delimiter"):
            if name in given:
                raise OptionError(f"{name}= is for wide data: pass layout='wide' too, or leave it out.")
        if isinstance(source, Long):
            return replace(source, format=target).with_options(given)
        taken = arrow_table(dataset).column_names
        ids = (free_name(("id", "record_id"), taken),)
        return Long(format=target, id_columns=ids, item_column=free_name(("item", "label"), taken)).with_options(given)
    for name in ("id_column", "item_column"):
        if name in given:
            raise OptionError(f"{name}= is for long data: pass layout='long' too, or leave it out.")
    if isinstance(source, Wide):
        same = type(source.format) is type(target)
        other = Wide(format=target, column=source.column, before=source.before)
        wide = replace(source, format=target) if same else other
        if not same and not target.lists and source.item_delimiter is not None:
            wide = replace(wide, item_delimiter=source.item_delimiter)
        return wide.with_options(given)
    column = free_name(("items", "item_set"), arrow_table(dataset).column_names)
    return Wide(format=target, column=column).with_options(given)


def _without_sets(dataset: Dataset, target: Format, given: dict[str, Any]) -> Plain:
    """Return the layout to write a table without sets."""
    if not target.tabular:
        raise DataError(
            f"Format {target.format} holds only sets, but the data are a table without sets: write {TABULAR}, "
            f"for instance to out.csv."
        )
    for name in ("sets", "item_delimiter", "id_column", "item_column"):
        if name in given:
            raise OptionError(f"{name}= is for data with one column of sets: leave it out.")
    if not arrow_table(dataset).column_names:
        raise DataError("Nothing is left to write: the data have no sets, and no column is published.")
    return Plain(format=target)


class RowWriter:
    """A writer that appends rows with little memory. :func:`open_writer` makes it."""

    def __init__(self, put: Any, layout: Wide) -> None:
        """Store the function that writes a batch, and the layout."""
        self._put, self._layout = put, layout
        self.rows = 0  # written so far

    def write(self, rows: Transactions | Sequence[Sequence[str]]) -> None:
        """Append rows: lists of labels, or coded rows, which are faster. About 100,000 rows at a time are best."""
        coded = rows if isinstance(rows, Transactions) else Transactions.from_sets(rows)
        for piece in self._layout.encoded(Dataset(coded))[1]:
            self._put(piece)
        self.rows += len(coded)


@contextmanager
def open_writer(
    path: str | Path,
    *,
    format: str | None = None,
    sets: str | None = None,
    item_delimiter: str | None = None,
    delimiter: str | None = None,
) -> Iterator[RowWriter]:
    """Open a writer for rows that do not fit into memory. The file appears when the block ends without an error."""
    options = {"sets": sets, "item_delimiter": item_delimiter, "delimiter": delimiter}
    given = {name: value for name, value in options.items() if value is not None}
    target = format_named(format) if format else format_to_write(Path(path))
    target.check_options(given)
    layout = Wide(format=target().with_options(given)).with_options(given)
    schema, _ = layout.batches(Dataset(Transactions.nothing(0)))
    with files.atomic_output(path) as sink, layout.format.writer(sink, schema) as put:
        yield RowWriter(put, layout)


def to_native(dataset: Dataset) -> Any:
    """Return the data as the kind of object that they were read from: a data frame, or a list of sets.

    Data from a file and data made by hand are returned as lists of labels. If a release has a column that a list of
    sets cannot hold, such as its groups, it is returned as an Arrow table. A file without sets is, too. A pandas or
    polars Series then becomes a data frame.
    """
    import pyarrow as pa

    layout = dataset.origin.layout
    sets, others = layout.set_columns, dataset.table
    if isinstance(layout, MultiSetLayout) and _current(layout) is None:
        dataset, _, remarks = layout.spread(dataset, layout.layout.format)
        for remark in remarks:
            warnings.warn(remark, stacklevel=2)
        layout = layout.layout
    if isinstance(layout, Rows) and others is not None and others.names:
        layout = Wide(format=FrameFormat(), before=())  # keep the columns that were added
    elif layout.without_sets and _current(layout) is not None:
        layout = Plain(format=FrameFormat())
    rows = dataset.transactions
    if isinstance(layout, Rows) and layout.sets:
        return rows.sets()
    format = layout.format if isinstance(layout, TableLayout) else None
    if not isinstance(layout, TableLayout) or not isinstance(format, FrameFormat):
        return python_lists(label_lists(rows))
    if isinstance(layout, Wide):
        layout = replace(layout, item_delimiter=None)  # texts that were split are returned as lists
    schema, batches = layout.batches(dataset)
    keep_index = layout.has_index and (others is None or not others.roles)  # an index has no role
    return format.native(pa.Table.from_batches(batches, schema), sets, keep_index=keep_index)


def marks_to_write(dataset: Dataset, path: str | Path, format: str | None = None, layout: str | None = None) -> str:
    """Return the characters that separate items in the output, if its layout differs from the input."""
    source = dataset.origin.layout
    current, target = _current(source), _target(dataset, Path(path), format)
    long = isinstance(source, Long) if layout is None else layout == "long"
    same = current is not None and target.format == current.format and not isinstance(source, Long)
    return "" if same or (long and target.tabular) else Wide(format=target).marks


def check_columns(dataset: Dataset, names: Sequence[str], path: str | Path, format: str | None = None) -> None:
    """Raise an error if a file like this cannot hold columns with these names. It is called before any work."""
    target = _target(dataset, Path(path), format)
    if not target.tabular:
        raise OptionError(
            f"Format {target.format} cannot hold the column '{names[0]}', which will be published: write csv, jsonl, "
            f"parquet or feather, for instance to out.csv."
        )
