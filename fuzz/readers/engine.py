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
BYTES = 0.15  # of the changes are libFuzzer's own, which know nothing of text
CHOSEN = 0.35  # start from the input that libFuzzer chose, the others from any kind alike
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
        except self.target.Finding as finding:
            self.keep(str(finding), data)
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


class Pool:
    """The corpus by kinds of files, so that none is left behind; it grows as libFuzzer keeps inputs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, 0
        self.kinds: dict[str, list[bytes]] = {}
        self.names: set[str] = set()

    def any(self, random_: random.Random, like: bytes = b"") -> bytes:
        """An input of any kind, or of the same kind as another."""
        from fuzz.readers import target

        if self.calls % 500 == 0:
            for path in sorted(self.folder.iterdir()):
                if path.name not in self.names and (data := path.read_bytes()):
                    self.names.add(path.name)
                    self.kinds.setdefault(target.name_of(data), []).append(data)
        self.calls += 1
        same = self.kinds.get(target.name_of(like)) if like else None
        return random_.choice(same or self.kinds[random_.choice(sorted(self.kinds))])


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
    pool = Pool(folder / "corpus")

    def mutate(data: bytes, most: int, number: int) -> bytes:
        random_ = random.Random(number)
        roll = random_.random()
        if roll < BYTES:
            return bytes(atheris.Mutate(data, most))
        start = data if roll < BYTES + CHOSEN else pool.any(random_)
        return mutated(random_, start, pool.any(random_, like=start))[:most]

    atheris.Setup([sys.argv[0], str(folder / "corpus"), *words], engine.one, custom_mutator=mutate)
    atheris.Fuzz()


def blind(folder: Path, seconds: float, seed: str) -> None:
    """Without a guide: random changes of the seeds."""
    engine, random_ = Engine(folder), random.Random(seed)
    pool, end = Pool(folder / "corpus"), time.monotonic() + seconds
    while time.monotonic() < end:
        start = pool.any(random_)
        engine.one(mutated(random_, start, pool.any(random_, like=start)))
    engine.tell()


def mutated(random_: random.Random, data: bytes, other: bytes) -> bytes:
    """An input with a few changes, most of which leave text text."""
    head, body = data[:2].ljust(2, b"\0"), data[2:]
    if random_.random() < 0.1:
        head = bytes([head[0], random_.randrange(32)])
    if random_.random() < 0.03:
        head = bytes([random_.randrange(256), head[1]])
    for _ in range(random_.choice((1, 1, 2, 4, 8))):
        at, end = sorted(random_.randrange(len(body) + 1) for _ in range(2))
        roll = random_.random()
        if roll < 0.15:
            body = body[:at] + bytes([random_.randrange(32, 127)]) + body[at + 1 :]
        elif roll < 0.45:
            body = body[:at] + random_.choice(TOKENS) + body[at + random_.randrange(2) :]
        elif roll < 0.55:
            body = body[:at] + body[min(end, at + random_.randrange(1, 20)) :]
        elif roll < 0.65:
            body = body[:at] + body[at:end] * 2 + body[end:]
        elif roll < 0.85:
            body = _with_lines(random_, body, other[2:])
        elif roll < 0.95:
            start = random_.randrange(len(other) + 1)
            body = body[:at] + other[start : start + random_.randrange(1, 60)] + body[at:]
        else:
            body = body[:at] + bytes([random_.randrange(256)]) + body[at + 1 :]
    return (head + body)[:MOST_BYTES]


def _with_lines(random_: random.Random, body: bytes, other: bytes) -> bytes:
    """With lines doubled, dropped, swapped, or taken from another input."""
    lines = body.split(b"\n")
    at, to = random_.randrange(len(lines)), random_.randrange(len(lines))
    roll = random_.random()
    if roll < 0.3:
        lines.insert(to, lines[at])
    elif roll < 0.5:
        del lines[at]
    elif roll < 0.7:
        lines[at], lines[to] = lines[to], lines[at]
    else:
        lines.insert(to, random_.choice(other.split(b"\n")))
    return b"\n".join(lines)


def main() -> None:
    """Run."""
    warnings.simplefilter("ignore")
    folder, seconds, seed, *how = sys.argv[1:]
    (blind if how else guided)(Path(folder), float(seconds), seed)


if __name__ == "__main__":
    main()
