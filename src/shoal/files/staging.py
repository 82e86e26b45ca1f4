"""Files on their way to their place: written aside, then moved all at once, or none of them.

A file aside has a name that nobody can guess, is opened only if it is new, and is for its owner alone. When it takes
the place of another, it keeps that one's mode, owner and group.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import OutputError

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]
_ACL = "system.posix_acl_access"
_appeared: ContextVar[list[Path] | None] = ContextVar("appeared", default=None)


@dataclass(frozen=True)
class Part:
    """A file aside."""

    path: Path  # as it was named
    target: Path  # where it goes: links are followed
    aside: Path
    private: bool  # if it is new, its owner alone may read it

    @classmethod
    def create(cls, path: Path, *, private: bool) -> tuple[Part, int]:
        """A new, empty file beside the target, and its descriptor."""
        target = path.resolve()
        descriptor, name = tempfile.mkstemp(prefix=".shoal-", suffix=".part", dir=target.parent)  # O_EXCL, O_NOFOLLOW
        return cls(path, target, Path(name), private), descriptor


@contextlib.contextmanager
def record() -> Iterator[list[Path]]:
    """The files that appear under their names while the block runs, for whoever has to say what is there."""
    appeared: list[Path] = []
    token = _appeared.set(appeared)
    try:
        yield appeared
    finally:
        _appeared.reset(token)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end the program wait until the block has ended: it must be short."""
    if threading.current_thread() is not threading.main_thread():  # signals are heard in the main thread alone
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
    """Remove files that were not moved."""
    with undisturbed():
        for part in parts:
            part.aside.unlink(missing_ok=True)


def move(parts: Sequence[Part]) -> None:
    """Give the files their names: all of them, or none, and then an OutputError says why."""
    moved: list[tuple[Part, Path | None]] = []  # with what was there before
    with undisturbed():
        try:
            for part in parts:
                _dress(part)
            for part in parts:
                last = part is parts[-1]  # after it nothing can fail: nothing has to be kept
                moved.append((part, None if last else _keep(part.target)))
                os.replace(part.aside, part.target)
        except OSError as error:
            stuck = [problem for part, kept in reversed(moved) if (problem := _put_back(part, kept))]
            why = f"{part.path} cannot be written: {error.strerror or error}; "
            raise OutputError(why + ("nothing was left behind." if not stuck else " ".join(stuck))) from None
        for part, kept in moved:
            if kept is not None:
                with contextlib.suppress(OSError):
                    kept.unlink()
            _tell(part)


def _keep(target: Path) -> Path | None:
    """Another name for what is there, to put it back."""
    if not target.exists():
        return None
    kept = target.with_name(f".shoal-{secrets.token_hex(8)}.kept")
    try:
        os.link(target, kept)
    except OSError:  # the file system has no links, or not for us
        os.rename(target, kept)
    return kept


def _put_back(part: Part, kept: Path | None) -> str:
    """Undo a move; a sentence if that cannot be done."""
    try:
        moved = not part.aside.exists()
        if kept is not None and (moved or not part.target.exists()):
            os.replace(kept, part.target)
        elif kept is not None:
            kept.unlink()
        elif moved:
            part.target.unlink()
    except OSError as error:
        _tell(part)
        former = f", and its former content is in {kept}" if kept is not None else ""
        return f"{part.path} was written and cannot be put back ({error.strerror}){former}."
    return ""


def _tell(part: Part) -> None:
    if (appeared := _appeared.get()) is not None and part.path not in appeared:
        appeared.append(part.path)


def _dress(part: Part) -> None:
    """Mode and owner of what is replaced, or those of a new file."""
    if not hasattr(os, "fchown"):  # Windows: as the folder says
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
            mode &= 0o707  # what its group was allowed is not for another group
        os.fchmod(descriptor, mode)
        _copy_acl(part.target, descriptor)
    finally:
        os.close(descriptor)


def _give(descriptor: int, before: os.stat_result) -> bool:
    """Owner and group as before, as far as the system lets us; whether the group is that of before."""
    now = os.fstat(descriptor)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        for owner in (before.st_uid, -1):
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, owner, before.st_gid)
                break
    return os.fstat(descriptor).st_gid == before.st_gid


def _copy_acl(source: Path, descriptor: int) -> None:
    """Who else is allowed what, where the system knows such lists; none but those of before."""
    if not hasattr(os, "getxattr"):
        return
    try:
        allowed = os.getxattr(source, _ACL)
    except OSError:
        with contextlib.suppress(OSError):
            os.removexattr(descriptor, _ACL)  # of the folder
        return
    os.setxattr(descriptor, _ACL, allowed)


def _umask() -> int:
    """What the user keeps from new files; the system tells it only to those who change it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
