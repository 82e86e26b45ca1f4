"""Arrow arrays and types. Covers: data/arrow.py."""

from __future__ import annotations

import pyarrow as pa

from shoal.data.arrow import is_list, is_text

TEXT = pa.string()


def test_types() -> None:
    assert all(map(is_list, [pa.list_(TEXT), pa.large_list(TEXT), pa.list_(TEXT, 2)]))
    assert all(map(is_text, [TEXT, pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), TEXT)]))
    assert not is_text(pa.int64())
    assert not is_list(TEXT)
