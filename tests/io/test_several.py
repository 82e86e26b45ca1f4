"""Several columns of sets: one universe of tagged items when read, each in its column again when written.

Covers: data/tags.py, hierarchies/joined.py.
"""

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

import shoal
from shoal import hierarchies, io
from shoal.data import Dataset, Hierarchy, Table, Transactions
from shoal.data.labels import set_label
from shoal.data.tags import Tags
from shoal.errors import DataError, HierarchyError, InputError, OptionError
from shoal.io.several import joint_label
from shoal.report import sentences
from tests.budget import examples

pytestmark = pytest.mark.filterwarnings("ignore:(Spreadsheets take cells|.* quote before a formula)")  # any text is
COLUMNS = ("dx", "rx")
SETS = [{"dx.cold", "dx.flu", "rx.a"}, {"rx.a", "rx.b"}, {"dx.flu"}, set()]
FORMATS = ["csv", "tsv", "jsonl", "parquet", "feather"]


def table() -> pa.Table:
    """Two list columns among others."""
    return pa.table(
        {
            "id": pa.array([1, 2, 3, 4]),
            "rx": pa.array([["a"], ["b", "a"], [], None], pa.large_list(pa.large_string())),
            "age": pa.array([33, None, 5, 60]),
            "dx": [["cold", "flu"], [], ["flu"], []],
        }
    )


def text(folder: Path, content: str, name: str = "x.csv", **options: Any) -> Dataset:
    """A file, read."""
    (folder / name).write_bytes(content.encode())
    return io.read(folder / name, **{"sets": COLUMNS, **options})


def reread(data: Dataset, path: Path) -> Dataset:
    """Written, and read with the options that are told."""
    io.write(data, path)
    return io.read(path, **io.options_to_read(data, path))


@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(tmp_path: Path, format: str) -> None:
    data = io.read(table(), sets=COLUMNS)
    assert data.transactions.sets() == SETS
    assert data.transactions.labels == ("dx.cold", "dx.flu", "rx.a", "rx.b")
    assert data.origin.set_columns == COLUMNS
    path, again = tmp_path / f"x.{format}", tmp_path / f"y.{format}"
    back = reread(data, path)
    assert back.transactions.sets() == SETS
    assert back.table is not None
    assert back.table.names == ("id", "age")
    assert back.origin.layout.order == ("id", "rx", "age", "dx")  # type: ignore[attr-defined]
    io.write(back, again)
    assert again.read_bytes() == path.read_bytes()
    for other in FORMATS:
        assert reread(back, tmp_path / f"z.{other}").transactions.sets() == SETS


BYTES = {
    "plain.csv": "id,dx,age,rx\n007,cold|flu,1.50,a b\n8,,2,\n",
    "quoted.csv": 'rx;"the; id";dx\r\na;;flu|x\r\nb;"9 ""x""";\r\n',
    "same.tsv": "dx\trx\n9|10\t1|2\n\t\n",
    "inside.csv": 'id,rx,dx\n1,"a, b","say ""x"";y"\n2,"c, d",\n',
    "x.jsonl": '{"id": 1.5, "rx": ["a"], "m": "x", "dx": []}\n{"id": 2.5, "rx": ["b"], "m": 1, "dx": ["x"]}\n',
}


@pytest.mark.parametrize("name", BYTES)
def test_same_bytes(tmp_path: Path, name: str) -> None:
    data = text(tmp_path, BYTES[name], name)
    io.write(data, tmp_path / f"out-{name}")
    assert (tmp_path / f"out-{name}").read_bytes().decode() == BYTES[name]


def test_what_is_published_is_laid_out_as_it_was(tmp_path: Path) -> None:
    for name, content, wanted in [
        ("x.csv", 'id,rx,dx\n1,"a","b c"\n"2","","c"\n', "id,rx,dx\n1,a|z,b\n2,,\n"),
        ("x.jsonl", '{"i":1.50,"dx":[7,10],"rx":["a"]}\n{"rx":[],"i":2,"dx":[]}', '{"i":1.5,"dx":[7,"B"],"rx":[]}\n'),
    ]:
        data = text(tmp_path, content, name)
        rows = [["rx.a", "rx.z", "dx.b"], []] if name == "x.csv" else [["dx.7", "dx.B"], []]
        io.write(data.with_transactions(Transactions.from_sets(rows)), tmp_path / "y")
        assert (tmp_path / "y").read_text().startswith(wanted)
    assert (tmp_path / "y").read_text().endswith('{"i":2.0,"dx":[],"rx":[]}\n')


