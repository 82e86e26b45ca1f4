"""Whether the first line of a delimited file names the columns: told, seen, or asked for; never a record by mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal import io
from shoal.errors import DataError, OptionError

LONG = {"id_column": "(column 1)", "item_column": "(column 2)"}
RECORDS = [  # files whose first line may be a record
    ("a\nb\nb\n", {}, "'a' may be a name or an item"),
    ("Ann;milk|beer\nBob;beer|wine\n", {"no_sets": True, "delimiter": ";"}, "'milk|beer' looks like the values below"),
    ("s1;a\ns1;b\ns2;a\n", LONG, "'s1' also occurs further down in column 1"),
    ("s1;a\ns2;b\ns3;c\n", LONG, "'s1' looks like the values below"),
    ("17;V45\n18;250.0\n19;V46\n18;250.1\n17;3\n", LONG, "'17' also occurs"),
    ("Ann,34,flu|cold\nBob,35,flu\nEve,36,flu\n", {"no_sets": True}, "'34' looks like the values below"),
    ("x;y\nu;v\n", {"no_sets": True}, "'x', 'y' do not look like names"),
    ("male,single\nfemale,married\nmale,widowed\n", {"no_sets": True}, "'male' also occurs"),
    ("n/a,Paris\n5,Paris\n", {"no_sets": True}, "'Paris' also occurs"),
    ("n/a,3\n5,4\n", {"no_sets": True}, "'3' looks like"),
    ("items\na|b\nitems\na\n", {}, "'items' also occurs"),
    ("id,dx,rx\n1,a,b\nid,dx,rx\n", {"no_sets": True}, "'id' also occurs"),
    (",2\n5,4\n", {"no_sets": True}, "'2' looks like"),
    ('""\na\nb\n', {}, "may be a name or an item"),
]
NAMES = [  # files whose first line names the columns
    ("items\na|b\nb\n", {}),
    ("x\n1|2\n3\n", {}),
    ("id,2019,2020\n7,1,2\n8,3,4\n", {"no_sets": True}),
    ("country;city\nSpain;Madrid\nItaly;Rome\n", {"no_sets": True}),
    ("customer_id,item\nu1,a\nu1,b\n", {}),
    ("q1,q2,items\n3,4,a|b\n1,1,c\n", {}),
    (",items\n0,a|b\n1,a\n", {}),
    ("u,v\na,b\na,u\n", {"sets": "v"}),
    ("A,B\nx,p\nA,p\n", {"sets": ("A", "B")}),
    ("A,B\nx,p\nA,p\n", {"sets": "A,B"}),
    ("u;v\nu;a\nw;b\n", {"id_column": "u"}),
    ("a\na\nb\n", {"header": True}),
]


def file(folder: Path, text: str) -> Path:
    path = folder / "x.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(("text", "options", "doubt"), RECORDS)
def test_a_first_line_that_looks_like_a_record_is_asked_about(
    tmp_path: Path, text: str, options: dict[str, Any], doubt: str
) -> None:
    with pytest.raises(DataError, match=r"line 1: does it name the columns, or is it a record\?") as error:
        io.read(file(tmp_path, text), **({} if options is LONG else options))
    assert doubt in str(error.value)
    assert "header=True" in str(error.value)
    assert "header=False" in str(error.value)


@pytest.mark.parametrize(("text", "options"), NAMES)
def test_names_are_taken_for_names(tmp_path: Path, text: str, options: dict[str, Any]) -> None:
    data = io.read(file(tmp_path, text), **options)
    assert not {"id", "items", "A", "u"} & set(data.transactions.sets()[0])


@pytest.mark.parametrize(("text", "options", "doubt"), RECORDS)
def test_no_header_keeps_every_record(tmp_path: Path, text: str, options: dict[str, Any], doubt: str) -> None:
    del doubt
    path = file(tmp_path, text)
    data = io.read(path, header=False, **options)
    out = tmp_path / "out.csv"
    io.write(data, out)
    if options is not LONG:  # which writes the pairs of one record together, and other ids
        assert out.read_text() == text
        assert len(data) == text.count("\n")
    back = io.read(out, **io.options_to_read(data, out))
    assert back.transactions.sets() == data.transactions.sets()
    assert (back.table and back.table.names) == (data.table and data.table.names)


def test_columns_are_named_by_their_place(tmp_path: Path) -> None:
    data = io.read(file(tmp_path, "u,1,a|b\nv,2,a\n"), header=False, sets="(column 3)")
    assert data.table is not None
    assert list(data.table.names) == ["(column 1)", "(column 2)"]
    assert data.transactions.sets() == [{"a", "b"}, {"a"}]
    assert data.origin.place(0) == "line 1"
    assert io.options_to_read(data, "y.csv")["header"] is False


def test_a_file_without_a_header_gets_one_when_places_change(tmp_path: Path) -> None:
    data = io.read(file(tmp_path, "u,1,a|b\nv,2,a\n"), header=False, sets="(column 3)").keep_columns(["(column 2)"])
    out = tmp_path / "out.csv"
    with pytest.warns(UserWarning, match=r"gets one.*'\(column 2\)', '\(column 3\)'"):
        io.write(data, out)
    assert out.read_text() == "(column 2),(column 3)\n1,a|b\n2,a\n"
    back = io.read(out, **io.options_to_read(data, out))
    assert back.table is not None
    assert list(back.table.names) == ["(column 2)"]


def test_unnamed_columns(tmp_path: Path) -> None:
    """As pandas writes its index."""
    data = io.read(file(tmp_path, ",items, \n0,a|b,x\n1,a,y\n"))
    assert data.table is not None
    assert list(data.table.names) == ["(column 1)", "(column 3)"]
    out = tmp_path / "out.csv"
    io.write(data, out)
    assert out.read_text().startswith("(column 1),items,(column 3)\n")
    with pytest.raises(DataError, match=r"'\(column 1\)' occurs twice"):
        io.read(file(tmp_path, ",(column 1),items\n0,1,a\n"))


def test_the_items_tree_is_not_that_of_a_column_without_a_name() -> None:
    import pyarrow as pa

    from shoal.jobs.dataset_spec import DatasetSpec

    data = io.read(pa.table({"": ["x", "y"], "items": [["a"], ["b"]]}))
    spec = DatasetSpec(file="data.csv", hierarchy={"": "tree.csv"})
    assert spec.complete_column_specs(data, shoal.KKm(k=2, m=1))[""].hierarchy is None


def test_a_repeated_name_may_be_a_record(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="pass header=False if that line is a record"):
        io.read(file(tmp_path, "a,a\nb,c\n"), no_sets=True)
    assert len(io.read(file(tmp_path, "a,a\nb,c\n"), no_sets=True, header=False)) == 2
    assert len(io.read(file(tmp_path, "a|b\n"), header=False, delimiter=",")) == 1


def test_header_is_for_csv(tmp_path: Path) -> None:
    path = tmp_path / "x.dat"
    path.write_text("a b\n")
    with pytest.raises(OptionError, match="fimi has no option header=False"):
        io.read(path, header=False)
    with pytest.raises(OptionError, match="header= is for files"):
        io.read([["a"]], header=True)
