"""Rows are coded a part at a time: the same result, in memory that does not grow with the text around it."""

from __future__ import annotations

import random
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.data import Transactions
from shoal.engines import Engine
from shoal.errors import DataError
from shoal.io import coding
from shoal.io.coding import Coded, CodedRows, Encoder, as_text, coded_lists, label_lists, slices
from shoal.io.stream import nth_row

PARTS: list[list[list[str]]] = [[["b", "a"], []], [], [["c", "a", "c"]], [[" ", "d"], ["b", "b"]], [[]]]
ROWS = [row for part in PARTS for row in part]


def encoded(parts: list[list[list[str]]], **options: Any) -> Transactions:
    encoder = Encoder(**options)
    for part in parts:
        encoder.add(Coded.of_rows(part))
    return encoder.transactions()


@pytest.mark.parametrize("part_rows", [1, 2, 7])
@pytest.mark.parametrize("options", [{}, {"multiset": True}, {"drop_items": ("a", "zzz")}], ids=str)
def test_parts_make_no_difference(part_rows: int, options: dict[str, Any]) -> None:
    whole = encoded([ROWS], **options)
    for parts in (PARTS, [[row] for row in ROWS]):
        with Engine(workers=2, memory=16, part_rows=part_rows).in_use():
            rows = encoded(parts, **options)
        assert rows.labels == whole.labels
        assert rows.items.tolist() == whole.items.tolist()
        assert rows.indptr.tolist() == whole.indptr.tolist()
    if not options:
        assert whole.sets() == [set(row) - {" "} for row in ROWS]


@given(
    rows=st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", " "]), max_size=5), max_size=30),
    batch=st.integers(1, 6),
    part_rows=st.integers(1, 4),
    workers=st.integers(1, 3),
    dropped=st.sampled_from([(), ("b",)]),
)
def test_rows_are_sorted_in_the_memory_of_their_codes(
    rows: list[list[str]], batch: int, part_rows: int, workers: int, dropped: tuple[str, ...]
) -> None:
    """Parts that are written must not harm parts that other threads still read."""
    with pytest.MonkeyPatch.context() as patch, Engine(workers=workers, part_rows=part_rows).in_use():
        patch.setattr("shoal.engines.storage._MANY", 1)  # small pieces are put in one place, too
        got = encoded([rows[at : at + batch] for at in range(0, len(rows), batch)], drop_items=dropped)
    assert got.sets() == [set(row) - {" ", *dropped} for row in rows]
    assert all(list(row) == sorted(set(row)) for row in map(np.ndarray.tolist, got))


def test_sorted_rows_need_no_memory_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[Any] = []
    collected = CodedRows.__init__

    def seen(self: CodedRows, sizes: Any, values: Any) -> None:
        codes.append(values)
        collected(self, sizes, values)

    monkeypatch.setattr(CodedRows, "__init__", seen)
    monkeypatch.setattr("shoal.engines.storage._MANY", 1)
    with Engine(part_rows=2).in_use():
        rows = encoded([[["b", "a"], ["a"]]] * 10)
    assert np.shares_memory(rows.items, codes[0])


def test_a_reader_that_gives_up_leaves_no_thread() -> None:
    before = threading.active_count()
    with Engine(workers=2).in_use():
        encoder = Encoder()
        for _ in range(5):
            encoder.add(Coded.of_rows([["a"]]))
        del encoder
    until = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() == before


def test_what_was_dropped_is_known_at_the_end() -> None:
    encoder = Encoder(drop_items=["a", "zzz"])
    encoder.add(Coded.of_rows([["a", "b"]]))
    assert encoder.transactions().labels == ("b",)
    assert encoder.dropped == {"a"}


def test_nothing_is_no_rows() -> None:
    assert len(Encoder().transactions()) == 0
    assert encoded([[[], []]]).sets() == [set(), set()]