def test_one_column_stays_one(tmp_path: Path) -> None:
    content = '"dx,rx",dx,rx\na|b,c,d\n'
    assert text(tmp_path, content, sets="dx,rx").transactions.sets() == [{"a", "b"}]
    assert text(tmp_path, content, sets=["dx"]).transactions.sets() == [{"c"}]
    assert text(tmp_path, content, sets="dx, rx").transactions.sets() == [{"dx.c", "rx.d"}]
    several = text(tmp_path, content, sets=("dx,rx", "rx"))
    assert several.transactions.sets() == [{"dx,rx.a", "dx,rx.b", "rx.d"}]
    assert reread(several, tmp_path / "y.csv").transactions.sets() == several.transactions.sets()
    lists = table()
    assert io.read(lists, sets="dx,rx").transactions.sets() == SETS
    assert io.read(lists.rename_columns(["id", "dx,rx", "age", "x"]), sets="dx,rx").transactions.labels == ("a", "b")


SPANNING = [
    (["dx+rx"], "id,dx,rx\n1,dx+rx,\n"),
    (["dx+rx", "rx.a"], "id,dx,rx\n1,dx+rx,a\n"),
    (["(dx.a,rx.b)", "dx.c"], 'id,dx,rx\n1,"(dx.a,rx.b)|c",\n'),
    (["(rx.a,rx.b)", "rx.*", "dx.(x"], 'id,dx,rx\n1,(x,"(a,b)|*"\n'),
    (['("rx.a,x",rx.b)'], 'id,dx,rx\n1,,"(""a,x"",b)"\n'),
    (['(dx.c,"rx.a,x")'], 'id,dx,rx\n1,"(dx.c,""rx.a,x"")",\n'),
    (["rx.(a)"], "id,dx,rx\n1,,(a)\n"),
]


