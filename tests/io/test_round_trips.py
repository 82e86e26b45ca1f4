"""Round trips: every format, every sort of label, and files that come back byte for byte.

Covers: io/clean.py, io/csv.py, io/detect.py, io/format.py, io/jsonl.py, io/layout.py, io/text.py, io/tokens.py,
data/transactions.py, data/arrays.py.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import files, hierarchies, io
from shoal.data import Dataset, Table, Transactions
from shoal.io import coding
from shoal.report import sentences
from tests.budget import examples

pytestmark = pytest.mark.filterwarnings("ignore:(Spreadsheets take cells|.* quote before a formula)")  # any text is
SUFFIX = {
    "fimi": ".dat",
    "basket": ".basket",
    "csv": ".csv",
    "tsv": ".tsv",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "feather": ".feather",
}

# Any text but what no format holds (surrogates, blanks) and what lines of text cannot hold (NUL, CR).
any_label = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6).filter(str.strip)
text_label = any_label.filter(lambda label: not set(label) & {"\0", "\r"})
word = text_label.filter(lambda label: not set(label) & set(" \t\n\v\f|"))
LABELS = {"fimi": word, "csv": word, "tsv": word, "basket": text_label}


def rows_of(label: st.SearchStrategy[str]) -> st.SearchStrategy[list[set[str]]]:
    return st.lists(st.sets(label, max_size=4), min_size=1, max_size=8)


@pytest.mark.filterwarnings("ignore:Items in column")
@pytest.mark.parametrize("format", list(io.FORMATS))
@given(data=st.data())
@examples(60)
def test_round_trip(format: str, data: st.DataObject) -> None:
    rows = data.draw(rows_of(LABELS.get(format, any_label)))
    marks = {"csv": {"item_delimiter": "|"}, "tsv": {"item_delimiter": "|"}, "basket": {"delimiter": ","}}
    options: dict[str, Any] = marks.get(format, {})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows" + SUFFIX[format])
        digest = io.write(Dataset(Transactions.from_sets(rows)), path, format=format, **options)
        back = io.read(path, format=format, **options)
        assert back.transactions.sets() == rows
        assert back.origin.sha256 == digest == files.sha256_of(path)
        again = Path(folder, "again" + SUFFIX[format])
        io.write(back, again)
        assert again.read_bytes() == path.read_bytes()


@given(rows=rows_of(any_label))
@examples(60)
def test_codes_do_not_depend_on_row_order(rows: list[set[str]]) -> None:
    assert io.read(rows).transactions.labels == io.read(rows[::-1]).transactions.labels


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("format", ["fimi", "basket", "csv", "tsv", "jsonl"])
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
    "blank.dat": b"\n",
    "lf.basket": "Käse,bread,cream cheese \n\nbeer\n".encode(),
    "semicolon.basket": b"a;b\r\nc;d;e\r\n",
    "spaced.basket": b"a, b b\nc, d, e\n",
    "quoted.basket": b'"a,b",c\n"say ""hi"""\n',
    "lines.basket": b'"a\nb",c\nd\n',
    "rich.csv": b'id,"the, name",items,x\r\n007,,a b,1.50\r\n8,,,\r\n9,"say ""x""\r\nyes",b,q\r\n',
    "bom.csv": b"\xef\xbb\xbfid,items\n1,a b\n",
    "semicolon.csv": b"items;n\na|b c;1\n;2\n",
    "quoted.csv": b'n,items\n1,"a,b"\n2,c\n',
    "one-column.csv": b'items\na b\n""\nc\n',
    "rich.tsv": b"id\titems\n1\ta b\n",
    "long.csv": b"tid,item\n1,a\n1,b c\n2,\n3,a\n",
    "long-quoted.csv": b'order_id;item\r\n1;c\r\n1;"x ""y"""\r\n2;c\r\n',
    "arrays.jsonl": b'["a", "b"]\n[]\n["c"]\n',
    "compact.jsonl": b'["a","b, c"]\n["c"]\n',
    "integers.jsonl": b"[1, 2]\n[]\n[10]\n",
    "huge.jsonl": b"[1, 100000000000000000000]\n[]\n",
    "objects.ndjson": b'{"id": 1.5, "items": ["a", "b"], "x": {"y": [1]}}\n{"id": 2.0, "items": [], "x": null}\n',
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
    return io.read(path, **options)


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
    io.write(data.keep_columns(["n"]), tmp_path / "y.csv", layout="long")
    assert (tmp_path / "y.csv").read_text() == "id,item,n\n1,a,2\n"


