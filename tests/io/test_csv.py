"""CSV: quotes, blank and ragged lines, line ends and encodings, however the text is cut into pieces."""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import io
from shoal.errors import DataError, OptionError
from tests.budget import examples

PIECES = [1, 2, 3, 5, 16, 1 << 22]


@pytest.fixture(params=PIECES)
def piece(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Read so many bytes at a time."""
    monkeypatch.setattr("shoal.io.source._PIECE", request.param)
    return int(request.param)


def read(folder: Path, content: bytes | str, name: str = "x.csv", **options: Any) -> list[dict[str, Any]]:
    """The rows of a table without sets."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    table = io.read(path, **{"no_sets": True, "header": True, **options}).table
    assert table is not None
    rows: list[dict[str, Any]] = table.arrow.to_pylist()
    return rows


def refused(folder: Path, content: bytes | str, **options: Any) -> str:
    """Why a file is refused, without its name."""
    with pytest.raises(DataError) as caught:
        read(folder, content, **options)
    assert str(caught.value).startswith(str(folder / "x.csv"))
    return str(caught.value).removeprefix(str(folder / "x.csv")).removeprefix(", ")


def as_csv(rows: list[list[str]]) -> str:
    """Rows as the standard library writes them."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def test_quotes(tmp_path: Path, piece: int) -> None:
    text = 'a,"b ""c"""\n"1, 2","say ""x"""\n"",\n3"4,"\n\n"\n'
    assert read(tmp_path, text) == [
        {"a": "1, 2", 'b "c"': 'say "x"'},
        {"a": "", 'b "c"': ""},
        {"a": '3"4', 'b "c"': "\n\n"},
    ]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends(tmp_path: Path, piece: int, ends: str) -> None:
    text = 'a,b\n1,"x\ny"\n2,z'
    assert read(tmp_path, text.replace("\n", ends)) == [{"a": "1", "b": "x\ny"}, {"a": "2", "b": "z"}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, piece: int, encoding: str) -> None:
    if piece == 1 and encoding != "utf-8":
        return  # a byte-order mark has two bytes or more, and pieces megabytes
    mark = "\ufeff" if encoding[-2:] in ("le", "be") else ""
    text = mark + "a,b\r\nKäse,\U0001f600\r\n"
    if piece in (2, 3) and encoding == "utf-8-sig":
        return
    assert read(tmp_path, text.encode(encoding)) == [{"a": "Käse", "b": "\U0001f600"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3: expected 2 fields as in the header, got 1 (separated by ','): fix the line"),
        ('a,b\n"1\n\n2",2\n3,4,5\n', "line 5: expected 2 fields as in the header, got 3"),
        ('"a\nx",b\n1,2\n3,4,5\n', "line 4: expected 2 fields as in the header, got 3"),
        ("a,b\n\n1,2\n", "line 2: expected 2 fields as in the header, got 1"),
        ("a,b\n1,2\n\n", "line 3: expected 2 fields as in the header, got 1"),
        ('a,b\n1,"x\n\n\ny"\n\n3,4\n', "line 6: expected 2 fields as in the header, got 1"),
        ('a,b\n1,"x\n\n\ny"z\n\n3,4\n', "line 2: a field starts with a quote that does not end before the next ','"),
        ('a,b\n1,"x"y\n', "line 2: a field starts with a quote"),
        ('a,b\n1,"x""\n2,3\n', "line 2: a field starts with a quote"),
        ('a,"b\n1,2\n', "line 1: a field starts with a quote"),
        ('a,"b"x\n1,2\n', "line 1: a field starts with a quote"),
        (b"a,b\n1,2\n3,\0\n", "line 3: expected text, got binary data"),
        (
            b"a,b\n1,\xc3\xa4\n3,\xff\n",
            "line 3: not UTF-8 text (byte 0xff): save the file as UTF-8 (in Excel: CSV UTF-8).",
        ),
        (b"a,b\n1,\xe4\xb8\xadx\n2,\xe4x\n", "line 3: not UTF-8 text (byte 0xe4)"),
        (b"a,b\n1,2\n3,\xe2\x82", "line 3: not UTF-8 text (byte 0xe2)"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, piece: int, content: bytes | str, message: str) -> None:
    assert refused(tmp_path, content, delimiter=",").startswith(message)


def test_errors_of_other_encodings(tmp_path: Path) -> None:
    assert refused(tmp_path, "a,b\n1,\0\n".encode("utf-16")).startswith("line 2: expected text, got binary data")
    assert "is not text: it starts like UTF-16" in refused(tmp_path, "a,b\n1,2\n".encode("utf-16")[:-1])


def test_a_first_line_that_is_a_record_is_counted(tmp_path: Path, piece: int) -> None:
    message = refused(tmp_path, "1,2\n3,4\n5\n", header=False, delimiter=",")
    assert message.startswith("line 3: expected 2 fields as in the first line, got 1")
    data = read(tmp_path, '"1\n",2\n3,4\n', header=False, delimiter=",")
    assert data[0] == {"(column 1)": "1\n", "(column 2)": "2"}


def test_blank_lines_of_one_column_are_records(tmp_path: Path, piece: int) -> None:
    assert [row["a"] for row in read(tmp_path, 'a\n\n1\n""\n\n')] == ["", "1", "", ""]


def test_no_record_may_be_longer_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.io.csv._BLOCK", 64)
    monkeypatch.setattr("shoal.io.source._PIECE", 16)
    assert len(read(tmp_path, "a,b\n" + "1,2\n" * 100 + "3," + "x" * 40 + "\n")) == 101
    assert "records may have up to 64 bytes" in refused(tmp_path, "a,b\n1,2\n3," + "x" * 200 + "\n")
    for start in ("a," + "b" * 200, '"a\n' + "b\n" * 200):
        assert refused(tmp_path, start + "\n1,2\n").startswith("line 1: the line has more than 64 bytes")


def test_many_blank_lines_inside_quotes_are_fast(tmp_path: Path) -> None:
    text = 'a,b\n1,"' + "\n" * 1_000_000 + '"\n2,3,4\n'
    start = time.process_time()
    assert refused(tmp_path, text).startswith("line 1000003: expected 2 fields")
    assert refused(tmp_path, '"' + "\n" * 1_000_000).startswith("line 1: a field starts with a quote")
    assert time.process_time() - start < 2


def test_a_header_is_not_the_first_piece(tmp_path: Path, piece: int) -> None:
    names = [f"name {at}" for at in range(30)]
    assert read(tmp_path, ";".join(names) + "\n" + ";".join("1" * 30) + "\n") == [dict.fromkeys(names, "1")]


def test_delimiters(tmp_path: Path) -> None:
    assert read(tmp_path, "a~b\n1~2\n", delimiter="~") == [{"a": "1", "b": "2"}]
    assert read(tmp_path, "a;b,c\n1;2,5\n2;3\n") == [{"a": "1", "b,c": "2,5"}, {"a": "2", "b,c": "3"}]
    assert read(tmp_path, '"a,\nb"\n"1;2"\n') == [{"a,\nb": "1;2"}]
    assert "more than one delimiter is possible" in refused(tmp_path, "a;b,c\n1;2,5\n")


def test_a_delimiter_is_one_byte(tmp_path: Path) -> None:
    for delimiter in ("||", "→"):
        with pytest.raises(OptionError, match="delimiter= must be one ASCII character for format csv, got"):
            read(tmp_path, f"a{delimiter}b\n1{delimiter}2\n", delimiter=delimiter)


def test_cells_keep_their_text_and_not_their_quotes(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b'"id","items"\r\n"007","b|a"\r\n1.50,""')
    io.write(io.read(tmp_path / "x.csv"), tmp_path / "y.csv")
    assert (tmp_path / "y.csv").read_bytes() == b"id,items\r\n007,a|b\r\n1.50,\r\n"


def test_names_that_a_line_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"The name of column 'a\\rb' contains a carriage return or NUL: write jsonl"):
        io.write(io.read([["x"]]), tmp_path / "y.csv", sets="a\rb")
    assert list(tmp_path.iterdir()) == []


def test_small_files_need_no_pandas(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('n,items\n"1",a|b\n2,\n')
    (tmp_path / "x.basket").write_text('"a b",c\n\n')
    code = (
        "import sys; from shoal import io\n"
        "for name in sys.argv[1:]: io.write(io.read(name), name.replace('x.', 'out.'))\n"
        "print('pandas' in sys.modules)"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "x.csv"), str(tmp_path / "x.basket")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "False\n"


@given(
    text=st.text('aä,"\n', min_size=1, max_size=40).map(lambda text: text.replace('""', '"",'))
    | st.lists(st.lists(st.text('a,"\n', max_size=3), min_size=2, max_size=2), min_size=1).map(as_csv),
    size=st.integers(1, 9),
)
@examples(300)
def test_what_is_read_is_what_the_standard_library_reads(text: str, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("shoal.io.source._PIECE", size)
        path = Path(folder, "x.csv")
        path.write_text(text)
        try:
            data = io.read(path, no_sets=True, header=False, delimiter=",")
        except DataError:
            return  # malformed
        assert data.table is not None
        ours = [list(row.values()) for row in data.table.arrow.to_pylist()]
    assert ours == [row or [""] for row in csv.reader(StringIO(text, newline="\n"), strict=True)]
