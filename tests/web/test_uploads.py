"""Uploads: whole files under plain names, within limits, or nothing.

Covers: web/uploads.py.
"""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")

from shoal.errors import DataError
from shoal.web import uploads
from shoal.web.tasks.data import inspect
from shoal.web.worker import Session
from tests.web.asgi import POSTED, Reply, app_of, knock


def upload(folder: Path, name: str, *pieces: bytes | None, limit: int = 1000, length: int | str | None = None) -> Reply:
    """Upload a file in pieces to a workspace."""
    told = {} if length is None else {"content-length": str(length)}
    return knock(app_of(folder, upload=limit), "POST", "/uploads", {**POSTED, "x-file-name": name, **told}, pieces)


def test_a_file_arrives_whole(tmp_path: Path) -> None:
    reply = upload(tmp_path, quote("données (1).csv"), b"a,b\n", b"1,2\n", length=8)
    assert (reply.status, reply.text) == (201, "données (1).csv")
    path = tmp_path / "inputs" / "données (1).csv"
    assert path.read_bytes() == b"a,b\n1,2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "name",
    ["", "..", "../x.csv", "..%2fx.csv", "%2e%2e%2fx.csv", "..%5cx.csv", "%2fetc%2fx", "/tmp/x",
     "a%00.csv", "a%0d%0ab", "%e2%80%ae.csv",
     ".ssh", "~x", "%252e/..", "c:x", "nul", "a%ff", "x" * 130, quote("日" * 90), "a.csv/", "%7e", "a%0a"],
)  # fmt: skip
def test_names_cannot_lead_out(tmp_path: Path, name: str) -> None:
    reply = upload(tmp_path / "ws", name, b"x")
    if name == "a%ff":  # not UTF-8: the letter is replaced
        assert reply.status == 201
        return
    assert reply.status == 400
    assert "cannot be the name" in reply.text
    assert not list((tmp_path / "ws" / "inputs").iterdir())
    assert [one.name for one in tmp_path.iterdir()] == ["ws"]


def test_without_a_name_nothing_is_written(tmp_path: Path) -> None:
    assert knock(app_of(tmp_path), "POST", "/uploads", POSTED, b"x").status == 400


def test_nothing_is_replaced(tmp_path: Path) -> None:
    assert upload(tmp_path, "a.csv", b"first").status == 201
    assert upload(tmp_path, "a.csv", b"second").status == 400
    assert upload(tmp_path, "A.csv", b"second").status == 400
    (tmp_path / "inputs" / "link").symlink_to(tmp_path / "outside")
    assert upload(tmp_path, "link", b"second").status == 400
    assert (tmp_path / "inputs" / "a.csv").read_bytes() == b"first"
    assert not (tmp_path / "outside").exists()


def test_a_file_that_is_too_large_leaves_nothing(tmp_path: Path) -> None:
    assert upload(tmp_path, "a", b"x" * 1000).status == 201
    for reply in (
        upload(tmp_path, "b", b"x" * 600, b"x" * 401),
        upload(tmp_path, "c", b"x", length=1001),
        upload(tmp_path, "d", b"x" * 1001, length=5),
    ):
        assert reply.status == 400
        assert "larger than 1 kB" in reply.text
    assert os.listdir(tmp_path / "inputs") == ["a"]


def test_half_a_file_leaves_nothing(tmp_path: Path) -> None:
    upload(tmp_path, "gone.csv", b"x", None)
    for reply in (upload(tmp_path, "short.csv", b"x", length=3), upload(tmp_path, "empty.csv", b"")):
        assert reply.status == 400
    assert os.listdir(tmp_path / "inputs") == []


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "FREE", 1 << 62)
    reply = upload(tmp_path, "a.csv", b"x")
    assert (reply.status, "nearly full" in reply.text) == (400, True)
    monkeypatch.undo()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(uploads, "run_in_threadpool", full)
    reply = upload(tmp_path, "a.csv", b"x")
    assert (reply.status, "No space left" in reply.text) == (400, True)
    assert os.listdir(tmp_path / "inputs") == []


def test_a_compressed_file_does_not_expand_without_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 3_000_000))
    with pytest.raises(DataError, match="expands to more than"):
        inspect(Session(), {"file": "bomb.csv.gz", "max_expanded": "5MB"})
    monkeypatch.setattr("shoal.files._AT_LEAST", 5_000_000)  # the default: 64 times its size, at least 1 GB
    with pytest.raises(DataError, match="expands to more than"):
        inspect(Session(), {"file": "bomb.csv.gz"})
