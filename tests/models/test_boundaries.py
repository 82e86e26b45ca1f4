"""Every verifier at its edges: k holds and k + 1 does not, m holds and m + 1 does not, empty records count or not.

The rows are small enough to count by hand.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import shoal
from shoal.models.base import PrivacyModel

PAIRS = [["a", "b"], ["a", "b"], ["a", "c"], ["a", "c"], ["b", "c"], ["b", "c"]]  # pairs twice, items four times
TRIPLES = [[*"abc"], [*"abc"], [*"abc"], [*"abd"], [*"abd"], [*"acd"], [*"acd"], [*"bcd"], [*"bcd"]]
ONCE = [[*"abcde"], [*"abcd"], [*"abce"], [*"abde"], [*"acde"], [*"bcde"]]
LONG = [[*"abcde"], [*"abcde"], [*"abcd"], [*"abcd"], [*"abce"], [*"abde"], [*"acde"], [*"bcde"]]


def holds(model: PrivacyModel, rows: list[list[str]], **columns: list[Any]) -> bool:
    table = pa.table({**columns, "items": pa.array(rows, pa.list_(pa.string()))})
    data = shoal.read(table, sets="items") if columns else shoal.read(rows)
    return model.verify(model.validated_view(data)).holds


@pytest.mark.parametrize(
    ("k", "m", "rows", "safe"),
    [
        (2, 2, PAIRS, True),
        (3, 2, PAIRS, False),
        (3, 1, PAIRS, True),
        (4, 1, PAIRS, True),
        (5, 1, PAIRS, False),
        (2, "all", PAIRS, True),
        (3, "all", PAIRS, False),
        (2, 3, TRIPLES, True),
        (3, 3, TRIPLES, False),
        (5, 2, TRIPLES, False),
        (4, 2, TRIPLES, True),
        (2, 2, [*PAIRS, ["d"]], False),
        (2, 2, [*PAIRS, []], True),
        (2, 4, LONG, True),
        (4, 4, LONG, False),
        (4, 3, LONG, True),
        (5, 3, LONG, False),
        (2, 4, ONCE, True),  # the longest row is alone, but no four of its items are
        (2, 5, ONCE, False),
        (3, 4, ONCE, False),
    ],
)
def test_km(k: int, m: Any, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.Km(k=k, m=m), rows) is safe


def test_one_violation_is_enough() -> None:
    verdict = shoal.Km(k=2, m=1).verify(shoal.published.Published.plain(shoal.read([*PAIRS, ["d"]]).transactions))
    assert (verdict.holds, verdict.violations) == (False, 1)


@pytest.mark.parametrize(
    ("k", "m", "rows", "safe"),
    [
        (2, 1, [["a"], ["a"], ["b"], ["b"]], True),
        (3, 1, [["a"], ["a"], ["b"], ["b"]], False),
        (2, 1, [["a"], ["a"], ["a"], []], False),  # who lacks a
        (2, 2, [["a", "b"], ["a", "b"], ["a"], ["b"], ["b"], [], []], False),  # a and not b
        (2, 1, [["a", "b"], ["a", "b"], ["a"], ["b"], ["b"], [], []], True),
    ],
)
def test_negative(k: int, m: int, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.models.KmNegative(k=k, m=m), rows) is safe


@pytest.mark.parametrize(
    ("k", "rows", "safe"),
    [
        (2, [["a"], ["a"], [], []], True),
        (3, [["a"], ["a"], [], []], False),
        (2, [["a"], ["a"], []], False),  # the empty record is alone
        (2, [["a"], ["a"], ["a", "b"]], False),
    ],
)
def test_transactional(k: int, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.models.TransactionalK(k=k), rows) is safe


@pytest.mark.parametrize(
    ("k", "rows", "safe"),
    [
        (2, [["a", "HIV"], ["a", "HIV"], ["b"]], True),
        (3, [["a", "HIV"], ["a", "HIV"], ["b"]], False),
        (2, [["a", "HIV"], ["b"], ["b"]], False),
        (2, [["HIV"], ["b"], ["b"]], False),
    ],
)
def test_sensitive_k(k: int, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.models.SensitiveK(k=k, sensitive=("HIV",)), rows) is safe


@pytest.mark.parametrize(
    ("l", "m", "rows", "safe"),
    [
        (2, 1, [["a", "HIV"], ["a"], ["b"], ["b"]], True),
        (3, 1, [["a", "HIV"], ["a"], ["b"], ["b"]], False),
        (2, 1, [["a", "HIV"], ["a"], ["b", "HIV"], ["b"]], True),
        (3, 1, [["HIV"], ["HIV"], [], [], []], False),  # who knows nothing
        (2, 1, [["a", "b", "HIV"], ["a"], ["b"], []], True),
        (2, 2, [["a", "b", "HIV"], ["a"], ["b"], []], False),
    ],
)
def test_lm(l: int, m: int, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.Lm(l=l, m=m, sensitive=("HIV",)), rows) is safe


@pytest.mark.parametrize(
    ("h", "k", "p", "rows", "safe"),
    [
        (0.5, 2, 1, [["a", "HIV"], ["a"], ["b"], ["b"]], True),
        (0.4, 2, 1, [["a", "HIV"], ["a"], ["b"], ["b"]], False),
        (0.5, 3, 1, [["a", "HIV"], ["a"], ["b"], ["b"]], False),
        (0.5, 2, 2, [["a", "b", "HIV"], ["a", "b"], ["a", "b"]], True),
        (0.3, 2, 1, [["a", "b", "HIV"], ["a", "b"], ["a"], ["a"], ["b"], ["b"]], True),
        (0.3, 2, 2, [["a", "b", "HIV"], ["a", "b"], ["a"], ["a"], ["b"], ["b"]], False),
    ],
)
def test_hkp(h: float, k: int, p: int, rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.models.Hkp(h=h, k=k, p=p, sensitive=("HIV",)), rows) is safe


@pytest.mark.parametrize(
    ("p", "rows", "safe"),
    [
        (2, [["HIV"], ["flu"], ["HIV"], []], True),
        (3, [["HIV"], ["flu"], ["HIV"], []], False),
        (3, [["HIV"], [], [], ["flu"], [], []], True),
    ],
)
def test_privacy_degree(p: int, rows: list[list[str]], safe: bool) -> None:
    half = len(rows) // 2
    of = ["1"] * half + ["2"] * (len(rows) - half)
    assert holds(shoal.models.PrivacyDegree(p=p, sensitive=("HIV", "flu")), rows, group=of) is safe


AGES = ["1", "1", "2", "2"]


@pytest.mark.parametrize(
    ("k", "age", "zip_code", "safe"),
    [
        (2, AGES, ["x"] * 4, True),
        (3, AGES, ["x"] * 4, False),
        (2, AGES, ["x", "x", "x", "y"], False),
        (4, ["1"] * 4, ["x"] * 4, True),
    ],
)
def test_k(k: int, age: list[str], zip_code: list[str], safe: bool) -> None:
    assert holds(shoal.models.K(k=k), [["a"]] * 4, age=age, zip=zip_code) is safe


@pytest.mark.parametrize(
    ("k", "m", "age", "rows", "safe"),
    [
        (2, 1, AGES, [["a"], ["a"], ["b"], ["b"]], True),
        (2, 1, AGES, [["a"], ["b"], ["a"], ["b"]], False),  # rare inside a class alone
        (2, 1, ["1", "1", "1", "2"], [["a"], ["a"], ["a"], []], False),  # a class of one
        (3, 1, ["1"] * 4, [["a"], ["a"], [], []], False),
        (2, 2, ["1"] * 4, [["a", "b"], ["a"], ["b"], ["b"]], False),
        (2, 1, ["1"] * 4, [["a", "b"], ["a"], ["b"], ["b"]], True),
    ],
)
def test_k_km(k: int, m: int, age: list[str], rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.KKm(k=k, m=m), rows, age=age) is safe


@pytest.mark.parametrize(
    ("k", "l", "m", "age", "rows", "safe"),
    [
        (2, 2, 1, AGES, [["HIV"], [], ["HIV"], []], True),
        (2, 2, 1, AGES, [["HIV"], ["HIV"], [], []], False),  # who knows the values only
        (2, 2, 1, ["1"] * 4, [["a", "HIV"], ["a", "HIV"], [], []], False),  # who knows an item as well
        (2, 2, 1, ["1"] * 4, [["a", "HIV"], ["a"], [], []], True),
        (3, 2, 1, AGES, [[], [], ["HIV"], []], False),  # classes of two
        (2, 2, 1, ["1"] * 4, [["a"], ["HIV"], [], []], False),  # a rare item
        (2, 3, 1, ["1"] * 4, [["a", "HIV"], ["a"], [], []], False),
        (2, 2, 1, ["1"] * 5, [["a", "b", "HIV"], ["a", "b"], ["a", "b"], ["a"], ["b"]], True),
        (2, 3, 1, ["1"] * 6, [["a", "b", "HIV"], ["a", "b"], ["a"], ["a"], ["b"], ["b"]], True),
        (2, 3, 2, ["1"] * 6, [["a", "b", "HIV"], ["a", "b"], ["a"], ["a"], ["b"], ["b"]], False),
    ],
)
def test_k_lm(k: int, l: int, m: int, age: list[str], rows: list[list[str]], safe: bool) -> None:
    assert holds(shoal.KLm(k=k, l=l, m=m, sensitive=("HIV",)), rows, age=age) is safe
