"""The figures of a run, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fuzz.kernels.run import Kernels
    from fuzz.problems.run import Tally
    from fuzz.readers.run import Readers

SHOWN = 15  # messages of refusals


def of_problems(tally: Tally) -> None:
    """Rates by model and algorithm, refusals and failures."""
    rows: list[Sequence[object]] = []
    for pair in sorted(tally.problems):
        count, seconds = tally.problems[pair], tally.seconds[pair]
        refused = count - tally.releases[pair]
        rows.append(
            [*pair, count, tally.releases[pair], refused, f"{1000 * seconds / count:.1f}", f"{count / seconds:.1f}"]
        )
    table(["model", "algorithm", "problems", "releases", "refusals", "ms each", "per s and process"], rows)
    through = ", ".join(f"{name} {count:,}" for name, count in sorted(tally.formats.items()))
    print(f"\nthrough files and the command line too: {through or 'none'}")
    owned = ", ".join(f"{name} {count:,}" for name, count in sorted(tally.persons.items()))
    print(f"with persons: {owned or 'none'}; {tally.persons_released:,} releases")
    print("most frequent refusals:")
    for message, count in tally.refusals.most_common(SHOWN):
        print(f"{count:9,}  {message}")
    rate = tally.count / max(0.001, tally.elapsed)
    print(
        f"\n{tally.count:,} problems, {tally.releases.total():,} releases, {tally.count - tally.releases.total():,} "
        f"refusals in {tally.elapsed:.0f} s: {rate:.1f} a second, {rate * 36_000:,.0f} in ten hours"
    )
    for kind, count in tally.failures.most_common():
        print(f"FAILED {count:,} times: {kind}")


def of_readers(totals: Readers) -> int:
    """How the readers fared."""
    rows = [[name, count, totals.accepted[name]] for name, count in sorted(totals.runs.items())]
    table(["format", "inputs", "read"], rows)
    rate = totals.runs.total() / max(0.001, totals.elapsed)
    print(
        f"{totals.runs.total():,} inputs ({totals.how}), {rate:.0f} a second; "
        f"lines of readers reached: {totals.coverage:.0%}"
    )
    for kind, path in totals.failures.items():
        print(f"FAILED: {kind}; saved as {path}")
    return len(totals.failures)


def of_kernels(totals: Kernels) -> int:
    """How the sanitized kernels fared."""
    if totals.skipped:
        print(f"skipped: {totals.skipped}")
        return 0
    rows = [[name, count] for name, count in sorted(totals.calls.items())]
    table(["kernel", "calls, each against its Python twin"], rows)
    print(f"{totals.problems:,} problems under ASan and UBSan, {totals.calls.total():,} calls of kernels")
    for kind in totals.failures:
        print(f"FAILED: {kind}")
    return len(totals.failures)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table, numbers to the right."""
    texts = [list(head), *[[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]]
    widths = [max(len(row[at]) for row in texts) for at in range(len(head))]
    for row in texts:
        cells = [
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())
