"""JSON lines: values keep their value, also where their types change late in the file.

Covers: io/json_columns.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.data import Dataset
from shoal.errors import DataError
from shoal.io import jsonl
from shoal.io.json_columns import JsonColumns
from tests.budget import examples


@pytest.fixture(params=[1, 2, 1 << 15])
def batch(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many lines are decoded at a time."""
    monkeypatch.setattr(jsonl, "_BATCH", request.param)
    return int(request.param)


def read(folder: Path, *rows: Any, **options: Any) -> Dataset:
    path = folder / "x.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return io.read(path, **options)


def written(data: Dataset, folder: Path) -> list[Any]:
    io.write(data, folder / "y.jsonl")
    return [json.loads(line) for line in (folder / "y.jsonl").read_text().split("\n")[:-1]]


@pytest.mark.parametrize(
    "values",
    [
        [1, None, 2],
        [1, 2.5],
        [1, "x", None, True],
        [True, 1],
        [2**53 + 1, 0.5],
        [10**30, 1],
        ["\ud800", "b"],
        [["a", None], None, []],
        [[1, "a"], [2]],
        [[1], [2.5]],
        [[2**53 + 1], [2.5]],
        [[], ["a"], [["b"]]],
        [{"x": 1}, {"y": 2}, {}],
        [{"x": 1}, {"x": None}, {"x": 2.5}],
        [{"x": 2**60 + 1}, {"x": 2.5}],
        [{"x": [{"y": 1}]}, {"x": [{"z": 1}]}],
        [None, None],
    ],
    ids=str,
)
def test_values_stay(tmp_path: Path, batch: int, values: list[Any]) -> None:
    """Of other columns, and of a table without sets."""
    rows = [{"v": value, "items": ["a"], "n": at} for at, value in enumerate(values)]
    assert written(read(tmp_path, *rows, sets="items"), tmp_path) == rows
    assert written(read(tmp_path, *rows, no_sets=True), tmp_path) == rows


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=2),
    max_leaves=5,
)


@given(values=st.lists(json_values, min_size=1, max_size=4))
@examples(150)
def test_any_values_stay_in_any_batches(values: list[Any]) -> None:
    rows = [{"v": value} for value in values]
    whole, by_row = JsonColumns(lambda name: False), JsonColumns(lambda name: False)
    whole.add(rows)
    for row in rows:
        by_row.add([row])
    assert by_row.kinds == whole.kinds
    assert not whole.add(reversed(rows))
    texts = jsonl.Jsonl(as_json=whole.as_json).lines(whole.batch(rows)).to_pylist()
    assert [json.loads(text) for text in texts] == rows


def test_items_of_types_that_change_late(tmp_path: Path, batch: int) -> None:
    data = read(tmp_path, [1, 2], [], [3], ["a"])
    assert data.transactions.sets() == [{"1", "2"}, set(), {"3"}, {"a"}]
    assert written(data, tmp_path) == [["1", "2"], [], ["3"], ["a"]]
    assert written(read(tmp_path, [], [1, 10**30], [2]), tmp_path) == [[], [1, 10**30], [2]]
    assert written(read(tmp_path, {"x": []}, {"x": [1]}), tmp_path) == [{"x": []}, {"x": [1]}]


def test_new_fields_late_in_the_file(tmp_path: Path, batch: int) -> None:
    data = read(tmp_path, {"items": ["a"]}, {"n": 1, "items": []}, {"m": "x", "items": ["b"]})
    assert data.table is not None
    assert data.table.names == ("n", "m")
    assert written(data, tmp_path)[0] == {"items": ["a"], "n": None, "m": None}


def test_ids_and_items_may_be_numbers_and_texts(tmp_path: Path, batch: int) -> None:
    rows = [{"who": 1, "what": 5, "v": 1}, {"who": "x", "what": "a", "v": "b"}, {"who": 1, "what": 7, "v": 1}]
    data = read(tmp_path, *rows, id_column="who", item_column="what")
    assert sorted(map(sorted, data.transactions.sets())) == [["5", "7"], ["a"]]


def test_published_values_in_place_of_mixed_ones(tmp_path: Path) -> None:
    import pyarrow as pa

    from shoal.data import Table

    data = read(tmp_path, {"v": 1}, {"v": "x"}, {"v": None}, no_sets=True)
    data = Dataset(data.transactions, Table(pa.table({"v": ["[1:2]", '"x"', None]})), data.origin)
    assert written(data, tmp_path) == [{"v": "[1:2]"}, {"v": "x"}, {"v": None}]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (['["a"]', "[1.5]"], {}, "line 2: items must be strings or integers, got a decimal number"),
        (['["a"]', '["b", null]'], {}, "line 2: items must be strings or integers, got null"),
        (['["a"]', '{"b": 1}'], {}, "line 2: expected an array as in the lines before, got an object"),
        (['{"a": []}', '{"a": null}'], {}, "line 2: field 'a' must be an array, got null"),
        (['{"a": [], "b": {"c": 1, "c": 2}}'], {}, "line 1: the field 'c' occurs twice"),
        (['{"a": []}', '{"\\ud800": 1}'], {}, r"line 2: the field '\\ud800' holds half a surrogate pair"),
        (['{"a": []}', '{"a": ' + "1" * 5000 + "}"], {}, "line 2: a number has too many digits"),
        (['{"a": "x|y"}', '{"a": 5}'], {"sets": "a", "item_delimiter": "|"}, "line 2: field 'a' must be a string"),
        (['{"a": 1}', "{"], {"no_sets": True}, "line 2: invalid JSON: .* at column 2"),
        (['{"a": 1}', ""], {"no_sets": True}, "line 2: a blank line is not JSON: leave it out"),
    ],
)  # fmt: skip
def test_errors_name_the_line(
    tmp_path: Path, batch: int, rows: list[str], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read(tmp_path, *rows, **options)
    assert str(tmp_path / "x.jsonl") in str(caught.value)


def test_texts_that_are_split(tmp_path: Path, batch: int) -> None:
    data = read(tmp_path, {"a": "x|y", "n": 1}, {"a": None, "n": 2}, sets="a", item_delimiter="|")
    assert data.transactions.sets() == [{"x", "y"}, set()]
    assert written(data, tmp_path) == [{"a": "x|y", "n": 1}, {"a": "", "n": 2}]


def test_sets_alone_are_arrays(tmp_path: Path) -> None:
    assert written(io.read([["a"], []]), tmp_path) == [["a"], []]
    assert written(read(tmp_path, {"items": ["a"]}), tmp_path) == [{"items": ["a"]}]
    assert written(io.read([["a"]]), tmp_path) == [["a"]]
    io.write(io.read([["a"]]), tmp_path / "y.jsonl", sets="x")
    assert json.loads((tmp_path / "y.jsonl").read_text()) == {"x": ["a"]}


def test_columns_of_lists_in_later_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.io.coding.BATCH_ROWS", 2)
    rows = [{"items": ["a"], "v": [str(at)] * at} for at in range(5)]
    assert written(read(tmp_path, *rows, sets="items"), tmp_path) == rows


@pytest.mark.parametrize(
    ("line", "compact", "ascii"),
    [
        ('{"a":["b"]}', True, False),
        ('{"a": ["b"]}', False, False),
        ('["a"]', False, False),
        ('["a, b","c"]', True, False),
        ('["\\u00e4"]', False, True),
    ],
)
def test_the_style_of_a_file(tmp_path: Path, line: str, compact: bool, ascii: bool) -> None:
    format: Any = read(tmp_path, line).origin.layout.format  # type: ignore[attr-defined]
    assert (format.compact, format.ascii) == (compact, ascii)
