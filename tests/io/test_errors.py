"""What cannot be read or written: one sentence that names the place and the remedy, and no file left behind.

Covers: io/messages.py, errors.py.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from shoal import io
from shoal.data import Dataset, Table
from shoal.engines import Engine
from shoal.errors import DataError, InputError, OptionError, OutputError
from shoal.files.staging import Part

BAD = [
    ("x.dat", b"", {}, "is empty"),
    ("x.csv", b"\xef\xbb\xbf", {}, "is empty"),
    ("x.csv", b"id,items\n", {}, "holds no records"),
    ("x.dat", b"1 2\n3\0 4\n", {}, "line 2: expected text, got binary data"),
    ("x.dat", b"1 2\n3 \xff\n", {}, "line 2: not UTF-8"),
    ("x.dat.gz", b"1 2\n", {}, "not a valid gzip file"),
    ("x.dat", b"a,b\nc,d\ne\n", {}, "format='basket' and delimiter=','"),
    ("x.dat", b"a b\n", {"sets": "items"}, "fimi has no option sets="),
    ("x.dat", b"a b\n", {"format": "fimy"}, r"format= must be one of .*did you mean 'fimi'"),
    ("x.basket", b"a,b\nc,d\ne\n", {"delimiter": ";"}, "';' is in no line, but ',' is in most: pass delimiter=','"),
    ("x.basket", b"a,b\nc;d\n", {}, "may be separated by ',' or by ';': pass delimiter="),
    ("x.basket", b"1 2\n3 4\n", {}, "pass format='fimi'"),
    ("x.basket", b"a\nb\n", {"delimiter": ""}, "delimiter= must be text"),
    ("x.basket", b'a,b\n"c,d\n', {}, "line 2: a field starts with a quote"),
    ("x.basket", b'"a"b,c\n', {}, "line 1: a field starts with a quote"),
    ("x.csv", b"id,items\n1,a\n2,b,c\n", {}, "line 3: expected 2 fields as in the header, got 3"),
    ("x.csv", b'id,items\n"1\n2",a\n\n', {}, "line 4: expected 2 fields as in the header, got 1"),
    ("x.csv", b"id,items\n1,a\n", {"delimiter": ";"}, "';' is not in the header, but ',' is: pass delimiter=','"),
    ("x.csv", b"id,item;s\n1,a;b\n", {}, "more than one delimiter is possible: pass delimiter="),
    ("x.csv", b"id,items\n1,a\n", {"sets": "itmes"}, r"'itmes' \(did you mean 'items'\?\): it has 'id', 'items'"),
    ("x.csv", b"id,name\n1,a\n", {}, "which column holds the sets.*'id', 'name': pass sets="),
    ("x.csv", b"items,basket\n1,a\n", {}, "which column holds the sets"),
    ("x.csv", b"id,id,items\n1,2,a\n", {}, "column 'id' occurs twice"),
    ("x.csv", b"id\titems\n1\ta;b\n2\ta,b\n", {}, "may be separated by ';' or ',': pass item_delimiter="),
    ("x.csv", b"id;items\n1;['a', 'b']\n", {}, "look like lists in brackets"),
    ("x.csv", b"id,item,n\n1,a,2\n", {"format": "long"}, "any table can be long.*id_column= and item_column="),
    ("x.csv", b"id,item\n1,a\n", {"id_column": "it"}, "no column 'it'"),
    ("x.csv", b"id,item\n1,a\n", {"id_column": "id", "item_column": "id"}, "must differ"),
    ("x.jsonl", b'["a"]\n["b"\n', {}, "line 2: invalid JSON"),
    ("x.jsonl", b'["a"]\n\n["b"]\n', {}, "line 2: a blank line"),
    ("x.jsonl", b'["a"] x\n', {}, "line 1: invalid JSON: Extra data at column 7"),
    ("x.jsonl", b'["a", 1.5]\n', {}, "line 1: items must be strings or integers, got a decimal number"),
    ("x.jsonl", b'["a", true]\n', {}, "got a boolean"),
    ("x.jsonl", b'["a", NaN]\n', {}, "line 1: NaN is not JSON"),
    ("x.jsonl", b'["\\ud800"]\n', {}, "half a surrogate pair"),
    ("x.jsonl", b'"a"\n', {}, "line 1: expected an array or an object, got a string"),
    ("x.jsonl", b"[]\n" + b"[" * 100_000, {}, "line 2: arrays or objects are nested too deeply"),
    ("x.jsonl", b'{"a": ' * 100_000, {}, "line 1: arrays or objects are nested too deeply"),
    ("x.jsonl", b'{"a": [], "b": []}\n', {}, "has 2 list columns .*'a' .*, 'b' .*pass sets="),
    ("x.jsonl", b'{"a": []}\n{"b": []}\n', {}, "line 2: there is no field 'a'"),
    ("x.jsonl", b'{"a": []}\n{"a": 1}\n', {}, "line 2: field 'a' must be an array, got a number"),
    ("x.jsonl", b'{"a": []}\n["a"]\n', {}, "line 2: expected an object as in the lines before, got an array"),
    ("x.jsonl", b'["a"]\n{"a": []}\n', {}, "line 2: expected an array as in the lines before, got an object"),
    ("x.jsonl", b'{"a": [], "a": []}\n', {}, "the field 'a' occurs twice"),
    ("x.parquet", b"nothing of the sort", {}, "is not a parquet file"),
    ("x.feather", b"nothing of the sort", {}, "is not a feather file"),
    ("x.txt", b"oat milk\nbeer\n", {}, "neither the suffix nor the content tells the format: pass format="),
    ("x.txt", b"a,b\nc,d\n", {}, "csv if the first line is a header, basket if every line is a set"),
]


@pytest.mark.parametrize(("name", "content", "options", "message"), BAD)
def test_unreadable(tmp_path: Path, name: str, content: bytes, options: dict[str, Any], message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        io.read(path, **options)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, OptionError) or str(path) in str(caught.value)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        io.read(tmp_path / "no.dat")
    with pytest.raises(DataError, match="is a folder"):
        io.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"1 2\n\n3\n", "fimi"),
        (b"a, b\nc, d, e\n", "basket"),
        (b'["a"]\n', "jsonl"),
        (b'{"x": ["a"]}\n', "jsonl"),
    ],
)
def test_sniffed(tmp_path: Path, content: bytes, format: str) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    assert io.read(tmp_path / "x.txt").origin.layout.format.format == format  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("content", "shape"),
    [
        (b"id,item\n1,a\n1,b\n", "long"),
        (b"customer,product\n1,whole milk\n1,b\n", "long"),
        (b"id,items\n1,a\n1,b\n", "wide"),
        (b"transaction,item_count\na b,2\n", "wide"),
    ],
)
def test_wide_or_long(tmp_path: Path, content: bytes, shape: str) -> None:
    (tmp_path / "x.csv").write_bytes(content)
    assert io.read(tmp_path / "x.csv").origin.layout.shape == shape  # type: ignore[attr-defined]


def test_explicit_format_wins(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(b"(a,b)\n(c,d)\n")
    assert io.read(tmp_path / "x.dat", format="fimi").transactions.labels == ("(a,b)", "(c,d)")
    (tmp_path / "x.csv").write_bytes(b"id,item\n1,a\n1,b\n")
    assert io.read(tmp_path / "x.csv", format="basket").transactions.sets()[0] == {"id", "item"}


def test_arrow_columns(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    for columns, options, message in [
        ({"a": [1]}, {}, r"has no list column \('a' \(int64\)\): make the sets a list column"),
        ({"a": [["x"]], "b": [["x"]]}, {}, "has 2 list columns .*pass sets="),
        ({"a": [["x"]], "b": [1]}, {"sets": "b"}, "column 'b' must hold lists of items, got int64"),
        ({"a": [["x"]]}, {"sets": "c"}, "has no column 'c'"),
        ({"a": [[1.5]]}, {}, "items must be strings or integers, got double"),
        ({"a": [["x"], ["y", None]]}, {}, "row 2: an item is null"),
    ]:
        pq.write_table(pa.table(columns), tmp_path / "x.parquet")
        with pytest.raises(DataError, match=message):
            io.read(tmp_path / "x.parquet", sets=options.get("sets"))


@pytest.mark.parametrize(
    ("label", "format", "message"),
    [
        (
            "oat milk",
            "fimi",
            "'oat milk' contains a space, which format fimi cannot hold: write basket, jsonl or parquet instead",
        ),
        ("a|b;c,d\t/~^", "csv", "cannot hold the items of column 'items': they contain every possible delimiter"),
        ("a\rb", "basket", "contains a carriage return"),
        ("a\0b", "csv", "contains a NUL character"),
    ],
)
def test_labels_that_a_format_cannot_hold(tmp_path: Path, label: str, format: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        io.write(io.read([[label]]), tmp_path / "x", format=format)
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_an_item_delimiter_that_is_given_is_not_changed(tmp_path: Path) -> None:
    for label, delimiter in [("a|b", "|"), ("a|", "||")]:
        with pytest.raises(DataError, match="which separates the items of a cell: pass another item_delimiter"):
            io.write(io.read([[label, "c"]]), tmp_path / "x.csv", item_delimiter=delimiter)
    assert list(tmp_path.iterdir()) == []


LONG = "secret " * 10_000


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("x.csv", f"id,{LONG}\n1,a\n", {}),
        ("x.csv", f"id,{LONG}\n1,a\n", {"sets": "b"}),
        ("x.csv", f"{LONG},{LONG},items\n1,a,b\n", {}),
        ("x.csv", ",".join(f"secret {i}" for i in range(1000)) + "\n" + "," * 999 + "\n", {}),
        ("x.csv", f"id,{LONG}\n1,a\n", {"id_column": "b"}),
        ("x.csv", f"id,items\n1,{LONG},2\n", {}),
        ("x.jsonl", f'"{LONG}"\n', {}),
        ("x.jsonl", f'[["{LONG}"]]\n', {}),
        ("x.jsonl", f'["{LONG}\\ud800"]\n', {}),
        ("x.jsonl", f'{{"{LONG}": 1}}\n', {}),
        ("x.jsonl", f'{{"a": "{LONG}"}}\n', {"sets": "a"}),
        ("x.jsonl", f'{{"{LONG}": [], "{LONG}": []}}\n', {}),
    ],
)
def test_messages_show_little_of_the_data(tmp_path: Path, name: str, content: str, options: dict[str, Any]) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError) as caught:
        io.read(tmp_path / name, **options)
    assert str(caught.value).count("secret") <= 20
    assert len(str(caught.value)) < 800


def test_messages_show_little_of_a_label(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^Item 'secret .{33}…' contains a space") as caught:
        io.write(io.read([[LONG]]), tmp_path / "x.dat")
    assert len(str(caught.value)) < 200


def test_columns_that_a_format_cannot_hold(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,n,items\n1,2,a\n1,3,b\n")
    data = io.read(tmp_path / "x.csv")
    for format, options, message in [
        ("fimi", dict[str, Any](), "fimi holds only sets, but the data have the columns 'id', 'n'"),
        ("basket", {}, "basket holds only sets"),
        ("fimi", {"layout": "long"}, "fimi has no columns, so it cannot be long"),
        ("csv", {"sets": "id"}, "Column 'id' exists already"),
        ("parquet", {"sets": "id"}, "Column 'id' exists already"),
        ("jsonl", {"sets": "id"}, "Column 'id' exists already"),
        ("jsonl", {"delimiter": ";"}, "jsonl has no option delimiter="),
    ]:
        with pytest.raises(InputError, match=message):
            io.write(data, tmp_path / "y", format=format, **options)
    named = Dataset(data.transactions, Table(pa.table({"item": [1, 2]})))
    with pytest.raises(InputError, match="Column 'item' exists already"):
        io.write(named, tmp_path / "y", format="csv", layout="long", item_column="item")
    with pytest.raises(InputError, match=r"No column 'm'.* in x\.csv; other columns: 'id', 'n'"):
        data.keep_columns(["m"])
    with pytest.raises(OptionError, match=r"the suffix '\.anything' is not that of a known format.* with format="):
        io.write(io.read([["a"]]), tmp_path / "y.anything")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_unwritable(tmp_path: Path) -> None:
    data = io.read([["a"]])
    with pytest.raises(OutputError, match="does not exist"):
        io.write(data, tmp_path / "no" / "x.dat")
    with pytest.raises(OutputError, match="is a folder"):
        io.write(data, tmp_path, format="fimi")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_permission_denied(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="permission denied"):
        io.write(io.read([["a"]]), tmp_path / "x.dat")


@pytest.mark.parametrize("name", ["x.dat", "x.dat.gz", "x.csv.zst", "x.parquet", "x.feather"])
def test_disk_full(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / name).write_bytes(b"old")
    monkeypatch.setattr("shoal.files.os.fsync", full)
    with pytest.raises(OutputError, match="No space left on device; nothing was left behind"):
        io.write(io.read([["a", "b"], ["c"]]), tmp_path / name)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(name, b"old")]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", ["x.dat", "x.dat.gz", "x.parquet", "x.feather"])
@pytest.mark.parametrize("batch_rows", [100_000, 3_000], ids=["at once", "in the background"])
def test_disk_full_while_writing(tmp_path: Path, name: str, batch_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, *, private: bool) -> tuple[Part, int]:
        part, descriptor = create(path, private=private)
        os.close(descriptor)
        return part, os.open("/dev/full", os.O_WRONLY)

    create = Part.create
    monkeypatch.setattr(Part, "create", full)
    monkeypatch.setattr("shoal.io.coding.BATCH_ROWS", batch_rows)
    rows = [[str(i * 7919 % 1_000_003), str(i)] for i in range(50_000)]
    with Engine(workers=2).in_use(), pytest.raises(OutputError, match="nothing was left behind"):
        io.write(io.read(rows), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_stream_that_fails_leaves_nothing(tmp_path: Path) -> None:
    for name in ("x.dat", "x.dat.gz"):
        with pytest.raises(DataError, match="is blank"), io.open_writer(tmp_path / name, format="fimi") as out:
            out.write([["a"], ["\x85"]])
        assert list(tmp_path.iterdir()) == []
