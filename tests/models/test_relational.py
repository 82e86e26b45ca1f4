"""Verifiers of k, (k,k^m) and (k,l^m) against brute force on published tables, and what their risks count.

Covers: models/k.py, models/k_km.py, models/k_lm.py, models/equal.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.data import Dataset, Transactions
from shoal.data.persons import Persons
from shoal.engines import Engine
from shoal.errors import Infeasible, OptionError
from shoal.models import relational
from shoal.models.base import PrivacyModel, Verdict, Witness
from shoal.models.k import K
from shoal.models.k_km import KKm
from shoal.models.k_lm import KLm
from shoal.models.km import Km
from shoal.models.witness import DisclosingInClass, RareInClass
from shoal.published import Grouping
from shoal.testing import persons
from tests import oracles

Reach = int | Literal["all"]
AGES = ("[19:22]", "70", "*", None)
CITIES = ("Greece", "Lyon")
SENSITIVE = ("s", "t")


@dataclass(frozen=True)
class Sheet:
    """A published table: two columns, sets, and a column that may be sensitive."""

    ages: list[str | None]
    cities: list[str]
    sets: list[frozenset[str]]
    illness: list[str] = field(default_factory=list)

    @property
    def data(self) -> Dataset:
        table = {"age": pa.array(self.ages, pa.string()), "city": self.cities, "items": list(map(sorted, self.sets))}
        table["items"] = pa.array(table["items"], pa.list_(pa.string()))
        return shoal.read(pa.table(table | ({"illness": self.illness} if self.illness else {})))

    @property
    def groups(self) -> dict[str, list[int]]:
        """The rows of each class, by what the class is called."""
        found: dict[str, list[int]] = {}
        for row, (age, city) in enumerate(zip(self.ages, self.cities, strict=True)):
            found.setdefault(f"age={age or ''}, city={city}", []).append(row)
        return found

    def known(self, hidden: tuple[str, ...] = ()) -> list[frozenset[str]]:
        return [one - set(hidden) for one in self.sets]

    def values(self, hidden: tuple[str, ...], column: bool) -> list[frozenset[str]]:
        """What is sensitive in each row."""
        told = [frozenset({f"illness={one}"} if one else ()) for one in self.illness] if column else []
        return [one & set(hidden) | (told[row] if column else set()) for row, one in enumerate(self.sets)]


@st.composite
def sheets(draw: st.DrawFn, items: str = "abc", illness: bool = False) -> Sheet:
    """Few different rows, each several times: guarantees hold at times."""
    rows: list[tuple[str | None, str, frozenset[str], str]] = []
    for _ in range(draw(st.integers(1, 4))):
        age, city = draw(st.sampled_from(AGES)), draw(st.sampled_from(CITIES))
        for _ in range(draw(st.integers(1, 3))):
            held = frozenset(draw(st.sets(st.sampled_from(items), max_size=3)))
            ill = draw(st.sampled_from(["flu", "cold", "none"])) if illness else ""
            rows += [(age, city, held, ill)] * draw(st.integers(1, 3))
    order = draw(st.permutations(rows))
    ages, cities, sets, told = ([row[at] for row in order] for at in range(4))
    return Sheet(ages, cities, sets, told if illness else [])  # type: ignore[arg-type]


def verdict(model: PrivacyModel, sheet: Sheet) -> Verdict:
    return model.verify(model.validated_view(sheet.data))


def part(rows: list[frozenset[str]], members: list[int]) -> list[frozenset[str]]:
    return [rows[row] for row in members]


def reach(m: Reach) -> int:
    return 3 if m == "all" else m


def is_k(sheet: Sheet, k: int) -> bool:
    return all(len(members) >= k for members in sheet.groups.values())


def is_k_km(sheet: Sheet, rows: list[frozenset[str]], k: int, m: Reach) -> bool:
    inside = (oracles.is_km_anonymous(part(rows, members), k, reach(m)) for members in sheet.groups.values())
    return is_k(sheet, k) and all(inside)


def recount(witness: Witness, sheet: Sheet, rows: list[frozenset[str]], values: list[frozenset[str]]) -> None:
    """A witness tells how many rows of its class hold its labels, and how many of these its sensitive value."""
    assert isinstance(witness, RareInClass | DisclosingInClass)
    fitting = [row for row in sheet.groups[witness.group] if rows[row] >= set(witness.labels)]
    assert len(fitting) == witness.support > 0
    if isinstance(witness, DisclosingInClass):
        assert sum(witness.sensitive in values[row] for row in fitting) == witness.holders


@given(sheets(), st.integers(2, 4))
def test_k(sheet: Sheet, k: int) -> None:
    found = verdict(K(k=k), sheet)
    small = {name: len(members) for name, members in sheet.groups.items() if len(members) < k}
    assert found.holds == is_k(sheet, k) == (not small)
    assert (found.checked, found.violations) == (len(sheet.groups), len(small))
    assert {witness.as_dict()["group"]: witness.support for witness in found.witnesses} == small
    assert [one.support for one in found.witnesses] == sorted(small.values())


@given(sheets(), st.integers(2, 4), st.sampled_from([1, 2, 3, "all"]))
@example(Sheet(["1"] * 4, ["x"] * 4, [frozenset("ab"), frozenset("ab"), frozenset("a"), frozenset()]), 2, 2)
def test_k_km(sheet: Sheet, k: int, m: Reach) -> None:
    found = verdict(KKm(k=k, m=m), sheet)
    assert found.holds == is_k_km(sheet, sheet.sets, k, m)
    assert bool(found.witnesses) == (not found.holds)
    for witness in found.witnesses:
        recount(witness, sheet, sheet.sets, [])
        assert witness.support < k
        assert len(witness.labels) <= reach(m)
    assert found.checked >= len(sheet.groups)
    longest = max(map(len, sheet.sets))
    if not found.holds and is_k(sheet, k) and m != "all" and m < longest:  # else the verifier counts whole rows
        rare = [
            labels
            for members in sheet.groups.values()
            for labels, count in oracles.supports(part(sheet.sets, members), m).items()
            if count < k
        ]
        shortest = min(map(len, rare))
        assert {len(witness.labels) for witness in found.witnesses} == {shortest}
        assert found.violations == sum(len(labels) == shortest for labels in rare)


@given(sheets(), st.integers(2, 4), st.integers(1, 3), st.sampled_from([1, 2, 5]), st.data())
def test_classes_are_checked_some_at_a_time(sheet: Sheet, k: int, m: int, at_once: int, data: st.DataObject) -> None:
    """The verdict is the same, with all its figures and witnesses, also if persons are counted."""
    people = data.draw(persons(len(sheet.sets)))
    model = KKm(k=k, m=m)
    view = model.validated_view(sheet.data).of_persons(None if people is None else Persons(np.array(people)))
    expected = model.verify(view)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(relational, "AT_ONCE", at_once)
        assert model.verify(view) == expected


@pytest.mark.parametrize("at_once", [1, 4, 10**6])
def test_persons_are_counted_in_classes_that_are_checked_some_at_a_time(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each class has 5 persons. In the second class, a is in 4 rows, but all of them are of one person."""
    rows = [["a", "b"]] * 4 + [["b"]] * 4
    own = Transactions.from_sets(rows * 2).of_persons([0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 4, 5, 6, 7])
    classes = Grouping(np.repeat([0, 1], 8), least=4)
    monkeypatch.setattr(relational, "AT_ONCE", at_once)
    verdict = relational.rare_in_classes(own, classes, 4, 1, Engine())
    assert not verdict.holds
    assert [(witness.labels, witness.support) for witness in verdict.witnesses] == [(("a",), 1)]
    assert relational.rare_in_classes(own.of_persons(None), classes, 4, 1, Engine()).holds


