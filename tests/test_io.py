"""Round trips: every format, every sort of label, and files that come back byte for byte."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import io
from shoal.data import Dataset, Transactions
from shoal.io import files
from shoal.io.coding import BATCH_ROWS

SUFFIX = {
    "fimi": ".dat",
    "basket": ".basket",
    "csv": ".csv",
    "tsv": ".tsv",
    "long": ".csv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "feather": ".feather",
}

# Any text but what no format holds (surrogates, blanks) and what lines of text cannot hold (NUL, CR).
any_label = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
text_label = any_label.filter(lambda label: not set(label) & {"\0", "\r"})
word = text_label.filter(lambda label: not set(label) & set(" \t\n\v\f|"))
LABELS = {"fimi": word, "csv": word, "tsv": word, "basket": text_label, "long": text_label}


def rows_of(label: st.SearchStrategy[str]) -> st.SearchStrategy[list[set[str]]]:
    return st.lists(st.sets(label, max_size=4), min_size=1, max_size=8)


@pytest.mark.parametrize("format", list(io.FORMATS))
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_round_trip(format: str, data: st.DataObject) -> None:
    rows = data.draw(rows_of(LABELS.get(format, any_label)))
    options = {"item_delimiter": "|"} if format in ("csv", "tsv") else {"delimiter": ","} if format == "basket" else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows" + SUFFIX[format])
        digest = io.write(Dataset(Transactions.from_sets(rows)), path, format=format, **options)
        back = io.read(path, format=format, **options)  # type: ignore[arg-type]
        assert back.transactions.sets() == rows
        assert back.origin.sha256 == digest == files.sha256_of(path)
        again = Path(folder, "again" + SUFFIX[format])
        io.write(back, again)
        assert again.read_bytes() == path.read_bytes()


@given(rows=rows_of(any_label))
@settings(max_examples=60, deadline=None)
def test_codes_do_not_depend_on_row_order(rows: list[set[str]]) -> None:
    assert io.read(rows).transactions.labels == io.read(rows[::-1]).transactions.labels


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("format", ["fimi", "basket", "csv", "tsv", "long", "jsonl"])
def test_compressed(tmp_path: Path, format: str, suffix: str) -> None:
    rows = [{"a", "b"}, {"c"}, {"a", "c"}]
    path = tmp_path / f"rows{SUFFIX[format]}{suffix}"
    io.write(io.read(rows), path, format=format)
    assert io.read(path).transactions.sets() == rows
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == (suffix == ".gz")


FILES = {
    "lf.dat": b"1 2 30\n\n4\n",
    "crlf.dat": b"1 2 30\r\n\r\n4\r\n",
    "bom.dat": b"\xef\xbb\xbf1 2 30\n4\n",
    "tabs.dat": b"1\t2\n4\n",
    "no-end.dat": b"1 2\n4",
    "blank.dat": b"\n",
    "lf.basket": "Käse,bread,cream cheese \n\nbeer\n".encode(),
    "semicolon.basket": b"a;b\r\nc;d;e\r\n",
    "spaced.basket": b"a, b b\nc, d, e\n",
    "quoted.basket": b'"a,b",c\n"say ""hi"""\n',
    "all-quoted.basket": b'"a","b"\n\n"c"\n',
    "lines.basket": b'"a\nb",c\nd\n',
    "rich.csv": b'id,"the, name",items,x\r\n007,"",a b,1.50\r\n"8",,,\r\n9,"say ""x""\r\nyes",b,"q"\r\n',
    "bom.csv": b"\xef\xbb\xbfid,items\n1,a b\n",
    "semicolon.csv": b"items;n\na|b c;1\n;2\n",
    "quoted.csv": b'n,items\n1,"a,b"\n2,"c"\n',
    "one-column.csv": b"items\na b\n\nc\n",
    "rich.tsv": b"id\titems\n1\ta b\n",
    "long.csv": b"tid,item\n7,a\n7,b c\n8,\n9,a\n",
    "long-quoted.csv": b'order_id;item\r\n"7";c\r\n"7";"x ""y"""\r\n8;c\r\n',
    "arrays.jsonl": b'["a", "b"]\n[]\n["c"]\n',
    "compact.jsonl": b'["a","b, c"]\n["c"]',
    "integers.jsonl": b"[1, 2]\n[]\n[10]\n",
    "objects.ndjson": b'{"id": 1.50,  "items":["a","b"], "x":{"y":[1]}}\n{"id": 2, "items":[], "x":null}\n',
    "bare.jsonl": b'{"items":["a"]}\n',
    "ascii.jsonl": b'["\\u00e4", "\\u00f6"]\n',
}


