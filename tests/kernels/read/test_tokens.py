"""Lines and cells split into tokens: native ≡ Python ≡ csv, in pieces of any size."""

from __future__ import annotations

import csv
import io
from itertools import pairwise
from types import ModuleType
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.kernels.read.tokens import Tokens, split_cells, split_lines
from tests.conftest import implementations
from tests.kernels.rows import plain

delimiters = st.sampled_from([b"", b",", b" ", b", ", b"::", b"aab", "→".encode()])
quotable = delimiters.filter(bool)
words = st.sampled_from(["a", "b", "", " ", "\t", ",", ", ", ":", "::", "aab", "→", "é", '"', '""', "\n", "\r", "\v"])
long_words = st.sampled_from(
    ["1234567", "12345678", "123456789", "12345678901234567", "12345678\0", "12345678901234568"]
)
texts = st.lists(words | long_words, max_size=25).map("".join).map(str.encode)
fields = st.text("ab, \"\n→'", max_size=4) | long_words


def array(data: bytes) -> Any:
    return np.frombuffer(data, dtype=np.uint8)


def rows_of(tokens: Tokens) -> list[list[bytes]]:
    text = tokens.label_bytes.tobytes()
    labels = [text[start:stop] for start, stop in pairwise(tokens.label_offsets.tolist())]
    assert len(set(labels)) == len(labels), "every label has one code"
    assert list(dict.fromkeys(tokens.codes.tolist())) == list(range(len(labels))), "codes in order of first appearance"
    values = iter([labels[code] for code in tokens.codes.tolist()])
    rows = [[next(values) for _ in range(size)] for size in tokens.sizes.tolist()]
    assert not list(values)
    return rows


def lines(kernel: ModuleType, text: bytes, delimiter: bytes, *, quotes: bool = False, last: bool = True) -> Tokens:
    return Tokens(*kernel.split_lines(array(text), delimiter, quotes, last))


@given(text=texts, delimiter=delimiters, quotes=st.booleans(), last=st.booleans())
def test_twins_split_lines_alike(text: bytes, delimiter: bytes, quotes: bool, last: bool) -> None:
    quotes = quotes and delimiter != b""
    results = [plain(kernel.split_lines(array(text), delimiter, quotes, last)) for kernel in implementations()]
    assert all(result == results[0] for result in results)


@given(cells=st.lists(texts, max_size=6), delimiter=delimiters, skipped=texts, rest=texts)
def test_twins_split_cells_alike(cells: list[bytes], delimiter: bytes, skipped: bytes, rest: bytes) -> None:
    """The cells may be a part of a larger array."""
    offsets = np.cumsum([len(skipped), *map(len, cells)], dtype=np.int64)
    data = array(skipped + b"".join(cells) + rest)
    results = [kernel.split_cells(data, offsets, delimiter) for kernel in implementations()]
    assert all(plain(result) == plain(results[0]) for result in results)
    if delimiter or not any(mark in cell for cell in cells for mark in b"\n\r"):  # Python takes these for blanks, too
        expected = [cell.split(delimiter or None) if cell else [] for cell in cells]
        assert rows_of(Tokens(*results[0])) == expected
    assert results[0][4:6] == (offsets[-1], -1)


@given(rows=st.lists(st.lists(fields, min_size=1, max_size=5), max_size=6), end=st.booleans(), style=st.booleans())
def test_quoted_fields_are_those_of_the_csv_module(
    kernel: ModuleType, rows: list[list[str]], end: bool, style: bool
) -> None:
    written = io.StringIO()
    quoting: Literal[0, 1] = csv.QUOTE_ALL if style else csv.QUOTE_MINIMAL
    csv.writer(written, lineterminator="\n", quoting=quoting).writerows(rows)
    text = written.getvalue() if end else written.getvalue().removesuffix("\n")
    tokens = lines(kernel, text.encode(), b",", quotes=True)
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert rows_of(tokens) == [[field.encode() for field in row] for row in read]
    assert tokens.breaks.tolist() == [
        at for at, row in enumerate(read) for field in row for _ in range(field.count("\n"))
    ]
    assert (tokens.consumed, tokens.bad) == (len(text.encode()), -1)