@pytest.mark.filterwarnings("ignore:Items in column")
@pytest.mark.parametrize(("labels", "content"), SPANNING)
def test_labels_that_span_columns(tmp_path: Path, labels: list[str], content: str) -> None:
    data = text(tmp_path, "id,dx,rx\n1,a|b,c|d\n").with_transactions(Transactions.from_sets([labels]))
    io.write(data, tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == content
    for format in FORMATS:
        assert reread(data, tmp_path / f"z.{format}").transactions.sets() == [set(labels)]


def test_a_label_of_no_column_is_told(tmp_path: Path) -> None:
    data = text(tmp_path, "dx,rx\na,b\n").with_transactions(Transactions.from_sets([["ALL", "rx.b"]]))
    with pytest.warns(UserWarning, match=r"'ALL' belongs to none of the columns .*: it is written to 'dx'.*'dx\+rx'"):
        io.write(data, tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "dx,rx\nALL,b\n"


def test_a_delimiter_in_a_label_changes_that_of_its_column(tmp_path: Path) -> None:
    data = text(tmp_path, "dx,rx\na b,c;d\n")
    groups = data.with_transactions(Transactions.from_sets([["dx.a", "dx.b b", "rx.c", "rx.d"]]))
    with pytest.warns(UserWarning, match=r"column 'dx' are now separated by '\|': a published label contains a space"):
        io.write(groups, tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "dx,rx\na|b b,c;d\n"
    with pytest.warns(UserWarning, match="Items in column"):
        back = reread(groups, tmp_path / "z.tsv")
    assert back.transactions.sets() == groups.transactions.sets()
    io.write(groups, tmp_path / "y.csv", item_delimiter=["~", "/"])
    assert (tmp_path / "y.csv").read_text() == "dx,rx\na~b b,c/d\n"
    assert io.options_to_read(groups, "y.csv", item_delimiter="~")["item_delimiter"] == "~"
    with pytest.raises(DataError, match="'b b' contains a space, which separates"):
        io.write(groups, tmp_path / "y.csv", item_delimiter=" ")


def test_multisets_and_items_to_drop(tmp_path: Path) -> None:
    content = "dx,rx\na|a|b,a|-1\n-1,b|b\n"
    counted = text(tmp_path, content, multiset=True, drop_items=["-1"])
    assert counted.transactions.sets() == [{"dx.a*2", "dx.b*1", "rx.a*1"}, {"rx.b*2"}]
    assert text(tmp_path, content, drop_items=["rx.a", "dx.-1"]).transactions.sets() == [
        {"dx.a", "dx.b", "rx.-1"},
        {"rx.b"},
    ]
    with pytest.warns(UserWarning, match=r"drop_items=: 'rx\.zzz' does not occur in .*x\.csv") as caught:
        text(tmp_path, content, drop_items=["a", "rx.zzz"])
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("content", "name", "options", "message"),
    [
        ("dx,rx\na,b\n", "x.csv", {"sets": ("dx", "dx")}, "Column 'dx' is named twice as a column of sets"),
        ("dx,rx\na,b\n", "x.csv", {"sets": ()}, "at least one column"),
        (
            "dx,rx\na,b\n",
            "x.csv",
            {"sets": ("dx", "rxx")},
            r"x\.csv has no column 'rxx' \(did you mean 'rx'\?\): it has",
        ),
        ("dx,rx\na,b\n", "x.csv", {"sets": "dx,ry"}, "has no column 'ry'"),
        ("(d),x\na,b\n", "x.csv", {"sets": ("(d)", "x")}, r"'\(' starts a set of labels"),
        ("d,d.x\na,b\n", "x.csv", {"sets": ("d", "d.x")}, "would be ambiguous"),
        ("dx,rx\na,b\n", "x.csv", {"item_delimiter": ("|",)}, "one for each of the 2 columns of sets, got 1"),
        ("dx,rx\na,b\n", "x.csv", {"item_delimiter": ""}, "item_delimiter= must be text"),
        ("dx;rx\n[a];b\n", "x.csv", {}, "column 'dx' look like lists in brackets"),
        ("a b\n", "x.dat", {}, "is read as fimi, which holds only sets"),
        ("dx,rx\n1,a\n", "x.csv", {"id_column": "dx"}, "sets= is for a column of sets, but id_column="),
        ('["a"]\n', "x.jsonl", {}, "line 1: expected an object"),
        ('{"dx": [], "rx": ["a"]}\n{"rx": []}\n', "x.jsonl", {}, "line 2: there is no field 'dx'.*: write"),
        ('{"dx": [], "rx": 7}\n', "x.jsonl", {}, "line 1: field 'rx' must be an array, got a number"),
        ('{"dx": [], "rx": ["a", 1.5]}\n', "x.jsonl", {}, "line 1: items must be strings or integers, got a decimal"),
        (
            '{"dx": [], "rx": []}\n',
            "x.jsonl",
            {"item_delimiter": ","},
            "item_delimiter= is for strings, but column",
        ),
    ],
)
def test_bad_input(tmp_path: Path, content: str, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        text(tmp_path, content, name, **options)


def test_bad_columns_of_other_sources(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet: column 'age' must hold lists of items, got int64"):
        io.read(tmp_path / "x.parquet", sets=("dx", "age"))
    with pytest.raises(DataError, match="the Table: column 'age' must hold lists of items, got int64"):
        io.read(table(), sets=("dx", "age"))
    with pytest.raises(DataError, match="has no column 'dy'"):
        io.read(table(), sets=("dx", "dy"))
    with pytest.raises(OptionError, match="are for tables, but the data are a list"):
        io.read([["a"]], sets=COLUMNS)
    with pytest.raises(OptionError, match="are for tables, but the data are a ChunkedArray"):
        io.read(table()["dx"], sets=COLUMNS)
    data = io.read(table(), sets=COLUMNS)
    with pytest.raises(OptionError, match="sets= is for data with one column of sets"):
        io.write(data, tmp_path / "y.csv", sets="items")
    assert data.table is not None
    beside = replace(data, table=data.table.with_column("dx", pa.array([1, 2, 3, 4])))
    with pytest.raises(DataError, match="Column 'dx' exists already"):
        io.write(beside, tmp_path / "y.csv")


def test_sets_only_formats_hold_the_tagged_items(tmp_path: Path) -> None:
    data = io.read(table(), sets=COLUMNS).keep_columns([])
    for name in ("y.dat", "y.basket"):
        assert reread(data, tmp_path / name).transactions.sets() == SETS
    assert (tmp_path / "y.dat").read_text() == "dx.cold dx.flu rx.a\nrx.a rx.b\ndx.flu\n\n"


PUBLISHED = [["dx.G", "rx.a"], [], ["(dx.flu,rx.a)"], ["rx.b", "rx.a"]]


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_frames(package: str) -> None:
    library = pytest.importorskip(package)
    source = table()
    if package != "pyarrow":
        source = source.to_pandas() if package == "pandas" else library.from_arrow(source)
    data = io.read(source, sets=COLUMNS)
    assert data.transactions.sets() == SETS
    assert data.table is not None
    assert data.table.names == ("id", "age")
    published = data.with_transactions(Transactions.from_sets(PUBLISHED))
    ranges = pa.array(["[1:40]", "*", "5", "60"])
    out = io.to_native(replace(published, table=Table(data.table.arrow.set_column(1, "age", ranges))))
    assert type(out) is type(source)
    rows = out.to_dict("records") if package == "pandas" else out.to_dicts() if package == "polars" else out.to_pylist()
    assert rows == [
        {"id": 1, "rx": ["a"], "age": "[1:40]", "dx": ["G"]},
        {"id": 2, "rx": [], "age": "*", "dx": []},
        {"id": 3, "rx": [], "age": "5", "dx": ["(dx.flu,rx.a)"]},
        {"id": 4, "rx": ["a", "b"], "age": "60", "dx": []},
    ]
    assert io.read(out, sets=COLUMNS).transactions.sets() == [set(row) for row in PUBLISHED]


def test_pandas_cells_of_any_sort() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"rx": [{"b", "a"}, None, ("c", 7)], 5: ["x|y", float("nan"), "x"], "n": [1.5, None, 2.5]},
        index=["u", "v", "u"],
    )
    data = io.read(frame, sets=["rx", "5"], item_delimiter=[None, "|"])
    assert data.transactions.sets() == [{"rx.a", "rx.b", "5.x", "5.y"}, set(), {"rx.c", "rx.7", "5.x"}]
    out = io.to_native(data)
    assert list(out.columns) == ["rx", 5, "n"]
    assert (out["rx"].tolist(), out[5].tolist()) == ([["a", "b"], [], ["7", "c"]], [["x", "y"], [], ["x"]])
    assert (out.index.tolist(), out["n"].equals(frame["n"])) == (["u", "v", "u"], True)
    for columns, message in [
        (("rx", "n"), "column 'n' must hold lists of items, got double"),
        (("rx", "5"), "got strings"),
    ]:
        with pytest.raises(DataError, match=message):
            io.read(frame, sets=columns)


@pytest.mark.parametrize("format", FORMATS)
def test_columns_beside_may_become_text(tmp_path: Path, format: str) -> None:
    data = io.read(table(), sets=COLUMNS)
    back = reread(data, tmp_path / f"x.{format}")
    assert back.table is not None
    ages = pa.array(["[1:40]", "*", 'say "5", 6', None])
    other = replace(back, table=Table(back.table.arrow.set_column(1, "age", ages)))
    again = reread(other, tmp_path / f"y.{format}")
    assert again.transactions.sets() == SETS
    assert again.table is not None
    assert [age or None for age in again.table.arrow.column("age").to_pylist()] == ages.to_pylist()
    assert again.origin.layout.order == ("id", "rx", "age", "dx")  # type: ignore[attr-defined]


def test_list_types_stay(tmp_path: Path) -> None:
    pq.write_table(table(), tmp_path / "x.parquet")
    io.write(io.read(tmp_path / "x.parquet", sets=COLUMNS), tmp_path / "y.parquet")
    assert pq.read_schema(tmp_path / "y.parquet").equals(pq.read_schema(tmp_path / "x.parquet"))


any_label = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1, max_size=5)
item = any_label.filter(lambda label: label.strip() and not (label.startswith("(") and label.endswith(")")))
names = st.lists(st.text("a.,+( |", min_size=1, max_size=3).filter(str.strip), min_size=2, max_size=3, unique=True)


@pytest.mark.filterwarnings("ignore:Items in column")
@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
@examples(60)
def test_any_items_come_back(format: str, data: st.DataObject) -> None:
    columns = data.draw(names)
    try:
        tags = Tags(tuple(columns))
    except OptionError:
        return
    mark = data.draw(st.sampled_from(["|", ";", ", "]))
    usable = item.filter(lambda label: label != tags.joint)
    rows = data.draw(st.lists(st.tuples(*[st.sets(usable, max_size=3)] * len(columns)), min_size=1, max_size=5))
    cells = {
        name: pa.array([sorted(row[at]) for row in rows], pa.list_(pa.string())) for at, name in enumerate(columns)
    }
    wanted = [{f"{name}.{label}" for name, some in zip(columns, row, strict=True) for label in some} for row in rows]
    source = io.read(pa.table({**cells, "n": list(range(len(rows)))}), sets=columns)
    assert source.transactions.sets() == wanted
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"x.{format}")
        try:
            io.write(source, path, item_delimiter=mark if format in ("csv", "tsv") else None)
        except DataError as error:  # one that the user chose
            assert "which separates" in str(error)  # noqa: PT017
            io.write(source, path)
            mark = ""
        asked: dict[str, Any] = {"item_delimiter": mark} if mark and format in ("csv", "tsv") else {}
        back = io.read(path, **io.options_to_read(source, path, **asked))
        assert back.transactions.sets() == wanted
        io.write(back, Path(folder, f"y.{format}"))
        assert (
            io.read(
                Path(folder, f"y.{format}"), **io.options_to_read(back, Path(folder, f"y.{format}"))
            ).transactions.sets()
            == wanted
        )


