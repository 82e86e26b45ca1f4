"""P1 (sensitive k-anonymity): its running example, E3 of the spec."""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
import pytest

import shoal
from shoal.kernels.search.neighbours.gray_order import gray_coded_order

ROWS = [
    row.split()
    for row in (
        "e2 e4 e6",
        "e1 e2 e3 e7",
        "e3 e4 e5 e6 e7",
        "e1 e3 e4 e5",
        "e1 e2 e4",
        "e2 e4 e5",
        "e1 e3",
        "e4 e5",
        "e1 e5",
        "e2 e4",
        "e2 e4",
    )
]
SECRET = ("e6", "e7")
DATA = shoal.read(ROWS)
FLAT = shoal.Hierarchy.flat(DATA.transactions.labels)
PROBLEM = shoal.Problem(DATA, FLAT, shoal.models.SensitiveK(k=3, sensitive=SECRET))


def numbers(groups: str) -> list[list[int]]:
    """Row numbers from names such as ``T1 T5, T2``."""
    return [[int(name[1:]) - 1 for name in group.split()] for group in groups.split(",")]


def flips(groups: str) -> shoal.recoding.Flips:
    """The recoding for groups of names, each with its seed first."""
    marks = np.full(len(ROWS), -1)
    seeds = []
    for number, group in enumerate(numbers(groups)):
        marks[group] = number
        seeds.append(group[0])
    return shoal.recoding.Flips(shoal.published.Grouping(marks, 3), np.array(seeds))


def operations(published: shoal.published.Published) -> tuple[int, int]:
    """Additions and deletions, counted with sets."""
    pairs = list(zip(map(set, ROWS), published.as_written.sets(), strict=True))
    return sum(len(now - was) for was, now in pairs), sum(len(was - now) for was, now in pairs)


def test_the_grouping_of_figure_1() -> None:
    """12 additions and 3 deletions; T6 and T9 are untouched, and the verifier agrees."""
    published = flips("T1 T5 T11, T2 T7 T10, T3 T4 T8").apply(PROBLEM.prepared.items, PROBLEM.prepared.sensitive_part)
    assert operations(published) == (12, 3)
    shown = [" ".join(sorted(row)) for row in published.as_written.sets()]
    assert shown == [
        "e2 e4 e6",
        "e1 e2 e3 e7",
        "e3 e4 e5 e6 e7",
        "e3 e4 e5 e6 e7",
        "e2 e4 e6",
        "e2 e4 e5",
        "e1 e2 e3 e7",
        "e3 e4 e5 e6 e7",
        "e1 e5",
        "e1 e2 e3 e7",
        "e2 e4 e6",
    ]
    assert PROBLEM.model.verify(published).holds
    assert not PROBLEM.model.verify(PROBLEM.prepared.original).holds
    assert not shoal.models.SensitiveK(k=4, sensitive=SECRET).verify(published).holds


def test_stn() -> None:
    """Nearest first: cheaper than the paper's own grouping."""
    release = shoal.anonymize(PROBLEM, algorithm=shoal.algorithms.STN())
    of = release.published.grouping
    assert of is not None
    found = [np.flatnonzero(of.of == group).tolist() for group in range(len(of))]
    assert found == numbers("T1 T10 T11, T2 T5 T7, T3 T4 T8")
    assert operations(release.published) == (11, 2)


def test_knn_in_stns_order_is_stn() -> None:
    methods = (shoal.algorithms.STN(), shoal.algorithms.KNN("stn", "nonsensitive"))
    one, other = (shoal.anonymize(PROBLEM, algorithm=how).published.as_written.sets() for how in methods)
    assert one == other


def test_gray_codes() -> None:
    """Figure 2: rows are encoded, the first item the most significant bit."""
    codes = ["01111", "10010", "00100", "11100", "10111", "01110", "11110", "00010", "11001", "01111", "01111"]
    for row, code in zip(PROBLEM.prepared.items, codes, strict=True):
        bits = sum(1 << (4 - item) for item in row.tolist())
        assert f"{bits ^ bits >> 1:05b}" == code
    rows = PROBLEM.prepared.items
    order = [f"T{row + 1}" for row in gray_coded_order(rows.indptr, rows.items)]
    assert order == ["T8", "T3", "T6", "T1", "T10", "T11", "T2", "T5", "T9", "T4", "T7"]


@pytest.mark.parametrize("candidates", ["all", "pool", "nonsensitive"])
def test_gsc(candidates: Literal["all", "pool", "nonsensitive"]) -> None:
    """T3 stands second: with alpha = 2 it sees six places below, up to T5, so not T4; T8 and T6 are its nearest.

    No record with sensitive items is near another one, so all readings agree.
    """
    release = shoal.anonymize(PROBLEM, algorithm=shoal.algorithms.GSC(2, candidates))
    of = release.published.grouping
    assert of is not None
    found = [np.flatnonzero(of.of == group).tolist() for group in range(len(of))]
    assert found == numbers("T1 T10 T11, T2 T5 T7, T3 T6 T8")
    wide = shoal.anonymize(PROBLEM, algorithm=shoal.algorithms.GSC(9, candidates)).published.grouping
    assert wide is not None
    assert wide.of.tolist()[3] == wide.of.tolist()[2]  # now T4 is in reach


@pytest.mark.parametrize(
    "algorithm",
    [
        shoal.algorithms.STN(),
        shoal.algorithms.STN("merge"),
        shoal.algorithms.GSC(),
        shoal.algorithms.GSC(candidates="pool"),
        shoal.algorithms.GSC(candidates="nonsensitive"),
        shoal.algorithms.KNN(),
        shoal.algorithms.KNN("gsc", "nonsensitive"),
    ],
    ids=str,
)
def test_sensitive_5_anonymity(algorithm: shoal.algorithms.Algorithm) -> None:
    """The paper's illustration of a shortage contradicts its own order; what must hold: three seeds, 11 rows.

    GSC from all records puts T1 and T3 into one group, so that nobody has to join.
    """
    problem = shoal.Problem(DATA, FLAT, shoal.models.SensitiveK(k=5, sensitive=SECRET))
    release = shoal.anonymize(problem, algorithm=algorithm)
    rows = release.published.as_written.sets()
    counts = Counter(rows)
    assert all(counts[row] >= 5 for row in rows if row & set(SECRET))
    assert release.solution.statistics == {"groups": 2, "joined_rows": 0 if algorithm == shoal.algorithms.GSC() else 1}


@pytest.mark.parametrize("shortage", ["fill", "merge"])
def test_the_shortage_of_section_4_1(shortage: Literal["fill", "merge"]) -> None:
    """The groups that the paper prints, though by its own order T2 comes before T3, which then joins."""
    problem = shoal.Problem(DATA, FLAT, shoal.models.SensitiveK(k=5, sensitive=SECRET))
    of = shoal.anonymize(problem, algorithm=shoal.algorithms.STN(shortage)).published.grouping
    assert of is not None
    found = [np.flatnonzero(of.of == group).tolist() for group in range(len(of))]
    assert found == numbers("T1 T5 T6 T10 T11, T2 T3 T4 T7 T8 T9")
