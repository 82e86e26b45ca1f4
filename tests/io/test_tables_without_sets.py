"""Tables without sets: every column is beside, nothing is made up, and columns may become text."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.data import Dataset, Table
from shoal.errors import DataError, InputError, OptionError
from shoal.io.read_options import reading_words
from tests.budget import examples
from tests.conftest import Shell

pytestmark = pytest.mark.filterwarnings("ignore:(Spreadsheets take cells|.* quote before a formula)")  # any text is
FORMATS = ["csv", "tsv", "jsonl", "parquet", "feather"]
BYTES = {
    "rich.csv": 'id,"the, name",x\r\n007,,1.50\r\n8,,\r\n9,"say ""x""\r\nyes",q\r\n',
    "pairs.csv": "id,item\n1,a\n1,b\n",
    "semicolon.csv": "\ufeffsex;age;work-class\nMale;39;State gov\nFemale;50;\n",
    "one.csv": 'age\n1\n""\n3\n',
    "x.tsv": "a\tb\n1\t2\n",
    "x.jsonl": '{"a": 1.5, "b": [1, "x"], "c": null}\n{"a": 0.1, "b": null, "c": {"d": []}}\n',
    "mixed.jsonl": '{"a": 1, "b": {"x": 1}}\n{"a": "y", "b": {"y": [true]}}\n{"a": null, "b": {}}\n',
}


def text(folder: Path, content: str, name: str = "x.csv", **options: Any) -> Dataset:
    """A file, read."""
    (folder / name).write_bytes(content.encode())
    return io.read(folder / name, **{"no_sets": True, **options})


def reread(data: Dataset, path: Path) -> Dataset:
    """Written, and read with the options that are told."""
    io.write(data, path)
    return io.read(path, **io.options_to_read(data, path))


def rows(data: Dataset) -> list[dict[str, Any]]:
    """The rows of the table."""
    assert data.table is not None
    found: list[dict[str, Any]] = data.table.arrow.to_pylist()
    return found


def with_ages(data: Dataset, ages: list[str | None]) -> Dataset:
    """With published ages."""
    assert data.table is not None
    at = data.table.names.index("age")
    return replace(data, table=Table(data.table.arrow.set_column(at, "age", pa.array(ages))))


@pytest.mark.parametrize("name", BYTES)
def test_same_bytes(tmp_path: Path, name: str) -> None:
    data = text(tmp_path, BYTES[name], name)
    assert data.transactions.sets() == [frozenset()] * len(data)
    assert data.origin.set_columns == ()
    io.write(data, tmp_path / f"out-{name}")
    assert (tmp_path / f"out-{name}").read_bytes().decode() == BYTES[name]


@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(tmp_path: Path, format: str) -> None:
    source = pa.table({"sex": ["m", "f"], "age": pa.array([33, 5], pa.int16()), "codes": ["x|y", "z, z"]})
    data = io.read(source, no_sets=True)
    assert rows(data) == source.to_pylist()
    back = reread(data, tmp_path / f"x.{format}")
    texts = [{name: str(value) for name, value in row.items()} for row in source.to_pylist()]
    assert rows(back) == (texts if format in ("csv", "tsv") else source.to_pylist())
    assert back.transactions.sets() == [frozenset(), frozenset()]
    options = io.options_to_read(back, f"y.{format}")
    extra: dict[str, dict[str, Any]] = {"csv": {"delimiter": ",", "header": True}, "tsv": {"header": True}}
    assert options == {"format": format, "no_sets": True} | extra.get(format, {})
    if format in ("parquet", "feather"):
        assert back.table is not None
        assert back.table.arrow.schema.equals(source.schema)
    assert io.to_native(back).to_pylist() == rows(back)
    for other in FORMATS:
        assert [list(row) for row in rows(reread(back, tmp_path / f"z.{other}"))] == [["sex", "age", "codes"]] * 2


@pytest.mark.parametrize("format", FORMATS)
def test_columns_may_become_text(tmp_path: Path, format: str) -> None:
    data = reread(io.read(pa.table({"n": [1, 2, 3], "age": [33, 5, 7]}), no_sets=True), tmp_path / f"x.{format}")
    ages: list[str | None] = ["[19:22]", 'say "5",\n6', None]
    back = reread(with_ages(data, ages), tmp_path / f"y.{format}")
    assert [row["age"] or None for row in rows(back)] == ages
    assert [str(row["n"]) for row in rows(back)] == ["1", "2", "3"]
    assert back.table is not None
    assert back.table.names == ("n", "age")
    if format in ("parquet", "feather"):
        assert back.table.arrow.schema.field("age").type == pa.string()


def test_what_did_not_change_stands_as_it_stood(tmp_path: Path) -> None:
    data = text(tmp_path, 'id,age,"n"\n"1","5",007\n"2","6","8"\n')
    io.write(with_ages(data, ["[5:6]", "*"]), tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "id,age,n\n1,[5:6],007\n2,*,8\n"
    data = text(tmp_path, '{"id":1.50,"age":5,"z":null}\n{"id":2,"age":6}\n', "x.jsonl")
    io.write(with_ages(data, ["[5:6]", "6"]), tmp_path / "y.jsonl")
    assert (tmp_path / "y.jsonl").read_text() == '{"id":1.5,"age":"[5:6]","z":null}\n{"id":2.0,"age":"6","z":null}\n'
    io.write(data.keep_columns(["id"]), tmp_path / "y.jsonl")
    assert (tmp_path / "y.jsonl").read_text() == '{"id":1.5}\n{"id":2.0}\n'


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_frames(tmp_path: Path, package: str) -> None:
    library = pytest.importorskip(package)
    source = pa.table({"n": [1, 2], "age": [33, 5], "items": [["a"], []]})
    if package != "pyarrow":
        source = source.to_pandas() if package == "pandas" else library.from_arrow(source)
    data = io.read(source, no_sets=True)
    assert data.transactions.sets() == [frozenset(), frozenset()]
    same, out = io.to_native(data), io.to_native(with_ages(data, ["[1:40]", "5"]))
    assert same.equals(source)
    assert type(out) is type(source)
    assert list(out["age"] if package != "pyarrow" else out["age"].to_pylist()) == ["[1:40]", "5"]
    assert list(io.to_native(data.keep_columns(["age"])).columns if package != "pyarrow" else ["age"]) == ["age"]
    io.write(with_ages(data.keep_columns(["n", "age"]), ["[1:40]", "5"]), tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "n,age\n1,[1:40]\n2,5\n"


def test_one_set_column_and_columns_that_become_text(tmp_path: Path) -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"age": [33, 5], "items": [["a"], ["b"]], "x": [[float("nan")], [1.0]]}
    for source in (pd.DataFrame(columns), pl.DataFrame(columns)):
        out = io.to_native(with_ages(io.read(source, sets="items"), ["*", "5"]))
        assert list(out["age"]) == ["*", "5"]
        assert list(out.columns) == ["age", "items", "x"]
    data = io.read(pd.DataFrame({"x": [(float("nan"),)], "items": [["a"]]}), sets="items")
    assert isinstance(io.to_native(data)["x"][0], tuple)  # untouched
    (tmp_path / "x.jsonl").write_text('{"age": 5, "items": ["a"]}\n')
    io.write(with_ages(io.read(tmp_path / "x.jsonl"), ["*"]), tmp_path / "y.jsonl")
    assert (tmp_path / "y.jsonl").read_text() == '{"age": "*", "items": ["a"]}\n'


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        (
            "x.csv",
            "a,b\n1,2\n",
            {"sets": "a"},
            r"sets= is for sets, but with no_sets=True there are none",
        ),
        ("x.csv", "a,b\n1,2\n", {"item_delimiter": "|"}, "item_delimiter= is for sets"),
        ("x.csv", "a,b\n1,2\n", {"drop_items": ["x"]}, "drop_items= is for sets"),
        (
            "x.dat",
            "1 2\n",
            {},
            "is read as fimi, which holds only sets: no_sets=True .* csv, tsv, jsonl, parquet",
        ),
        ("x.basket", "1,2\n", {}, "is read as basket"),
        ("x.csv", "id,item\n1,2\n", {"id_column": "id"}, "id_column= is for sets"),
        ("x.csv", "a,b\n1,2,3\n", {}, "line 2: expected 2 fields"),
        ("x.csv", "a,a\n1,2\n", {}, "column 'a' occurs twice"),
        ("x.csv", "a,b\n", {}, "holds no records"),
        ("x.jsonl", '{"a": 1}\n[1]\n', {}, "line 2: expected an object as in the lines before, got an array"),
        ("x.jsonl", "[1]\n", {}, "line 1: expected an object with a field for each column"),
        ("x.jsonl", '{"a": 1}\n\n', {}, "line 2: a blank line is not JSON: leave it out"),
        ("x.jsonl", '{"a": 1, "a": 2}\n', {}, "line 1: the field 'a' occurs twice"),
        ("x.parquet", "nothing", {}, "is not a parquet file"),
    ],
)
def test_bad_input(tmp_path: Path, name: str, content: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        text(tmp_path, content, name, **options)


def test_what_cannot_be_done(tmp_path: Path) -> None:
    data = text(tmp_path, "a,b\n1,2\n")
    for name in ("y.dat", "y.basket"):
        with pytest.raises(DataError, match="holds only sets, but the data are a table without sets: write csv"):
            io.write(data, tmp_path / name)
    with pytest.raises(DataError, match="Nothing is left to write"):
        io.write(data.keep_columns([]), tmp_path / "y.csv")
    with pytest.raises(OptionError, match="sets= is for data with one column of sets"):
        io.write(data, tmp_path / "y.csv", sets="a")
    with pytest.raises(OptionError, match="are for tables, but the data are a list"):
        io.read([["a"]], no_sets=True)
    with pytest.raises(OptionError, match="are for tables, but the data are a ListArray"):
        io.read(pa.array([["a"]]), no_sets=True)
    pq.write_table(pa.table({"a": pa.array([], pa.int8())}), tmp_path / "x.parquet")
    with pytest.raises(DataError, match="holds no records"):
        io.read(tmp_path / "x.parquet", no_sets=True)


def test_on_the_command_line(shell: Shell) -> None:
    shell.write("in.csv", "sex;age\nm;39\nf;40\n")
    code, out, _ = shell("profile", "in.csv", "--no-sets")
    assert (code, "empty records" in out) == (0, True)
    code, _, error = shell("profile", "in.csv", "--no-sets", "--sets", "sex")
    assert (code, "sets is for sets" in error) == (2, True)
    assert list(reading_words({"no_sets": True})) == ["--no-sets"]


values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=5)


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@examples(60)
def test_any_values_come_back(format: str, data: st.DataObject) -> None:
    names = data.draw(st.lists(values.filter(str.strip), min_size=1, max_size=3, unique=True))
    n = data.draw(st.integers(1, 5))
    columns = {name: data.draw(st.lists(values, min_size=n, max_size=n)) for name in names}
    source = io.read(pa.table(columns), no_sets=True)
    with tempfile.TemporaryDirectory() as folder:
        path, again = Path(folder, f"x.{format}"), Path(folder, f"y.{format}")
        io.write(source, path)
        try:
            back = io.read(path, **io.options_to_read(source, path))
        except DataError as error:
            assert len(names) == 1
            assert "is not in the header" in str(error)  # noqa: PT017
            return
        assert rows(back) == rows(source)
        io.write(back, again)
        assert again.read_bytes() == path.read_bytes()
