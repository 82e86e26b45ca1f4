"""A process on sanitized kernels: ``python -m fuzz.kernels.work EXTENSION FOLDER SECONDS SEED FIRST``.

``current`` in the folder names the problem at hand, ``stats.json`` what was done: a sanitizer ends a process at once.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from types import ModuleType

DIRECT = 10  # calls of kernels with random arrays for each problem


def load(path: str) -> ModuleType:
    """Load the sanitized extension in place of the installed one, before anything asks for that."""
    name = "shoal.kernels._native"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Run problems, and kernels on random arrays, for some seconds."""
    extension, folder, seconds, seed, first = sys.argv[1:]
    native = load(extension)
    from fuzz.kernels import arrays, both
    from fuzz.problems.check import check, where
    from fuzz.problems.draw import draw

    warnings.simplefilter("ignore")
    calls: Counter[str] = Counter()
    both.install(native, calls)
    failures: dict[str, str] = {}
    at, start, home = int(first), time.monotonic(), Path(folder)
    while time.monotonic() - start < float(seconds):
        name = f"{seed}:{at}"
        at += 1
        (home / "current").write_text(name, "utf-8")
        for one in check(draw(name)).failures:
            if "Differ" in one.kind:  # others are for the problems part
                failures.setdefault(f"twins differ: {one.detail.partition(':')[2].partition(':')[0].strip()}", name)
        random_ = random.Random(name)
        for _ in range(DIRECT):
            try:
                arrays.one(random_)
            except both.Differ as error:
                failures.setdefault(f"twins differ: {str(error).partition(':')[0]}", f"arrays of {name}: {error}")
            except Exception as error:
                failures.setdefault(f"kernel: {where(error)}", f"arrays of {name}: {error!r}")
        figures = {"next": at, "done": at - int(first), "calls": calls, "failures": failures}
        (home / "stats.json").write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
