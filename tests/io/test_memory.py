"""Data in memory: what comes in as a frame goes out as one, with all else untouched.

Covers: io/memory.py, io/frames.py, data/dataset.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal import io
from shoal.data import Transactions
from shoal.errors import DataError, OptionError

ROWS = [["b", "a"], [], ["c"]]
SETS = [{"a", "b"}, set(), {"c"}]
PUBLISHED = [["A"], [], ["A", "c"]]


def published(source: Any, **options: Any) -> Any:
    """Read, replace the sets as an anonymization would, and give back."""
    data = io.read(source, **options)
    assert data.transactions.sets() == SETS
    return io.to_native(data.with_transactions(Transactions.from_sets(PUBLISHED)))


def test_lists_and_sets() -> None:
    assert published(ROWS) == PUBLISHED
    assert published(tuple(map(tuple, ROWS))) == PUBLISHED
    assert published(iter(ROWS)) == PUBLISHED
    assert published([set(row) for row in ROWS]) == [set(row) for row in PUBLISHED]
    assert published([frozenset(row) for row in ROWS]) == [set(row) for row in PUBLISHED]


def test_integers_become_labels() -> None:
    assert io.read([[10, 9], np.array([9])]).transactions.labels == ("9", "10")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([], "hold no records"),
        (["a b"], "Row 1 must be a list or set of items, got str: split"),
        ([["a"], [1.5]], "Row 2: items must be strings or integers, got float.$"),
        ([[True]], "got bool"),
        ([None], "got NoneType"),
        ({"a": 1}, "Cannot read sets from a dict"),
        (7, "Cannot read sets from a int"),
        ([["\ud800"]], "Row 1: an item holds half a surrogate pair"),
    ],
)
def test_what_is_no_set(source: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        io.read(source)


def test_options_that_do_not_apply() -> None:
    with pytest.raises(OptionError, match="delimiter= is for files"):
        io.read(ROWS, delimiter=",")
    with pytest.raises(OptionError, match="sets= is for tables"):
        io.read(ROWS, sets="x")
    with pytest.raises(OptionError, match="item_delimiter= is for tables"):
        io.read(["a b"], item_delimiter=" ")
    with pytest.raises(OptionError, match="drop_items= must be a collection"):
        io.read(ROWS, drop_items="abc")


def test_file_gives_lists(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_text("b a\n\nc\n")
    assert published(tmp_path / "x.dat") == PUBLISHED
    assert published(str(tmp_path / "x.dat")) == PUBLISHED


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None, 3], dtype="Int64"),
            "items": [["b", "a"], None, {"c"}],
            "odd": ["x", 1, {"y": 2}],
            "when": pd.to_datetime(["2020-01-01"] * 3),
            "kind": pd.Categorical(["u", "v", "u"]),
        },
        index=pd.Index([7, 8, 7], name="key"),
    )
    before = frame.copy(deep=True)
    out = published(frame)
    pd.testing.assert_frame_equal(out.drop(columns="items"), before.drop(columns="items"))
    assert list(out.columns) == list(before.columns)
    assert out["items"].tolist() == PUBLISHED
    pd.testing.assert_frame_equal(frame, before)
    data = io.read(frame, sets="items")
    assert data.table is not None
    assert data.table.names == ("n", "odd", "when", "kind")
    series = published(frame["items"])
    assert (series.tolist(), series.name, series.index.tolist()) == (PUBLISHED, "items", [7, 8, 7])
    for columns, message in [({"a": [1]}, "no list column"), ({"a": [["x"]], "b": [["x"]]}, "2 list columns")]:
        with pytest.raises(DataError, match=message):
            io.read(pd.DataFrame(columns))
    with pytest.raises(DataError, match="did you mean 'items'"):
        io.read(frame, sets="itmes")


def test_pandas_to_file(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    data = io.read(pd.DataFrame({"n": [1, 2], "sets": [["a"], ["b", "a"]]}))
    io.write(data, tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "n,sets\n1,a\n2,a|b\n"


def test_polars(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    from polars.testing import assert_frame_equal

    kinds = pl.Series(["u", "v", "u"], dtype=pl.Categorical)
    frame = pl.DataFrame({"n": [1, None, 3], "items": [["b", "a"], None, ["c"]], "c": kinds})
    out = published(frame)
    assert_frame_equal(out.drop("items"), frame.drop("items"))
    assert out.columns == frame.columns
    assert out["items"].to_list() == PUBLISHED
    series = published(frame["items"])
    assert isinstance(series, pl.Series)
    assert (series.name, series.to_list()) == ("items", PUBLISHED)
    assert published(frame.cast({"items": pl.List(pl.Categorical)}))["items"].to_list() == PUBLISHED
    for suffix in (".csv", ".jsonl", ".parquet", ".feather"):
        io.write(io.read(frame), tmp_path / ("x" + suffix))
        back = io.read(tmp_path / ("x" + suffix))
        assert back.table is not None
        assert back.table.arrow.column("c").to_pylist() == ["u", "v", "u"]
    with pytest.raises(DataError, match="no list column"):
        io.read(frame.select("n"))
    with pytest.raises(DataError, match="must hold lists of items, got int64"):
        io.read(frame["n"])
    with pytest.raises(DataError, match=r"Cannot read sets from a LazyFrame.*: call its \.collect\(\) first"):
        io.read(frame.lazy())


def test_arrow() -> None:
    import pyarrow as pa

    table = pa.table({"items": pa.array(ROWS), "n": [1, 2, 3]}).replace_schema_metadata({"by": "me"})
    out = published(table)
    assert out.select(["n"]).equals(table.select(["n"]))
    assert (out.column_names, out.schema.metadata) == (["items", "n"], None)
    assert out.column("items").to_pylist() == PUBLISHED
    assert published(table.to_batches()[0]).column("items").to_pylist() == PUBLISHED
    assert published(pa.array(ROWS)).to_pylist() == PUBLISHED
    assert published(table.column("items")).to_pylist() == PUBLISHED


def kept(source: Any, *columns: str) -> Any:
    """The release with only some columns."""
    return io.to_native(io.read(source, sets="items").keep_columns(columns))


def test_dropped_columns_are_not_given_back() -> None:
    import pyarrow as pa

    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns: dict[str, Any] = {"name": ["x", "y", "z"], "items": ROWS, "n": [1, 2, 3]}
    for frame, names in [(pd.DataFrame(columns), list), (pl.DataFrame(columns), list), (pa.table(columns), None)]:
        for left, expected in [((), ["items"]), (("n",), ["items", "n"]), (("name",), ["name", "items"])]:
            out = kept(frame, *left)
            assert (names(out.columns) if names else out.column_names) == expected
            assert len(out) == 3


def test_what_a_frame_drags_along_is_not_given_back() -> None:
    import pyarrow as pa

    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    kinds = pd.Categorical(["v", "u", None], categories=["w", "v", "u"], ordered=True)
    frame = pd.DataFrame({"items": ROWS, "kind": kinds})
    frame.attrs = {"by": "me"}
    out = kept(frame, "kind")
    assert (out.attrs, frame.attrs) == ({}, {"by": "me"})
    assert out["kind"].cat.categories.tolist() == ["v", "u"]
    assert out["kind"].cat.ordered
    assert frame["kind"].cat.categories.tolist() == ["w", "v", "u"]
    assert kept(pa.Table.from_pandas(frame), "kind").column("kind").chunk(0).dictionary.to_pylist() == ["v", "u"]
    enum = pl.DataFrame({"items": ROWS, "kind": pl.Series(["v", "u", None], dtype=pl.Enum(["w", "v", "u"]))})
    assert kept(enum, "kind")["kind"].dtype == pl.Enum(["v", "u"])


def test_a_column_of_strings_is_split() -> None:
    import pyarrow as pa

    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    texts: list[str | None] = ["b a", None, "c"]
    columns: dict[str, Any] = {"n": [1, 2, 3], "items": texts}
    for frame in (
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype({"items": "category"}),
        pl.DataFrame(columns),
        pl.DataFrame(columns, schema_overrides={"items": pl.Categorical}),
        pl.DataFrame(columns, schema_overrides={"items": pl.Enum(["b a", "c"])}),
        pa.table(columns),
    ):
        for options in ({}, {"sets": "items"}):
            out = published(frame, item_delimiter=" ", **options)
            lists = out["items"].to_pylist() if isinstance(out, pa.Table) else out["items"].to_list()
            assert lists == PUBLISHED
            assert len(out["n"]) == 3
        with pytest.raises(DataError, match="got strings: pass item_delimiter= to split them"):
            io.read(frame, sets="items")
        with pytest.raises(OptionError, match="item_delimiter= must be text"):
            io.read(frame, item_delimiter="")
        with pytest.raises(DataError):
            io.read(frame, sets="n", item_delimiter=" ")
    for series in (pd.Series(texts), pl.Series(texts), pa.array(texts), pa.chunked_array([texts])):
        assert len(published(series, item_delimiter=" ")) == 3
    with pytest.raises(DataError, match="Column 'items' holds objects of several types \\(list, str\\): convert"):
        io.read(pd.Series(["a b", ["c"]]), item_delimiter=" ")
    with pytest.raises(OptionError, match="item_delimiter= is for strings"):
        io.read(pa.table({"items": ROWS}), sets="items", item_delimiter=" ")
    with pytest.raises(DataError, match=r"has 2 columns of strings \('a', 'b'\): pass sets="):
        io.read(pa.table({"a": texts, "b": texts}), item_delimiter=" ")


def test_pandas_columns_need_not_be_named_by_strings() -> None:
    pd = pytest.importorskip("pandas")
    out = published(pd.DataFrame({0: [1, 2, 3], 1: ROWS}))
    assert (list(out.columns), out[1].tolist()) == ([0, 1], PUBLISHED)
    assert published(pd.DataFrame({0: [1, 2, 3], 1: ROWS}), sets="1")[1].tolist() == PUBLISHED
    with pytest.raises(DataError, match="column '1' occurs twice"):
        io.read(pd.DataFrame({"1": [1, 2, 3], 1: ROWS}))


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    query = "select * from (values (1, ['b', 'a']), (2, []), (3, ['c'])) as t(n, items) order by n"
    relation = duckdb.connect().sql(query)
    out = published(relation)
    assert out.column("n").to_pylist() == [1, 2, 3]
    assert out.column("items").to_pylist() == PUBLISHED


def test_the_arrow_stream_interface() -> None:
    import pyarrow as pa

    class Stranger:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"items": pa.array(ROWS)}).__arrow_c_stream__(requested_schema)

    assert published(Stranger()).column("items").to_pylist() == PUBLISHED