@given(sheets("abst", illness=True), st.integers(2, 3), st.integers(2, 3), st.integers(1, 2), st.booleans())
def test_k_lm(sheet: Sheet, k: int, l: int, m: int, column: bool) -> None:
    hidden = tuple(one for one in SENSITIVE if any(one in row for row in sheet.sets))
    if not hidden and not column:
        return
    model = KLm(k=k, l=l, m=m, sensitive=hidden, sensitive_column=("illness",) if column else ())
    rows, values = sheet.known(hidden), sheet.values(hidden, column)
    data = sheet.data if column else sheet.data.keep_columns(["age", "city"])
    found = model.verify(model.validated_view(data))
    told = [
        failing
        for members in sheet.groups.values()
        for failing in oracles.disclosures(part(rows, members), part(values, members), l, m).values()
    ]
    assert found.holds == (is_k_km(sheet, rows, k, m) and not told)
    assert bool(found.witnesses) == (not found.holds)
    for witness in found.witnesses:
        recount(witness, sheet, rows, values)
        assert len(witness.labels) <= m
        if isinstance(witness, DisclosingInClass):
            assert witness.holders * l > witness.support
        else:
            assert witness.support < k
    if found.holds:
        left = Sheet(sheet.ages, sheet.cities, rows)
        assert verdict(KKm(k=k, m=m), left).holds


@given(sheets(), st.integers(2, 3), st.integers(1, 3))
def test_k_km_is_more_than_both(sheet: Sheet, k: int, m: int) -> None:
    if verdict(KKm(k=k, m=m), sheet).holds:
        assert verdict(K(k=k), sheet).holds
        assert verdict(Km(k=k, m=m), sheet).holds


def test_both_is_not_k_km() -> None:
    sheet = Sheet(["1", "1", "2", "2"], ["x"] * 4, [frozenset(one) for one in "abab"])
    assert verdict(K(k=2), sheet).holds
    assert verdict(Km(k=2, m=2), sheet).holds
    found = verdict(KKm(k=2, m=1), sheet)
    assert not found.holds
    assert str(found.witnesses[0]) == "{a} is in 1 record of those with age=1, city=x"


