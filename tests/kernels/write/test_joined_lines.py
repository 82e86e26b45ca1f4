"""Lines of labels: native ≡ Python."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.write.joined_lines import joined_lines
from tests.kernels.rows import Sets, csr, row_lists


@given(rows=row_lists, labels=st.lists(st.text(max_size=3), min_size=8, max_size=8), separator=st.sampled_from(" ,;é"))
def test_joined_lines(kernel: ModuleType, rows: Sets, labels: list[str], separator: str) -> None:
    texts = [label.encode() for label in labels]
    offsets = np.cumsum([0, *map(len, texts)])
    text = np.frombuffer(b"".join(texts), dtype=np.uint8)
    found = kernel.joined_lines(*csr(rows)[:2], text, offsets, separator.encode()).tobytes()
    assert found.decode() == "".join(separator.join(labels[item] for item in sorted(row)) + "\n" for row in rows)


def test_an_unknown_label_is_refused(kernel: ModuleType) -> None:
    with pytest.raises((ValueError, IndexError)):
        kernel.joined_lines(np.array([0, 1]), np.array([1], np.int32), np.zeros(1, np.uint8), np.array([0, 1]), b" ")


def test_nothing() -> None:
    assert joined_lines(np.array([0]), np.zeros(0, np.int32), [], b" ") == b""
