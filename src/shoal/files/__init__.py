"""Read files as bytes (compressed or not, with their hash), and write files that are never left incomplete."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
from collections.abc import Generator, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

from shoal.errors import DataError, OptionError, OutputError, shorten
from shoal.files.staging import Part, discard, move, undisturbed

_CODECS = {".gz": "gzip", ".zst": "zstd"}
_MARKS = {  # UTF-32 comes first, because one of its marks starts like UTF-16
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_EXPANDED, _AT_LEAST = 64, 10**9  # a compressed file may expand to 64 times its size, and to at least 1 GB
_PIECE = 1 << 22
Pieces = Generator[bytes, None, None]


@dataclass(frozen=True)
class FileBytes:
    """The decompressed content of a file, with the hash of the file on disk."""

    path: Path
    data: bytes
    sha256: str

    @property
    def utf8(self) -> bool:
        """Whether it must be UTF-8 if it is text."""
        return encoding_of(self.data) is None

    def text(self) -> str:
        """Return the content as text: UTF-8 with or without a byte-order mark, with any line ends."""
        return decode(self.data, str(self.path))


def codec_of(path: Path) -> str | None:
    """Return the compression that a file name indicates, or None.

    >>> codec_of(Path("baskets.dat.gz")), codec_of(Path("baskets.dat"))
    ('gzip', None)
    """
    return _CODECS.get(path.suffix.lower())


def plain_suffix(path: Path) -> str:
    """Return the lower-case suffix, without that of the compression.

    >>> plain_suffix(Path("baskets.CSV.gz"))
    '.csv'
    """
    return (path.with_suffix("") if codec_of(path) else path).suffix.lower()


@contextlib.contextmanager
def clear_errors(name: str) -> Iterator[None]:
    """Turn errors on reading a file into one sentence."""
    try:
        yield
    except IsADirectoryError:
        raise DataError(f"{name} is a folder: pass a file.") from None
    except FileNotFoundError:
        raise DataError(f"{name} does not exist: check the path.") from None
    except (OSError, ValueError) as error:
        raise DataError(f"{name} cannot be read: {reason(error)}.") from None


_travelling: ContextVar[Mapping[str, bytes] | None] = ContextVar("travelling", default=None)


@contextlib.contextmanager
def travelling(contents: Mapping[str, bytes]) -> Iterator[None]:
    """Take these files, by their paths, from memory: they came with a job from another machine."""
    token = _travelling.set(contents)
    try:
        yield
    finally:
        _travelling.reset(token)


def raw(path: str | Path) -> bytes:
    """Return the bytes of a file on disk."""
    with clear_errors(str(path)):
        return Path(path).read_bytes()


def load(path: str | Path, max_expanded: int | str | None = None) -> FileBytes:
    """Read a whole file. ``max_expanded`` limits the size of a decompressed file."""
    path = Path(path)
    content = (_travelling.get() or {}).get(str(path))
    content = raw(path) if content is None else content
    digest = hashlib.sha256(content).hexdigest()
    codec = codec_of(path)
    if codec:
        content = b"".join(expanded(io.BytesIO(content), codec, path, len(content), max_expanded))
    return FileBytes(path, content, digest)


def expanded(packed: Any, codec: str, path: Path, size: int, max_expanded: int | str | None = None) -> Pieces:
    """Iterate over the decompressed content of a file of this size, up to the limit."""
    import pyarrow as pa

    limit = max(_AT_LEAST, _EXPANDED * size) if max_expanded is None else bytes_of(max_expanded)
    total = 0
    try:
        with pa.CompressedInputStream(pa.PythonFile(packed, mode="r"), codec) as stream:
            while piece := stream.read(_PIECE):
                total += len(piece)
                if total > limit:
                    raise DataError(
                        f"{path} has {size:,} bytes, but expands to more than {limit:,}: if you trust the file, pass "
                        f"a higher limit such as max_expanded='20GB'."
                    )
                yield piece
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path} is not a valid {codec} file: {error}.") from None


def bytes_of(size: int | str, name: str = "max_expanded") -> int:
    """Return a size in bytes. ``name`` is the argument that messages name.

    >>> bytes_of(5), bytes_of("5000"), bytes_of("1.5 GB"), bytes_of("20M")
    (5, 5000, 1500000000, 20000000)
    """
    match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,9})?)\s*([kmgt]?)b?", str(size).strip().lower(), re.ASCII)
    if match is None or isinstance(size, bool):
        raise OptionError(f"{name}= must be a size such as 500MB or 4GB, got '{shorten(size)}'.")
    return int(Fraction(match[1]) * _UNITS[match[2]])


def encoding_of(start: bytes) -> str | None:
    """Return the encoding that a byte-order mark announces, if it is not UTF-8."""
    return next((encoding for mark, encoding in _MARKS.items() if start.startswith(mark)), None)


def decode(data: bytes, name: str) -> str:
    """Convert bytes to text. Raise an error if they are not text."""
    if encoding := encoding_of(data):
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            kind = encoding.upper()
            raise DataError(f"{name} is not text: it starts like {kind} but cannot be decoded.") from None
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise DataError(f"{name}, line {line}: expected text, got binary data: is this the right file or format?")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise not_utf8(name, line, data[error.start]) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def not_utf8(name: str, line: int, byte: int) -> DataError:
    """Return the error that a byte of a file is not UTF-8."""
    return DataError(
        f"{name}, line {line}: not UTF-8 text (byte 0x{byte:02x}): save the file as UTF-8 (in Excel: CSV UTF-8)."
    )


def reason(error: Exception) -> str:
    """Return what is wrong with a path. Python raises three kinds of errors for that."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "its name contains a NUL" if isinstance(error, ValueError) else "it is a link that leads back to itself"


