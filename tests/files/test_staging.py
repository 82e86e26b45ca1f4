"""Files appear whole, all or none, with the mode and owner of what they replace, and leave nothing else behind."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shoal.errors import OutputError
from shoal.files import all_or_none, atomic_output, sha256_of, staging

ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
FOREIGN = 54321  # nobody we know


def put(path: Path, content: bytes = b"new", *, private: bool = False) -> None:
    with atomic_output(path, private=private) as file:
        file.write(content)


def put_all(folder: Path, *names: str) -> None:
    with all_or_none():
        for name in names:
            put(folder / name)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
def test_new_files_are_as_the_user_wants_them_and_private_ones_for_the_owner(tmp_path: Path) -> None:
    put(tmp_path / "open")
    put(tmp_path / "private", private=True)
    os.umask(0o027)
    put(tmp_path / "closed")
    assert [mode(tmp_path / name) for name in ("open", "private", "closed")] == [0o644, 0o600, 0o640]
    assert os.umask(0o022) == 0o027


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("before", [0o600, 0o640, 0o664, 0o755])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, before: int, private: bool) -> None:
    for name in ("alone", "together"):
        (tmp_path / name).write_bytes(b"old")
        (tmp_path / name).chmod(before)
    put(tmp_path / "alone", private=private)
    with all_or_none():
        put(tmp_path / "together", private=private)
    assert mode(tmp_path / "alone") == mode(tmp_path / "together") == before
    assert contents(tmp_path) == {"alone": b"new", "together": b"new"}


@ROOT
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o640)
    os.chown(tmp_path / "x", FOREIGN, FOREIGN + 1)
    put(tmp_path / "x")
    made = (tmp_path / "x").stat()
    assert (made.st_uid, made.st_gid, mode(tmp_path / "x")) == (FOREIGN, FOREIGN + 1, 0o640)


@pytest.mark.parametrize("refuses", [(), ("owner",), ("owner", "group")], ids=lambda some: "-".join(some) or "nothing")
def test_another_group_gets_nothing_where_the_group_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuses: tuple[str, ...]
) -> None:
    """What the system lets us do is tried: owner and group, then the group alone."""
    asked: list[tuple[int, int]] = []

    def fchown(_: int, owner: int, group: int) -> None:
        asked.append((owner, group))
        if "group" in refuses or ("owner" in refuses and owner != -1):
            raise PermissionError(errno.EPERM, "Operation not permitted")

    def fstat(descriptor: int) -> Any:
        kept = bool(asked) and "group" not in refuses
        return SimpleNamespace(st_uid=0, st_gid=before.st_gid if kept else before.st_gid + 1)

    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(0o664)
    before = (tmp_path / "x").stat()
    part, descriptor = staging.Part.create(tmp_path / "x", private=False)
    os.close(descriptor)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fchown", fchown)
        patched.setattr(os, "fstat", fstat)
        staging.move([part])
    assert asked == [(before.st_uid, before.st_gid), (-1, before.st_gid)][: 2 if refuses else 1]
    assert mode(tmp_path / "x") == (0o604 if "group" in refuses else 0o664)


def test_a_link_stays_and_what_it_leads_to_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o600)
    (tmp_path / "link").symlink_to("real")
    put(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert mode(tmp_path / "real") == 0o600


def test_lists_of_who_else_is_allowed_are_kept(tmp_path: Path) -> None:
    nobody = 0xFFFFFFFF
    entries = [(1, 6, nobody), (2, 4, FOREIGN), (4, 0, nobody), (16, 4, nobody), (32, 0, nobody)]
    allowed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    (tmp_path / "x").write_bytes(b"old")
    try:
        os.setxattr(tmp_path / "x", "system.posix_acl_access", allowed)
    except (OSError, AttributeError):
        pytest.skip("the file system has no such lists")
    put(tmp_path / "x")
    assert os.getxattr(tmp_path / "x", "system.posix_acl_access") == allowed


def test_files_aside_are_for_the_owner_and_cannot_be_foreseen(tmp_path: Path) -> None:
    seen = []
    for _ in range(2):
        with atomic_output(tmp_path / "x") as file:
            file.write(b"new")
            [aside] = [path for path in tmp_path.iterdir() if path.name != "x"]
            seen.append(aside.name)
            assert mode(aside) == 0o600
    assert len(set(seen)) == 2
    drawn = [name.removeprefix(f".shoal-{os.getpid()}-{staging._where()}-").removesuffix(".part") for name in seen]
    assert all(len(name) >= 8 and name.replace("_", "a").isalnum() for name in drawn)
    assert contents(tmp_path) == {"x": b"new"}


def test_leftovers_of_killed_runs_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    names = {
        "killed": f".shoal-{ended.pid}-{staging._where()}-abc.part",
        "running": f".shoal-{os.getpid()}-{staging._where()}-abc.part",
        "elsewhere": f".shoal-{ended.pid}-00000000-abc.part",
        "elsewhere, long ago": f".shoal-{ended.pid}-00000000-old.part",
        "of another kind": ".shoal-abcdefgh.part",
        "of somebody else": "data.part",
    }
    for name in names.values():
        (tmp_path / name).touch()
    os.utime(tmp_path / names["elsewhere, long ago"], (0, 0))
    gone = {names["killed"], names["elsewhere, long ago"]}
    with atomic_output(tmp_path / "x") as file:
        file.write(b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"x", *names.values()} - gone


def test_a_link_under_the_name_aside_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "victim").write_bytes(b"mine")
    names = iter(["guessed", "other"])
    (tmp_path / ".shoal-guessed.part").symlink_to("victim")
    monkeypatch.setattr("tempfile._get_candidate_names", lambda: names)
    put(tmp_path / "x")
    assert (tmp_path / "victim").read_bytes() == b"mine"
    assert (tmp_path / "x").read_bytes() == b"new"
    assert not (tmp_path / "x").is_symlink()


def busy(name: str) -> Callable[..., None]:
    """A rename that the system refuses for one target, as for a file that is a mount point."""
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if Path(target).name == name:
            raise OSError(errno.EBUSY, "Device or resource busy", str(source), None, str(target))
        real(source, target)

    return replace


@pytest.mark.parametrize("links", [True, False], ids=["with links", "without"])
@pytest.mark.parametrize("name", ["data", "book", "report"])
def test_one_that_cannot_be_moved_brings_all_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, links: bool
) -> None:
    def refused(*_: Path) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    before = {"data": b"old data", "report": b"old report"}
    for other, content in before.items():
        (tmp_path / other).write_bytes(content)
    inode = (tmp_path / "data").stat().st_ino
    monkeypatch.setattr(os, "replace", busy(name))
    if not links:
        monkeypatch.setattr(os, "link", refused)
    if name == "data" and not links:
        monkeypatch.setattr(os, "rename", _refuse_rename)
    told = f"{name} cannot be written: Device or resource busy; nothing was left behind"
    with staging.record() as written, pytest.raises(OutputError, match=told):
        put_all(tmp_path, "data", "book", "report")
    assert contents(tmp_path) == before
    assert (tmp_path / "data").stat().st_ino == inode
    assert written == []


def _refuse_rename(source: Path, target: Path) -> None:
    raise OSError(errno.EBUSY, "Device or resource busy", str(source), None, str(target))


def test_what_cannot_be_put_back_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = os.replace, []

    def replace(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        real(source, target)

    (tmp_path / "data").write_bytes(b"old")
    monkeypatch.setattr(os, "replace", replace)
    with staging.record() as written, pytest.raises(OutputError) as caught:
        put_all(tmp_path, "data", "report")
    assert written == [tmp_path / "data"]
    [kept] = tmp_path.glob(".shoal-*")
    assert kept.read_bytes() == b"old"
    assert str(caught.value) == (
        f"{tmp_path / 'report'} cannot be written: Input/output error; {tmp_path / 'data'} was written and cannot be "
        f"put back (Input/output error), and its former content is in {kept}."
    )


def test_a_file_written_twice_appears_once(tmp_path: Path) -> None:
    with staging.record() as written, all_or_none():
        put(tmp_path / "x", b"first")
        put(tmp_path / "x", b"second")
    assert contents(tmp_path) == {"x": b"second"}
    assert written == [tmp_path / "x"]


def test_the_hash_is_that_of_the_file_to_come(tmp_path: Path) -> None:
    put(tmp_path / "x", b"old")
    with all_or_none():
        old = sha256_of(tmp_path / "x")
        put(tmp_path / "x", b"new")
        new = sha256_of(tmp_path / "x")
    assert new == sha256_of(tmp_path / "x") != old


ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]


@pytest.fixture
def interrupting() -> Iterator[None]:
    """All signals that end a program interrupt it, as in the command line."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("interrupting")
