"""JSON that two readers could understand differently is refused. Covers: files/strict_json.py."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.files import strict_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_what_is_written_is_read(value: object) -> None:
    assert strict_json.loads(strict_json.dumps(value), "x") == value
    assert strict_json.dumps(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a":1,"a":1}', "has the key 'a' twice"),
        (b'{"b":{"a":1,"c":2,"a":3}}', "has the key 'a' twice"),
        (b"[NaN]", "has the number NaN"),
        (b'{"a":-Infinity}', "has the number -Infinity"),
        (b'{"a":1', "line 1, column 7: this is not JSON"),
        (b'{"a":1}x', "this is not JSON"),
        (b"\xff{}", "is not UTF-8 text"),
        (b"\xef\xbb\xbf{}", "this is not JSON"),
        (b"[" * 40 + b"]" * 40, "nested more than 32 levels"),
        (b"[" * 100_000, "nested more than 32 levels|this is not JSON"),
        (b"", "this is not JSON"),
    ],
)
def test_ambiguous_or_broken_json_is_refused(text: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        strict_json.loads(text, "c.json")
