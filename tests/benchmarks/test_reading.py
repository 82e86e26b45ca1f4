"""How reading is measured, without the measuring."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import reading


@pytest.mark.parametrize(("times", "steady"), [((1.0, 1.1, 3.0), True), ((1.0, 1.2, 1.3), False), ((), True)])
def test_the_least_time_must_be_seen_twice(times: tuple[float, ...], steady: bool) -> None:
    assert reading._steady([{"cpu": time} for time in times]) is steady


@pytest.mark.parametrize("work", [reading.READ, reading.GLUE])
def test_glue_code_reads_the_same_records(
    work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.csv"
    lines.write_text("basket_id,product_id,price\n2,7,1.50\n1,8,2.00\n2,7,1.50\n2,9,1.00\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["-c", json.dumps([str(lines), reading.LONG])])
    exec(reading.MEASURED.format(work=work), {})
    figures = json.loads(capsys.readouterr().out)
    assert (figures["rows"], figures["occurrences"]) == (2, 3)