@pytest.mark.parametrize("number", ENDING)
def test_signals_remove_what_is_aside(tmp_path: Path, number: signal.Signals) -> None:
    def interrupted() -> None:
        with all_or_none():
            put(tmp_path / "data")
            with atomic_output(tmp_path / "report") as file:
                file.write(b"half")
                signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert contents(tmp_path) == {}


@pytest.mark.usefixtures("interrupting")
@pytest.mark.parametrize("number", ENDING)
@pytest.mark.parametrize("where", ["link", "replace"])
def test_signals_wait_until_all_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, where: str
) -> None:
    real = getattr(os, where)

    def hit(*given: Any) -> None:
        signal.raise_signal(number)
        real(*given)

    put(tmp_path / "data", b"old")
    monkeypatch.setattr(os, where, hit)
    with staging.record() as written, pytest.raises(KeyboardInterrupt):
        put_all(tmp_path, "data", "report")
    assert contents(tmp_path) == {"data": b"new", "report": b"new"}
    assert written == [tmp_path / "data", tmp_path / "report"]


@pytest.mark.usefixtures("interrupting")
def test_a_signal_while_the_file_aside_is_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = tempfile.mkstemp

    def hit(**given: Any) -> tuple[int, str]:
        made = real(**given)
        signal.raise_signal(signal.SIGTERM)
        return made

    monkeypatch.setattr(tempfile, "mkstemp", hit)
    with pytest.raises(KeyboardInterrupt):
        put(tmp_path / "x")
    assert contents(tmp_path) == {}


def test_signals_that_are_ignored_stay_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with staging.undisturbed():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_handlers_are_back_after_an_error() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with contextlib.suppress(ZeroDivisionError), staging.undisturbed():
        raise ZeroDivisionError
    assert [signal.getsignal(number) for number in ENDING] == before
