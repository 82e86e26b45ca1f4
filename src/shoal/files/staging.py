"""Temporary files that are renamed together: either all of them, or none.

A temporary file has a random name, is opened only if it is new, and can be read by its owner only. If it replaces
another file, it gets the mode, owner and group of that file.
"""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import shutil
import signal
import stat
import tempfile
import threading
import time
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import OutputError

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
_PREFIX, _SUFFIX = ".shoal-", ".part"  # of temporary files
_OLD = 24 * 3600.0  # seconds since the last write, after which nobody is at work on a file
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_ACL = "system.posix_acl_access"
_appeared: ContextVar[list[Path] | None] = ContextVar("appeared", default=None)


@dataclass(frozen=True)
class Part:
    """A temporary file."""

    path: Path  # as the user named it
    target: Path  # the same with links followed
    aside: Path
    private: bool  # if the target is new, only its owner may read it

    @classmethod
    def create(cls, path: Path, *, private: bool) -> tuple[Part, int]:
        """Create an empty temporary file next to the target. Return it with its descriptor."""
        target = path.resolve()
        remove_leftovers(target.parent)
        prefix = f"{_PREFIX}{os.getpid()}-{_where()}-"
        descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=_SUFFIX, dir=target.parent)  # O_EXCL, O_NOFOLLOW
        return cls(path, target, Path(name), private), descriptor

    @classmethod
    def create_folder(cls, path: Path) -> Part:
        """Create an empty temporary folder next to the target."""
        target = path.resolve()
        remove_leftovers(target.parent)
        prefix = f"{_PREFIX}{os.getpid()}-{_where()}-"
        return cls(
            path, target, Path(tempfile.mkdtemp(prefix=prefix, suffix=_SUFFIX, dir=target.parent)), private=False
        )


@contextlib.contextmanager
def staging_folder(parent: Path) -> Iterator[Path]:
    """Make a folder for files that are about to appear in its parent. It is gone at the end."""
    part = Part.create_folder(parent / "staging")
    try:
        yield part.aside
    finally:
        discard([part])