def test_rows_may_be_pieces_of_records() -> None:
    encoder = Encoder(multiset=True)
    encoder.add(Coded.of_rows([["a"], ["b"], ["a"], ["c"]]), np.array([2, 1, 3, 1]))
    record_of = np.array([1, 0, 1, 3])
    assert encoder.transactions(record_of, 4).sets() == [{"b*1"}, {"a*5"}, set(), {"c*1"}]


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.string()),
        pa.large_list(pa.large_string()),
        pa.list_(pa.string_view()),
        pa.list_(pa.dictionary(pa.int8(), pa.string())),
    ],
    ids=str,
)
def test_lists_of_texts(kind: Any) -> None:
    lists = pa.array([["b", "a"], None, [], ["a"]], kind)
    for start in (0, 1):
        coded = coded_lists(lists.slice(start), "x", nth_row)
        encoder = Encoder()
        encoder.add(coded)
        assert encoder.transactions().sets() == [{"a", "b"}, set(), set(), {"a"}][start:]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.dictionary(pa.int8(), pa.int64())], ids=str)
def test_lists_of_numbers(kind: Any) -> None:
    assert set(coded_lists(pa.array([[10, 9]], pa.list_(kind)), "x", nth_row).labels) == {"9", "10"}
    assert coded_lists(pa.array([[1, 2]], pa.list_(pa.int8(), 2)), "x", nth_row).sizes.tolist() == [2]


def test_a_null_item_is_refused_with_its_row() -> None:
    inside = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0], pa.int8()), pa.array(["a", None]))
    for values in (pa.array(["a", None, "a"]), inside, pa.array(["a", None, "a"]).dictionary_encode()):
        lists = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3], pa.int32()), values)
        with pytest.raises(DataError, match=r"^x, row 3: an item is null: remove it, or give it a label"):
            coded_lists(lists, "x", nth_row)


@pytest.mark.parametrize("kind", [pa.float64(), pa.bool_(), pa.binary(), pa.list_(pa.string())], ids=str)
def test_other_items_are_refused(kind: Any) -> None:
    with pytest.raises(DataError, match="items must be strings or integers, got"):
        coded_lists(pa.array([[]], pa.list_(kind)), "x", nth_row)


def test_texts_of_any_type() -> None:
    views = pa.DictionaryArray.from_arrays(pa.array([1, None], pa.int8()), pa.array(["x", "y"], pa.string_view()))
    assert as_text(views).to_pylist() == ["y", None]
    assert as_text(pa.chunked_array([[1], [2]])).to_pylist() == ["1", "2"]


def test_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coding, "BATCH_ROWS", 2)
    rows = Transactions.from_sets([["a"], [], ["b", "a"]])
    parts = list(slices(rows, pa.table({"n": [1, 2, 3]})))
    assert [part.sets() for part, _ in parts] == [[{"a"}, set()], [{"a", "b"}]]
    assert [columns.to_pylist() for _, columns in parts] == [[{"n": 1}, {"n": 2}], [{"n": 3}]]
    assert label_lists(parts[1][0]).to_pylist() == [["a", "b"]]


FILES = {
    "x.dat": lambda rows: "".join(" ".join(row) + "\n" for row in rows),
    "q.basket": lambda rows: "".join(",".join(f'"{item}"' for item in row) + "\n" for row in rows),
    "q.csv": lambda rows: "id,items\n" + "".join(f'"{at}","{"|".join(row)}"\n' for at, row in enumerate(rows)),
    "l.csv": lambda rows: "id,item\n" + "".join(f"{at},{item}\n" for at, row in enumerate(rows) for item in row),
}


@pytest.mark.parametrize("name", FILES)
def test_memory_is_a_few_times_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Of Python and NumPy; Arrow's own memory is not seen here."""
    monkeypatch.setattr("shoal.io.source._PIECE", 4096)
    monkeypatch.setattr("shoal.io.csv._BLOCK", 4096)
    draw = random.Random(1)
    rows = [[str(draw.randrange(60)) for _ in range(draw.randrange(1, 9))] for _ in range(8_000)]
    path = tmp_path / name
    path.write_text(FILES[name](rows))
    io.read(path)  # imports
    tracemalloc.start()
    try:
        io.read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * path.stat().st_size


def test_an_item_must_not_be_called_like_the_count_of_another() -> None:
    rows = [["a", "a", "b"], ["a*2", "b"]]
    with pytest.raises(DataError, match=r"Item 'a\*2' has the name that item 'a' gets if it occurs 2 times"):
        io.read(rows, multiset=True)
    assert io.read([["a", "b"], ["a*2", "b"]], multiset=True).transactions.labels == ("a*1", "a*2*1", "b*1")
    assert io.read(rows).transactions.labels == ("a", "a*2", "b")
    assert io.read(rows, multiset=True, drop_items=["a*2"]).transactions.labels == ("a*2", "b*1")
