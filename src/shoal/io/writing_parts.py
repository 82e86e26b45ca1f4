"""Writing a folder of parts: files with about equally many records each, written by several workers."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from shoal import files
from shoal.data import Dataset, Origin, Table, Transactions
from shoal.data.source_layout import SourceLayout
from shoal.engines import current
from shoal.errors import OptionError
from shoal.io.layout import TableLayout, arrow_table
from shoal.io.writing import Plan, plan_of

ROWS_OF_A_PART = 1_000_000  # of a folder of parts, if the number of parts is not given


def write_parts(
    dataset: Dataset,
    folder: str | Path,
    parts: int = 0,
    *,
    format: str | None = None,
    layout: str | None = None,
    **given: Any,
) -> str:
    """Write the data as a folder of files with about equally many records each. It appears only if all were written.

    Parameters
    ----------
    dataset : Dataset
        The data.
    folder : path
        The folder. It must be new or empty.
    parts : int, default 0
        The number of files. 0 means one for every million records. Neither the parts of the input nor the number of
        workers change what is written.
    format, layout, **given
        As in :func:`write`. The default format is that of the input.

    Returns
    -------
    str
        The SHA-256 hash of the names and hashes of all files, as for data that are read from a folder.

    Examples
    --------
    >>> import tempfile
    >>> from shoal import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sha256 = write_parts(read([{"milk"}, {"beer"}, {"milk"}]), Path(folder, "out"), 2, format="fimi")
    ...     [(file.name, file.read_text()) for file in sorted(Path(folder, "out").iterdir())]
    [('part-00000.dat', 'milk\\n'), ('part-00001.dat', 'beer\\nmilk\\n')]
    """
    return hash_of_parts(write_listed_parts(dataset, folder, parts, format=format, layout=layout, **given))


def hash_of_parts(parts: Sequence[tuple[str, str]]) -> str:
    """Return one hash for the names and hashes of all files of a folder."""
    return hashlib.sha256("".join(f"{name}\0{sha256}\n" for name, sha256 in parts).encode()).hexdigest()


def write_listed_parts(
    dataset: Dataset,
    folder: str | Path,
    parts: int = 0,
    *,
    format: str | None = None,
    layout: str | None = None,
    **given: Any,
) -> list[tuple[str, str]]:
    """Do the same as :func:`write_parts`, and return the name and the hash of each file."""
    if parts < 0:
        raise OptionError(f"output_parts= must be at least 1, or 0 for one for every million records, got {parts}.")
    plan = plan_of(dataset, Path(folder), format, layout, given)
    for remark in plan.remarks:
        warnings.warn(remark, stacklevel=2)
    writer, suffix, hashes = PartWriter.of(plan), plan.layout.format.suffixes[0], list[tuple[str, str]]()
    number = max(1, min(parts or -(-len(dataset) // ROWS_OF_A_PART), len(dataset)))
    with files.atomic_folder(folder) as aside:

        def write_one(task: tuple[int, Transactions, Any, Path]) -> tuple[str, str]:
            first, rows, columns, path = task
            return path.name, writer.write(first, rows, columns, path)

        tasks = ((*part, aside / f"part-{at:05}{suffix}") for at, part in enumerate(split(plan.dataset, number)))
        for done in current().each(write_one, tasks):
            hashes.append(done)
            current().progress("writing", len(hashes) / number)
    return hashes


def split(dataset: Dataset, number: int) -> Iterator[tuple[int, Transactions, Any]]:
    """Yield the first record, the sets and the other columns of parts with about equally many records."""
    rows, columns = dataset.transactions, arrow_table(dataset)
    for start, stop in pairwise(at * len(rows) // number for at in range(number + 1)):
        yield start, rows.part(start, stop), columns.slice(start, stop - start)


@dataclass(frozen=True, eq=False)
class PartWriter:
    """How parts of the data are written. It holds no data, so that it can be sent to other machines."""

    layout: TableLayout
    origin: Origin
    has_columns: bool

    @classmethod
    def of(cls, plan: Plan) -> Self:
        """Return how to write parts of the data of a plan."""
        plan.layout.check_records(plan.dataset)  # a part does not know the others
        origin = replace(plan.dataset.origin, layout=SourceLayout(), notes=())
        return cls(plan.layout.without_rows(), origin, plan.dataset.table is not None)

    def dataset(self, rows: Transactions, columns: Any) -> Dataset:
        """Return a part as data of its own."""
        return Dataset(rows, Table(columns) if self.has_columns else None, self.origin)

    def write(self, first: int, rows: Transactions, columns: Any, path: Path) -> str:
        """Write a part to a file. Return its hash. ``first``: its first record, counted from 0."""
        digest = hashlib.sha256()
        schema, pieces = self.layout.starting_at(first).encoded(self.dataset(rows, columns))
        with files.hashed_output(path, digest) as sink, self.layout.format.writer(sink, schema) as put:
            for piece in pieces:
                put(piece)
        return digest.hexdigest()

    def table(self, first: int, rows: Transactions, columns: Any) -> Any:
        """Return a part as a pyarrow.Table."""
        import pyarrow as pa

        schema, batches = self.layout.starting_at(first).batches(self.dataset(rows, columns))
        return pa.Table.from_batches(batches, schema)
