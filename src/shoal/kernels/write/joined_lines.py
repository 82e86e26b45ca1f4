"""Turns rows of labels into lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from shoal.data.arrays import Codes, Offsets
from shoal.kernels.arrays import rows_of
from shoal.kernels.choice import compiled_or
from shoal.kernels.read.tokens import TextBytes


def joined_lines(indptr: Offsets, items: Codes, labels: Sequence[bytes], separator: bytes) -> bytes:
    r"""Return a line for each row: its labels, in UTF-8, with the separator between them.

    >>> joined_lines(np.array([0, 2, 2, 3]), np.array([0, 1, 1], dtype=np.int32), [b"beer", b"milk"], b", ")
    b'beer, milk\n\nmilk\n'
    """
    offsets = np.concatenate([[0], np.cumsum([len(label) for label in labels], dtype=np.int64)])
    text = np.frombuffer(b"".join(labels), dtype=np.uint8)
    return compiled_or(joined_lines_twin)(indptr, items, text, offsets, separator).tobytes()


def joined_lines_twin(indptr: Offsets, items: Codes, text: TextBytes, offsets: Offsets, separator: bytes) -> TextBytes:
    """Join the labels of each row."""
    labels = [text[start:stop].tobytes() for start, stop in pairwise(offsets.tolist())]
    rows = [separator.join(labels[code] for code in row) for row in rows_of(indptr, items)]
    return np.frombuffer(b"".join(row + b"\n" for row in rows), dtype=np.uint8)
