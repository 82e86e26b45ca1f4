"""Watch an engine, start it anew where an input ends it, and make what it found small."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz import saved
from fuzz.readers import seeds, target

TRACED = 12.0  # seconds for measuring what was reached


@dataclass
class Readers:
    """What happened."""

    how: str
    runs: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    failures: dict[str, Path] = field(default_factory=dict)  # kind -> the saved case
    coverage: float = 0.0
    elapsed: float = 0.0


def run(seed: str, seconds: float, cases: Path = saved.FOLDER) -> Readers:
    """Fuzz the readers for some seconds."""
    is_guided = importlib.util.find_spec("atheris") is not None
    totals = Readers("guided by coverage" if is_guided else "blind")
    if not is_guided:
        print("atheris is not installed for this Python: inputs are mutated blindly, without a guide.", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="shoal-fuzz-readers-"))
    for name in ("corpus", "found"):
        (folder / name).mkdir()
    seeds.write(folder / "corpus", seed)
    start, turn = time.monotonic(), 0
    budget = seconds - TRACED if seconds > 3 * TRACED else seconds * 0.8
    while (left := budget - (time.monotonic() - start)) > 1:
        words = [sys.executable, "-m", "fuzz.readers.engine", str(folder), f"{left:.0f}", f"{seed}:{turn}"]
        turn += 1
        with (folder / "log").open("ab") as log:
            try:
                done = subprocess.run(
                    words if is_guided else [*words, "blind"], stdout=log, stderr=log, timeout=left + 60, check=False
                )
                code = done.returncode
            except subprocess.TimeoutExpired:
                code = -1
        _count(folder, totals)
        if code == 0:
            continue
        ended = (folder / "current").read_bytes() if (folder / "current").exists() else b""
        if not ended:
            tail = (folder / "log").read_text("utf-8", "replace")[-600:]
            totals.failures[f"the engine does not start: {tail}"] = folder / "log"
            break
        _keep(totals, f"process ended ({code}): {target.name_of(ended)}", ended, cases)
    totals.elapsed = time.monotonic() - start
    for path in sorted((folder / "found").glob("*.kind")):
        data = path.with_suffix(".input").read_bytes()
        _keep(totals, path.read_text("utf-8"), _smaller(data), cases)
    totals.coverage = coverage(folder / "corpus")
    shutil.rmtree(folder, ignore_errors=not totals.failures)
    return totals


def _count(folder: Path, totals: Readers) -> None:
    if (folder / "stats.json").exists():
        figures = json.loads((folder / "stats.json").read_text("utf-8"))
        totals.runs.update(figures["runs"])
        totals.accepted.update(figures["accepted"])
        (folder / "stats.json").unlink()


def _smaller(data: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return target.smaller(data, Path(name))


def _keep(totals: Readers, kind: str, data: bytes, cases: Path) -> None:
    content = {"kind": target.name_of(data), "input": base64.b64encode(data).decode()}
    key = hashlib.sha256(data).hexdigest()[:10]
    totals.failures[kind] = saved.save("readers", kind, content, key, cases)


def coverage(corpus: Path) -> float:
    """The share of the lines of the readers' functions that the corpus reaches."""
    import shoal

    home = Path(shoal.__file__).parent
    files = {str(path) for part in ("io", "hierarchies") for path in (home / part).glob("*.py")}
    wanted = {(name, line) for name in files for line in _lines(Path(name))}
    reached: set[tuple[str, int]] = set()

    def line(frame: types.FrameType, event: str, _: Any) -> Any:
        reached.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    def call(frame: types.FrameType, event: str, _: Any) -> Any:
        return line if frame.f_code.co_filename in files else None

    end = time.monotonic() + TRACED
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in sorted(corpus.iterdir(), key=lambda path: path.stat().st_size):
            if time.monotonic() > end:
                break
            sys.settrace(call)
            try:
                target.finding(path.read_bytes(), Path(name))
            finally:
                sys.settrace(None)
    touched = {name for name, _ in reached}
    wanted = {one for one in wanted if one[0] in touched}  # the others build hierarchies, and read nothing
    return len(reached & wanted) / max(1, len(wanted))


def _lines(path: Path) -> set[int]:
    """The lines of the functions of a file."""
    lines: set[int] = set()
    todo = [compile(path.read_text("utf-8"), str(path), "exec")]
    while todo:
        code = todo.pop()
        if code.co_name not in ("<module>",) and code.co_flags & 2:  # optimized locals: a function
            lines |= {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
        todo += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return lines
