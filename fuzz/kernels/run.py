"""Watch processes on sanitized kernels."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from fuzz import saved
from fuzz.kernels import build

FAR = 10**7  # between the problems of two processes
HANG = 300.0


@dataclass
class Kernels:
    """What happened."""

    skipped: str = ""
    problems: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def run(seed: str, seconds: float, jobs: int, cases: Path = saved.FOLDER) -> Kernels:
    """Run problems on sanitized kernels for some seconds; building them does not count."""
    print("building the kernels with sanitizers, which takes minutes the first time", flush=True)
    try:
        extension, environment = build.build(), build.environment()
    except build.Unavailable as error:
        return Kernels(skipped=str(error))
    totals, start = Kernels(), time.monotonic()
    folders = [Path(tempfile.mkdtemp(prefix="shoal-fuzz-kernels-")) for _ in range(jobs)]
    following = [job * FAR for job in range(jobs)]
    running: dict[int, subprocess.Popen[bytes]] = {}
    while running or time.monotonic() - start < seconds - 2:
        for job, folder in enumerate(folders):
            left = seconds - (time.monotonic() - start)
            if job not in running and left > 2:
                module = [sys.executable, "-m", "fuzz.kernels.work", str(extension), str(folder)]
                words = [*module, f"{left:.0f}", f"{seed}:kernels", str(following[job])]
                with (folder / "log").open("wb") as log:
                    running[job] = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
            elif job in running and running[job].poll() is not None:
                following[job] = _ended(folder, running.pop(job).returncode, following[job], totals, cases)
            elif job in running and left < -HANG:
                running[job].kill()
        time.sleep(0.2)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return totals


def _ended(folder: Path, code: int, first: int, totals: Kernels, cases: Path) -> int:
    """Take the figures of a process that ended; returns the number of the next problem."""
    stats = folder / "stats.json"
    following = first
    if stats.exists():
        figures = json.loads(stats.read_text("utf-8"))
        stats.unlink()
        totals.problems += figures["done"]
        totals.calls.update(figures["calls"])
        totals.failures += [f"{kind} ({detail})" for kind, detail in figures["failures"].items()]
        following = figures["next"]
    if code == 0:
        return following
    current = folder / "current"
    name = current.read_text("utf-8") if current.exists() else ""
    log = (folder / "log").read_text("utf-8", "replace")
    kind = f"sanitizer: {_reason(log)}" if name else f"does not start: {log[-400:]}"
    if name:
        from fuzz.problems.draw import draw

        case = draw(name)
        path = saved.save("kernels", kind, case.as_json(), case.key, cases)
        kind += f" at {name}, saved as {path}"
    print(f"FAILURE {kind}\n{log[-1500:]}", flush=True)
    totals.failures.append(kind)
    current.unlink(missing_ok=True)
    return (int(name.rpartition(":")[2]) if name else following) + 1


def _reason(log: str) -> str:
    """What the sanitizer says, in a few words."""
    for line in log.splitlines():
        if match := re.search(r"ERROR: AddressSanitizer: (\S+)|runtime error: (.{1,80})", line):
            return match[1] or match[2]
    return "process died"
