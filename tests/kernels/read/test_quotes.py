"""How a delimited text is quoted: native ≡ Python ≡ the split into fields, in pieces of any size."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.kernels.read.quotes import State, scan_quotes
from shoal.kernels.read.tokens import split_lines
from tests.conftest import implementations
from tests.kernels.rows import plain

texts = st.text('a,"\n', max_size=40).map(str.encode)
well_formed = st.lists(
    st.sampled_from([b"a", b'"a"', b'"a,\n"', b'""', b'a"b', b'""""', b",", b"\n"]), max_size=20
).map(b",".join)


def scan(kernel: ModuleType, text: bytes, state: int = State.FIELD_START) -> Any:
    return plain(kernel.scan_quotes(np.frombuffer(text, dtype=np.uint8), ord(","), state))


@given(text=texts | well_formed, state=st.sampled_from(State))
def test_twins_scan_quotes_alike(text: bytes, state: State) -> None:
    results = [scan(kernel, text, state) for kernel in implementations()]
    assert all(result == results[0] for result in results)


@given(text=texts | well_formed)
def test_what_is_well_formed_can_be_split(kernel: ModuleType, text: bytes) -> None:
    state, records, bad, breaks = scan(kernel, text)
    tokens = split_lines(text, b",", quotes=True, last=True)
    if bad >= 0 or state != State.QUOTED:
        assert bad == tokens.bad
    else:
        assert text[tokens.bad :].startswith(b'"'), "the quote that is never closed"
    assert records == len(tokens.sizes) - (tokens.consumed == len(text) and text[-1:] not in (b"\n", b""))
    assert breaks[: len(tokens.breaks)] == tokens.breaks.tolist()
    assert set(breaks[len(tokens.breaks) :]) <= {len(tokens.sizes)}


@given(text=texts | well_formed, cuts=st.lists(st.integers(0, 60), max_size=8))
@example(text=b'"a""b","c"\nd"', cuts=list(range(13)))
def test_pieces_of_any_size_give_the_same_result(kernel: ModuleType, text: bytes, cuts: list[int]) -> None:
    ends = [0, *sorted(cut for cut in cuts if cut < len(text)), len(text)]
    state, records, bad, breaks = int(State.FIELD_START), 0, -1, list[int]()
    for start, end in pairwise(ends):
        state, more, bad, within = scan(kernel, text[start:end], state)
        breaks += [records + record for record in within]
        records += more
        if bad >= 0:
            bad += start
            break
    assert (state, records, bad, breaks) == scan(kernel, text)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (b"", (State.FIELD_START, 0, -1, [])),
        (b'a"b\n', (State.FIELD_START, 1, -1, [])),
        (b'"a\n\n",b\n"\n', (State.QUOTED, 1, -1, [0, 0, 1])),
        (b'a,"b"', (State.QUOTE, 0, -1, [])),
        (b'a,"b""', (State.QUOTED, 0, -1, [])),
        (b'a\n"b\n"c\n', (State.QUOTE, 1, 6, [1])),
        (b'"b" ,', (State.QUOTE, 0, 3, [])),
    ],
)
def test_some_texts(kernel: ModuleType, text: bytes, result: Any) -> None:
    assert scan(kernel, text) == result


def test_a_scan_goes_on_where_the_last_one_ended() -> None:
    state, records, bad, breaks = scan_quotes(b'"a"', b",")
    assert (state, records, bad, breaks.tolist()) == (State.QUOTE, 0, -1, [])
    assert scan_quotes(memoryview(b'"\n'), b",", state).breaks.tolist() == [0]
    assert scan_quotes(b" ", b",", state).bad == 0


@pytest.mark.parametrize("delimiter", [b"", b"\n", b'"', b", "])
def test_a_delimiter_is_a_single_byte(delimiter: bytes) -> None:
    with pytest.raises(ValueError, match="cannot separate the fields"):
        scan_quotes(b"a", delimiter)