def exposed(sheet: Sheet, rows: list[frozenset[str]], limit: int, m: int) -> tuple[int, ...]:
    """Rows that the values with up to 1, 2, .. m labels pin down to fewer than ``limit``."""
    counts: Counter[int] = Counter()
    for members in sheet.groups.values():
        sizes = oracles.smallest_identifying(part(rows, members), limit, m)
        counts.update(1 if len(members) < limit else size for size in sizes)
    return tuple(sum(counts[size] for size in range(1, most + 1)) for most in range(1, m + 1))


@given(sheets(), st.integers(2, 4), st.sampled_from([1, 2, 3, 5, "all"]))
def test_risks(sheet: Sheet, k: int, m: Reach) -> None:
    model: Any = KKm(k=k, m=m)
    risk, drawn = model.risk(model.validated_view(sheet.data)), 3 if m == "all" else min(m, 3)
    assert risk.rows == len(sheet.sets)
    assert risk.below_k == exposed(sheet, sheet.sets, k, drawn)
    assert risk.unique == exposed(sheet, sheet.sets, 2, drawn)
    model = K(k=k)
    risk = model.risk(model.validated_view(sheet.data))
    assert (risk.below_k, risk.unique) == tuple(
        (sum(len(members) for members in sheet.groups.values() if len(members) < limit),) for limit in (k, 2)
    )


@given(sheets("abs", illness=True), st.integers(2, 3), st.integers(1, 3))
def test_risk_of_k_lm_is_about_what_may_be_known(sheet: Sheet, k: int, m: int) -> None:
    hidden = ("s",) if any("s" in row for row in sheet.sets) else ()
    model: Any = KLm(k=k, m=m, sensitive=hidden, sensitive_column=("illness",))
    risk = model.risk(model.validated_view(sheet.data))
    assert risk.below_k == exposed(sheet, sheet.known(hidden), k, m)
    assert risk.unique == exposed(sheet, sheet.known(hidden), 2, m)


@pytest.mark.parametrize(
    ("model", "rows", "message"),
    [
        (K(k=4), "a,b,c", "needs at least 4 records, got 3"),
        (KKm(k=4), "a,b,c", "needs at least 4 records, got 3"),
        (KKm(k=2), "a,,", "needs at least 2 non-empty records, got 1"),
        (KLm(k=4, sensitive=("s",)), "as,b,b", "needs at least 4 records, got 3"),
        (
            KLm(k=2, sensitive=("s",)),
            "as,s,s,,",
            "at least 2 non-empty records, not counting sensitive items, got 1",
        ),
        (KLm(k=2, l=3, sensitive=("s",)), "as,as,a,a", r"'s' is in 2 of 4 \(50.0%\): choose a smaller l"),
        (KLm(k=2, sensitive=("s",)), "as,as,a", r"'s' is in 2 of 3 \(66.7%\): do not declare it sensitive"),
    ],
)
def test_what_no_generalization_can_mend(model: PrivacyModel, rows: str, message: str) -> None:
    sets = [frozenset(row) for row in rows.split(",")]
    with pytest.raises(Infeasible, match=message):
        model.feasible(model.validated_view(Sheet(["1"] * len(sets), ["x"] * len(sets), sets).data))


@pytest.mark.parametrize("model", [K(k=3), KKm(k=3), KKm(k=3, m="all")])
def test_empty_sets_are_feasible(model: PrivacyModel) -> None:
    sheet = Sheet(["1", None, "2"], ["x"] * 3, [frozenset()] * 3)
    model.feasible(model.validated_view(sheet.data))
    assert verdict(model, Sheet(["1"] * 3, ["x"] * 3, sheet.sets)).holds


def test_the_table_says_who_is_known() -> None:
    with pytest.raises(OptionError, match="has no columns except the sets: declare some with quasi_identifiers="):
        K(k=2).validated_view(shoal.read([["a"], ["b"]]))
    with pytest.raises(OptionError, match="needs sensitive items"):
        KLm()
    data = Sheet(["1", "2"], ["x", "x"], [frozenset("a")] * 2).data
    assert K(k=2).verify(K(k=2).validated_view(data.keep_columns(["city"]))).holds
    with pytest.raises(OptionError, match="these rows have no columns"):
        K(k=2).verify(Km(k=2).validated_view(data))


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["a", None, "a", None]).dictionary_encode(),
        pa.chunked_array([pa.array(["a", "b"]).dictionary_encode(), pa.array(["b", "a"]).dictionary_encode()]),
        pa.array([1.5, float("nan"), None, 1.5]),
        pa.nulls(4),
        pa.array([True, False, True, False]),
    ],
)
def test_columns_of_any_type_are_compared(column: Any) -> None:
    model = K(k=2)
    data = shoal.read(pa.table({"x": column, "items": [["a"]] * 4}))
    assert model.verify(model.validated_view(data)).holds
    assert not model.changed(k=3).verify(model.validated_view(data)).holds or len(set(column.to_pylist())) == 1


def test_columns_of_lists_are_refused() -> None:
    data = shoal.read(pa.table({"x": [["b"], ["b"]], "items": [["a"]] * 2}), sets="items")
    with pytest.raises(shoal.errors.DataError, match="Column 'x' holds lists or structures"):
        K(k=2).validated_view(data)
