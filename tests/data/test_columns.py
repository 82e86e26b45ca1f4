"""Columns: what they are taken as, which roles they have, and how they stand on their axes.

Covers: data/relational.py, hierarchies/axes.py.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.data import Dataset, Hierarchy
from shoal.data.attributes import MISSING, IntervalAttribute
from shoal.data.categories import CategoricalAttribute
from shoal.data.columns import Column, with_roles
from shoal.data.ordered import OrderedAttribute
from shoal.data.relational import Relational
from shoal.data.table import Role
from shoal.errors import DataError, HierarchyError, OptionError
from shoal.hierarchies.axes import relational, resolved
from shoal.models.k import K
from shoal.models.k_lm import KLm
from shoal.models.km import Km
from shoal.models.lm import Lm
from shoal.problem import Problem

GONE = int(MISSING)
CITIES = Hierarchy.from_tree({"Any": {"France": ["Lyon", "Paris"], "Greece": ["Athens"]}}, "cities.csv")


def frame(**columns: Any) -> Dataset:
    """A table with a set in each row."""
    rows = len(next(iter(columns.values())))
    return shoal.read(pa.table({**columns, "items": [["a"]] * rows}), sets="items")


def one(values: Any, **said: Any) -> Relational:
    """A table of one quasi-identifier, on its axis."""
    return relational(frame(x=values), {"x": Column(**said)})


def kind(found: Relational) -> str:
    attribute = found.attributes[0]
    return attribute.kind


@pytest.mark.parametrize(
    ("values", "taken", "published"),
    [
        (["19", "-22", " 5 "], "number", ["19", "-22", "5"]),
        (["1.50", "2"], "number", ["1.5", "2.0"]),
        (["007", "8"], "category", ["007", "8"]),
        (["01234", "98765"], "category", ["01234", "98765"]),
        (["0", "0.5", "-0.25"], "number", ["0.00", "0.50", "-0.25"]),
        (["1", "x"], "category", ["1", "x"]),
        (["1", "nan"], "category", ["1", "nan"]),
        (["1." + "3" * 13, "2"], "number", ["1." + "3" * 13, "2." + "0" * 13]),
        (["1_2", "12"], "category", ["1_2", "12"]),
        (["+7", "7"], "category", ["+7", "7"]),
        (["2020-02-29", "1969-12-31"], "date", ["2020-02-29", "1969-12-31"]),
        (["2020-02-29", "2020-02-29T10:00"], "time", ["2020-02-29T00:00:00", "2020-02-29T10:00:00"]),
        (["2021-02-29", "2020-01-01"], "category", ["2021-02-29", "2020-01-01"]),
        (["1", " ", "", "3"], "number", ["1", None, None, "3"]),
        (["", ""], "category", [None, None]),
        (["*", "a"], "category", ["*", "a"]),
        (pa.array([3, None, -5], pa.int16()), "number", ["3", None, "-5"]),
        (pa.array([1.5, float("nan"), None, 2.0]), "number", ["1.5", None, None, "2.0"]),
        (pa.array([0.1, 0.25], pa.float32()), "number", ["0.10", "0.25"]),
        (pa.array([1.5, float("nan")]).dictionary_encode(), "number", ["1.5", None]),
        (pa.array(["a", None, "b"]).dictionary_encode(), "category", ["a", None, "b"]),
        (pa.array([Decimal("1.20"), Decimal("3.00")]), "number", ["1.2", "3.0"]),
        (pa.array([date(2020, 1, 2), None]), "date", ["2020-01-02", None]),
        (pa.array([datetime(2020, 1, 2, 3, 4, 5, 600_000)]), "time", ["2020-01-02T03:04:05"]),
        (
            pa.array([datetime(2020, 1, 2, tzinfo=UTC)], pa.timestamp("s", "Asia/Tokyo")),
            "time",
            ["2020-01-02T00:00:00"],
        ),
        (pa.array([True, False, None]), "category", ["True", "False", None]),
        (pa.nulls(2), "category", [None, None]),
    ],
)
def test_what_a_column_is_taken_as(values: Any, taken: str, published: list[str | None]) -> None:
    found = one(values)
    assert kind(found) == taken
    assert found.columns() == [published]
    assert [column.lows.tolist() for column in found.values] == [column.highs.tolist() for column in found.values]


def test_frames() -> None:
    table = pd.DataFrame(
        {
            "age": [19, 22, 70],
            "pay": [1.5, np.nan, 3.0],
            "city": pd.Categorical(["Lyon", "Paris", None]),
            "born": pd.to_datetime(["2000-01-01", "1998-05-05", None]),
            "items": [["a"]] * 3,
        }
    )
    data, said = with_roles(shoal.read(table), {})
    found = relational(data, said)
    assert [type(attribute).__name__ for attribute in found.attributes] == [
        "OrderedAttribute",
        "OrderedAttribute",
        "CollectionAttribute",
        "OrderedAttribute",
    ]
    assert found.columns()[1:3] == [["1.5", None, "3.0"], ["Lyon", "Paris", None]]
    assert found.columns()[3] == ["2000-01-01", "1998-05-05", None]


def test_what_is_said_goes() -> None:
    assert kind(one(["1", "2"], type="category")) == "category"
    assert one(["007", "08"], type="number").columns() == [["7", "8"]]
    assert kind(one(["2020-01-01"], type="time")) == "time"
    assert kind(one(["1", "2"], hierarchy=Hierarchy.flat(["1", "2", "3"]))) == "category"
    assert one(["1", "?", "-9", "2"], missing=("?", "-9")).columns() == [["1", None, None, "2"]]
    assert one(pa.array([1.0, -9.0]), missing=(-9,)).columns() == [["1", None]]


def test_domains_reach_over_the_levels_and_never_over_what_is_missing() -> None:
    found = one(["17", "34", "99"], hierarchy="width:5,10", missing=("99",)).attributes[0]
    assert isinstance(found, IntervalAttribute)
    assert (found.first, found.last) == (10, 39)
    assert found.texts(*found.generalize(np.array([17, 17, 17]), np.array([17, 18, 34]))) == [
        "17",
        "[15:19]",
        "[10:39]",
    ]


def test_equal_numbers_count_together() -> None:
    found = one(["1.50", "1.5", "1.500", "2.0", "3", "4"], hierarchy="quantiles:2").attributes[0]
    assert isinstance(found, OrderedAttribute)
    assert [level.tolist() for level in found.levels] == [[15, 20]]


def test_hierarchies_as_objects_and_files(tmp_path: Path) -> None:
    path = tmp_path / "cities.csv"
    path.write_text("Lyon;France;Any\nParis;France;Any\nAthens;Greece;Any\n")
    for tree in (CITIES, path, str(path)):
        found = one(["Lyon", "Paris", "Athens"], hierarchy=tree)
        assert found.generalized(np.array([0, 0, 1])).columns() == [["France", "France", "Athens"]]
        assert found.generalized(np.array([0, 1, 0])).columns() == [["Any", "Paris", "Any"]]
    with pytest.raises(HierarchyError, match=r"no\.csv does not exist"):
        one(["Lyon"], hierarchy="no.csv")


def test_weights() -> None:
    data = frame(a=["1"], b=["2"], c=["3"])
    said = {"a": Column(weight=0.1), "b": Column(weight=1), "c": Column()}
    assert relational(data, said).weights == (Fraction(1, 10), Fraction(1), Fraction(1, 3))
    assert relational(data, dict.fromkeys("abc", Column())).weights == (Fraction(1, 3),) * 3


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        ("Lyons", {"hierarchy": CITIES}, r"x.csv, line 3: Column 'x': 'Lyons' is neither .* \(did you mean 'Lyon'\?\)"),
        ("France", {"hierarchy": CITIES}, "x.csv, line 3: column 'x' must hold single values, but 'France' represents"),
        ("old", {"type": "number"}, "Column 'x': 'old' is not a number: correct it, declare it as missing, or declare"),
        ("[19:22]", {"hierarchy": "width:5"}, r"Column 'x': '\[19:22\]' is not a number"),
        ("2020-13-01", {"type": "date"}, "Column 'x': '2020-13-01' is not a date"),
        (
            "5",
            {"type": "category", "hierarchy": "width:5"},
            "'width:5' is for numbers and dates, but the column is a category",
        ),
        ("0." + "3" * 30, {"type": "number"}, "more digits.*round them"),
        ("9" * 30, {}, "more digits.*round them"),
    ],
)
def test_values_that_do_not_fit(tmp_path: Path, text: str, said: dict[str, Any], message: str) -> None:
    path = tmp_path / "x.csv"
    first = "Lyon" if said.get("hierarchy") is CITIES else "2020-01-01" if said.get("type") == "date" else "7"
    path.write_text(f"x,items\n{first},a|b\n{text},a|b\n")
    with pytest.raises((DataError, OptionError), match=message):
        relational(shoal.read(path, sets="items", item_delimiter="|"), {"x": Column(**said)})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"type": "int"}, "type must be one of auto, number, date, time, category, got 'int'"),
        ({"weight": 1.5}, "weight must be a number from 0 to 1, got 1.5"),
        ({"weight": True}, "weight must be a number from 0 to 1, got True"),
        ({"weight": "1"}, "weight must be a number"),
        ({"missing": "?"}, r"missing must be a collection of values, got '\?': put it in a list"),
        ({"missing": 5}, "missing must be a collection of values, got 5"),
        ({"hierarchy": 5}, "hierarchy must be a Hierarchy, a file or levels, got 5"),
        ({"role": "secret"}, "a role must be one of identifier, quasi-identifier, sensitive, plain, got 'secret'"),
        ({"role": ["plain"]}, "a role must be one of"),
    ],
)
def test_what_cannot_be_said(said: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Column(**said)


def test_a_role_by_its_name_is_the_role() -> None:
    assert Column(role="identifier").role is Role.IDENTIFIER  # type: ignore[arg-type]


def test_roles() -> None:
    data = frame(id=["1", "2"], age=["3", "4"], ill=["x", "y"])
    given_none, chosen = with_roles(data, {})
    assert list(chosen) == ["id", "age", "ill"]
    given_none, chosen = with_roles(data, {"id": "identifier"})
    assert list(chosen) == ["age", "ill"]
    assert given_none.table is not None
    assert given_none.table.roles["id"] is Role.IDENTIFIER
    _, chosen = with_roles(data, {"ill": "plain", "age": Column(weight=0.5), "id": Column(Role.IDENTIFIER)})
    assert {name: said.weight for name, said in chosen.items()} == {"age": 0.5}
    with pytest.raises(OptionError, match=r"No role is given for 'id', 'ill': .* columns='age'"):
        with_roles(data, {"age": "quasi-identifier"})
    with pytest.raises(OptionError, match=r"No column 'agee' \(did you mean 'age'\?\) in .* 'id', 'age', 'ill'"):
        with_roles(data, {"agee": "plain"})
    with pytest.raises(OptionError, match=r"Column 'id': a role must be .* got 'identifer' \(did you mean 'ident"):
        with_roles(data, {"id": "identifer"})
    assert with_roles(shoal.read([["a"]]), {})[1] == {}


def test_roles_and_models_must_agree() -> None:
    data, tree = frame(age=["3", "4"], ill=["x", "y"]), Hierarchy.flat(["a"])
    told = KLm(k=2, sensitive_column=("ill",))
    assert list(Problem(data, tree, told).prepared.quasi_identifiers) == ["age"]
    with pytest.raises(OptionError, match="Column 'ill' is in sensitive_column= of the model, but has the role plain"):
        Problem(data, tree, told, columns={"ill": "plain", "age": "quasi-identifier"})
    for model in (K(k=2), Km(k=2), Lm(sensitive=("a",))):
        with pytest.raises(OptionError, match=r"Column 'ill' is declared sensitive, but .* is not told to protect it"):
            Problem(data, tree, model, columns={"ill": "sensitive"})
    with pytest.raises(
        OptionError, match=r"about the sets alone: quasi-identifiers such as 'age' need .* k, k-km, k-lm"
    ):
        Problem(data, tree, Km(k=2), columns={"age": "quasi-identifier"})
    with pytest.raises(OptionError, match="declare some with quasi_identifiers="):
        Problem(data, tree, K(k=2), columns={"age": "plain", "ill": "plain"})


def test_identifiers_are_not_published() -> None:
    data = frame(id=["1", "2"], age=["3", "4"])
    said: dict[str, Column | str] = {"id": Column(role="identifier")}  # type: ignore[arg-type]
    release = shoal.anonymize(Problem(data, Hierarchy.flat(["a"]), K(k=2), columns=said))
    assert release.dataset.table is not None
    assert release.dataset.table.names == ("age",)
    assert release.dataset.table.arrow.column("age").to_pylist() == ["[3:4]", "[3:4]"]


def test_resolved_reads_what_others_published() -> None:
    said = {"age": Column(missing=("?",)), "city": Column(hierarchy=CITIES)}
    raw = relational(frame(age=["19", "22", "?"], city=["Lyon", "", "Athens"]), said)
    made = resolved(frame(age=["[10:30]", "*", " "], city=["France", "Any", "Athens"]), raw, said)
    assert [column.lows.tolist() for column in made.values] == [[10, 19, GONE], [0, 0, 2]]
    assert [column.highs.tolist() for column in made.values] == [[30, GONE, GONE], [1, GONE, 2]]
    assert made.covers(raw).tolist() == [True, True, True]
    with pytest.raises(DataError, match="Column 'city': 'Rome' is neither"):
        resolved(frame(age=["1"], city=["Rome"]), raw, said)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Relational, list[int]]:
    """Rows on a line and on a tree, some of them missing, in groups."""
    rows = draw(st.integers(1, 12))
    levels = draw(st.sampled_from([(), (np.array([0, 3, 6]),)]))
    attributes = (OrderedAttribute("n", 0, 9, levels=levels), CategoricalAttribute("c", CITIES, True))
    places = [
        draw(st.lists(st.sampled_from([*range(last + 1), GONE]), min_size=rows, max_size=rows)) for last in (9, 2)
    ]
    ends = tuple(np.array(column, dtype=np.int64) for column in places)
    marks = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows))
    numbers = {mark: at for at, mark in enumerate(dict.fromkeys(marks))}
    return Relational.of_rows(attributes, ends), [numbers[mark] for mark in marks]


@given(tables())
def test_groups_against_plain_loops(made: tuple[Relational, list[int]]) -> None:
    raw, group_of = made
    members = [[row for row, group in enumerate(group_of) if group == at] for at in range(max(group_of) + 1)]
    published = raw.generalized(np.array(group_of))
    for at, attribute in enumerate(raw.attributes):
        assert isinstance(attribute, IntervalAttribute)
        column = raw.values[at].lows.tolist()
        for rows in members:
            held = [column[row] for row in rows]
            ends = attribute.generalize(np.array([min(held)]), np.array([max(held)]))
            now = published.values[at].take(np.array(rows))
            assert set(zip(now.lows, now.highs, strict=True)) == {(int(ends[0][0]), int(ends[1][0]))}
    assert published.covers(raw).all()
    elsewhere = raw.take(np.roll(np.arange(len(raw)), 1))
    inside = [
        all(
            values.lows[row] <= other.lows[row] <= values.highs[row]
            for values, other in zip(published.values, elsewhere.values, strict=True)
        )
        for row in range(len(raw))
    ]
    assert published.covers(elsewhere).tolist() == inside


@given(tables())
def test_classes_and_texts_against_plain_loops(made: tuple[Relational, list[int]]) -> None:
    raw, group_of = made
    published = raw.generalized(np.array(group_of))
    for table in (raw, published):
        seen: dict[tuple[str | None, ...], int] = {}
        marks = [seen.setdefault(row, len(seen)) for row in zip(*table.columns(), strict=True)]
        assert table.classes.tolist() == marks
        again = [attribute.parsed(texts) for attribute, texts in zip(table.attributes, table.columns(), strict=True)]
        assert [(low.tolist(), high.tolist()) for low, high in again] == [
            (values.lows.tolist(), values.highs.tolist()) for values in table.values
        ]
    order = np.array(list(reversed(range(len(raw)))))
    assert published.take(order).columns() == [column[::-1] for column in published.columns()]


def test_a_table_needs_its_columns() -> None:
    with pytest.raises(DataError, match="wanted at least one attribute"):
        Relational.of_rows((), ())
    with pytest.raises(DataError, match="wanted at least one attribute"):
        Relational.of_rows((OrderedAttribute("x", 0, 1),), ())


@pytest.mark.parametrize("value", ["100000000000000000000", "+1e20", "-1e300", "1e999999999"])
def test_a_number_that_is_too_large_is_still_called_a_number(value: str) -> None:
    with pytest.raises(DataError, match="Column 'x' holds numbers with more digits"):
        one([value, "2"], type="number")
    with pytest.raises(DataError, match="'1e20x' is not a number"):
        one([value, "1e20x"][::-1], type="number")
