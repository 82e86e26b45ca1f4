"""Sources: a file, a folder or glob of parts, or standard input, read as pieces of bytes.

The hash of a source is that of its bytes. The hash of several parts is that of their paths and hashes.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import unquote

from shoal.engines import current
from shoal.errors import DataError
from shoal.files import Pieces, clear_errors, codec_of, expanded, reason, sha256_of

STDIN = "-"
_PIECE = 1 << 22
_LARGE = 1 << 26  # bytes of a file that is read with progress
_URL = re.compile(r"[a-z][a-z0-9+.-]+://|(https?|ftp|s3|gs|abfss?|hdfs|file):/", re.IGNORECASE)  # pathlib takes a /
_PARTITION = re.compile(r"([^=/]+)=([^/]*)")
_NULL_PARTITION = "__HIVE_DEFAULT_PARTITION__"


@dataclass(eq=False)
class SourceFile:
    """One file, or standard input. ``start`` returns its first bytes without consuming them."""

    path: Path
    max_expanded: int | str | None = None
    label: str = ""  # its path within the folder or glob
    _opened: Iterator[bytes] | None = None
    _start: bytes | None = None
    _digest: Any = None
    _seen: tuple[int, ...] = ()  # which file it was, and of which size and time, when it was opened
    _past_start: bool = False

    @property
    def name(self) -> str:
        """Return the name for messages."""
        return "standard input" if self.is_stdin else str(self.path)

    @property
    def partition(self) -> dict[str, str | None]:
        """Return the columns that the names of its folders give."""
        return _partition(Path(self.label))

    @property
    def is_stdin(self) -> bool:
        """Whether it is standard input."""
        return str(self.path) == STDIN

    @property
    def can_be_read_again(self) -> bool:
        """Whether it can be read twice. Pipes cannot."""
        return not self.is_stdin and self.path.is_file()

    @property
    def start(self) -> bytes:
        """Return the first megabytes, or nothing if the file is empty."""
        if self._start is None:
            self._opened = self._read()
            self._start = next(self._opened, b"")
        return self._start

    def pieces(self) -> Iterator[bytes]:
        """Iterate over the decompressed content. Each call starts again."""
        if self._past_start:
            self._start, self._past_start = None, False
        yield self.start
        assert self._opened is not None
        self._past_start = True
        yield from self._opened

    def whole(self) -> Any:
        """Return the content as a seekable Arrow file, for formats that begin at the end."""
        import pyarrow as pa

        if self.can_be_read_again and not codec_of(self.path):
            self._digest = None
            self._seen = _state(self.path)
            return pa.OSFile(str(self.path))
        return pa.BufferReader(b"".join(self.pieces()))

    @property
    def sha256(self) -> str:
        """Return the hash of the file on disk. It must have been read. Refuse a file that has changed since."""
        try:
            if not self._seen or _state(self.path) == self._seen:
                digest = self._digest
                return sha256_of(self.path) if digest is None else str(digest.hexdigest())
        except FileNotFoundError:
            pass
        raise DataError(f"{self.name} changed while it was read: wait until it is complete, and try again.")

    def _read(self) -> Iterator[bytes]:
        """Read from the start."""
        self._digest = hashlib.sha256()
        codec = codec_of(self.path)
        with clear_errors(self.name), self._open() as raw:
            self._seen = _state(raw.fileno()) if self.can_be_read_again else ()
            size = self._seen[0] if self._seen else 0
            hashed = _Hashed(raw, self._digest)
            if codec is not None:
                pieces = expanded(hashed, codec, self.path, os.path.getsize(self.path), self.max_expanded)
            elif size > _PIECE:
                pieces = current().ahead(hashed.pieces())
            else:
                pieces = hashed.pieces()  # Ctrl-C could not end a thread that waits for a pipe
            with closing(pieces):
                for piece in pieces:
                    if size > _LARGE:
                        current().progress("reading", min(1.0, hashed.done / size))
                    yield piece

    def _open(self) -> IO[bytes]:
        """Open the bytes on disk."""
        if not self.is_stdin:
            return open(self.path, "rb")
        if sys.stdin is None:
            raise DataError("Standard input cannot be read: it is closed.")
        return os.fdopen(os.dup(sys.stdin.fileno()), "rb")


def _state(file: Path | int) -> tuple[int, ...]:
    """Return the size of a file, and what changes if it is replaced or written to."""
    state = os.stat(file)
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino, state.st_dev


class _Hashed(io.RawIOBase):
    """Bytes that are hashed while they are read."""

    def __init__(self, raw: IO[bytes], digest: Any) -> None:
        self._raw, self._digest, self.done = raw, digest, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        piece = self._raw.read(-1 if size is None else size)
        self._digest.update(piece)
        self.done += len(piece)
        return piece

    def pieces(self) -> Pieces:
        """Iterate over the rest."""
        while piece := self.read(_PIECE):
            yield piece


@dataclass(frozen=True, eq=False)
class Source:
    """Where data come from: one file, or several parts."""

    name: str  # as the user gave it
    parts: tuple[SourceFile, ...]
    several: bool = False  # it is a folder or a glob, even if it has one part
    siblings: tuple[str, ...] = ()  # the labels of all parts, if these are only some of them

    @classmethod
    def of(cls, name: str | os.PathLike[str], max_expanded: int | str | None = None) -> Source:
        """Find the parts: in a folder, all files except hidden ones. ``key=value`` in a folder's name is a column."""
        text = os.fspath(name)
        if _URL.match(text):
            raise DataError(
                f"{text} is a URL, but Shoal reads only local files, so that raw data stay where they are: "
                f"download the file, and pass the path of the copy."
            )
        if not text.strip():
            raise DataError("The path of the data is empty: pass a file, a folder or a pattern.")
        path = Path(text)
        try:
            is_folder, is_pattern = path.is_dir(), glob.has_magic(text) and not path.exists()
        except (OSError, ValueError) as error:
            raise DataError(f"{path} cannot be read: {reason(error)}.") from None
        if is_folder:
            base, files = path, files_in(path)
            if not files:
                raise DataError(f"{text} is a folder without files: check the path, or pass a file.")
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
                    f"{text}: the folders of {parts[0].label} and {part.label} name different columns: use the same "
                    f"key=value folders for all parts, in the same order."
                )
        return cls(text, tuple(parts), several=True)

    @property
    def partitions(self) -> list[dict[str, str | None]]:
        """Return for each part the columns that the names of its folders give."""
        labels = self.siblings or [part.label for part in self.parts]
        return [_partition(Path(label)) for label in labels]

    def alone(self, part: SourceFile) -> Source:
        """Return one of the parts as a source that can be read on another machine."""
        own = SourceFile(part.path, part.max_expanded, part.label)  # it may be open here
        return Source(self.name, (own,), self.several, tuple(one.label for one in self.parts))

    @property
    def path(self) -> Path:
        """Return the path of the file or the folder."""
        return Path(self.name)

    @property
    def is_stdin(self) -> bool:
        """Whether the data come from standard input."""
        return not self.several and self.parts[0].is_stdin

    @property
    def sha256(self) -> str:
        """Return the hash of the data that were read."""
        if not self.several:
            return self.parts[0].sha256
        hashes = "".join(f"{part.label}\0{part.sha256}\n" for part in self.parts)
        return hashlib.sha256(hashes.encode("utf-8", "surrogateescape")).hexdigest()


