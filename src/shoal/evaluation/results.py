"""The table of results of a comparison: a CSV file that grows by a row with every run, whatever ends it."""

from __future__ import annotations

import csv
import io as streams
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.errors import DataError, OutputError
from shoal.files import atomic_output

KEY = "key"
Row = dict[str, Any]
FINGERPRINT = "fingerprint"
_TEXTS = {
    KEY,
    FINGERPRINT,
    "data",
    "model",
    "algorithm",
    "method",
    "loss",
    "status",
    "error",
    "ended",
    "statistics",
    "scored_by",
    "worthless",
}


class Results:
    """Rows by the key of their case. Each row is on disk as soon as it is added.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "results.csv"
    >>> kept = Results(path, ["key", "k", "ncp"])
    >>> kept.append({"key": "a", "k": 5, "ncp": 0.1})
    >>> with open(path, "a") as file:
    ...     _ = file.write("b,5,0.")  # the machine went down
    >>> Results(path, ["key", "k", "ncp"]).rows
    {'a': {'key': 'a', 'k': '5', 'ncp': '0.1'}}
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self.rows: dict[str, dict[str, str]] = {}  # as they stand in the file
        before: list[str] = []
        if path.exists():
            before, self.rows = _read(path)
        self.fixed = len(columns)
        self.columns = [*columns, *(name for name in before if name not in columns)]
        if before != self.columns or not _whole(path):
            self._rewrite(self.rows.values())

    def append(self, row: Mapping[str, Any]) -> None:
        """Add a row; it is on disk when this returns. A row of the same case takes the place of the earlier one."""
        if new := [name for name in row if name not in self.columns]:
            self.columns += new
            self._rewrite(self.rows.values())
        texts = {name: text(row.get(name)) for name in self.columns}
        try:
            with open(self.path, "a", encoding="utf-8", newline="") as file:
                file.write(_line(texts[name] for name in self.columns))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutputError(
                f"{self.path} cannot be written: {error.strerror or error}. It holds the earlier rows: run the "
                f"same comparison again to continue."
            ) from None
        self.rows[texts[KEY]] = texts

    def forget(self, keys: Iterable[str]) -> None:
        """Remove rows, on disk too, so that they are never taken for new ones."""
        for key in keys:
            self.rows.pop(key, None)
        self._rewrite(self.rows.values())

    def finish(self, order: Sequence[str], added: Mapping[str, Mapping[str, Any]]) -> None:
        """Put the rows in the order of these keys, others after them, and add derived columns."""
        for key, values in added.items():
            self.columns += [name for name in values if name not in self.columns]
            self.rows[key] |= {name: text(value) for name, value in values.items()}
        first = [self.rows[key] for key in order if key in self.rows]
        known = self.columns[: self.fixed]
        self.columns = known + sorted(set(self.columns) - set(known))  # as they came, they tell who was first
        ours = set(order)
        rest = [row for key, row in self.rows.items() if key not in ours]
        self._rewrite([*first, *rest])

    def _rewrite(self, rows: Iterable[Mapping[str, str]]) -> None:
        """Write the whole file again, and move it into place."""
        with atomic_output(self.path) as file:
            file.write(_line(self.columns).encode())
            for row in rows:
                file.write(_line(row.get(name, "") for name in self.columns).encode())


def text(value: Any) -> str:
    """Format a value for the file: numbers with all their digits.

    >>> text(0.1), text(5), text(True), text(None), text(("a", "b"))
    ('0.1', '5', 'yes', '', 'a;b')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ";".join(map(str, value))
    return repr(value) if isinstance(value, float) else str(value)


def value(name: str, cell: str) -> Any:
    """Parse the value of a column. An empty cell is None.

    >>> value("ncp", "0.1"), value("k", "5"), value("verified", "yes"), value("data", "5"), value("ncp", "")
    (0.1, 5, True, '5', None)
    """
    if name in _TEXTS:
        return cell
    if cell in ("", "yes", "no"):
        return {"": None, "yes": True, "no": False}[cell]
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell


def load(path: Path) -> list[Row]:
    """Read the rows of a file, with parsed values."""
    return [{name: value(name, cell) for name, cell in row.items()} for row in _read(path)[1].values()]


def to_parquet(rows: Sequence[Row], path: Path) -> None:
    """Return all rows as Parquet. A column of numbers and texts becomes one of texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = list(dict.fromkeys(name for row in rows for name in row))
    arrays = {}
    for name in names:
        values = [row.get(name) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kinds == {int, float}:
            values = [None if value is None else float(value) for value in values]
        elif len(kinds) > 1 or kinds & {tuple, list}:
            values = [None if value is None else text(value) for value in values]
        arrays[name] = pa.array(values)
    with atomic_output(path) as file:
        pq.write_table(pa.table(arrays), file)


def _read(path: Path) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Read the columns, and the rows by key. An incomplete last line is left out."""
    content = path.read_bytes()
    try:
        end = max(content.rfind(b"\n"), content.rfind(b"\r")) + 1  # cut before decoding: a character may be torn, too
        lines = list(csv.reader(streams.StringIO(content[:end].decode("utf-8-sig"), newline=None)))
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path} is not a table of results of 'shoal compare', or it is damaged ({error}): name another folder."
        ) from None
    columns = lines[0] if lines else []
    if lines and KEY not in columns:
        raise DataError(
            f"{path} is not a table of results of 'shoal compare' (it has no column '{KEY}'): name another folder."
        )
    rows = [dict(zip(columns, line, strict=False)) for line in lines[1:] if len(line) == len(columns)]
    return columns, {row[KEY]: row for row in rows}


def _whole(path: Path) -> bool:
    """Return whether the last line is complete."""
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        if not file.tell():
            return False
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def _line(cells: Iterable[str]) -> str:
    """Return one line of the file. No cell holds a line break."""
    out = streams.StringIO()
    csv.writer(out, lineterminator="\n").writerow([" ".join(cell.splitlines()) for cell in cells])
    return out.getvalue()
