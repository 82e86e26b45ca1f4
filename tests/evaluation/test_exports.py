"""What a paper takes from a comparison: charts as SVG and PDF, the table as LaTeX and CSV. Charts hide nothing.

Covers: evaluation/charts.py, evaluation/figures.py, evaluation/page.py.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from shoal.evaluation import charts, exports, figures, page
from shoal.evaluation.grid import Grid
from shoal.evaluation.page import Standing


def row(method: str, k: int, m: int, loss: float) -> dict[str, Any]:
    base = {"loss": "ncp", "seed": 0, "status": "ok", "gap": None, "peak_mb": 5.0, "verified": True}
    return {"data": "d_1", "model": "km", "k": k, "m": m, "algorithm": method, "method": method, **base} | {
        "value": loss,
        "score": loss,
        "scored_by": "NCP",
        "seconds": 0.1 * k,
    }


ROWS = [
    row(method, k, m, loss * k * m)
    for k in (2, 3, 5, 10, 20)
    for m in (1, 2)
    for method, loss in (("aa", 0.002), ("da", 0.002), ("optimal", 0.001))
]


def drawn(title: str) -> figures.Figure:
    return next(one for one in figures.draw(ROWS) if one.title == title)


def test_every_k_has_a_panel_and_lines_that_lie_on_each_other_are_named() -> None:
    figure = drawn("d_1: NCP against m")
    for k in (2, 3, 5, 10, 20):
        assert f"k = {k}<" in figure.svg
    assert figure.svg.count(">aa = da<") == 5
    assert "Lines that lie on each other: aa = da (k = 2; k = 3; k = 5; k = 10; k = 20)." in figure.caption
    assert "optimal" not in figure.caption
    assert "Shown are" not in figure.caption


def test_a_setting_with_a_single_point_is_drawn_too() -> None:
    rows = [*(one for one in ROWS if one["k"] == 2), row("aa", 50, 1, 0.5)]
    figure = next(one for one in figures.draw(rows) if one.title == "d_1: NCP against m")
    assert "k = 50<" in figure.svg


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MOST", 3)
    caption = drawn("d_1: NCP against m").caption
    assert "Shown are 3 of 5 settings, from the first to the last; the table has all of them." in caption


def test_the_lower_of_two_lines_is_thicker() -> None:
    panel = charts.pyplot().figure().add_subplot()
    charts.curves(panel, [one for one in ROWS if one["k"] == 2], "m", "score")
    widths = {line.get_label(): line.get_linewidth() for line in panel.get_lines()}
    charts.pyplot().close("all")
    assert widths["aa"] > 2 * widths["da"]
    assert widths["optimal"] == widths["da"]


def test_charts_and_tables_are_files_and_equal_rows_give_equal_bytes(tmp_path: Path) -> None:
    rows = [one for one in ROWS if one["k"] in (2, 10)]
    assert page.write(Grid(()), rows, tmp_path / "index.html") == ""
    names = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert names == [
        f"{name}.{kind}"
        for name in ("01-d-1-ncp-against-k", "02-d-1-ncp-against-m", "03-d-1-ncp-against-time")
        for kind in ("pdf", "svg")
    ]
    assert (tmp_path / "figures" / names[0]).read_bytes().startswith(b"%PDF")
    assert (tmp_path / "figures" / names[1]).read_text(encoding="utf-8").startswith("<?xml")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    for link in ("figures/02-d-1-ncp-against-m.svg", "figures/02-d-1-ncp-against-m.pdf", "table.tex", "table.csv"):
        assert f'href="{link}"' in text
        assert (tmp_path / link).exists()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    page.write(Grid(()), rows, tmp_path / "index.html")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_table_is_one_for_latex(tmp_path: Path) -> None:
    standings = [Standing("a_b & co", "km", "100 %", 3, 1, 2, 3, 0.123456, 0.01, 1.5, None)]
    latex = exports.as_latex(standings)
    assert r"a\_b \& co & km & 100 \% & 3 & 1 & 2 of 3 & 0.1235 & 1.0 \% & 1.5 &  \\" in latex
    assert latex.count("rule\n") == 3
    columns = latex.split("\\begin{tabular}{")[1].split("}")[0]
    assert all(line.count("&") - line.count("\\&") == len(columns) - 1 for line in latex.splitlines() if "km &" in line)
    (tmp_path / "t.csv").write_text(exports.as_csv(standings), encoding="utf-8")
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        (read,) = csv.DictReader(file)
    assert (read["data"], read["method"], read["loss"]) == ("a_b & co", "100 %", "0.123456")