def check_writable(path: str | Path) -> None:
    """Raise an OutputError if a file cannot be written, before hours of work."""
    path = Path(path)
    try:
        target = path.resolve()  # follow links: their target is written, not the link
        if target.is_dir():
            raise OutputError(f"{path} is a folder: choose a file to write.")
        if target.exists() and not target.is_file():
            raise OutputError(f"{path} is a device or a pipe: choose an ordinary file to write.")
        if not target.parent.is_dir():
            raise OutputError(f"{path} cannot be written: the folder {target.parent} does not exist: create it first.")
        denied = not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK))
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputError(f"{path} cannot be written: {reason(error)}.") from None
    if denied:
        raise OutputError(f"{path} cannot be written: permission denied.")


_staged: ContextVar[dict[Path, Part] | None] = ContextVar("staged", default=None)  # by their final names


@contextlib.contextmanager
def all_or_none() -> Iterator[None]:
    """Write several files: if the block ends without an error, all of them appear, otherwise none.

    Inside another such block, they appear when the outer block ends.
    """
    if _staged.get() is not None:
        yield
        return
    staged: dict[Path, Part] = {}
    token = _staged.set(staged)
    try:
        yield
        move(list(staged.values()))
    except OSError as error:
        raise OutputError(f"{error.filename2 or error.filename} cannot be written: {error.strerror}.") from None
    finally:
        _staged.reset(token)
        discard(staged.values())


@contextlib.contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Make a folder that appears only when the block ends without an error. It must be new or empty."""
    path = Path(path)
    check_folder(path)
    with undisturbed():
        part = Part.create_folder(path)
    staged = _staged.get()
    try:
        yield part.aside
        if staged is None:
            move([part])
        else:
            staged[part.target] = part
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}; nothing was left behind.") from None
    finally:
        if part not in (staged or {}).values():
            discard([part])


def names_folder(path: str | Path) -> bool:
    """Whether a text names a folder: it ends in a slash. A Path forgets that.

    >>> names_folder("public/"), names_folder("public")
    (True, False)
    """
    return os.fspath(path).endswith(("/", os.sep))


def check_folder(path: str | Path) -> None:
    """Raise an OutputError if a folder of parts cannot be made, before hours of work."""
    path = Path(path)
    try:
        target = path.resolve()
        if target.exists() and not target.is_dir():
            raise OutputError(f"{path} is a file, so it cannot be a folder of parts: choose another name.")
        if target.is_dir() and any(target.iterdir()):
            raise OutputError(f"{path} is a folder with files already: choose a new one, or empty it.")
        if not target.parent.is_dir():
            raise OutputError(f"{path} cannot be written: the folder {target.parent} does not exist: create it first.")
        denied = not os.access(target.parent, os.W_OK)
    except (OSError, RuntimeError, ValueError) as error:
        raise OutputError(f"{path} cannot be written: {reason(error)}.") from None
    if denied:
        raise OutputError(f"{path} cannot be written: permission denied.")


@contextlib.contextmanager
def atomic_output(path: str | Path, *, private: bool = False, digest: Any = None) -> Iterator[IO[bytes]]:
    """Open a binary file that appears only when the block ends without an error, compressed as its name says.

    A file that is replaced keeps its mode and owner. A new ``private`` file can be read by its owner only. ``digest``:
    a hash of :mod:`hashlib` that is updated with the bytes of the file, as they are on disk.
    """
    path = Path(path)
    check_writable(path)
    staged, codec, part = _staged.get(), codec_of(path), None
    try:
        with undisturbed():
            part, descriptor = Part.create(path, private=private)
        with open(descriptor, "wb", buffering=0) as raw:
            with io.BufferedWriter(_Written(raw, digest)) as sink:
                if codec:
                    import pyarrow as pa

                    with pa.CompressedOutputStream(sink, codec) as packed:
                        yield packed
                else:
                    yield sink
            os.fsync(raw.fileno())
        if staged is None:
            move([part])
        else:
            discard([staged[part.target]] if part.target in staged else [])
            staged[part.target] = part
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {error.strerror or error}; nothing was left behind.") from None
    finally:
        if part is not None and part not in (staged or {}).values():
            discard([part])


@contextlib.contextmanager
def hashed_output(path: Path, digest: Any) -> Iterator[IO[bytes]]:
    """Open a new binary file whose bytes are hashed while they are written."""
    with open(path, "wb", buffering=0) as raw:
        with io.BufferedWriter(_Written(raw, digest)) as sink:
            yield sink
        os.fsync(raw.fileno())


class _Written(io.RawIOBase):
    """Bytes that are hashed while they are written to a file, one after the other. The file stays open."""

    def __init__(self, raw: io.FileIO, digest: Any) -> None:
        self._raw, self._digest = raw, digest

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._raw.tell()

    def write(self, data: Any) -> int:
        written = self._raw.write(data)
        if self._digest is not None:
            self._digest.update(memoryview(data)[:written])
        return written


def sha256_of(path: str | Path) -> str:
    """Return the hash of a file on disk, or of one that is about to appear there."""
    target = Path(path).resolve()
    part = (_staged.get() or {}).get(target)
    with open(part.aside if part else target, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
