"""Items merged into labels: native ≡ Python ≡ oracle."""

from __future__ import annotations

import itertools
import math
import random
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.data.persons import Persons
from shoal.kernels.arrays import NOBODY
from shoal.kernels.choice import no_progress
from shoal.metrics.lm import LM
from shoal.metrics.ncp import NCP
from shoal.testing import persons
from tests.budget import examples
from tests.conftest import TWINS, implementations
from tests.kernels.rows import Sets, csr, interrupt

item_sets = st.sets(st.integers(0, 8), max_size=6)
LOSSES = {"ul": None, "ncp": NCP(), "lm": LM()}


def slow_loss(row: set[int], label_of: dict[int, int]) -> int:
    labels = sorted({label_of[item] for item in row})
    sizes = [sum(other == label for other in label_of.values()) for label in labels]
    s, total = sum(sizes), 0.0
    for z in sizes:
        if z > 1:
            total += math.ldexp(1.0, z - s) - math.ldexp(1.0, -s)
    return math.floor(math.ldexp(total / (1 - math.ldexp(1.0, -s)), 40)) if row else 0


def slow_cost(rows: Sets, label_of: dict[int, int], loss: str, labels: int, weights: list[int]) -> int:
    """The penalty of each item of each row."""
    if loss == "ul":
        return sum(slow_loss(row, label_of) for row in rows)
    sizes = {label: sum(other == label for other in label_of.values()) for label in label_of.values()}
    penalties = [max(0, n - 1) if loss == "lm" or n == 1 else n for n in range(labels + 1)]
    return sum(weights[item] * penalties[sizes[label_of[item]]] for row in rows for item in row)


def slow_merge(
    rows: Sets,
    labels: int,
    hidden: Sets,
    k: int,
    l: int,
    m: int,
    loss: str,
    weights: list[int],
    people: list[int],
) -> list[int] | None:
    label_of = {item: item for row in rows for item in sorted(row)}

    def in_breach(labels: tuple[int, ...]) -> bool:
        having = [at for at, row in enumerate(rows) if {*labels} <= {label_of[item] for item in row}]
        told = [[at for at in having if e in hidden[at]] for e in range(9)]
        persons = {people[at] for at in having}
        by_persons = max(len({people[at] for at in some}) for some in told) * l > len(persons)
        return 0 < len(persons) < k or max(map(len, told)) * l > len(having) or by_persons

    while True:
        names = sorted({*label_of.values()})
        every = itertools.chain.from_iterable(itertools.combinations(names, size) for size in range(1, m + 1))
        breach = next(filter(in_breach, every), None)
        if breach is None:
            return [label_of.get(item, -1) for item in range(labels)]
        if len(names) == 1:
            return None
        best: tuple[Any, ...] = (math.inf,)
        for u, v in itertools.product(breach, names):
            if u == v:
                continue
            after = {item: min(u, v) if label in (u, v) else label for item, label in label_of.items()}
            sizes = sum(label in (u, v) for label in label_of.values())
            best = min(best, (slow_cost(rows, after, loss, labels, weights), sizes, min(u, v), max(u, v), after))
        label_of = best[-1]


def merged(
    kernel: ModuleType,
    rows: Sets,
    labels: int,
    hidden: Sets,
    k: int,
    l: int,
    m: int,
    loss: str = "ul",
    weights: list[int] | None = None,
    people: list[int] | None = None,
) -> list[int] | None:
    repeaters = NOBODY if people is None else Persons(np.array(people, dtype=np.int32)).repeaters
    indptr, items, _ = csr(rows)
    measure, counted = LOSSES[loss], np.zeros(0, dtype=np.int64)
    penalties = counted
    if measure is not None:
        penalties = measure.penalty(np.maximum(1, np.arange(labels + 1)), labels).astype(np.int64)
        counted = np.bincount(items, minlength=labels) * np.array(weights or [1] * labels)
    labels_of = kernel.merge_until_safe(
        indptr, items, repeaters, labels, *csr(hidden), k, l, m, counted.astype(np.int64), penalties, no_progress
    )
    return None if labels_of is None else labels_of.tolist()


@examples(300)
@given(
    pairs=st.lists(st.tuples(item_sets, st.sets(st.integers(0, 4), max_size=2)), max_size=14),
    k=st.integers(1, 5),
    l=st.integers(0, 3),
    m=st.integers(1, 4),
    loss=st.sampled_from(sorted(LOSSES)),
    weights=st.lists(st.integers(0, 3), min_size=10, max_size=10),
    whose=persons(14),
)
@example(pairs=[({0, 1, 2}, {0})] * 3, k=4, l=0, m=2, loss="ul", weights=[1] * 10, whose=None)
@example(pairs=[], k=2, l=2, m=2, loss="ncp", weights=[1] * 10, whose=None)
def test_merge_until_safe(
    kernel: ModuleType,
    pairs: list[tuple[set[int], set[int]]],
    k: int,
    l: int,
    m: int,
    loss: str,
    weights: list[int],
    whose: list[int] | None,
) -> None:
    rows, hidden = [row for row, _ in pairs], [secrets for _, secrets in pairs]
    people = (whose or list(range(14)))[: len(rows)]
    arguments = rows, 10, hidden, k, l, m, loss, weights, people
    assert merged(kernel, *arguments) == slow_merge(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["ul", "ncp"])
@pytest.mark.parametrize(("labels", "mean"), [(40, 3), (90, 6), (90, 40), (1300, 3)])
@pytest.mark.parametrize(("k", "l", "m"), [(4, 0, 2), (2, 0, 3), (3, 3, 2), (30, 0, 1)])
def test_merging_labels_larger_data(labels: int, mean: int, k: int, l: int, m: int, loss: str) -> None:
    """Labels get so large that the sums of losses are rounded."""
    rng = random.Random(labels * mean)
    count, m = (12, 1) if labels > 1000 else (60, m if mean < 40 else 1)
    rows = [set(rng.choices(range(labels), k=max(1, int(rng.expovariate(1 / mean))))) for _ in range(count)]
    rows[0] = rows[0] | {*range(0, labels, 12)} if labels > 1000 else rows[0]
    hidden = [set(rng.choices(range(20), k=2)) for _ in rows]
    for people in (None, [rng.randrange(2 * count // 3) for _ in rows]):
        results = [merged(kernel, rows, labels, hidden, k, l, m, loss, None, people) for kernel in implementations()]
        assert results[0] == results[-1]


def test_merging_labels_can_be_interrupted(kernel: ModuleType) -> None:
    rng = random.Random(2)
    rows = [set(rng.choices(range(400), k=12)) for _ in range(3000 if kernel is not TWINS else 30)]
    indptr, items, labels = csr(rows)
    hidden, none = csr([set() for _ in rows]), np.zeros(0, dtype=np.int64)
    with pytest.raises(KeyboardInterrupt):
        kernel.merge_until_safe(indptr, items, NOBODY, labels, *hidden, 20, 0, 2, none, none, interrupt)
