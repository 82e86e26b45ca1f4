"""Random arrays for the kernels themselves: sizes, limits and threads that problems hardly ask for."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable

import numpy as np

from shoal.data.arrays import Codes, Offsets
from shoal.hierarchies.balance import balanced
from shoal.kernels.measure.frequent_itemsets import frequent_itemsets
from shoal.kernels.measure.min_supports import min_supports
from shoal.kernels.read.quotes import State, scan_quotes
from shoal.kernels.read.sorted_rows import sorted_rows
from shoal.kernels.read.tokens import split_cells, split_lines
from shoal.kernels.search.cuts.built_tree import built_tree
from shoal.kernels.search.neighbours.gray_order import gray_coded_order
from shoal.kernels.verify.disclosing_sets import disclosing_sets, smallest_disclosing
from shoal.kernels.verify.negative_itemsets import rare_negative_itemsets
from shoal.kernels.verify.rare_itemsets import rare_itemsets, rare_rows, smallest_rare

Csr = tuple[Offsets, Codes]
BIG = 2**40
MARKS = [*'ab,,"" \t\n', "\n", '""', ", ", '","', "→", "→,", "12345678", "123456789", "\0", "long label " * 3]


def one(random_: random.Random) -> None:
    """One call of one kernel."""
    random_.choice(CALLS)(random_)


def _csr(random_: random.Random, labels: int, rows: int) -> Csr:
    """Rows of ascending codes."""
    sets = [sorted(random_.sample(range(labels), random_.randint(0, min(labels, 5)))) for _ in range(rows)]
    indptr = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return indptr, np.array([code for row in sets for code in row], dtype=np.int32)


def _rows(random_: random.Random) -> tuple[Csr, int]:
    labels = random_.choice((0, 1, 2, 5, 9, 70))
    return _csr(random_, labels, random_.choice((0, 1, 3, 12, 80))), labels


def _k(random_: random.Random) -> int:
    return random_.choice((1, 2, 2, 3, 5, 100, BIG))


def _m(random_: random.Random) -> int:
    return random_.choice((1, 2, 2, 3, 4))


def _threads(random_: random.Random) -> int:
    return random_.choice((1, 1, 2, 3))


def _rare_itemsets(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    keep, first = random_.choice((0, 1, 20)), random_.random() < 0.5
    k, m, threads = _k(random_), _m(random_), _threads(random_)
    rare_itemsets(*rows, labels, k, m, threads=threads, keep=keep, first_size_only=first)


def _rare_rows(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    rare_rows(*rows, labels, _k(random_), keep=random_.choice((0, 1, 20)))


def _smallest_rare(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    smallest_rare(*rows, labels, _k(random_), random_.choice((1, 2, 3, 300)), threads=_threads(random_))


def _disclosing(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    values = _csr(random_, 3, len(rows[0]) - 1)
    allowed = random_.choice(((1, 2), (1, 3), (1, BIG), (2, 5), (999_999_999, 10**9)))
    first = random_.choice((0, 1))
    sizes, threads = range(first, first + random_.randint(0, 3)), _threads(random_)
    disclosing_sets(*rows, labels, *values, 3, allowed, sizes, least=random_.choice((1, 2, 5)), threads=threads)
    smallest_disclosing(*rows, labels, *values, 3, allowed, _m(random_), threads=threads)


def _rare_negative_itemsets(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    most = 2 if labels > 20 else _m(random_)
    rare_negative_itemsets(*rows, labels, _k(random_), most, threads=_threads(random_), keep=random_.choice((0, 20)))


def _itemsets(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    other = _csr(random_, labels, random_.choice((0, 1, 10)))
    most = random_.choice((0, 1, 20, 10**6))
    frequent_itemsets(rows, other, labels, _k(random_), most=most, threads=_threads(random_))


def _min_supports(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    min_supports(*rows, labels, _m(random_), threads=_threads(random_))


def _orders(random_: random.Random) -> None:
    rows, _ = _rows(random_)
    gray_coded_order(*rows)


def _built_tree(random_: random.Random) -> None:
    rows, labels = _rows(random_)
    if not labels:
        return
    tree = balanced(map(str, range(labels)), fanout=random_.choice((2, 3, 5)))
    inner = range(tree.n_leaves, len(tree))
    raised = random_.sample(inner, random_.randint(0, min(3, len(inner))))
    (indptr, items), costs, leaves = rows, np.zeros(len(tree), dtype=np.int64), tree.n_leaves
    size, by_leaves, most = random_.choice((1, 2, 3)), random_.random() < 0.5, random_.choice((0.0, 1e12, 1e12))
    built_tree(indptr, items, tree.parent, tree.span, costs, leaves, raised, size, by_leaves=by_leaves, most=most)


def _text(random_: random.Random) -> bytes:
    size = random_.choice((0, 1, 5, 20, 20, 300, 5000))
    marks = random_.sample(MARKS, random_.randint(1, len(MARKS)))
    numbers = random_.random() < 0.2  # many different labels
    return "".join(str(random_.randrange(9999)) if numbers else random_.choice(marks) for _ in range(size)).encode()


def _split_lines(random_: random.Random) -> None:
    text, delimiter = _text(random_), random_.choice((b"", b" ", b",", b", ", b"ab", "→".encode()))
    quotes, pieces = delimiter != b"" and random_.random() < 0.5, random_.randint(1, 4)
    start = 0
    for piece in range(1, pieces + 1):  # each a copy of its own, so that a read beyond its end is noticed
        data = bytes(memoryview(text)[start : max(start, len(text) * piece // pieces)])
        start += split_lines(data, delimiter, quotes=quotes, last=piece == pieces).consumed


def _split_cells(random_: random.Random) -> None:
    text, delimiter = _text(random_), random_.choice((b"", b",", b", "))
    offsets = [random_.randint(0, len(text)) for _ in range(random_.randint(1, 9))]
    split_cells(text, np.array(sorted(offsets), dtype=np.int64), delimiter)
    if random_.random() < 0.1:
        offsets[0] = random_.choice((-1, len(text) + 1, BIG, -BIG))
        with contextlib.suppress(ValueError):
            split_cells(text, np.array(offsets, dtype=np.int64), delimiter)


def _scan_quotes(random_: random.Random) -> None:
    text, state = _text(random_), random_.choice(list(State))
    half = random_.randint(0, len(text))
    scan_quotes(text[half:], b",", scan_quotes(text[:half], b",", state).state)


def _sorted_rows(random_: random.Random) -> None:
    sizes = np.array([random_.choice((0, 1, 2, 9)) for _ in range(random_.choice((0, 1, 3, 80)))], dtype=np.int32)
    labels = random_.choice((1, 2, 5, 70))
    codes = np.array([random_.randrange(labels) for _ in range(int(sizes.sum()))], dtype=np.int32)
    rank = np.array(random_.sample(range(labels), labels), dtype=np.int32)
    if random_.random() < 0.5:
        rank //= 2
    sorted_rows(sizes, codes, rank)
    if random_.random() < 0.2 and len(codes):
        wrong = random_.choice((sizes, codes))
        wrong[random_.randrange(len(wrong))] = random_.choice((-1, labels + 9, 2**31 - 1, -(2**31)))
        with contextlib.suppress(ValueError):
            sorted_rows(sizes, codes, rank)


CALLS: tuple[Callable[[random.Random], None], ...] = (
    _rare_itemsets,
    _rare_rows,
    _smallest_rare,
    _disclosing,
    _rare_negative_itemsets,
    _itemsets,
    _min_supports,
    _orders,
    _built_tree,
    _split_lines,
    _split_cells,
    _scan_quotes,
    _sorted_rows,
)