def put_in_place(finished: Mapping[Path, Path], private: Collection[Path] = ()) -> None:
    """Give finished files the names that they belong to: all of them, or none. Only the owner may read private ones."""
    move([Part(path, path.resolve(), aside, path in private) for path, aside in finished.items()])


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of runs that were killed. Those of runs that go on are left alone.

    The name of such a file tells its process, and where that ran. Files of processes elsewhere (another machine or
    container, before a restart) are removed when they are a day old.
    """
    for file in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        owner, where = (*file.name.removeprefix(_PREFIX).split("-"), "", "")[:2]
        with contextlib.suppress(OSError):  # another run may have removed it
            here = where == _where() and not _is_running(int(owner) if owner.isdigit() else 0)
            if owner.isdigit() and (here or time.time() - file.stat().st_mtime > _OLD):
                shutil.rmtree(file) if file.is_dir() else file.unlink()


@functools.cache
def _where() -> str:
    """Return a short text that is the same for all processes that know each other by number."""
    known = [str(os.name)]
    with contextlib.suppress(OSError):
        known = [_BOOT.read_text(encoding="ascii"), str(os.stat("/proc/self/ns/pid").st_ino)]
    return f"{zlib.crc32(' '.join(known).encode()):08x}"


def _is_running(process: int) -> bool:
    """Whether there is a process with this number."""
    if os.name != "posix":
        return True  # there is no safe way to ask
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


@contextlib.contextmanager
def record() -> Iterator[list[Path]]:
    """Record the files that appear while the block runs."""
    appeared: list[Path] = []
    token = _appeared.set(appeared)
    try:
        yield appeared
    finally:
        _appeared.reset(token)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Delay signals that would end the program until the block has ended. The block must be short."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread gets signals
        yield
        return
    heard: list[int] = []
    ignored = (signal.SIG_IGN, None)
    before = {number: signal.getsignal(number) for number in _ENDING if signal.getsignal(number) not in ignored}
    for number in before:
        signal.signal(number, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in heard:
            signal.raise_signal(number)


def discard(parts: Iterable[Part]) -> None:
    """Remove files that were not renamed."""
    with undisturbed():
        for part in parts:
            _remove(part.aside)


def _remove(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def move(parts: Sequence[Part]) -> None:
    """Rename all files and folders, or none. In that case, an OutputError says why."""
    moved: list[tuple[Part, Path | None]] = []  # each with the former file
    with undisturbed():
        try:
            for part in parts:
                _dress(part)
            for part in parts:
                last = part is parts[-1]  # nothing can fail after it, so nothing has to be kept
                moved.append((part, None if last else _keep(part.target)))
                os.replace(part.aside, part.target)
        except OSError as error:
            stuck = [problem for part, kept in reversed(moved) if (problem := _put_back(part, kept))]
            why = f"{part.path} cannot be written: {error.strerror or error}; "
            raise OutputError(why + ("nothing was left behind." if not stuck else " ".join(stuck))) from None
        for part, kept in moved:
            if kept is not None:
                with contextlib.suppress(OSError):
                    _remove(kept)
            _tell(part)


def _keep(target: Path) -> Path | None:
    """Give the existing file another name, so that it can be restored."""
    if not target.exists():
        return None
    kept = target.with_name(f".shoal-{secrets.token_hex(8)}.kept")
    try:
        os.link(target, kept)
    except OSError:  # the file system has no links, or does not permit them
        os.rename(target, kept)
    return kept


def _put_back(part: Part, kept: Path | None) -> str:
    """Undo a move. Return a sentence if this is impossible."""
    try:
        moved = not part.aside.exists()
        if kept is not None and (moved or not part.target.exists()):
            os.replace(kept, part.target)
        elif kept is not None:
            _remove(kept)
        elif moved:
            _remove(part.target)
    except OSError as error:
        _tell(part)
        former = f", and its former content is in {kept}" if kept is not None else ""
        return f"{part.path} was written and cannot be put back ({error.strerror}){former}."
    return ""


def _tell(part: Part) -> None:
    if (appeared := _appeared.get()) is not None and part.path not in appeared:
        appeared.append(part.path)


def _dress(part: Part) -> None:
    """Set the mode and owner of the replaced file, or those of a new file."""
    if not hasattr(os, "fchown"):  # on Windows, the folder decides
        return
    if part.aside.is_dir():
        os.chmod(part.aside, 0o777 & ~_umask())
        return
    descriptor = os.open(part.aside, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        try:
            before = part.target.stat()
        except FileNotFoundError:
            os.fchmod(descriptor, 0o600 if part.private else 0o666 & ~_umask())
            return
        mode = stat.S_IMODE(before.st_mode) & 0o777
        if not _give(descriptor, before):
            mode &= 0o707  # another group must not get the permissions of the former group
        os.fchmod(descriptor, mode)
        _copy_acl(part.target, descriptor)
    finally:
        os.close(descriptor)


def _give(descriptor: int, before: os.stat_result) -> bool:
    """Set the former owner and group, as far as permitted. Return whether the group is the former one."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        for owner in (before.st_uid, -1):
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, owner, before.st_gid)
                break
    return os.fstat(descriptor).st_gid == before.st_gid


def _copy_acl(source: Path, descriptor: int) -> None:
    """Copy the access control list, if the system has one. Remove any other."""
    if not hasattr(os, "getxattr"):
        return
    try:
        allowed = os.getxattr(source, _ACL)
    except OSError:
        with contextlib.suppress(OSError):
            os.removexattr(descriptor, _ACL)  # it may come from the folder
        return
    os.setxattr(descriptor, _ACL, allowed)


def _umask() -> int:
    """Return the umask. The system only reveals it when it is changed."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
