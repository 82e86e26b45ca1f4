"""Ids of records and persons as a series keeps them: keyed hashes, so that it can tell which records it has published.

The key is in the folder of the series. Whoever has the folder can try ids, so it is as private as the ids themselves.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal import files
from shoal.data.arrays import Counts
from shoal.data.dataset import Dataset
from shoal.data.person_column import encoded_ids
from shoal.data.persons import Persons
from shoal.errors import DataError, shorten
from shoal.files import atomic_output
from shoal.series.document import PRIVATE

IDS, SECRET = "ids.csv", "secret.key"
DIGITS = 32  # of a hash, hexadecimal
HEADER = "record,person"


@dataclass(frozen=True)
class Ids:
    """The hashed ids of the records of a release, in their published order.

    Parameters
    ----------
    records : tuple of str or None
        One for each record, or None if records have no ids.
    persons : tuple of str or None
        The person of each record, or None if persons are not known.
    """

    records: tuple[str, ...] | None = None
    persons: tuple[str, ...] | None = None

    def save(self, path: Path) -> str:
        """Write them, and return the hash of the file. Only the owner can read it."""
        columns = [self.records, self.persons]
        length = max(len(column or ()) for column in columns)
        rows = zip(*(column or ("",) * length for column in columns), strict=True)
        with atomic_output(path, private=True) as file:
            file.write("\n".join([HEADER, *map(",".join, rows), ""]).encode())
        return files.sha256_of(path)

    @classmethod
    def load(cls, path: Path, records: int, sha256: str) -> Ids:
        """Read them. They must be those that were written."""
        content = files.load(path)
        if content.sha256 != sha256:
            raise DataError(f"{path} was changed after Shoal wrote it: put back the right file.")
        lines = content.text().splitlines()
        if lines[:1] != [HEADER] or len(lines) != records + 1 or any(line.count(",") != 1 for line in lines):
            raise DataError(f"{path} does not list the ids of {records:,} records: it is damaged.")
        sides = list(zip(*(line.split(",") for line in lines[1:]), strict=True)) or [(), ()]
        found = [side if any(side) else None for side in sides]
        if any(side is not None and not all(side) for side in found):
            raise DataError(f"{path} lacks the id of a record: it is damaged.")
        return cls(*found)

    def whose(self) -> Persons | None:
        """Return the persons of the records."""
        return None if self.persons is None else Persons.by_id(self.persons)


@dataclass(frozen=True)
class Secret:
    """The key of the hashes."""

    key: bytes

    @classmethod
    def of(cls, folder: Path, fingerprint: str | None) -> Secret:
        """Return the key of a series. A series without ids gets a new one, which :meth:`save` writes.

        ``fingerprint``: that of the key with which the ids so far were hashed.
        """
        if fingerprint is None:
            return cls(secrets.token_bytes(32))
        path = folder / PRIVATE / SECRET
        if not path.is_file():
            raise DataError(f"{path} is missing, the key of the ids of this series: put it back.")
        text = files.load(path).text().strip()
        try:
            key = bytes.fromhex(text)
        except ValueError:
            key = b""
        if len(key) != 32:
            raise DataError(f"{path} is no key of a series: wanted 64 hexadecimal digits.")
        if cls(key).fingerprint != fingerprint:
            raise DataError(f"{path} is the key of another series: put back the right one.")
        return cls(key)

    @property
    def fingerprint(self) -> str:
        """A hash that tells the key from others."""
        return self.hashed("key", ["fingerprint"])[0]

    def save(self, folder: Path) -> None:
        """Write the key. Only the owner can read the file."""
        with atomic_output(folder / PRIVATE / SECRET, private=True) as file:
            file.write(f"{self.key.hex()}\n".encode())

    def hashed(self, kind: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the hash of each id. ``kind`` keeps records and persons apart.

        >>> Secret(bytes(32)).hashed("record", ["7"]) == Secret(bytes(32)).hashed("person", ["7"])
        False
        """
        known: dict[str, str] = {}
        for one in ids:
            if one not in known:
                known[one] = hmac.new(self.key, f"{kind}:{one}".encode(), hashlib.sha256).hexdigest()[:DIGITS]
        return tuple(known[one] for one in ids)


def ids_of(data: Dataset, column: str) -> list[str]:
    """Return the id of each record. Blank ids, and ids that two records have, are errors."""
    texts, codes = encoded_ids(data, column, "record_id")
    ids = [texts[code].strip() for code in codes.tolist()]
    first: dict[str, int] = {}
    for row, one in enumerate(ids):
        if not one:
            raise DataError(
                f"{data.origin.source}, {data.origin.place(row)}: the column of record ids '{shorten(column)}' is "
                f"empty, but every record needs an id: fill it in, or leave such records out with where=."
            )
        if first.setdefault(one, row) != row:
            raise DataError(
                f"{data.origin.source}, {data.origin.place(row)}: the id in column '{shorten(column)}' is also that of "
                f"{data.origin.place(first[one])}, but each record needs an id of its own: name another column."
            )
    return ids


def without_column(data: Dataset, column: str) -> Dataset:
    """Return the data without a column of ids."""
    if data.table is None or column not in data.table.names:
        return data
    return data.keep_columns([name for name in data.table.names if name != column])


def not_among(hashes: Sequence[str], known: Iterable[str]) -> Counts:
    """Return the rows whose hash is not known yet.

    >>> not_among(["a", "b", "c"], {"b"}).tolist()
    [0, 2]
    """
    there = set(known)
    return np.array([row for row, one in enumerate(hashes) if one not in there], dtype=np.int64)
