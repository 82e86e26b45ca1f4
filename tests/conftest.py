"""What tests share: real data, when they are at hand, and a shell to run commands in."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from shoal.cli import console, main
from shoal.evaluation import runner
from shoal.evaluation.grid import Case
from shoal.evaluation.run_case import run_case
from shoal.kernels import choice
from tests import budget  # noqa: F401  (every random test runs under its profile)

DATA = Path(os.environ.get("SHOAL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """``-n auto``: one more than there are cores, because many tests wait for processes that they start."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets; tests that need it are skipped, visibly, where it is not."""
    if not DATA.is_dir():
        pytest.skip(f"no real data at {DATA}: set SHOAL_DATA")
    return DATA


TWINS = ModuleType("twins_in_python")
vars(TWINS).update(choice.twins())


def implementations() -> list[ModuleType]:
    """The compiled kernels, if there are any, and their readable twins."""
    return [TWINS] if choice.native is None else [choice.native, TWINS]


@pytest.fixture(scope="module", params=implementations(), ids=lambda module: str(module.__name__).rpartition("_")[2])
def kernel(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


HIERARCHY = "a1;A;ALL\na2;A;ALL\nb1;B;ALL\nb2;B;ALL\n"
BASKETS = "a1,b1,b2\na2,b1\na2,b1,b2\na1,a2,b2\n"


STAGE = re.compile(r"[^:]+( \.\.\.( \d+\.\d s)?|: \d+\.\d s)\n")  # a line of progress


class Shell:
    """Runs commands in a folder of their own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.capsys, self.monkeypatch = folder, capsys, monkeypatch
        self.was_read: list[str] = []  # what the last command said about the data that it read
        self.stages: list[str] = []  # and about its progress
        monkeypatch.chdir(folder)
        monkeypatch.setenv("COLUMNS", "200")

    def own_consoles(self) -> None:
        """Consoles of its own for a command whose output fails: they keep what they could not write."""
        self.monkeypatch.setattr(console, "_terminal", functools.cache(console._terminal.__wrapped__))

    def write(self, name: str, text: str | bytes) -> str:
        (self.folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return name

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Exit code, stdout, and stderr without what was read and the stages."""
        self.monkeypatch.setattr(sys, "argv", ["shoal", *words])
        code = 0
        try:
            main()
        except SystemExit as done:
            code = int(done.code or 0)
        out, err = self.capsys.readouterr()
        lines = err.splitlines(keepends=True)
        self.was_read = [line for line in lines if line.startswith("Read ")]
        self.stages = [line for line in lines if STAGE.fullmatch(line)]
        return code, out, "".join(line for line in lines if not line.startswith("Read ") and line not in self.stages)

    def fails(self, *words: str) -> str:
        """Exit code 2, one sentence on stderr, and no file that was not there before."""
        before = sorted(self.folder.rglob("*"))
        code, _, err = self(*words)
        assert code == 2, err
        assert sorted(self.folder.rglob("*")) == before
        assert err.startswith("Error: ")
        assert err.count("\n") == 1, err
        assert "Traceback" not in err
        return err


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(tmp_path, capsys, monkeypatch)
    made.write("h.csv", HIERARCHY)
    made.write("in.basket", BASKETS)
    return made


@pytest.fixture
def no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the lab's cases here, one after the other: starting processes takes longer than small cases do."""

    def run(cases: Sequence[Case], *limits: float) -> Iterator[tuple[Case, dict[str, Any]]]:
        for case in cases:
            yield case, run_case(case)

    monkeypatch.setattr(runner, "run", run)
