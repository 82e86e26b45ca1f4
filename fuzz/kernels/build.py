"""Build the kernels with sanitizers, in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "sanitized"


class Unavailable(Exception):
    """There is no way to build or load sanitized kernels here."""


def build() -> Path:
    """The path of the sanitized extension."""
    for tool in ("cmake", "g++"):
        if shutil.which(tool) is None:
            raise Unavailable(f"{tool} is not installed")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    python = f"-DPython_EXECUTABLE={sys.executable}"
    _run(
        "cmake",
        "-S",
        str(ROOT),
        "-B",
        str(FOLDER),
        *generator,
        "-DSHOAL_SANITIZE=ON",
        "-DCMAKE_BUILD_TYPE=Debug",
        python,
    )
    _run("cmake", "--build", str(FOLDER), "--parallel", str(len(os.sched_getaffinity(0))))
    extensions = sorted(FOLDER.glob("_native*.so"))
    if not extensions:
        raise Unavailable(f"no extension in {FOLDER}")
    return extensions[0]


def environment() -> dict[str, str]:
    """What a process needs to load the extension."""
    names = ("libasan.so", "libubsan.so", "libstdc++.so.6")  # the last: exceptions are caught by what they came with
    libraries = [_run("g++", f"-print-file-name={name}").strip() for name in names]
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(path for path in libraries if Path(path).is_absolute()),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise Unavailable(f"{' '.join(words[:2])} failed: {(done.stderr or done.stdout).strip()[-400:]}")
    return done.stdout
