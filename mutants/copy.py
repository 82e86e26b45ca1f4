"""A copy of the project in a temporary folder, in which faults are tried: the project itself is never changed."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from mutants.faults_file import Fault

ROOT = Path(__file__).parents[1]
INSIDE = Path(__file__).parent / "inside"
PARTS = ("src", "tests", "docs", "native", "benchmarks", "fuzz", "mutants")  # whatever tests look at
FILES = ("pyproject.toml", "README.md", "Makefile", "CMakeLists.txt", "CHANGELOG.md")
FAILED, NOTHING = 1, 5  # exit codes of pytest


class Copy:
    """One copy; faults are tried in it one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._process: subprocess.Popen[str] | None = None
        for name in PARTS:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.so", ".hypothesis")
                shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        for name in FILES:
            if (ROOT / name).is_file():
                shutil.copy(ROOT / name, folder / name)
        for kernels in _built():
            shutil.copy(kernels, folder / "src" / "shoal" / "kernels" / kernels.name)
        self._prove()

    @contextlib.contextmanager
    def with_fault(self, fault: Fault) -> Iterator[Path]:
        """The file with the fault, for the block."""
        path = self.folder / "src" / "shoal" / fault.file
        before = path.read_text(encoding="utf-8")
        path.write_text(fault.applied(before), encoding="utf-8")
        try:
            yield path
        finally:
            path.write_text(before, encoding="utf-8")

    def run(self, words: Sequence[str], limit: float, faulty: Path | None = None) -> tuple[int | None, str, bool]:
        """What pytest says: its exit code (none: it did not end in time), its output, whether the fault was loaded."""
        seen = self.folder / "seen"
        seen.unlink(missing_ok=True)
        code, told = self._python(
            ["-m", "pytest", "-q", "-x", "-p", "mutants_seen", "-p", "no:cacheprovider", "--no-header", *words],
            limit,
            MUTANTS_FILE=str(faulty or self.folder / "none.html"),
            MUTANTS_SEEN=str(seen),
        )
        return code, told, seen.exists()

    def _prove(self) -> None:
        """The copy is what is imported, with kernels if there are any, in child processes too; else all would lie."""
        canary = self.folder / "src" / "shoal" / "canary.py"
        canary.write_text("SINGS = True\n", encoding="utf-8")
        child = "import sys, shoal.canary, shoal.kernels as k; print(shoal.canary.__file__, k.KIND)"
        code, told = self._python(
            ["-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], check=True)"], 60.0
        )
        canary.unlink()
        kind = "native" if _built() else "python"
        if code or told.split()[-2:] != [str(canary), kind]:
            raise RuntimeError(f"the copy is not what is imported: {told}")

    def _python(self, words: Sequence[str], limit: float, **env: str) -> tuple[int | None, str]:
        data = ROOT.parent / "shared" / "data"
        self._process = process = subprocess.Popen(
            [sys.executable, *words],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env={
                "SHOAL_DATA": str(data),
                **os.environ,
                "PYTHONPATH": str(INSIDE),
                "PYTHONDONTWRITEBYTECODE": "1",  # a fault and its removal can fall into one second
                "MUTANTS_SRC": str(self.folder / "src"),
                **env,
            },
        )
        try:
            told, _ = process.communicate(timeout=limit)
            return process.returncode, told
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            self.end()
            process.wait()

    def end(self) -> None:
        """Kill what runs in it, with all children."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


@contextlib.contextmanager
def made() -> Iterator[Copy]:
    """A copy, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="shoal-mutants-", ignore_cleanup_errors=True) as folder:
        yield Copy(Path(folder).resolve())


def _built() -> list[Path]:
    """The compiled kernels of this environment."""
    import shoal.kernels

    if shoal.kernels.KIND == "python":
        return []
    return [Path(str(importlib.import_module("shoal.kernels._native").__file__))]