@pytest.mark.parametrize("name", FILES)
def test_same_bytes(tmp_path: Path, name: str) -> None:
    path, out = tmp_path / name, tmp_path / ("out-" + name)
    path.write_bytes(FILES[name])
    io.write(io.read(path), out)
    assert out.read_bytes() == FILES[name]


def test_same_bytes_when_compressed(tmp_path: Path) -> None:
    path, out = tmp_path / "rows.dat.gz", tmp_path / "out.dat"
    path.write_bytes(gzip.compress(FILES["crlf.dat"]))
    io.write(io.read(path), out)
    assert out.read_bytes() == FILES["crlf.dat"]


def read_bytes(folder: Path, name: str, content: bytes | str, **options: object) -> Dataset:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return io.read(path, **options)  # type: ignore[arg-type]


def test_semantics(tmp_path: Path) -> None:
    twice = b"b a b\n \n -1 -1 c\n"
    assert read_bytes(tmp_path, "x.dat", twice).transactions.sets() == [{"a", "b"}, set(), {"-1", "c"}]
    assert read_bytes(tmp_path, "x.dat", twice, drop_items=["-1"]).transactions.sets()[2] == {"c"}
    counted = read_bytes(tmp_path, "x.dat", twice, multiset=True).transactions.sets()
    assert counted == [{"a*1", "b*2"}, set(), {"-1*2", "c*1"}]
    assert read_bytes(tmp_path, "x.basket", "a,,b, \n,\n", delimiter=",").transactions.sets() == [{"a", "b"}, set()]


def test_a_space_before_a_label_survives_guessing(tmp_path: Path) -> None:
    io.write(io.read([["!", " b"]]), tmp_path / "x.basket")
    assert io.read(tmp_path / "x.basket").transactions.sets() == [{"!", " b"}]


def test_labels_come_in_canonical_order(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, "x.dat", "b 10 9\na\n").transactions.labels == ("9", "10", "a", "b")


def test_utf16_is_read(tmp_path: Path) -> None:
    assert read_bytes(tmp_path, "x.dat", "ä b\r\nc\r\n".encode("utf-16")).transactions.sets() == [{"ä", "b"}, {"c"}]


@pytest.mark.parametrize(
    ("name", "content", "row", "place"),
    [
        ("x.dat", "a\nb\n", 1, "line 2"),
        ("x.basket", '"a\nb"\nc\n', 1, "line 3"),
        ("x.csv", "items\na\nb\n", 1, "line 3"),
        ("x.csv", 'n,items\n"1\n2",a\n3,b\n', 1, "line 4"),
        ("x.csv", "id,item\n17,a\n17,b\n", 0, "id 17"),
        ("x.jsonl", "[]\n[]\n", 1, "line 2"),
    ],
)
def test_places(tmp_path: Path, name: str, content: str, row: int, place: str) -> None:
    data = read_bytes(tmp_path, name, content)
    assert data.origin.place(row) == place
    assert data.origin.name == name


