"""Files as bytes: how far they may expand, and what is text."""

from __future__ import annotations

import gzip
import os
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest

from shoal import files, io
from shoal.errors import DataError, OptionError, OutputError
from tests.conftest import Shell


def packed(path: Path, data: bytes) -> Path:
    with pa.CompressedOutputStream(str(path), files.codec_of(path)) as stream:
        stream.write(data)
    return path


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_file_expands_up_to_the_limit(tmp_path: Path, suffix: str) -> None:
    data = b"a b\n" * 1_000_000
    path = packed(tmp_path / f"x.dat{suffix}", data)
    assert files.load(path).data == data
    assert files.load(path, "4MB").data == data
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"expands to more than 1,000,000: .*max_expanded='20GB'"):
            io.read(path, max_expanded=1_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12_000_000  # a piece beyond the limit, and not the whole


def test_the_limit_grows_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_AT_LEAST", 1000)
    monkeypatch.setattr(files, "_PIECE", 512)
    path = packed(tmp_path / "x.dat.gz", b"a b\n" * 10_000)
    with pytest.raises(DataError, match=f"expands to more than {64 * path.stat().st_size:,}"):
        files.load(path)
    assert len(files.load(packed(tmp_path / "y.dat.gz", os.urandom(5000))).data) == 5000


def test_two_streams_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.dat.gz"
    path.write_bytes(gzip.compress(b"a\n") + gzip.compress(b"b\n"))
    assert files.load(path).data == b"a\nb\n"


@pytest.mark.parametrize("size", ["many", "", "-1", "1e9", "5 PB", True, "1" * 13, "٣"])
def test_sizes_that_mean_nothing(size: str) -> None:
    with pytest.raises(OptionError, match="max_expanded= must be a size such as 500MB"):
        files.bytes_of(size)


def test_in_every_command(shell: Shell) -> None:
    packed(shell.folder / "x.dat.gz", b"a b\n" * 300)
    assert "expands to more than 1,000:" in shell.fails("verify", "x.dat.gz", "--max-expanded", "1KB")
    assert shell("verify", "x.dat.gz", "--max-expanded", "2 KB")[0] == 0


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_marks_of_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x.basket"
    mark = "" if encoding in ("utf-8-sig", "utf-16", "utf-32") else "\ufeff"
    path.write_bytes((mark + "é,b\r\nb,☃,𝔘\r\n").encode(encoding))
    assert io.read(path).transactions.sets() == [{"é", "b"}, {"b", "☃", "𝔘"}]


@pytest.mark.parametrize("mark", [b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff", b"\xff\xfe"])
def test_what_only_starts_like_text(mark: bytes) -> None:
    with pytest.raises(DataError, match=r"it starts like UTF-(16|32) but cannot be decoded"):
        files.decode(mark + b"\xff\xff\xff\xff\xd8", "x")


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "loop.dat"),
        ("anonymize", "in.basket", "-o", "loop.dat", "--k", "2"),
        ("anonymize", "in.basket", "-o", "out.basket", "--k", "2", "--report", "loop.html"),
        ("anonymize", "in.basket", "-o", "out.basket", "--k", "2", "--codebook", "loop.csv"),
        ("hierarchy", "build", "in.basket", "-o", "loop.csv"),
        ("workload", "in.basket", "-o", "loop.jsonl"),
        ("compare", "in.basket", "-o", "loop"),
        ("anonymize", "in.basket", "-o", "x" * 300, "--k", "2"),
        ("verify", "x" * 300),
    ],
    ids=" ".join,
)
def test_links_that_lead_nowhere_and_names_that_are_too_long(shell: Shell, words: tuple[str, ...]) -> None:
    for name in ("loop", "loop.dat", "loop.html", "loop.csv", "loop.jsonl"):
        (shell.folder / name).symlink_to(name)
    assert "cannot be " in shell.fails(*words)


def test_many_labels_are_no_name_of_a_file(shell: Shell) -> None:
    labels = ",".join(f"label {at}" for at in range(1000))
    words = ("verify", "in.basket", "--model", "lm", "--sensitive", labels)
    assert "Sensitive 'label 0'" in shell.fails(*words)
    assert "Sensitive 'label 0'" in shell.fails("anonymize", "in.basket", "-o", "out.dat", *words[2:])


def test_names_with_a_zero_byte(shell: Shell) -> None:
    shell.write("p.toml", '[data]\nfile = "a\\u0000b"\n[output]\nfile = "out.dat"\n')
    assert "data.file must be the name of a file, got 'a\\x00b'" in shell.fails("run", "p.toml")
    shell.write("p.toml", '[data]\nfile = "in.basket"\n[output]\nfile = "out\\u0000"\n')
    assert "output.file must be the name of a file" in shell.fails("run", "p.toml")
    with pytest.raises(DataError, match="cannot be read: its name contains a NUL"):
        io.read("a\0b.dat")
    with pytest.raises(OutputError, match="cannot be written: its name contains a NUL"):
        io.write(io.read([["a"]]), "a\0b.dat")
