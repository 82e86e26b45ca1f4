"""A file of persons: one id per record and line, in the order of the records. It must never be published."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from shoal import files
from shoal.data.persons import Persons
from shoal.errors import DataError


def write_persons(ids: Sequence[str], path: str | Path) -> None:
    """Write the ids. Only the owner of the file may read it."""
    for row, one in enumerate(ids, 1):
        if any(mark in one for mark in "\r\n"):
            raise DataError(
                f"The person of record {row} has an id with a line end, which {path} cannot hold: remove it."
            )
    with contextlib.suppress(OSError):  # a file that is replaced keeps its mode, and others may be allowed to read it
        Path(path).chmod(0o600)
    with files.atomic_output(path, private=True) as sink:
        sink.write("".join(f"{one}\n" for one in ids).encode())


def read_persons(path: str | Path, records: int, name: str) -> Persons:
    """Read the persons of a number of records of the data with this name."""
    lines = files.load(path).text().split("\n")
    ids = lines[:-1] if lines[-1] == "" else lines
    return checked_persons(ids, records, name, str(path), "line")


def checked_persons(ids: Sequence[str], records: int, name: str, where: str, unit: str) -> Persons:
    """Build the persons with these ids. There must be one for each record, and none may be blank."""
    if len(ids) != records:
        raise DataError(
            f"{where} has {len(ids):,} persons, but {name} has {records:,} records: wanted one id for each published "
            f"record, in their order. Give the file that was written with this release (persons_out=)."
        )
    blank = [at for at, one in enumerate(ids, 1) if not one.strip()]
    if blank:
        how_many = f"{len(blank):,} such {unit}{'' if len(blank) == 1 else 's'}"
        raise DataError(f"{where}, {unit} {blank[0]:,}: the person is blank ({how_many}): fill it in.")
    return Persons.by_id(ids)
