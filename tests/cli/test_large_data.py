"""Data larger than the memory that is allowed: the same bytes, no leftovers, clear errors.

Covers: search/thinning.py, engines/storage.py, progress.py.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from shoal.files.staging import _where
from tests.conftest import Shell
from tests.processes import python

RUN = "from shoal.cli import main; main()"
FILES = ("anonymize", "in.dat", "-o", "out.dat", "--hierarchy", "h.csv")
COMMAND = (*FILES, "--k", "5", "--m", "2", "--algorithm", "aa")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300,000 generated rows, which are more than the ways of small data take."""
    path = tmp_path_factory.mktemp("large")
    words = ("--rows", "300000", "--mean-size", "8", "-o", "in.dat", "--hierarchy", "h.csv", "-q")
    subprocess.run([sys.executable, "-c", RUN, "generate", "quest", *words], cwd=path, check=True)
    return path


def release(folder: Path, *options: str) -> tuple[bytes, dict[str, Any]]:
    """The published bytes, and what is told about them but for times."""
    words = [*FILES, "--json", "-q", *options]
    done = subprocess.run([sys.executable, "-c", RUN, *words], cwd=folder, check=True, stdout=subprocess.PIPE)
    told = json.loads(done.stdout)
    told.pop("seconds")
    return (folder / "out.dat").read_bytes(), told


def reported(folder: Path, *options: str) -> dict[str, Any]:
    """What the report says but for times and memory."""
    release(folder, "--report", "report.json", *options)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    (folder / "report.json").unlink()
    for name in ("timings", "created", "peak_memory_bytes", "memory_limit_bytes"):
        report["provenance"].pop(name)
    report.pop("timings")
    return report


SECRETS = ("--sensitive", "500,501,502")
MODELS = [
    ("--k", "5", "--m", "2", "--algorithm", "aa"),
    pytest.param(("--model", "lm", "--l", "3", "--m", "2", "--algorithm", "aa", *SECRETS), marks=pytest.mark.slow),
    pytest.param(("--model", "km-negative", "--k", "5", "--m", "2", "--algorithm", "aa"), marks=pytest.mark.slow),
    pytest.param(("--model", "hkp", "--h", "0.5", "--k", "5", "--p", "2", *SECRETS), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("model", MODELS, ids=["km", "lm", "km-negative", "hkp"])
def test_the_same_bytes_with_little_memory(folder: Path, model: tuple[str, ...]) -> None:
    """All arrays are in files, and two threads work on parts of them."""
    expected = release(folder, *model, "--workers", "1")
    assert release(folder, *model, "--workers", "2", "--memory", "64M") == expected
    assert sorted(path.name for path in folder.iterdir()) == ["h.csv", "in.dat", "out.dat"]


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=["km", "lm", "km-negative", "hkp"])
def test_the_same_report_with_little_memory(folder: Path, model: tuple[str, ...]) -> None:
    """Its figures of risk take ten times as long as the run."""
    assert reported(folder, *model, "--workers", "2", "--memory", "64M") == reported(folder, *model, "--workers", "1")


@pytest.mark.parametrize("moments", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_nothing_is_left_after_kill_9(folder: Path, tmp_path: Path, moments: int) -> None:
    """At random moments of a run. The next run removes what it finds, but nothing of a run that goes on."""
    draw = random.Random(moments)
    (tmp_path / "work").mkdir()
    for name in ("in.dat", "h.csv"):
        os.link(folder / name, tmp_path / name)
    others = tmp_path / f".shoal-{os.getpid()}-{_where()}-other.part"
    others.write_text("of a run that goes on")
    for _ in range(moments):
        with python(RUN, *COMMAND, "--memory", "16M", "--work-dir", "work", "-q", cwd=tmp_path) as process:
            time.sleep(draw.uniform(0.3, 3.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert list((tmp_path / "work").iterdir()) == []
        if process.returncode != 0:
            assert not (tmp_path / "out.dat").exists()
        (tmp_path / "out.dat").unlink(missing_ok=True)
    subprocess.run([sys.executable, "-c", RUN, *COMMAND, "-q"], cwd=tmp_path, check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == [others.name, "h.csv", "in.dat", "out.dat", "work"]


@pytest.mark.slow
def test_two_runs_in_one_work_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    for name in ("in.dat", "h.csv"):
        os.link(folder / name, tmp_path / name)
    options = (*COMMAND[2:], "--memory", "16M", "--work-dir", "work", "-q")
    commands = [("anonymize", "in.dat", *options, "-o", f"{name}.dat") for name in ("one", "two")]
    running = [subprocess.Popen([sys.executable, "-c", RUN, *words], cwd=tmp_path) for words in commands]
    assert [process.wait() for process in running] == [0, 0]
    assert (tmp_path / "one.dat").read_bytes() == (tmp_path / "two.dat").read_bytes()


def test_a_full_work_folder(folder: Path, tmp_path: Path) -> None:
    """A limit on the size of files is met in the same place as a full disk."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)); "
    for name in ("in.dat", "h.csv"):
        os.link(folder / name, tmp_path / name)
    with python(limit + RUN, *COMMAND, "--memory", "16M", cwd=tmp_path) as process:
        _, err = process.communicate()
    assert process.returncode == 2
    assert "has no space left" in err
    assert "--work-dir" in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.csv", "in.dat"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--memory", "1M"), "--memory must be at least 16M, got '1M'"),
        (("--memory", "much"), "--memory must be a size such as 500MB or 4GB, got 'much'"),
        (("--work-dir", "missing"), "missing cannot hold data that do not fit into memory (No such file or directory)"),
        (("--work-dir", "in.dat"), "in.dat cannot hold data that do not fit into memory (Not a directory)"),
    ],
)
def test_wrong_options(shell: Shell, options: tuple[str, ...], said: str) -> None:
    shell.write("in.dat", "1 2\n1 2\n")
    assert said in shell.fails("anonymize", "in.dat", "-o", "out.dat", "--k", "2", *options)


def test_a_search_that_does_not_fit(folder: Path) -> None:
    """For sets of three, thinning does not pay here."""
    words = [*COMMAND[:-4], "--m", "3", "--memory", "16M", "-o", "no.dat"]
    done = subprocess.run([sys.executable, "-c", RUN, *words], cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert re.search(r"needs about 2\d\d MB of memory for these data, and 16 MB are allowed", done.stderr)
    assert not (folder / "no.dat").exists()


def test_ctrl_c_ends_a_run_at_once(folder: Path, tmp_path: Path) -> None:
    """While it reads, sorts or recodes: nothing can be returned yet."""
    for name in ("in.dat", "h.csv"):
        os.link(folder / name, tmp_path / name)
    with python(RUN, *COMMAND, "--memory", "16M", "--workers", "2", cwd=tmp_path) as process:
        assert process.stderr is not None
        while "sorting" not in (line := process.stderr.readline()) and line:
            continue
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)
    assert process.returncode in (130, -signal.SIGINT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h.csv", "in.dat"]