@given(text=texts, delimiter=delimiters, quotes=st.booleans(), cuts=st.lists(st.integers(0, 60), max_size=6))
@example(text=b'"a""b","c"\nd', delimiter=b",", quotes=True, cuts=list(range(12)))
@example(text=b'"a", "b"\n', delimiter=b", ", quotes=True, cuts=[4])
def test_pieces_of_any_size_give_the_same_rows(
    kernel: ModuleType, text: bytes, delimiter: bytes, quotes: bool, cuts: list[int]
) -> None:
    quotes = quotes and delimiter != b""
    whole = lines(kernel, text, delimiter, quotes=quotes)
    ends = [*sorted(cut for cut in cuts if cut < len(text)), len(text)]
    rows, breaks, start, bad = list[list[bytes]](), list[int](), 0, -1
    for end in ends:
        tokens = lines(kernel, text[start:end], delimiter, quotes=quotes, last=end == len(text))
        breaks += (tokens.breaks + len(rows)).tolist()
        rows += rows_of(tokens)
        start, bad = start + tokens.consumed, -1 if tokens.bad < 0 else start + tokens.bad
        if bad >= 0:
            break
    assert (rows, breaks, bad, start) == (rows_of(whole), whole.breaks.tolist(), whole.bad, whole.consumed)


@pytest.mark.parametrize(
    ("text", "delimiter", "rows"),
    [
        (b"", b",", []),
        (b"\n", b",", [[]]),
        (b"\n\na", b",", [[], [], [b"a"]]),
        (b"a,,b,\n", b",", [[b"a", b"", b"b", b""]]),
        (b",\n", b",", [[b"", b""]]),
        (b" a\t b \n \v\f\n", b"", [[b"a", b"b"], []]),
        (b"a b\n", b" ", [[b"a", b"b"]]),
        (b"a, b,c\n", b", ", [[b"a", b"b,c"]]),
        (b"aaab\n", b"aab", [[b"a", b""]]),
        (b'"a,b"\n', b",", [[b'"a', b'b"']]),
        (b"a\r\n", b"", [[b"a\r"]]),
    ],
)
def test_lines_without_quotes(kernel: ModuleType, text: bytes, delimiter: bytes, rows: list[list[bytes]]) -> None:
    assert rows_of(lines(kernel, text, delimiter)) == rows


@pytest.mark.parametrize(
    ("text", "rows", "bad"),
    [
        (b'""\n', [[b""]], -1),
        (b'a"b,c""d\n', [[b'a"b', b'c""d']], -1),
        (b'"a""","""",b\n', [[b'a"', b'"', b"b"]], -1),
        (b'a\nb,"c" ,d\ne\n', [[b"a"]], 7),
        (b'a\nb,"c\nd', [[b"a"]], 4),
        (b'a\n"b"c', [[b"a"]], 5),
        (b'a\n"""', [[b"a"]], 2),
    ],
)
def test_lines_with_quotes(kernel: ModuleType, text: bytes, rows: list[list[bytes]], bad: int) -> None:
    tokens = lines(kernel, text, b",", quotes=True)
    assert (rows_of(tokens), tokens.bad) == (rows, bad)
    assert tokens.consumed == (len(text) if bad < 0 else 2)


def test_an_unfinished_row_leaves_no_trace(kernel: ModuleType) -> None:
    tokens = lines(kernel, b'a\nb,"\n",c', b",", quotes=True, last=False)
    assert plain(tuple(tokens)) == ([1], [0], [0, 1], [ord("a")], 2, -1, [])


@pytest.mark.parametrize("offsets", [[], [-1, 0], [0, 2, 1], [0, 4], [2**62, 2**62]], ids=str)
def test_offsets_outside_of_the_data_are_refused(kernel: ModuleType, offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="the offsets of cells must ascend within the data"):
        kernel.split_cells(array(b"abc"), np.array(offsets, dtype=np.int64), b",")


def test_many_labels_of_all_lengths(kernel: ModuleType) -> None:
    """More labels than the table of the compiled kernel starts with; some differ in their last byte alone."""
    labels = [b"x" * (number % 40) + b"%d" % number for number in range(5000)]
    tokens = lines(kernel, b"\n".join([*labels, *reversed(labels)]), b",")
    assert tokens.codes.tolist() == [*range(5000), *reversed(range(5000))]
    assert rows_of(tokens)[:5000] == [[label] for label in labels]


@pytest.mark.parametrize(
    "data", [b"a b\n", memoryview(b"a b\n"), array(b"a b\n")], ids=lambda data: type(data).__name__
)
def test_text_may_come_in_any_buffer(data: Any) -> None:
    assert rows_of(split_lines(data, b"", quotes=False, last=True)) == [[b"a", b"b"]]
    assert rows_of(split_cells(data, np.array([0, 1, 3]), b" ")) == [[b"a"], [b"", b"b"]]


@pytest.mark.parametrize(("delimiter", "quotes"), [(b"\n", False), (b"a\n", False), (b"", True), (b'"', True)])
def test_delimiters_that_cannot_separate_fields_are_refused(delimiter: bytes, quotes: bool) -> None:
    with pytest.raises(ValueError, match="cannot separate the fields"):
        split_lines(b"a", delimiter, quotes=quotes, last=True)
