"""Arrays that may be larger than memory: collected piece by piece, in memory or in a file without a name.

The file is never visible in its folder, so nobody else can change it. The system removes it when the process ends,
even after ``kill -9``. Pieces are written, not mapped, so that a full disk is an error and not a crash. The finished
array is mapped and read-only.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from shoal.errors import OutputError

SHARE = 64  # an array may take this part of the memory before it goes to a file: there are many arrays
_MANY = 1 << 16  # values of a first piece that make more of them likely, so that room for all is worth it
_CGROUPS, _OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


class Collected:
    """An array that grows. It is kept in memory up to a part of the limit, and in a file beyond it.

    Parameters
    ----------
    dtype
        The type of the values.
    memory
        The limit on memory for all data, in bytes.
    folder
        Where the file is made. None: the system's temporary folder.
    most
        The largest possible number of values, so that they can be put in their place at once. 0: not known.
    over
        An array of the same type whose memory the values are written to, from its start. It is not used if it is in a
        file.

    Examples
    --------
    >>> numbers = Collected(np.int32, memory=64)
    >>> for piece in ([1, 2], [3, 4, 5]):
    ...     numbers.append(np.array(piece, dtype=np.int32))
    >>> numbers.array().tolist()
    [1, 2, 3, 4, 5]
    """

    def __init__(
        self,
        dtype: type[np.generic],
        memory: int,
        folder: Path | None = None,
        most: int = 0,
        over: npt.NDArray[Any] | None = None,
    ) -> None:
        self._dtype, self._limit, self._folder = np.dtype(dtype), memory // SHARE, folder
        self._known, self._most = bool(most), min(most or sys.maxsize, self._limit // self._dtype.itemsize)
        self._room: npt.NDArray[Any] = np.empty(0, self._dtype) if over is None else _writable(over)
        self._pieces: list[npt.NDArray[Any]] = []  # those that have no room
        self._length = self._placed = 0
        self._file: IO[bytes] | None = None

    def append(self, piece: npt.NDArray[Any]) -> None:
        """Add values at the end."""
        piece = np.ascontiguousarray(piece, dtype=self._dtype)
        start, self._length = self._length, self._length + len(piece)
        if self._file is None and self._length * piece.itemsize > self._limit:
            self._file = open_scratch(self._folder)
            for earlier in (self._room[: self._placed], *self._pieces):
                self._write(earlier)
            self._room, self._pieces = np.empty(0, self._dtype), []
        # A large first piece is probably the only one, and not copied. The system gives memory only to what is written.
        wanted = 2 * len(piece) < self._most and (self._known or len(piece) >= _MANY)
        if not start and wanted and not len(self._room):
            self._room = np.empty(self._most, self._dtype)
        if self._file is not None:
            self._write(piece)
        elif self._length <= len(self._room):
            self._room[start : self._length] = piece
            self._placed = self._length
        else:
            self._pieces.append(piece)

    def extend(self, pieces: Iterable[npt.NDArray[Any]]) -> None:
        """Add several pieces."""
        for piece in pieces:
            self.append(piece)

    def array(self) -> npt.NDArray[Any]:
        """Return all values, read-only. Nothing can be added afterwards."""
        if self._file is not None:
            with self._file as file:
                values = np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=self._dtype)
        elif not self._pieces:
            values = self._room[: self._length]
        elif len(self._pieces) == 1 and not self._placed:
            values = self._pieces[0]
        else:
            values = np.concatenate([self._room[: self._placed], *self._pieces])
        self._room, self._pieces = np.empty(0, self._dtype), []
        values.flags.writeable = False
        return values

    def _write(self, piece: npt.NDArray[Any]) -> None:
        assert self._file is not None
        left = memoryview(piece.view(np.uint8).data) if piece.nbytes else memoryview(b"")
        try:
            while len(left):
                left = left[self._file.write(left) :]
        except OSError as error:
            raise _full(error, self._folder) from None


def _writable(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the same memory as an array that can be written, or an empty array if NumPy refuses: it is in a file."""
    view = values.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return values[:0].copy()
    return view


def open_scratch(folder: Path | None) -> IO[bytes]:
    """Open a file without a name. Raise an error if the folder cannot hold one."""
    try:
        return tempfile.TemporaryFile(dir=folder, buffering=0)
    except OSError as error:
        raise _full(error, folder) from None


def write_scratch(file: IO[bytes], data: Any, folder: Path | None) -> int:
    """Write all bytes to a file of :func:`open_scratch`, and return how many. Raise an error if there is no space."""
    left = memoryview(data).cast("B")
    size = len(left)
    try:
        while len(left):
            left = left[file.write(left) :]
    except OSError as error:
        raise _full(error, folder) from None
    return size


def _full(error: OSError, folder: Path | None) -> OutputError:
    """Return the error for a work folder that cannot be used."""
    where = folder or tempfile.gettempdir()
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return OutputError(
            f"The work folder {where} has no space left for data that do not fit into memory: free some space, or "
            f"name another folder with work_dir=. Nothing was written."
        )
    reason = error.strerror or type(error).__name__
    return OutputError(
        f"The work folder {where} cannot hold data that do not fit into memory ({reason}): name a folder that you may "
        f"write to with work_dir=. Nothing was written."
    )


def release(array: npt.NDArray[Any]) -> None:
    """Let go of the memory that holds values of a mapped array. They are read again when needed."""
    base: Any = array
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    mapped = base.obj if isinstance(base, memoryview) else base
    if not isinstance(mapped, mmap.mmap) or not hasattr(mapped, "madvise") or not array.nbytes:
        return
    start = array.ctypes.data - np.frombuffer(mapped, np.uint8).ctypes.data
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    stop = start + array.nbytes
    if stop < len(mapped):
        stop = stop // mmap.PAGESIZE * mmap.PAGESIZE
    if stop > first:
        mapped.madvise(mmap.MADV_DONTNEED, first, stop - first)


def half_of_memory() -> int:
    """Return half of the memory that this machine, or the control group of this process, has."""
    sizes = [4 << 30] if not hasattr(os, "sysconf") else [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for file in _limit_files():
        with contextlib.suppress(OSError, UnicodeDecodeError):
            text = file.read_text(encoding="ascii").strip()
            sizes += [int(text)] if text.isdigit() else []
    return min(sizes) // 2


def _limit_files() -> list[Path]:
    """Return the files with the memory limits of the control groups that this process is in."""
    groups = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in _OWN_CGROUP.read_text(encoding="utf-8").splitlines():
            number, _, path = line.partition("::")
            if number == "0" and path.startswith("/"):  # version 2: one tree for all
                own = Path(path.lstrip("/"))
                groups = [_CGROUPS / one for one in (own, *own.parents)]
    return [*(group / "memory.max" for group in groups), _CGROUPS / "memory" / "memory.limit_in_bytes"]