def test_columns_pass_through_to_other_formats(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.csv", 'id,items,name\n007,a|b,"x, y"\n8,,\n')
    for suffix in (".parquet", ".feather", ".jsonl", ".tsv"):
        io.write(data, tmp_path / f"y{suffix}")
        back = io.read(tmp_path / f"y{suffix}")
        assert back.transactions.sets() == [{"a", "b"}, set()]
        assert back.table is not None
        assert back.table.arrow.to_pylist() == [{"id": "007", "name": "x, y"}, {"id": "8", "name": ""}]
        io.write(back, tmp_path / "z.csv")
        assert (tmp_path / "z.csv").read_bytes().count(b"007") == 1


def test_columns_can_be_left_out(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.csv", "id,name,items,n\n1,x,a,2\n")
    io.write(data.keep_columns(["n", "name"]), tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "name,items,n\nx,a,2\n"
    io.write(data.keep_columns([]), tmp_path / "y.dat")
    assert (tmp_path / "y.dat").read_text() == "a\n"
    io.write(data.keep_columns(["id"]), tmp_path / "y.csv", format="long")
    assert (tmp_path / "y.csv").read_text() == "id,item\n1,a\n"


def test_output_follows_format_and_suffix(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.basket", "a;b\nc\n")
    for name, format, content in [
        ("y.dat", None, "a b\nc\n"),
        ("y.csv", None, "a;b\nc\n"),  # a basket file may be called .csv
        ("y.anything", None, "a;b\nc\n"),
        ("y.csv", "csv", "items\na|b\nc\n"),
        ("y.dat", "long", "id,item\n1,a\n1,b\n2,c\n"),
        ("y.ndjson", None, '["a", "b"]\n["c"]\n'),
    ]:
        io.write(data, tmp_path / name, format=format)
        assert (tmp_path / name).read_text() == content


def test_parquet_keeps_schema_and_nulls(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = pa.array([["b", "a"], None, []], pa.large_list(pa.dictionary(pa.int8(), pa.string())))
    kinds = pa.array(["u", "v", "u"]).dictionary_encode()
    table = pa.table({"n": pa.array([1, None, 3], pa.int16()), "sets": lists, "c": kinds})
    table = table.replace_schema_metadata({"made by": "me"})
    pq.write_table(table, tmp_path / "x.parquet")
    data = io.read(tmp_path / "x.parquet")
    assert data.transactions.sets() == [{"a", "b"}, set(), set()]
    io.write(data, tmp_path / "y.parquet")
    back = pq.read_table(tmp_path / "y.parquet")
    assert back.column_names == table.column_names
    assert back.drop_columns("sets").equals(table.drop_columns("sets"), check_metadata=True)
    assert back.column("sets").to_pylist() == [["a", "b"], [], []]


def test_arrow_stream_and_integers(tmp_path: Path) -> None:
    import pyarrow as pa

    table = pa.table({"items": pa.chunked_array([[[2, 10]], [[3], None]], pa.list_(pa.int64()))})
    with pa.ipc.new_stream(tmp_path / "x.arrow", table.schema) as stream:
        stream.write_table(table)
    assert io.read(tmp_path / "x.arrow").transactions.labels == ("2", "3", "10")


@pytest.mark.parametrize("format", list(io.FORMATS))
def test_stream(tmp_path: Path, format: str) -> None:
    path = tmp_path / ("x" + SUFFIX[format])
    with io.open_writer(path, format=format) as out:
        out.write([["b", "a"], [], ["a"]])
        out.write([])
        out.write(Transactions.from_sets([["c", "a"], ["a"]], labels=["a", "c", "un used|"]))
        assert out.rows == 5
    assert io.read(path, format=format).transactions.sets() == [{"a", "b"}, set(), {"a"}, {"a", "c"}, {"a"}]


def test_many_batches(tmp_path: Path) -> None:
    rows = [[str(i % 7), str(10 + i % 3)] for i in range(2 * BATCH_ROWS + 1)]
    data = io.read(rows)
    for format, suffix in SUFFIX.items():
        io.write(data, tmp_path / ("x" + suffix), format=format)
        back = io.read(tmp_path / ("x" + suffix), format=format).transactions
        assert back.labels == data.transactions.labels
        assert (back.items == data.transactions.items).all()
        assert (back.indptr == data.transactions.indptr).all()


def test_import_is_light() -> None:
    code = "import sys, shoal.io; print(*{'pyarrow', 'pandas', 'polars', 'duckdb'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
