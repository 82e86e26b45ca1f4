"""FIMI and baskets: tokens in pieces of any size, delimiters guessed at the start and confirmed at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal import io
from shoal.data import Dataset
from shoal.errors import DataError
from shoal.io.tokens import Basket, Fimi, TokenFormat


def read(folder: Path, content: str, name: str = "x.basket", **options: Any) -> Dataset:
    path = folder / name
    path.write_bytes(content.encode())
    return io.read(path, **options)


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    return lambda size: monkeypatch.setattr("shoal.io.source._PIECE", size)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.dat", " 1\t22  3 \n\n\v4\f\r\nKäse \U0001f600\n5"),
        ("x.basket", 'a,"b ""c"", d\n\ne",f\n\n,, ,\n"Käse"\r\n"",g\n"h"'),
        ("x.basket", "a, b b\nc, d, e\n"),
    ],
)
def test_pieces_make_no_difference(tmp_path: Path, pieces: Callable[[int], None], name: str, content: str) -> None:
    whole = read(tmp_path, content, name)
    for size in range(1, 20):
        pieces(size)
        data = read(tmp_path, content, name)
        assert data.transactions.sets() == whole.transactions.sets()
        assert [data.origin.place(row) for row in range(len(data))] == [
            whole.origin.place(row) for row in range(len(whole))
        ]
        assert data.origin.layout.marks == whole.origin.layout.marks


def test_a_guess_is_confirmed_at_the_end(tmp_path: Path, pieces: Callable[[int], None]) -> None:
    """The start has commas only, but most lines have semicolons: the file is read a second time."""
    content = "a,b\n" + "c;d;e\n" * 5
    pieces(4)
    data = read(tmp_path, content)
    assert data.transactions.sets()[:2] == [{"a,b"}, {"c", "d", "e"}]
    assert data.origin.layout.format.delimiter == ";"  # type: ignore[attr-defined]
    assert data.origin.sha256


def test_spaces_after_delimiters_are_confirmed(tmp_path: Path, pieces: Callable[[int], None]) -> None:
    pieces(6)
    assert read(tmp_path, "a, b\nc,d\n").transactions.sets() == [{"a", " b"}, {"c", "d"}]
    assert read(tmp_path, "a\nb\nc, d\ne, f\n").transactions.sets()[2:] == [{"c", "d"}, {"e", "f"}]


def test_quotes_inside_labels_hide_nothing(tmp_path: Path, pieces: Callable[[int], None]) -> None:
    content = 'a, b\n5" c,d\n6" e, f\n'
    for size in (1, 9, 100):
        pieces(size)
        assert read(tmp_path, content).transactions.sets() == [{"a", " b"}, {'5" c', "d"}, {'6" e', " f"}]


def test_other_delimiters_later_in_the_file(tmp_path: Path, pieces: Callable[[int], None]) -> None:
    pieces(4)
    with pytest.raises(DataError, match="items may be separated by ',' or by ';': pass delimiter="):
        read(tmp_path, "a,b\nc;d\ne,f\ng;h\n")
    with pytest.raises(DataError, match="';' is in no line, but ',' is in most"):
        read(tmp_path, "a\nb,c\nd,e\n", delimiter=";")
    with pytest.raises(DataError, match="as fimi, no line has more than one item, but most lines contain ','"):
        read(tmp_path, "a\nb,c\nd,e\n", "x.dat")
    assert len(read(tmp_path, "a\nb,c\nd,e\n", "x.dat", format="fimi").transactions.labels) == 3
    with pytest.raises(DataError, match="lines hold numbers that are separated only by spaces: pass format='fimi'"):
        read(tmp_path, "1 2\n3\n4 5 6\n")


@pytest.mark.parametrize(
    ("content", "line"),
    [('a,b\n"c,d\n', 2), ('"a\n\nb",c\n"d"e\n', 4), ('a\n"b\nc"\n"d\ne\n', 4), ('"a"b,c\n', 1)],
)
def test_a_malformed_quote_is_named(tmp_path: Path, pieces: Callable[[int], None], content: str, line: int) -> None:
    for size in (1, 2, 3, 100):
        pieces(size)
        with pytest.raises(DataError, match=rf"x\.basket, line {line}: a field starts with a quote .* next ','"):
            read(tmp_path, content, delimiter=",")


def test_delimiters_of_several_characters(tmp_path: Path, pieces: Callable[[int], None]) -> None:
    pieces(3)
    data = read(tmp_path, 'a->"b->c"\nd-\ne', delimiter="->")
    assert data.transactions.sets() == [{"a", "b->c"}, {"d-"}, {"e"}]


@pytest.mark.parametrize(
    ("format", "labels", "line"),
    [
        (Basket(), ["a,b", 'say "x"', " c", "d e"], '"a,b","say ""x"""," c",d e'),
        (Basket(delimiter=", "), ["a,b", "c d"], '"a,b", c d'),
        (Basket(delimiter="\t"), ["a,b", "c\td", "e\nf"], 'a,b\t"c\td"\t"e\nf"'),
        (Fimi(space="\t"), ["a,b", '"'], 'a,b\t"'),
    ],
)
def test_labels_are_quoted_where_needed(format: TokenFormat, labels: list[str], line: str) -> None:
    assert format.separator.join(format.items(labels)) == line


@pytest.mark.parametrize(
    ("format", "label", "what"),
    [(Fimi(), "a b", "a space"), (Fimi(), "a\nb", "a line end"), (Basket(), "a\0", "a NUL"), (Basket(), " ", "blank")],
)
def test_labels_that_do_not_fit(format: TokenFormat, label: str, what: str) -> None:
    with pytest.raises(DataError, match=what):
        format.items([label])
