"""Two orders of rows by Gray codes."""

from __future__ import annotations

import numpy as np

from shoal.data.arrays import Codes, Counts, Offsets
from shoal.kernels.arrays import Row, rows_of
from shoal.kernels.choice import compiled_or


def gray_order(indptr: Offsets, items: Codes) -> Counts:
    """Sort rows by the number that their bit string (bit i: item i) represents as a Gray code. Ties keep their order.

    >>> gray_order(np.array([0, 3, 5, 8, 11]), np.array([0, 2, 3, 1, 2, 1, 2, 3, 0, 1, 3], dtype=np.int32)).tolist()
    [1, 0, 2, 3]
    """
    return compiled_or(gray_order_twin)(indptr, items)


def gray_coded_order(indptr: Offsets, items: Codes) -> Counts:
    """Sort rows by the Gray code of the number of their bit string (first item: highest bit). Ties keep their order.

    Wang et al. 2014 encode, Terrovitis et al. 2011 decode: this order and :func:`gray_order` have little in common.

    >>> rows = np.array([0, 2, 5, 8, 8]), np.array([1, 3, 0, 1, 2, 2, 3, 4], dtype=np.int32)
    >>> gray_coded_order(*rows).tolist()  # of five items; codes 01111, 10010, 00100, 00000
    [3, 2, 0, 1]
    """
    return compiled_or(gray_coded_order_twin)(indptr, items)


def gray_order_twin(indptr: Offsets, items: Codes) -> Counts:
    """Sort the rows by the numbers. Each bit of a number is the sum, modulo 2, of the higher bits of its Gray code."""

    def number(row: Row) -> int:
        code = binary = sum(1 << item for item in row)
        while code := code >> 1:
            binary ^= code
        return binary

    rows = rows_of(indptr, items)
    order = sorted(range(len(rows)), key=lambda at: number(rows[at]))
    return np.array(order, dtype=np.int64)


def gray_coded_order_twin(indptr: Offsets, items: Codes) -> Counts:
    """Sort the rows by their Gray codes. The number of bits after the last item does not matter."""
    rows = rows_of(indptr, items)
    width = max((row[-1] for row in rows if row), default=0)
    numbers = [sum(1 << (width - item) for item in row) for row in rows]
    order = sorted(range(len(rows)), key=lambda at: numbers[at] ^ numbers[at] >> 1)
    return np.array(order, dtype=np.int64)
