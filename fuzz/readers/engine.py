"""A process that feeds many inputs to the target: ``python -m fuzz.readers.engine FOLDER SECONDS SEED [blind]``.

The folder holds ``corpus``, where inputs that reach new code are kept, ``found``, one input for each kind of finding,
``current``, the input at hand, and ``stats.json``. libFuzzer ends a process without asking: all is written as it comes.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

MOST_BYTES = 4096
TOKENS = rb', ; | \t " "" \n [ ] { } : null 1e999 * (a,b) has parent label'.split()
TOKENS += [b",", b"\t", b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc3\xa9", b" "]


class Engine:
    """Counts inputs and keeps findings."""

    def __init__(self, folder: Path) -> None:
        from fuzz.readers import target

        self.target, self.folder = target, folder
        self.runs: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.scratch = Path(tempfile.mkdtemp(prefix="shoal-readers-"))
        self.kinds: set[str] = {path.read_text("utf-8") for path in (folder / "found").glob("*.kind")}

    def one(self, data: bytes) -> None:
        """Run one input."""
        if not data:
            return
        (self.folder / "current").write_bytes(data)
        name = self.target.name_of(data)
        self.runs[name] += 1
        try:
            self.accepted[name] += self.target.check(data, self.scratch)
        except self.target.Finding as found:
            self.keep(str(found), data)
        if self.runs.total() % 200 == 0:
            self.tell()

    def keep(self, kind: str, data: bytes) -> None:
        """Keep the first input of each kind of finding."""
        if kind not in self.kinds:
            self.kinds.add(kind)
            key = hashlib.sha256(kind.encode()).hexdigest()[:10]
            (self.folder / "found" / f"{key}.input").write_bytes(data)
            (self.folder / "found" / f"{key}.kind").write_text(kind, "utf-8")

    def tell(self) -> None:
        """Write the figures."""
        figures = {"runs": self.runs, "accepted": self.accepted}
        (self.folder / "stats.json").write_text(json.dumps(figures), "utf-8")


def guided(folder: Path, seconds: float, seed: str) -> None:
    """By atheris: inputs that reach new code of Shoal are kept and mutated further."""
    import atheris

    with atheris.instrument_imports(include=["shoal"]):
        import shoal.cli
        import shoal.io  # noqa: F401
    engine = Engine(folder)
    words: list[Any] = [
        f"-max_total_time={max(1, int(seconds))}",
        f"-max_len={MOST_BYTES}",
        "-timeout=30",
        "-rss_limit_mb=3000",
        f"-seed={int(hashlib.sha256(seed.encode()).hexdigest()[:7], 16) or 1}",
        f"-artifact_prefix={folder}/",
        "-verbosity=0",
        "-print_final_stats=0",
    ]
    atheris.Setup([sys.argv[0], str(folder / "corpus"), *words], engine.one)
    atheris.Fuzz()


def blind(folder: Path, seconds: float, seed: str) -> None:
    """Without a guide: random changes of the seeds."""
    engine, random_ = Engine(folder), random.Random(seed)
    corpus = [path.read_bytes() for path in sorted((folder / "corpus").iterdir())]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        engine.one(mutated(random_, random_.choice(corpus), random_.choice(corpus)))
    engine.tell()


def mutated(random_: random.Random, data: bytes, other: bytes) -> bytes:
    """An input with a few changes."""
    for _ in range(random_.choice((1, 1, 2, 4, 8))):
        at, end = sorted(random_.randrange(len(data) + 1) for _ in range(2))
        roll = random_.random()
        if roll < 0.25:
            data = data[:at] + bytes([random_.randrange(256)]) + data[at + 1 :]
        elif roll < 0.5:
            data = data[:at] + random_.choice(TOKENS) + data[at:]
        elif roll < 0.65:
            data = data[:at] + data[end:]
        elif roll < 0.8:
            data = data[:at] + data[at:end] * 2 + data[end:]
        else:
            start = random_.randrange(len(other) + 1)
            data = data[:at] + other[start : start + random_.randrange(1, 200)] + data[at:]
    return data[:MOST_BYTES]


def main() -> None:
    """Run."""
    warnings.simplefilter("ignore")
    folder, seconds, seed, *how = sys.argv[1:]
    (blind if how else guided)(Path(folder), float(seconds), seed)


if __name__ == "__main__":
    main()