def test_output_follows_format_and_suffix(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.basket", "a;b\nc\n")
    for name, options, content in [
        ("y.dat", dict[str, Any](), "a b\nc\n"),
        ("y.csv", {}, "items\na|b\nc\n"),
        ("y.tsv", {}, "items\na|b\nc\n"),
        ("y.anything", {"format": "basket"}, "a;b\nc\n"),
        ("y.csv", {"format": "csv"}, "items\na|b\nc\n"),
        ("y.csv", {"layout": "long"}, "id,item\n1,a\n1,b\n2,c\n"),
        ("y.ndjson", {}, '["a", "b"]\n["c"]\n'),
    ]:
        io.write(data, tmp_path / name, **options)
        assert (tmp_path / name).read_text() == content


def test_the_same_suffix_keeps_the_format(tmp_path: Path) -> None:
    basket = read_bytes(tmp_path, "x.csv", "a b;c\nd\n", format="basket")
    long = read_bytes(tmp_path, "x.tsv", "user\titem\n1\ta\n1\tb\n")
    for data, name, content in [
        (basket, "y.csv", "a b;c\nd\n"),
        (basket, "y.csv.gz", "a b;c\nd\n"),
        (basket, "y.tsv", "items\na b|c\nd\n"),
        (long, "y.tsv", "user\titem\n1\ta\n1\tb\n"),
        (long, "y.csv", "user,item\n1,a\n1,b\n"),
    ]:
        io.write(data, tmp_path / name)
        assert files.load(tmp_path / name).text() == content


def test_a_label_with_the_item_delimiter_changes_it(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.csv", "id,items\n1,a b\n2,c\n")
    groups = data.with_transactions(Transactions.from_sets([{"B: the first", "c"}, {"c"}]))
    with pytest.warns(
        UserWarning, match=r"column 'items' are now separated by '\|': a published label contains a space"
    ):
        io.write(groups, tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "id,items\n1,B: the first|c\n2,c\n"
    assert io.read(tmp_path / "y.csv").transactions.sets() == groups.transactions.sets()
    unused = Transactions.from_sets([{"a", "c"}, {"c"}], labels=["a", "b b", "c"])
    io.write(data.with_transactions(unused), tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "id,items\n1,a c\n2,c\n"


def test_a_delimiter_that_would_be_guessed_wrong_is_told(tmp_path: Path) -> None:
    for rows, delimiter in [([{"all things"}], "|"), ([{"a|b", "c"}], ";"), ([{"a", " b"}], "|")]:
        data = io.read(rows)
        with pytest.warns(UserWarning, match="Items in column") as caught:
            io.write(data, tmp_path / "y.csv")
        assert f"a reader of the file would not guess: pass item_delimiter={delimiter!r}" in str(caught[-1].message)
        options = io.options_to_read(data, tmp_path / "y.csv")
        assert options["item_delimiter"] == delimiter
        assert io.read(tmp_path / "y.csv", **options).transactions.sets() == rows


@pytest.mark.filterwarnings("ignore:Items in column")
@pytest.mark.parametrize("columns", [[], ["id"], ["id", "n"]])
@pytest.mark.parametrize("format", list(io.FORMATS))
@given(data=st.data())
@examples(30)
def test_read_options_bring_back_what_was_written(format: str, columns: list[str], data: st.DataObject) -> None:
    if len(columns) > {"fimi": 0, "basket": 0}.get(format, 2):
        return
    rows = data.draw(rows_of(LABELS[format] if format == "fimi" else text_label))
    table = pa.table({name: pa.array(map(str, range(len(rows)))) for name in columns})
    dataset = Dataset(Transactions.from_sets(rows), Table(table) if columns else None)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.anything")
        io.write(dataset, path, format=format)
        options = io.options_to_read(dataset, path, format=format)
        assert io.read(path, **options).transactions.sets() == rows


def test_read_options(tmp_path: Path) -> None:
    long = read_bytes(tmp_path, "x.csv", "prod;cust\na;1\nb;1\n", id_column="cust", item_column="prod")
    pairs = {"id_column": "cust", "item_column": "prod"}
    sets = {"sets": "items", "item_delimiter": "|"}
    for name, asked, options in [
        ("y.csv", dict[str, Any](), {"format": "csv", **pairs, "delimiter": ";"}),
        ("y.dat", {}, {"format": "fimi"}),
        ("y.basket", {}, {"format": "basket", "delimiter": ","}),
        ("y.tsv", {}, {"format": "tsv", **pairs}),
        ("y.tsv", {"layout": "wide"}, {"format": "tsv", **sets}),
        ("y.csv", {"layout": "wide", "sets": "s"}, {"format": "csv", **sets, "sets": "s", "delimiter": ";"}),
        ("y.csv", {"id_column": "who"}, {"format": "csv", **pairs, "id_column": "who", "delimiter": ";"}),
        ("y.jsonl", {}, {"format": "jsonl", **pairs}),
        ("y.parquet", {"layout": "wide"}, {"format": "parquet", "sets": "items"}),
    ]:
        assert io.options_to_read(long, name, **asked) == options
    io.write(long, tmp_path / "y.csv", id_column="who")
    assert (tmp_path / "y.csv").read_text() == "prod;who\na;1\nb;1\n"
    objects = read_bytes(tmp_path, "x.jsonl", '{"id": 1, "sets": ["a"]}\n')
    io.write(objects, tmp_path / "y.jsonl", sets="items")
    assert (tmp_path / "y.jsonl").read_text() == '{"id": 1, "items": ["a"]}\n'


def test_a_release_tells_how_to_read_its_file(tmp_path: Path) -> None:
    data = read_bytes(tmp_path, "x.csv", "the set;n\na\tb;1\na\tb;2\n", sets="the set", item_delimiter="\t")
    (tmp_path / "h.csv").write_text("a;all\nb;all\n")
    problem = shoal.Problem(data, hierarchies.load(tmp_path / "h.csv"), shoal.Km(k=2, m=2))
    release = shoal.anonymize(problem, algorithm=shoal.algorithms.AA()).save(tmp_path / "y.csv")
    command = sentences.verify_command(release)
    options = "--format csv --sets 'the set' --item-delimiter $'\\t' --delimiter ';'"
    assert command == f"shoal verify y.csv --model km --k 2 --m 2 {options}"
    assert io.read(tmp_path / "y.csv", **release.provenance["output"]["read_options"]).transactions.sets() == [
        {"a", "b"},
        {"a", "b"},
    ]


def test_items_to_drop_that_do_not_occur(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"drop_items=: 'zzz' does not occur in .*x\.dat") as caught:
        data = read_bytes(tmp_path, "x.dat", "a b\n", drop_items=["a", "zzz"])
    assert (len(caught), data.transactions.labels) == (1, ("b",))
    with pytest.warns(UserWarning, match="'zzz' does not occur in the list"):
        io.read([["a"]], drop_items=["zzz"])


def test_parquet_keeps_schema_and_nulls(tmp_path: Path) -> None:
    lists = pa.array([["b", "a"], None, []], pa.large_list(pa.dictionary(pa.int8(), pa.string())))
    kinds = pa.array(["u", "v", "u"]).dictionary_encode()
    table = pa.table({"n": pa.array([1, None, 3], pa.int16()), "sets": lists, "c": kinds})
    pq.write_table(table, tmp_path / "x.parquet")
    data = io.read(tmp_path / "x.parquet")
    assert data.transactions.sets() == [{"a", "b"}, set(), set()]
    io.write(data, tmp_path / "y.parquet")
    back = pq.read_table(tmp_path / "y.parquet")
    assert back.column_names == table.column_names
    assert back.drop_columns("sets").equals(table.drop_columns("sets"), check_metadata=True)
    assert back.column("sets").to_pylist() == [["a", "b"], [], []]


@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_only_what_is_published_is_written(tmp_path: Path, suffix: str) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"secret_name": ["bob", "eve", "joe"], "items": [["a"], ["b"], ["c"]]}, index=["k1", "k2", "k3"]
    )
    frame.index.name = "secret_index"
    frame.attrs = {"note": "secret_attr"}
    kinds = pa.DictionaryArray.from_arrays(
        pa.array([3, None, 1], pa.int8()), ["secret_0", "v", "secret_2", "u"], ordered=True
    )
    inner = pa.dictionary(pa.int8(), pa.string())
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 0, 0], pa.int8()), ["w", "secret_3"])
    nested = pa.StructArray.from_arrays([codes], fields=[pa.field("x", inner, metadata={"a": "secret_field"})])
    table = pa.Table.from_pandas(frame)
    table = table.append_column(pa.field("kind", kinds.type, metadata={"a": "secret_field"}), kinds)
    table = table.append_column("nested", nested).append_column("lists", pa.ListArray.from_arrays([0, 1, 2, 3], codes))
    table = table.append_column(pa.field("n", pa.int16(), nullable=False), pa.array([1, 2, 3], pa.int16()))
    source = tmp_path / ("x" + suffix)
    if suffix == ".parquet":
        pq.write_table(table, source)
    else:
        with pa.ipc.new_file(source, table.schema) as target:
            target.write_table(table)
    data = io.read(source, sets="items").keep_columns(["kind", "nested", "lists", "n"])
    assert b"secret" in source.read_bytes()
    io.write(data, tmp_path / ("y" + suffix))
    assert b"secret" not in (tmp_path / ("y" + suffix)).read_bytes()
    back = io.read(tmp_path / ("y" + suffix), sets="items").table
    assert back is not None
    assert back.arrow.schema.metadata is None
    assert back.arrow.column("kind").combine_chunks().dictionary.to_pylist() == ["v", "u"]  # the order has a meaning
    assert back.arrow.schema.field("kind").type.ordered
    assert back.arrow.to_pylist() == table.select(["kind", "nested", "lists", "n"]).to_pylist()
    assert not back.arrow.schema.field("n").nullable


def test_arrow_stream_and_integers(tmp_path: Path) -> None:
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


def test_many_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "BATCH_ROWS", 500)
    rows = [[str(i % 7), str(10 + i % 3)] for i in range(1001)]
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