@given(data=st.data(), columns=names)
@examples(200)
def test_labels_find_their_column_again(data: st.DataObject, columns: list[str]) -> None:
    try:
        tags = Tags(tuple(columns))
    except OptionError:
        return
    part = st.tuples(st.sampled_from(columns), st.text("ab,()", min_size=1, max_size=4)).map(".".join)
    label = data.draw(st.lists(part, min_size=1, max_size=3).map(set_label))
    assert tags.label(*tags.place(label)) == label
    column = data.draw(st.sampled_from(columns))
    text = data.draw(st.text("ab,()", min_size=1, max_size=6))
    assert tags.label(*tags.place(tags.label(column, text))) == tags.label(column, text)


def test_joined_hierarchies(tmp_path: Path) -> None:
    trees = {
        "dx": Hierarchy.from_tree({"*": {"resp": ["cold", "flu"]}}),
        "rx": Hierarchy.from_tree({"drug": ["a", "b"]}),
    }
    tree = hierarchies.joined(trees)
    assert tree.labels[-1] == joint_label(trees) == "dx+rx"
    assert tree.parents_by_label() == {
        "dx.cold": "dx.resp",
        "dx.flu": "dx.resp",
        "rx.a": "rx.drug",
        "rx.b": "rx.drug",
        "dx.resp": "dx.*",
        "dx.*": "dx+rx",
        "rx.drug": "dx+rx",
        "dx+rx": None,
    }
    with pytest.raises(HierarchyError, match="at least one column"):
        hierarchies.joined({})
    with pytest.raises(HierarchyError, match=r"'dx\+rx' of column 'dx' gets the label 'dx\+rx'"):
        hierarchies.joined({**trees, "dx": Hierarchy.flat(["dx+rx"])})
    with pytest.raises(OptionError, match="would be ambiguous"):
        hierarchies.joined({**trees, "dx.a": trees["rx"]})
    data = text(tmp_path, "id,rx,dx\n1,a,flu\n2,b,cold\n")
    release = shoal.anonymize(shoal.Problem(data, tree, shoal.Km(k=2, m=2)), algorithm=shoal.algorithms.AA())
    release = release.save(tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_text() == "id,rx,dx\n1,drug,resp\n2,drug,resp\n"
    command = sentences.verify_command(release)
    assert "--sets dx --sets rx --item-delimiter '|'" in command
