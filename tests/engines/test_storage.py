"""Arrays in memory and in files without a name: the same values, and clear errors."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import storage
from shoal.engines.storage import Collected
from shoal.errors import OutputError


@given(
    pieces=st.lists(st.lists(st.integers(-5, 5), max_size=6)),
    memory=st.sampled_from([16, 200, 2_000, 10**6]),
    most=st.sampled_from([0, 3, 10, 1_000]),
)
def test_pieces_become_one_array(pieces: list[list[int]], memory: int, most: int) -> None:
    """In memory and in a file; with and without room for all, and if there are more than was said."""
    numbers = Collected(np.int32, memory, most=most)
    numbers.extend(np.array(piece, dtype=np.int64) for piece in pieces)
    values = numbers.array()
    assert values.tolist() == [value for piece in pieces for value in piece]
    assert values.dtype == np.int32
    assert not values.flags.writeable
    storage.release(values)
    storage.release(values[1:3])
    assert values.tolist() == [value for piece in pieces for value in piece]


@pytest.mark.parametrize(("room", "used"), [(10, True), (7, True), (3, False), (0, False)])
def test_values_are_written_over_an_array(room: int, used: bool) -> None:
    """It may be read-only, as collected arrays are. One that is too small for all is of no use in the end."""
    base = np.full(room, -1, dtype=np.int32)
    over = base[:]
    over.flags.writeable = False
    numbers = Collected(np.int32, 10**6, most=10, over=over)
    numbers.extend(np.array(piece, dtype=np.int32) for piece in ([1, 2, 3], [4, 5], [6, 7]))
    values = numbers.array()
    assert values.tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert np.shares_memory(values, base) == used


def test_what_is_in_a_file_is_not_written_over(tmp_path: Path) -> None:
    mapped = Collected(np.int32, 16, tmp_path)
    mapped.append(np.arange(100, dtype=np.int32))
    over = mapped.array()
    for memory in (16, 10**6):
        numbers = Collected(np.int32, memory, tmp_path, 100, over)
        numbers.extend([np.zeros(3, dtype=np.int32), np.ones(3, dtype=np.int32)])
        assert numbers.array().tolist() == [0, 0, 0, 1, 1, 1]
    assert over.tolist() == list(range(100))


def test_the_file_has_no_name(tmp_path: Path) -> None:
    numbers = Collected(np.int64, 16, tmp_path)
    numbers.append(np.arange(10_000))
    assert list(tmp_path.iterdir()) == []
    values = numbers.array()
    assert list(tmp_path.iterdir()) == []
    assert int(values.sum()) == sum(range(10_000))


def test_memory_is_let_go(tmp_path: Path) -> None:
    """The pages of a mapped array leave the memory of the process."""
    numbers = Collected(np.uint8, 16, tmp_path)
    numbers.append(np.ones(64 << 20, dtype=np.uint8))
    values = numbers.array()
    assert int(values.sum()) == 64 << 20
    before = _resident()
    storage.release(values)
    assert _resident() < before - (32 << 20)


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


FILLING = """
import numpy as np, sys
from pathlib import Path
from shoal.engines.storage import Collected
from shoal.errors import OutputError
numbers = Collected(np.uint8, 16, Path(sys.argv[1]))
try:
    for _ in range(100):
        numbers.append(np.zeros(100_000, dtype=np.uint8))
except OutputError as error:
    print(error)
"""


def test_a_full_disk_is_a_clear_error(tmp_path: Path) -> None:
    """A limit on the size of files is met in the same place as a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = subprocess.run(
        [sys.executable, "-c", FILLING, str(tmp_path)], capture_output=True, text=True, check=True, preexec_fn=limit
    )
    assert "has no space left" in done.stdout
    assert "work_dir=" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_folder_that_cannot_be_used(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="work_dir="):
        storage.open_scratch(tmp_path / name)


@pytest.mark.parametrize(
    ("limits", "half"),
    [
        ({}, None),
        ({"memory.max": "max\n", "a/memory.max": "max\n", "a/b/memory.max": "max\n"}, None),
        ({"a/b/memory.max": "1000\n", "a/memory.max": "max\n"}, 500),
        ({"a/b/memory.max": "1000\n", "a/memory.max": "600\n"}, 300),
        ({"memory.max": "800\n"}, 400),
        ({"memory/memory.limit_in_bytes": "2000\n"}, 1000),
        ({"memory.max": str(1 << 62)}, None),
        ({"other/memory.max": "10\n"}, None),
    ],
    ids=str,
)
def test_half_of_the_memory_of_a_control_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, str], half: int | None
) -> None:
    """The least limit of the group and those that it is in, or the memory of the machine."""
    (tmp_path / "own").write_text("12:cpu:/x\n0::/a/b\n", encoding="ascii")
    monkeypatch.setattr(storage, "_OWN_CGROUP", tmp_path / "own")
    monkeypatch.setattr(storage, "_CGROUPS", tmp_path / "groups")
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name, text in limits.items():
        file = tmp_path / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="ascii")
    assert storage.half_of_memory() == (whole // 2 if half is None else half)
