"""Hashes are those of the file as it lies on disk: what sha256sum says."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

import shoal
from shoal.files import atomic_output, load, sha256_of


def test_the_hash_of_a_compressed_file_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.dat.gz"
    path.write_bytes(gzip.compress(b"a b\na\n"))
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path).sha256 == sha256_of(path) == shoal.read(path).origin.sha256 == wanted
    assert load(path).data == b"a b\na\n"


@pytest.mark.parametrize("name", ["x", "x.gz", "x.zst"])
@pytest.mark.parametrize("sizes", [[], [0], [5], [10_000, 0, 1, 300_000, 7]], ids=str)
def test_a_file_is_hashed_while_it_is_written(tmp_path: Path, name: str, sizes: list[int]) -> None:
    """Of compressed files, the bytes on disk count."""
    digest = hashlib.sha256()
    with atomic_output(tmp_path / name, digest=digest) as file:
        for size in sizes:
            file.write(bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    assert digest.hexdigest() == sha256_of(tmp_path / name)
    assert len(load(tmp_path / name).data) == sum(sizes)


def test_what_is_hashed_cannot_be_written_again(tmp_path: Path) -> None:
    """The hash would be wrong."""
    with atomic_output(tmp_path / "x") as file:
        file.write(b"new")
        assert file.tell() == 3
        with pytest.raises(OSError, match="seek"):
            file.seek(0)
