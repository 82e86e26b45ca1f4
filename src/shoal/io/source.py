"""Sources: a file, a folder or glob of parts, or standard input, as bytes that are read piece by piece.

The hash of a source is that of its bytes; of several parts, that of their paths and hashes.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from shoal.errors import DataError
from shoal.files import clear_errors, codec_of, expanded, reason, sha256_of

STDIN = "-"
_PIECE = 1 << 22
_URL = re.compile(r"[a-z][a-z0-9+.-]+://|(https?|ftp|s3|gs|abfss?|hdfs|file):/", re.IGNORECASE)  # pathlib takes a /
_PARTITION = re.compile(r"([^=/]+)=([^/]*)")
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@dataclass(eq=False)
class SourceFile:
    """One file, or standard input. ``start`` looks at its first bytes without losing them."""

    path: Path
    max_expanded: int | str | None = None
    label: str = ""  # its path within a folder or glob
    _opened: Iterator[bytes] | None = None
    _start: bytes | None = None
    _digest: Any = None
    _past_start: bool = False

    @property
    def name(self) -> str:
        """For messages."""
        return "standard input" if self.is_stdin else str(self.path)

    @property
    def partition(self) -> dict[str, str | None]:
        """The columns that the names of its folders give."""
        return _partition(Path(self.label))

    @property
    def is_stdin(self) -> bool:
        """Whether it is no file."""
        return str(self.path) == STDIN

    @property
    def can_be_read_again(self) -> bool:
        """Whether a second pass is possible: not over pipes."""
        return not self.is_stdin and self.path.is_file()

    @property
    def start(self) -> bytes:
        """The first megabytes; empty, if the file is."""
        if self._start is None:
            self._opened = self._read()
            self._start = next(self._opened, b"")
        return self._start

    def pieces(self) -> Iterator[bytes]:
        """The content, decompressed; from the start again, each time."""
        if self._past_start:
            self._start, self._past_start = None, False
        yield self.start
        assert self._opened is not None
        self._past_start = True
        yield from self._opened

    def whole(self) -> Any:
        """The content as a file of Arrow's that can be read anywhere, for formats that begin at the end."""
        import pyarrow as pa

        if self.can_be_read_again and not codec_of(self.path):
            self._digest = None
            return pa.OSFile(str(self.path))
        return pa.BufferReader(b"".join(self.pieces()))

    @property
    def sha256(self) -> str:
        """The hash of the file as it lies on disk, once it was read."""
        return self._digest.hexdigest() if self._digest is not None else sha256_of(self.path)

    def _read(self) -> Iterator[bytes]:
        """Read from the start."""
        self._digest = hashlib.sha256()
        codec = codec_of(self.path)
        with clear_errors(self.name), self._open() as raw:
            hashed = _Hashed(raw, self._digest)
            if codec is None:
                while piece := hashed.read(_PIECE):
                    yield piece
            else:
                yield from expanded(hashed, codec, self.path, os.path.getsize(self.path), self.max_expanded)

    def _open(self) -> IO[bytes]:
        """The bytes as they lie on disk."""
        if not self.is_stdin:
            return open(self.path, "rb")
        if sys.stdin is None:
            raise DataError("Standard input cannot be read: it is closed.")
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")


class _Hashed(io.RawIOBase):
    """Bytes that are hashed as they are read."""

    def __init__(self, raw: IO[bytes], digest: Any) -> None:
        self._raw, self._digest = raw, digest

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        piece = self._raw.read(-1 if size is None else size)
        self._digest.update(piece)
        return piece


@dataclass(frozen=True, eq=False)
class Source:
    """Where data come from: one file, or parts that belong together."""

    name: str  # as the user gave it
    parts: tuple[SourceFile, ...]
    several: bool = False  # a folder or a glob, even if it holds one part

    @classmethod
    def of(cls, name: str | os.PathLike[str], max_expanded: int | str | None = None) -> Source:
        """Find the parts: in a folder, all files but hidden ones; ``key=value`` in a folder's name is a column."""
        text = os.fspath(name)
        if _URL.match(text):
            raise DataError(
                f"{text} is an address: Shoal reads local files only, so that raw data stay where they are. "
                f"Download the file, and name the copy."
            )
        if not text.strip():
            raise DataError("The path of the data is empty: name a file, a folder or a pattern.")
        path = Path(text)
        try:
            is_folder, is_pattern = path.is_dir(), glob.has_magic(text) and not path.exists()
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read: {reason(error)}.") from None
        if is_folder:
            base, files = path, _files_in(path)
            if not files:
                raise DataError(f"{text} is a folder without files: check the path, or name a file.")
        elif is_pattern:
            base, files = _matches(text)
            if not files:
                raise DataError(f"No file matches {text}: check the pattern, and the folder that it starts from.")
        else:
            return cls(text, (SourceFile(path, max_expanded),))
        parts = [SourceFile(file, max_expanded, Path(os.path.relpath(file, base)).as_posix()) for file in files]
        for part in parts:
            if tuple(part.partition) != tuple(parts[0].partition):
                raise DataError(
                    f"{text}: the folders of {parts[0].label} and {part.label} name different columns: give all parts "
                    f"the same ones, in the same order."
                )
        return cls(text, tuple(parts), several=True)

    @property
    def path(self) -> Path:
        """As a path: of the file, or of the folder."""
        return Path(self.name)

    @property
    def is_stdin(self) -> bool:
        """Whether the data come from standard input."""
        return not self.several and self.parts[0].is_stdin

    @property
    def sha256(self) -> str:
        """The hash of what was read."""
        if not self.several:
            return self.parts[0].sha256
        hashes = "".join(f"{part.label}\0{part.sha256}\n" for part in self.parts)
        return hashlib.sha256(hashes.encode("utf-8", "surrogateescape")).hexdigest()


def sha256_of_source(name: str | os.PathLike[str]) -> str:
    """The hash of a file, or of the parts of a folder or glob, as it lies on disk."""
    return Source.of(name).sha256


def _files_in(folder: Path) -> list[Path]:
    """The files in a folder and in those below it, but not hidden ones."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not _hidden(file.relative_to(folder)))


def _matches(pattern: str) -> tuple[Path, list[Path]]:
    """The files that match a pattern, or are in a folder that does; and the folder that the pattern starts from."""
    base = Path(re.split(r"[*?[]", pattern)[0] + "x").parent
    spelled = Path(pattern).name.startswith((".", "_"))  # then hidden files are wanted
    files = set[Path]()
    for match in map(Path, glob.glob(pattern, recursive=True)):
        if spelled or not _hidden(Path(os.path.relpath(match, base))):
            files.update(_files_in(match) if match.is_dir() else [match] if match.is_file() else [])
    return base, sorted(files)


def _hidden(path: Path) -> bool:
    """Whether other tools pass over such a file, too: ``_SUCCESS``, ``.crc``."""
    return any(part.startswith((".", "_")) and "=" not in part for part in path.parts)


def _partition(path: Path) -> dict[str, str | None]:
    """The columns that the folders of a part name.

    >>> _partition(Path("year=2024/week=7/part-0.parquet"))
    {'year': '2024', 'week': '7'}
    """
    pairs = [match.groups() for folder in path.parts[:-1] if (match := _PARTITION.fullmatch(folder))]
    return {unquote(key): None if value == _NULL_PARTITION else unquote(value) for key, value in pairs}
