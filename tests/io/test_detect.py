"""Which format a file has: told, by its suffix, or by its content; never assumed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal import io
from shoal.errors import DataError, OptionError
from shoal.io.detect import check_suffix, format_named, format_of, format_to_write, formats
from shoal.io.source import Source


def detected(path: Path) -> str:
    return format_of(Source.of(path)).format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("x.dat", "fimi"),
        ("x.FIMI", "fimi"),
        ("x.csv.gz", "csv"),
        ("x.tsv.zst", "tsv"),
        ("x.ndjson", "jsonl"),
        ("x.arrow", "feather"),
        ("x.parquet", "parquet"),
    ],
)
def test_by_suffix(tmp_path: Path, name: str, format: str) -> None:
    assert detected(tmp_path / name) == format
    assert format_to_write(tmp_path / name).format == format


@pytest.mark.parametrize(
    ("content", "format"),
    [
        (b"1 2\n\n-3\n", "fimi"),
        (b"7\n", "fimi"),
        (b"a;b\nc\nd;e;f\n", "basket"),
        (b'"a;b";c\nd;e;f\n', "basket"),
        (b'\n{"a": 1}\n', "jsonl"),
        (b' ["a"]\n', "jsonl"),
        ("1 2\n".encode("utf-16"), "fimi"),
    ],
)
def test_by_content(tmp_path: Path, content: bytes, format: str) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    assert detected(tmp_path / "x.txt") == format


def test_arrow_files_by_content(tmp_path: Path) -> None:
    table = pa.table({"items": [["a"]]})
    pq.write_table(table, tmp_path / "x")
    assert detected(tmp_path / "x") == "parquet"
    with pa.ipc.new_file(tmp_path / "y", table.schema) as file:
        file.write_table(table)
    assert detected(tmp_path / "y") == "feather"
    assert io.read(tmp_path / "x").transactions.sets() == io.read(tmp_path / "y").transactions.sets() == [{"a"}]


@pytest.mark.parametrize(
    ("content", "guess"),
    [
        (b"oat milk\nbeer\n", "fimi if spaces separate items, basket if every line is one item"),
        (b"a,b\nc,d\n", "csv if the first line is a header, basket if every line is a set"),
        (b"a;b\n" + b"c\n" * 5, "csv if the first line is a header"),
    ],
)
def test_what_is_unclear_is_asked_for(tmp_path: Path, content: bytes, guess: str) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    with pytest.raises(DataError, match=f"neither the suffix nor the content tells the format: pass format= .{guess}"):
        detected(tmp_path / "x.txt")


def test_parts_of_different_formats(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("items\na\n")
    (tmp_path / "b.jsonl").write_text("[]\n")
    with pytest.raises(DataError, match=r"a\.csv is csv, b\.jsonl is jsonl.*or a pattern such as '.*/\*\.csv'"):
        detected(tmp_path)


def test_by_name() -> None:
    assert {name: format_named(name.upper()) for name in formats()} == formats()
    assert format_named("ndjson").format == "jsonl"
    assert format_named("arrow") is format_named("ipc") is format_named("feather")
    with pytest.raises(OptionError, match=r"format= must be one of fimi, .*, got 'cvs' .did you mean 'csv'"):
        format_named("cvs")
    with pytest.raises(OptionError, match=r"any table can be long.*id_column= and item_column="):
        format_named("long")
    with pytest.raises(OptionError, match="Standard input has no name that tells its format: pass format="):
        format_of(Source.of("-"))


def test_the_same_suffix_keeps_the_format() -> None:
    assert format_to_write(Path("y.csv"), "basket", "x.csv.gz").format == "basket"
    assert format_to_write(Path("y.csv"), "basket", "x.basket").format == "csv"
    assert format_to_write(Path("y.out"), "basket", "x.out").format == "basket"


@pytest.mark.parametrize("name", ["y", "y.txt", "y.TXT.gz"])
def test_a_suffix_that_says_nothing_keeps_the_format(name: str) -> None:
    assert format_to_write(Path(name), "fimi", "x.dat").format == "fimi"
    check_suffix(Path(name), "x.dat", "output_format")
    with pytest.raises(OptionError, match=r"(has no suffix|'\.txt' is not that of a known format).*format= \(fimi,"):
        format_to_write(Path(name))


def test_an_unknown_suffix_is_refused() -> None:
    known = r"y\.xlsx: the suffix '\.xlsx' is not that of a known format: end the name in \.dat, .*\.parquet"
    with pytest.raises(OptionError, match=f"{known}.* or name the format with format= "):
        format_to_write(Path("y.xlsx"), "basket", "x.csv")
    with pytest.raises(OptionError, match=f"{known}.* with output_format= "):
        check_suffix(Path("y.xlsx"), "x.csv", "output_format")
