"""What goes wrong in the lab, what ends it, and how it goes on.

Covers: evaluation/worker.py.
"""

from __future__ import annotations

import csv
import os
import signal
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shoal
from shoal.algorithms.base import Algorithm
from shoal.evaluation import grid_file, results, runner
from shoal.evaluation.grid import Grid, combinations
from shoal.evaluation.run_case import VOLATILE
from tests import lab_algorithms as wrong
from tests import processes
from tests.conftest import Shell
from tests.evaluation.test_runner import GRID, data_set, toy


@pytest.fixture
def home(tmp_path: Path) -> Path:
    toy(tmp_path)
    (tmp_path / "grid.toml").write_text(GRID, encoding="utf-8")
    return tmp_path


def steady(path: Path) -> list[dict[str, str]]:
    """The rows of a file, without what a clock or the memory told."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [{name: cell for name, cell in row.items() if name not in VOLATILE} for row in rows]


def test_what_goes_wrong_is_a_row_and_not_the_end(tmp_path: Path) -> None:
    methods: list[Algorithm] = [wrong.Crashes(), wrong.Raises(), wrong.Lies(), wrong.Talks(), shoal.algorithms.AA()]
    grid = Grid.of(combinations([data_set(tmp_path)], [shoal.Km(k=12, m=2)], methods), limit=300.0)
    rows = runner.compare(grid, tmp_path / "results.csv", workers=2)
    told = {row["algorithm"]: (row["status"], row["error"]) for row in rows}
    assert told["aa"] == ("ok", "")
    assert told["talks"] == ("ok", "")
    assert told["crashes"] == ("error", "the process ended by signal SIGSEGV")
    assert told["raises"] == ("error", "ZeroDivisionError: first line second line")
    assert told["lies"][0] == "error"
    assert "bug in Shoal" in told["lies"][1]
    assert [row["algorithm"] for row in rows] == [method.name for method in methods]
    assert next(row for row in rows if row["algorithm"] == "lies")["verified"] is None

    ran: list[str] = []
    again = runner.compare(grid, tmp_path / "results.csv", progress=lambda at: ran.append(at.case.algorithm.name))
    assert ran == []
    assert again == rows
    fewer = Grid(tuple(case for case in grid.cases if case.algorithm.name != "talks"))
    runner.compare(fewer, tmp_path / "results.csv", retry=True, progress=lambda at: ran.append(at.case.algorithm.name))
    assert sorted(ran) == ["crashes", "lies", "raises"]
    kept = results.load(tmp_path / "results.csv")
    assert "talks" in {row["algorithm"] for row in kept}, "what is not in the grid any more is not lost"


@pytest.mark.slow
def test_a_run_that_was_ended_by_a_lower_limit_runs_again(tmp_path: Path) -> None:
    (case,) = combinations([data_set(tmp_path)], [shoal.Km(k=3, m=2)], [wrong.Hangs()])
    ran: list[str] = []
    for limit in (0.5, 0.4, 0.6):
        grid = Grid((case,), limit=limit)
        runner.compare(
            grid, tmp_path / "r.csv", progress=lambda at: ran.append(f"{at.row['status']}: {at.row['error']}")
        )
    assert ran == ["time limit: over 0.5 s", "time limit: over 0.6 s"]


@pytest.mark.slow
def test_killed_and_resumed_equals_uninterrupted(home: Path, shell: Shell) -> None:
    """The lab kills itself after five rows, in the middle of others; what it wrote last is torn."""
    (home / "grid.toml").write_text(GRID.replace("m = [1, 2]", "m = 2"), encoding="utf-8")  # 20 runs
    whole, target = home / "whole.csv", home / "part" / "results.csv"
    runner.compare(grid_file.load(home / "grid.toml"), whole)
    target.parent.mkdir()
    script = (
        "import os, signal; from pathlib import Path; from shoal.evaluation import grid_file, runner\n"
        "told = []\n"
        "def kill(at):\n"
        "    told.append(at)\n"
        "    if len(told) == 5: os.kill(os.getpid(), signal.SIGKILL)\n"
        "runner.compare(grid_file.load('grid.toml'), Path('part/results.csv'), workers=2, progress=kill)\n"
    )
    with processes.python(script, cwd=home) as process:
        _, err = process.communicate(timeout=processes.LIMIT)
    assert process.returncode == -signal.SIGKILL, err
    before = target.read_text(encoding="utf-8")
    assert len(before.splitlines()) == 6
    target.write_text(before[:-20], encoding="utf-8")  # the last line was not written to its end
    code, out, err = shell("compare", "grid.toml", "-o", "part", "--workers", "2")
    assert code == 0, err
    assert steady(target) == steady(whole)
    assert len(steady(target)) == 20
    assert "20 runs, all verified" in out
    assert pq.read_table(home / "part" / "results.parquet").num_rows == 20


def test_ctrl_c_keeps_the_rows_and_says_how_to_go_on(home: Path) -> None:
    target = home / "lab" / "results.csv"
    with processes.python(
        "from shoal.cli import main; main()", "compare", "grid.toml", "-o", "lab", "--workers", "1", cwd=home
    ) as process:
        processes.wait_for(lambda: target.exists() and len(target.read_bytes().splitlines()) >= 3, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=processes.LIMIT)
    assert process.returncode == 130, err
    assert "Run the same command again to continue" in err
    assert 2 <= len(results.load(target)) < 36
    assert not (home / "lab" / "index.html").exists()


@pytest.mark.slow
def test_nothing_goes_on_behind_the_back_of_who_gave_up(tmp_path: Path) -> None:
    (case,) = combinations([data_set(tmp_path)], [shoal.Km(k=3, m=2)], [wrong.Hangs()])
    mark = f"SHOAL_TEST_{os.getpid()}_{time.monotonic_ns()}"
    os.environ[mark] = "1"
    try:
        assert list(runner.run([case], 1, 60.0, deadline=time.monotonic() + 2.0)) == []
    finally:
        del os.environ[mark]
    assert not _running(mark)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")
def test_nothing_goes_on_when_the_lab_is_killed(tmp_path: Path) -> None:
    mark = f"SHOAL_TEST_{os.getpid()}_{time.monotonic_ns()}"
    toy(tmp_path)
    script = (
        "import shoal, sys; from tests import lab_algorithms; from tests.evaluation import test_runner;"
        "from shoal.evaluation import runner;"
        "from shoal.evaluation.grid import combinations; from pathlib import Path;"
        "one = test_runner.data_set(Path(sys.argv[1]));"
        "list(runner.run(list(combinations([one], [shoal.Km(k=3)], [lab_algorithms.Hangs()])), 1, 3600.0))"
    )
    found = os.pathsep.join(path for path in sys.path if path)
    with processes.python(script, str(tmp_path), cwd=tmp_path, PYTHONPATH=found, **{mark: "1"}) as process:
        processes.wait_for(lambda: _running(mark) >= 3, process)  # the lab, its worker, the case
        process.kill()
        process.communicate()
        until = time.monotonic() + processes.LIMIT
        while _running(mark):
            assert time.monotonic() < until, "somebody goes on"
            time.sleep(0.02)


def _running(mark: str) -> int:
    return sum(_holds(one, mark) for one in Path("/proc").glob("[0-9]*/environ"))


def _holds(environ: Path, mark: str) -> bool:
    try:
        return mark.encode() in environ.read_bytes()
    except OSError:
        return False
