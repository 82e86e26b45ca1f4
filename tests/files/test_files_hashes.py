"""Hashes are those of the file as it lies on disk: what sha256sum says."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import shoal
from shoal.files import load, sha256_of


def test_the_hash_of_a_compressed_file_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x.dat.gz"
    path.write_bytes(gzip.compress(b"a b\na\n"))
    wanted = hashlib.sha256(path.read_bytes()).hexdigest()
    assert load(path).sha256 == sha256_of(path) == shoal.read(path).origin.sha256 == wanted
    assert load(path).data == b"a b\na\n"
