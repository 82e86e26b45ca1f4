"""Streams of record batches. Covers: io/stream.py."""

from __future__ import annotations

import pyarrow as pa

from shoal.io.stream import Stream, nth_row, one_after_the_other, with_start

TABLE = pa.table({"x": [1, 2, 3, 4]})


def stream_of(table: pa.Table, rows: int = 2) -> Stream:
    return Stream(table.schema, iter(table.to_batches(max_chunksize=rows)), "x.csv", lambda row: f"line {row + 2}")


def test_a_stream_as_a_table() -> None:
    assert stream_of(TABLE).table().equals(TABLE)
    assert stream_of(TABLE.slice(0, 0)).table().schema == TABLE.schema


def test_parts_follow_each_other_and_keep_their_places() -> None:
    parts = [("a.csv", stream_of(TABLE)), ("b.csv", stream_of(TABLE.slice(0, 0))), ("c.csv", stream_of(TABLE, 1))]
    whole = one_after_the_other(iter(parts), TABLE.schema, "orders")
    assert whole.source == "orders"
    assert whole.table().column("x").to_pylist() == [1, 2, 3, 4] * 2
    assert [whole.place(row) for row in (0, 3, 4, 7)] == [
        "file a.csv, line 2",
        "file a.csv, line 5",
        "file c.csv, line 2",
        "file c.csv, line 5",
    ]


def test_parts_are_opened_when_they_are_needed() -> None:
    opened = []

    def parts() -> object:
        for name in ("a.csv", "b.csv"):
            opened.append(name)
            yield name, stream_of(TABLE)

    whole = one_after_the_other(parts(), TABLE.schema, "orders")  # type: ignore[arg-type]
    assert opened == []
    next(whole.batches)
    assert opened == ["a.csv"]


def test_rows_are_counted_from_1() -> None:
    assert nth_row(0) == "row 1"


def test_a_look_at_the_first_rows_takes_nothing_away() -> None:
    empty = pa.RecordBatch.from_pylist([], TABLE.schema)
    for rows, seen in ((1, [1]), (3, [1, 2, 3]), (9, [1, 2, 3, 4])):
        stream = Stream(TABLE.schema, iter([empty, *TABLE.to_batches(max_chunksize=1)]), "x", nth_row)
        start, stream = with_start(stream, rows)
        assert start.column("x").to_pylist() == seen
        assert stream.table().equals(TABLE)
