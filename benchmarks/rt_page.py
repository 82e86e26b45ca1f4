"""The part of docs/research/benchmarks.md about columns and sets together: tables from the rows of the benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import rt
from benchmarks.papers.common import put

Rows = Sequence[dict[str, Any]]
Tables = Mapping[str, Rows]
TABLES = Path(__file__).parents[1] / "docs" / "research" / "benchmarks.md"


def write_tables(tables: Tables, page: Path = TABLES) -> None:
    """Put the tables of time, memory and losses into the page of benchmarks."""
    put(page, "rt side by side", "\n".join(_side(tables["side by side"])))
    put(page, "rt informs", "\n".join(_grid(tables["informs"])))
    put(page, "rt videos", "\n".join(_grid([*tables["videos"], *tables.get("videos, small k", ())])))
    put(page, "rt within", "\n".join(_within(tables["within"])))


def _grid(rows: Rows) -> Iterator[str]:
    titles = ("search", "total", "CPU", "peak memory", "clusters", "NCP of columns", "UL", "NCP of items", "ARE")
    yield f"| k | m | method | {' | '.join(titles)} |"
    yield "|---:|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        start = f"| {row['k']} | {row['m']} | {row['method']} |"
        if row["error"]:
            yield f"{start} {_short(row['error'])} |{' |' * 8}"
        else:
            yield f"{start} {_cells(row)} |"


def _cells(row: dict[str, Any]) -> str:
    assert row["verified"]
    return (
        f"{row['solve']:.2f} s | {row['total']:.2f} s | {row['cpu']:.1f} s | {_peak(row)} "
        f"| {row['clusters']:,} | {row['relational_ncp']:.4f} | {row['ul']:.4f} | {row['ncp']:.4f} | {row['are']:.2f}"
    )


def _peak(row: dict[str, Any]) -> str:
    """Peak memory; a row that was measured below a larger process knows a bound alone."""
    return f"{'at most ' if row.get('peak is a bound') else ''}{row['peak']:.0f} MB"


def _short(error: str) -> str:
    """The best that can be reached, of a message that says so."""
    best = error.partition("the best is ")[2].partition(",")[0]
    return f"not reachable: the best UL is {best}" if best else error.partition(":")[0]


def _within(rows: Rows) -> Iterator[str]:
    yield "| records | method | m | sets by | search | clusters | UL | NCP of items | ARE |"
    yield "|---:|---|---:|---|---:|---:|---:|---:|---:|"
    for row in rows:
        start = f"| {row['rows']:,} | {row['algorithm']} | {row['m']} | {row['within']} |"
        if row["error"]:
            yield f"{start} {row['error']} | | | | |"
            continue
        yield (
            f"{start} {row['solve']:.2f} s | {row['clusters']:,} | {row['ul']:.4f} | {row['ncp']:.4f} "
            f"| {row['are']:.2f} |"
        )


def _side(rows: Rows) -> Iterator[str]:
    titles = ("CPU", "CPU of the process", "peak", "clusters", "NCP of columns", "UL", "NCP of items")
    yield f"| version | records | forming, merging, sets | total | {' | '.join(titles)} |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        if row.get("error"):
            yield f"| {row['method']} | {row['rows'] or 26_854:,} | {row['error']} | | | | | | | | |"
            continue
        parts = [row.get(f"seconds {name}") for name in ("forming", "merging", "sets")]
        stages = ", ".join(f"{part:.1f} s" for part in parts if part is not None)
        yield (
            f"| {row['method']} | {row['rows'] or 26_854:,} | {stages} | {row['total']:.2f} s | {row['cpu']:.2f} s "
            f"| {row['cpu process']:.1f} s | {row['peak']:.0f} MB | {row['clusters']} | {row['relational_ncp']:.4f} "
            f"| {row['ul']:.4f} | {row['ncp']:.4f} |"
        )
    ours = next(row for row in rows if row["method"] == "Shoal, 1 worker" and row["rows"] in (0, 26_854))
    small = next(row for row in rows if row["method"] == "Shoal, 1 worker" and row is not ours)
    plain = rows[0]
    yield ""
    yield (
        f"On the same {plain['rows']} records Shoal takes {plain['cpu'] / small['cpu']:,.0f} times less CPU time than "
        f"the plain version, and finds the same clusters and the same sets (the benchmark asserts it). On the whole "
        f"file it takes {ours['cpu process']:.1f} CPU seconds, start and reading included: "
        f"{rt.SCRIPT / ours['cpu process']:.0f} times less than the {rt.SCRIPT:.0f} of the public Python script, which "
        f"was measured elsewhere (the aim was 20 times)."
    )
