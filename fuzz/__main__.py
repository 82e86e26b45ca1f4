"""``python -m fuzz``: fuzz for some minutes, or run a saved case again."""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from pathlib import Path

from fuzz import saved, summary

PARTS = {"problems": 0.6, "readers": 0.2, "kernels": 0.2}  # and their shares of the time


def main() -> int:
    """The command; returns its exit code: 1 if anything was found."""
    if sys.argv[1:2] == ["replay"]:
        return replay(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), help=f"of {', '.join(PARTS)}; default: all")
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", default="", help="a text or number; default: a new one, which is printed")
    parser.add_argument("--jobs", type=int, default=0, help="processes; 0: one for each processor")
    parser.add_argument("--cases", type=Path, default=saved.FOLDER, help="where failing cases are saved")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    seed = given.seed or str(random.SystemRandom().randrange(10**9))
    jobs = given.jobs or len(os.sched_getaffinity(0))
    print(f"fuzzing for {given.minutes:g} minutes by {jobs} processes; SEED={seed}", flush=True)
    whole = sum(PARTS[name] for name in given.parts)
    failures = 0
    for name in given.parts:
        seconds = given.minutes * 60 * PARTS[name] / whole
        failures += run_part(name, seed, seconds, jobs, given.cases)
    print(f"{'nothing' if not failures else f'{failures} kinds of failures'} found; SEED={seed}")
    return 1 if failures else 0


def run_part(name: str, seed: str, seconds: float, jobs: int, folder: Path) -> int:
    """Run one part and print its figures; returns how many kinds of failures it found."""
    print(f"\n{name}: {seconds:.0f} s", flush=True)
    if name == "problems":
        from fuzz.problems.run import run

        tally = run(seed, seconds, jobs, folder=folder)
        summary.of_problems(tally)
        return len(tally.failures)
    if name == "readers":
        from fuzz.readers import run as readers

        return summary.of_readers(readers.run(seed, seconds, folder))
    from fuzz.kernels import run as kernels

    return summary.of_kernels(kernels.run(seed, seconds, jobs, folder))


def replay(files: list[str]) -> int:
    """Run saved cases, or problems named by their seeds, again."""
    failed = 0
    for name in files or map(str, saved.every()):
        problems = replay_one(name)
        print(f"{name}: {'; '.join(problems) or 'fine'}")
        failed += bool(problems)
    return 1 if failed else 0


def replay_one(name: str) -> list[str]:
    """What is wrong with a saved case, or with the problem of a seed such as 17:4."""
    if not Path(name).exists() and re.fullmatch(r".+:\d+", name):
        from fuzz.problems import draw, run

        return list(map(str, run.replay(draw.draw(name).as_json())))
    part, case = saved.load(Path(name))
    if part == "readers":
        from fuzz.readers import target

        return target.replay(case)
    from fuzz.problems import run

    return list(map(str, run.replay(case)))


if __name__ == "__main__":
    sys.exit(main())