def sha256_of_source(name: str | os.PathLike[str]) -> str:
    """Return the hash of a file on disk, or of the parts of a folder or glob."""
    return Source.of(name).sha256


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder and its subfolders, except hidden ones."""
    return sorted(file for file in folder.rglob("*") if file.is_file() and not _hidden(file.relative_to(folder)))


def _matches(pattern: str) -> tuple[Path, list[Path]]:
    """Return the folder that a pattern starts from, and the files that match it or are in a matching folder."""
    base = Path(re.split(r"[*?[]", pattern)[0] + "x").parent
    spelled = Path(pattern).name.startswith((".", "_"))  # the pattern asks for hidden files
    files = set[Path]()
    for match in map(Path, glob.glob(pattern, recursive=True)):
        if spelled or not _hidden(Path(os.path.relpath(match, base))):
            files.update(files_in(match) if match.is_dir() else [match] if match.is_file() else [])
    return base, sorted(files)


def _hidden(path: Path) -> bool:
    """Whether other tools skip such a file, too: ``_SUCCESS``, ``.crc``."""
    return any(part.startswith((".", "_")) and "=" not in part for part in path.parts)


def _partition(path: Path) -> dict[str, str | None]:
    """Return the columns that the folders of a part name.

    >>> _partition(Path("year=2024/week=7/part-0.parquet"))
    {'year': '2024', 'week': '7'}
    """
    pairs = [match.groups() for folder in path.parts[:-1] if (match := _PARTITION.fullmatch(folder))]
    return {unquote(key): None if value == _NULL_PARTITION else unquote(value) for key, value in pairs}
