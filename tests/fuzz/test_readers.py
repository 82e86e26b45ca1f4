"""The fuzzer of readers: its seeds are read, and it notices crashes and round trips that change the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz.readers import engine, seeds, target
from shoal import io

pytestmark = pytest.mark.filterwarnings("ignore")


def test_every_kind_of_file_has_a_seed_that_is_read(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    seeds.write(tmp_path / "corpus", "1")
    read = set()
    for path in sorted((tmp_path / "corpus").iterdir()):
        data = path.read_bytes()
        if target.name_of(data) not in read and target.check(data, tmp_path):
            read.add(target.name_of(data))
    assert read >= set(target.KINDS) - {"tree:auto"}


def test_a_crash_is_noticed_and_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = seeds.header("fimi", 0) + b"1 2 3\n4 5\n6 7\n"
    assert target.finding(data, tmp_path) == ""

    def fails(path: Path, **_: object) -> None:
        if b"5" in path.read_bytes():
            raise KeyError("5")

    monkeypatch.setattr(io, "read", fails)
    assert target.finding(data, tmp_path).startswith("crash: KeyError")
    assert target.smaller(data, tmp_path) == seeds.header("fimi", 0) + b"5"


def test_an_engine_counts_and_keeps_what_it_finds(tmp_path: Path) -> None:
    for name in ("corpus", "found"):
        (tmp_path / name).mkdir()
    (tmp_path / "corpus" / "seed").write_bytes(seeds.header("fimi", 0) + b"1 2\n")
    engine.blind(tmp_path, 0.05, "1")
    assert (tmp_path / "stats.json").exists()
