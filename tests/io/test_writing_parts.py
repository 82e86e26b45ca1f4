"""A folder of parts holds what one file holds, whatever the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal import io
from shoal.engines import Engine
from shoal.errors import DataError, OptionError, OutputError
from shoal.io.source import sha256_of_source
from tests.conftest import Shell

ROWS = [["a", "b"], [], ["c"], ["a"], ["b", "c"], ["a"], ["c"]]


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("format", ["fimi", "basket", "csv", "jsonl", "parquet"])
def test_the_parts_are_read_as_the_data(tmp_path: Path, format: str, parts: int) -> None:
    folders = []
    for workers in (1, 3):
        folder = tmp_path / str(workers)
        with Engine(workers=workers, part_rows=2).in_use():
            sha256 = io.write_parts(shoal.read(ROWS), folder, parts, format=format)
        assert sha256 == sha256_of_source(folder)
        assert len(list(folder.iterdir())) == min(parts, len(ROWS))
        again = shoal.read(folder, format=format, **({"item_delimiter": "|"} if format == "csv" else {}))
        assert again.transactions.sets() == [frozenset(row) for row in ROWS]
        folders.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert folders[0] == folders[1]


def test_other_columns_go_along(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"age": [1, 2, 3], "items": [["a"], ["b"], ["a", "c"]]})
    io.write_parts(shoal.read(frame, sets="items"), tmp_path / "out", 2, format="parquet")
    again = pd.concat([pd.read_parquet(file) for file in sorted((tmp_path / "out").iterdir())])
    assert again["age"].tolist() == [1, 2, 3]
    assert [list(row) for row in again["items"]] == [["a"], ["b"], ["a", "c"]]


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_records_of_long_data_are_numbered_through_all_parts(tmp_path: Path, parts: int) -> None:
    data = shoal.read(ROWS)
    io.write(data, tmp_path / "one.csv", layout="long")
    io.write_parts(data, tmp_path / "out", parts, format="csv", layout="long")
    lines: list[str] = []
    for file in sorted((tmp_path / "out").iterdir()):
        head, *more = file.read_text().splitlines()
        lines += more if lines else [head, *more]
    assert lines == (tmp_path / "one.csv").read_text().splitlines()


def test_the_same_id_in_two_parts_is_refused(tmp_path: Path) -> None:
    import pandas as pd

    data = shoal.read(pd.DataFrame({"id": [1, 2, 1], "items": [["a"], ["b"], ["c"]]}), sets="items")
    with pytest.raises(DataError, match="same id in several records"):
        io.write_parts(data, tmp_path / "out", 3, format="csv", layout="long", id_column="id")
    assert not list(tmp_path.iterdir())


def test_a_folder_with_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "x").write_text("mine")
    with pytest.raises(OutputError, match="files already"):
        io.write_parts(shoal.read(ROWS), tmp_path / "out", 2, format="fimi")
    assert [file.name for file in tmp_path.rglob("*")] == ["out", "x"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="at least 1"):
        io.write_parts(shoal.read(ROWS), tmp_path / "out", -1, format="fimi")
    with pytest.raises(DataError, match="a space"):
        io.write_parts(shoal.read([["oat milk"], ["b"]]), tmp_path / "out", 2, format="fimi")
    assert not list(tmp_path.iterdir())


def test_the_command(shell: Shell) -> None:
    shell.write("in.dat", "1 2\n1 2\n1 2\n1\n")
    code, _, err = shell("anonymize", "in.dat", "-o", "public", "--output-parts", "2", "--k", "2", "--report", "r.json")
    assert code == 0, err
    assert sorted(file.name for file in (shell.folder / "public").iterdir()) == ["part-00000.dat", "part-00001.dat"]
    assert shell("verify", "public", "--k", "2")[0] == 0
    code, out, _ = shell("anonymize", "in.dat", "-o", "other/", "--k", "2")
    assert code == 0
    assert "other/" in out
    assert [file.name for file in (shell.folder / "other").iterdir()] == ["part-00000.dat"]
    assert "files already" in shell("anonymize", "in.dat", "-o", "public/", "--k", "2")[2]
    assert "standard output" in shell("anonymize", "in.dat", "-o", "-", "--output-parts", "2")[2]
    assert "is a file" in shell("anonymize", "in.dat", "-o", "r.json/", "--k", "2")[2]


def test_a_name_that_ends_in_a_slash_is_a_folder_everywhere(shell: Shell) -> None:
    shell.write("in.dat", "1 2\n1 2\n1\n")
    shell.write("p.toml", '[data]\nfile = "in.dat"\n[model]\nk = 2\nm = 2\n[output]\nfile = "public/"\n')
    code, _, err = shell("run", "p.toml")
    assert code == 0, err
    shoal.anonymize(shell.folder / "in.dat", k=2, m=2).save(f"{shell.folder}/saved/")
    for name in ("public", "saved"):
        assert [file.name for file in (shell.folder / name).iterdir()] == ["part-00000.dat"]


def test_the_command_of_a_remedy_names_the_folder(shell: Shell) -> None:
    shell.write("in.dat", "1 2\n3 4\n1\n2\n3\n4\n")
    words = ["anonymize", "in.dat", "--k", "2", "--max-loss", "0.0001"]
    for more, expected in ((["-o", "out/"], "-o out/ "), (["-o", "out", "--output-parts", "3"], "--output-parts 3 ")):
        code, _, err = shell(*words, *more)
        assert code == 3
        assert expected in " ".join(err.split())
        assert "--output-parts 0" not in err
