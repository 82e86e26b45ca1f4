"""The cases of large data, at tiny sizes: rows with all their columns, errors as rows, the table of the page."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from benchmarks import data, launch, scale, scale_cases, scale_page
from benchmarks.launch import Run
from benchmarks.scale_cases import Case, Data


@pytest.mark.slow
def test_cases_give_rows_with_all_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "ALTERNATIONS", 1)
    rows = {row["name"]: row for row in scale.rows(tmp_path, ["1m-m3", "kosarak", "workers"], shrink=10_000)}
    assert list(rows) == ["1m-m3", "kosarak", *scale.WORKERS]
    for name, row in rows.items():
        assert tuple(row) == scale.COLUMNS
        assert not row["error"], name
        assert min(row[column] for column in scale.TIMES) > 0
        assert 0 <= row["NCP"] <= 1
    assert all(rows[name][column] > 0 for name in ("1m-m3", "kosarak") for column in scale.FLOOR)
    assert rows["1m-m3"]["result"] == "no bound"
    assert rows["kosarak"]["result"] == "proven"
    assert rows["workers-2"]["result"].endswith("times as fast as one")
    assert sorted(path.name for path in tmp_path.glob("*.dat")) == ["kosarak-99.dat", "quest-100.dat", "quest-500.dat"]


def test_an_option_that_is_not_there_is_an_error_row(tmp_path: Path) -> None:
    row = scale.measured(
        Case("x", Data("quest", 50), "aa", 2, ("--no-such-option",), aim="2 GB", floor=False), tmp_path
    )
    assert tuple(row) == scale.COLUMNS
    assert "--no-such-option" in row["error"]
    assert (row["CPU s"], row["aim"]) == ("", "2 GB")


def test_missing_data_are_an_error_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "REAL", tmp_path / "none")
    assert "SHOAL_DATA" in scale.measured(Case("x", Data("bms-webview-2"), "auto", 3), tmp_path)["error"]
    assert "exist" in scale.measured(Case("x", Data("quest", 50), "aa", 2), tmp_path / "none")["error"]


@pytest.mark.parametrize(
    ("only", "large", "names"),
    [
        ((), False, [name for name in scale.NAMES if name != scale.LARGE]),
        ((), True, list(scale.NAMES)),
        (("exponent",), False, ["1m-m2", "5m-m2", "10m-m2", "exponent"]),
        (("50m-m2",), False, ["50m-m2"]),
    ],
)
def test_cases_are_chosen_by_name(
    only: tuple[str, ...], large: bool, names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "measured", lambda case, _: scale._row(case.name, case.title) | {"CPU s": 1.0})
    monkeypatch.setattr(scale, "workers", lambda *_: [scale._row(name, name) for name in scale.WORKERS])
    assert [row["name"] for row in scale.rows(tmp_path, only, large=large)] == names


def test_the_exponent_is_a_slope_of_logarithms() -> None:
    assert scale.exponent({1_000: 2.0, 10_000: 20.0, 100_000: 200.0})["result"] == "1.000"
    assert scale.exponent({1_000: 1.0, 4_000: 8.0})["result"] == "1.500"
    assert scale.exponent({1_000: 1.0})["error"]


def test_the_end_of_a_search_is_told() -> None:
    assert scale.ended({"optimality": None}) == "no bound"
    assert scale.ended({"optimality": {"proven": True, "gap": 0.0, "ended": "proven"}}) == "proven"
    late = {"optimality": {"proven": False, "gap": 0.0125, "ended": "time limit"}}
    assert scale.ended(late) == "gap 1.2%, time limit"


@pytest.mark.slow
def test_a_child_is_measured_alone() -> None:
    mine = bytearray(200_000_000)
    small = launch.run([sys.executable, "-c", "print('hello')"])
    assert (small.printed, small.error) == ("hello\n", "")
    assert small.peak_mb < len(mine) / 1e6
    busy = launch.run([sys.executable, "-c", "x = bytearray(200_000_000); raise SystemExit(3)"])
    assert busy.peak_mb > 200
    assert busy.error == "exit code 3"
    assert launch.run([sys.executable, "-c", "import time; time.sleep(60)"], limit=1).error == "over 1 s"


def test_rows_of_other_cases_stay_and_the_page_has_a_table_and_commands(tmp_path: Path) -> None:
    before = [scale._row("1m-m2", "old"), scale._row("50m-m2", "50 M rows") | {"CPU s": "900.5"}]
    after = [scale._row("1m-m2", "new") | scale._figures([Run(1.25, 2.0, 99.6, TOLD, "")])]
    rows = scale_page.merged(before, after)
    assert [row["case"] for row in rows] == ["new", "50 M rows"]
    page = tmp_path / "page.md"
    page.write_text("<!-- scale -->\n<!-- end of scale -->\n", encoding="utf-8")
    scale_page.write(rows, page)
    text = page.read_text(encoding="utf-8")
    assert "| new | 1.2 | 2.0 | 100 | 0.50000 | no bound |" in text
    assert "| 50 M rows | 900.5 |" in text
    assert "\nshoal generate quest --rows 1000000 --mean-size 8 -o quest-1000000.dat" in text
    assert "--algorithm aa --memory 2G -o out.dat" in text


TOLD = '{"losses": {"ncp": 0.5}, "optimality": null}'


def test_the_page_has_its_marks() -> None:
    text = scale_page.PAGE.read_text(encoding="utf-8")
    assert text.index("<!-- scale -->") < text.index("<!-- end of scale -->")


def test_the_shape_of_kosarak_is_given_in_full() -> None:
    words = scale_cases.kosarak(990_002)
    assert words[words.index("--items") + 1] == "41270"
    assert words[words.index("--patterns") + 1] == "250000"
