"""Formulas in published CSV files: noted, escaped if wanted, and read back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.errors import OptionError
from shoal.io.formulas import are_formulas, escaped, unescaped
from tests.conftest import Shell

FORMULAS = ["=1+1", "@x", "+cmd|' /C calc'!A0", "-a", "\tx", "'=x", "''-a", "-5-a"]
NONE = ["5", "-5", "+7.5", "-.5", "-1e9", "a=b", "'a", "", "*", "[1:2]"]
ROWS = [["=x", "b"], ["b", "c"], ["'=x", "b"], ["-5"], [], ["=x"]]


def test_what_is_a_formula() -> None:
    assert are_formulas(pa.array(FORMULAS + NONE)).to_pylist() == [True] * len(FORMULAS) + [False] * len(NONE)


@given(st.lists(st.text("'=+-@5a\t\r\n|", max_size=6)))
def test_escaping_is_undone(texts: list[str]) -> None:
    cells = pa.array(texts, pa.large_string())
    made = escaped(cells)
    assert unescaped(made).to_pylist() == texts
    assert not any(text.startswith(("=", "@", "\t", "\r")) for text in made.to_pylist())


@pytest.mark.parametrize(
    ("name", "options"),
    [("x.csv", {}), ("x.tsv", {}), ("x.csv", {"layout": "long"}), ("x.csv", {"sets": "=items"})],
    ids=str,
)
def test_files(tmp_path: Path, name: str, options: dict[str, Any]) -> None:
    data, path = io.read(ROWS), tmp_path / name
    with pytest.warns(UserWarning, match="Spreadsheets take cells such as .* for formulas: pass escape_formulas=True"):
        io.write(data, path, **options)
    io.write(data, path, escape_formulas=True, **options)
    assert not any(line.startswith(("=", "@", "-a")) for line in path.read_text().splitlines())
    back = io.read(path, **io.options_to_read(data, path, escape_formulas=True, **options))
    assert back.transactions.sets() == data.transactions.sets()
    again = tmp_path / f"again-{name}"
    io.write(back, again)
    assert again.read_bytes() == path.read_bytes()
    with pytest.warns(UserWarning, match="cells with a quote before a formula.*pass escaped_formulas=True"):
        io.read(path, header=True)


def test_columns_and_several_columns_of_sets(tmp_path: Path) -> None:
    table = pa.table({"=n": ["@a", "'-b"], "A": [["=x", "y"], ["'=x"]], "B": [["z"], ["-z"]]})
    data, path = io.read(table, sets=("A", "B")), tmp_path / "x.csv"
    io.write(data, path, escape_formulas=True)
    assert path.read_text() == "'=n,A,B\n'@a,'=x|y,z\n''-b,''=x,'-z\n"
    back = io.read(path, **io.options_to_read(data, path, escape_formulas=True))
    assert back.transactions.sets() == data.transactions.sets()
    assert back.table is not None
    assert back.table.arrow.to_pylist() == [{"=n": "@a"}, {"=n": "'-b"}]


def test_columns_that_were_quoted(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('"n","items"\n"=a","b"\n"c","d"\n')
    out = tmp_path / "out.csv"
    io.write(io.read(path), out, escape_formulas=True)
    assert out.read_text() == "n,items\n'=a,b\nc,d\n"


def test_other_formats(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="jsonl has no option"):
        io.write(io.read(ROWS), tmp_path / "x.jsonl", escape_formulas=True)
    path = tmp_path / "x.dat"
    path.write_text("a\n")
    with pytest.raises(OptionError, match="fimi has no option escaped_formulas=True"):
        io.read(path, escaped_formulas=True)


@pytest.mark.filterwarnings("default:Spreadsheets take")
def test_anonymize_verify_and_measure(shell: Shell) -> None:
    shell.write("in.csv", "items\n=x|b\n=x|b\nb|=x\nb|=x\n")
    words = ("anonymize", "in.csv", "-o", "out.csv", "--k", "2")
    code, _, err = shell(*words)
    assert code == 0, err
    assert "Note: Spreadsheets take cells such as '=x' for formulas" in err
    code, _, err = shell(*words, "--escape-formulas", "--report", "r.md")
    assert code == 0, err
    assert "'=x" in (shell.folder / "out.csv").read_text()
    assert "--escaped-formulas" in (shell.folder / "r.md").read_text()
    code, _, err = shell("measure", "in.csv", "out.csv", "--escaped-formulas")
    assert (code, err) == (0, "")
    code, _out, err = shell("verify", "out.csv", "--k", "4", "--escaped-formulas")
    assert (code, err) == (0, "")
    shell.write("p.toml", '[data]\nfile = "in.csv"\n[output]\nfile = "o.csv"\nescape_formulas = true\n[model]\nk = 2\n')
    assert shell("run", "p.toml")[0] == 0
    assert (shell.folder / "o.csv").read_bytes() == (shell.folder / "out.csv").read_bytes()
    shell.write("p.toml", '[data]\nfile = "o.csv"\nescaped_formulas = true\n[output]\nfile = "q.csv"\n[model]\nk = 2\n')
    assert shell("run", "p.toml")[0] == 0
    assert (shell.folder / "q.csv").read_bytes() == (shell.folder / "out.csv").read_bytes()
