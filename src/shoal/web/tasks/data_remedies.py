"""What can be done about a file that cannot be read: text of Windows programs is converted into a copy."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path

from shoal.errors import InputError
from shoal.files import atomic_output
from shoal.web.worker import Session

WINDOWS = "cp1252"  # of Western Europe and America
PIECE = 1 << 20


def is_windows_text(session: Session, file: str) -> bool:
    """Return whether a file is not UTF-8, but is text as Windows programs of Western languages write it."""
    return not _is_text(file, "utf-8") and _is_text(file, WINDOWS)


def _is_text(file: str, encoding: str) -> bool:
    """Return whether a file can be decoded and holds no binary data."""
    try:
        return all("\0" not in text for text in _pieces(file, encoding))
    except UnicodeDecodeError:
        return False


def to_utf8(session: Session, file: str, target: str) -> str:
    """Write a copy of a file of Windows text as UTF-8, and return its path."""
    if not is_windows_text(session, file):
        raise InputError(f"{file} is not Windows text: choose another file.")
    with atomic_output(Path(target), private=True) as copy:
        for text in _pieces(file, WINDOWS):
            copy.write(text.encode())
    return target


def _pieces(file: str, encoding: str) -> Iterator[str]:
    """Iterate over the text of a file."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with open(file, "rb") as source:
        while piece := source.read(PIECE):
            yield decoder.decode(piece)
    yield decoder.decode(b"", final=True)
