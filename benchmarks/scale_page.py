"""The table of ``python -m benchmarks scale``, with rows of earlier runs, for docs/research/benchmarks.md."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.papers.common import DOCS, put
from benchmarks.scale import FLOOR, NAMES, TIMES, Row
from benchmarks.scale_cases import cases

PAGE = DOCS / "research" / "benchmarks.md"
DIGITS = {**dict.fromkeys([*TIMES, *FLOOR], 1), "peak MB": 0, "NCP": 5}  # decimals of each column of numbers


def known(table: Path) -> list[Row]:
    """The rows of earlier runs. A case that takes long is measured by itself, and stays."""
    if not table.exists():
        return []
    with open(table, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def merged(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """New rows in place of earlier ones, in the order of the cases."""
    latest = {row["name"]: row for row in [*before, *after]}
    return [latest[name] for name in NAMES if name in latest]


def write(rows: Sequence[Row], page: Path = PAGE) -> None:
    """Put the table and its commands into the page."""
    put(page, "scale", "\n".join([*table(rows), "", "```", *commands(rows), "```"]))


def table(rows: Sequence[Row]) -> Iterator[str]:
    """The lines of the table. An error stands in place of the result."""
    numbers = (*TIMES, "NCP")
    yield f"| case | {' | '.join(numbers)} | result | {' | '.join(FLOOR)} | now | aim |"
    yield f"|---|{'--:|' * len(numbers)}---|{'--:|' * len(FLOOR)}---|---|"
    for row in rows:
        told = "; ".join(str(row[name]) for name in ("result", "error") if row[name])
        cells = [*(_number(row, name) for name in numbers), told, *(_number(row, name) for name in FLOOR)]
        yield f"| {' | '.join([row['case'], *cells, row['now'], row['aim']])} |"


def commands(rows: Sequence[Row]) -> Iterator[str]:
    """The commands behind the table: first those that make the data."""
    shown = {row["name"] for row in rows}
    used = [case for case in cases() if case.name in shown]
    yield from dict.fromkeys(case.data.command for case in used)
    yield from (case.command for case in used)


def _number(row: Mapping[str, Any], name: str) -> str:
    """A number with its decimals; nothing, where nothing was measured."""
    return f"{float(row[name]):,.{DIGITS[name]}f}" if row[name] not in ("", None) else ""
