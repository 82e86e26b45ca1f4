"""Collections of values against sets of texts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.algorithms.rfirst import Rfirst
from shoal.data.collections import CollectionAttribute
from shoal.data.hierarchy import Hierarchy
from shoal.data.scales import Values
from shoal.errors import DataError
from tests.budget import examples

TEXTS = (
    "a",
    "b, c",
    '"d"',
    "(e",
    "f)",
    " g",
    "10",
    "9",
    "h|i",
)  # in no order, and with signs that sets are written with


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[str | None], list[int], bool]:
    """Values, some of them missing, and the group of each."""
    values = draw(st.lists(st.sampled_from([*TEXTS, None]), min_size=1, max_size=14))
    marks = draw(st.lists(st.integers(0, 3), min_size=len(values), max_size=len(values)))
    numbers = {mark: at for at, mark in enumerate(dict.fromkeys(marks))}
    return values, [numbers[mark] for mark in marks], None in values


@examples(200)
@given(columns())
def test_groups_against_sets_of_texts(column: tuple[list[str | None], list[int], bool]) -> None:
    values, group_of, optional = column
    known = sorted({value for value in values if value is not None})
    raw = CollectionAttribute.of("x", known, optional=optional)
    places, _ = raw.parsed(values)
    after, low, high = raw.merged(places, np.array(group_of))
    texts = after.texts(low, high)
    for at in range(max(group_of) + 1):
        held = {value for value, group in zip(values, group_of, strict=True) if group == at}
        anything = len(held) > 1 and (None in held or held == set(known))
        size = len(known) if anything else len(held)
        assert texts[at] == "*" if anything else True
        assert texts[at] in held if len(held) == 1 else True
        assert after.numerators(low, high)[at] == (size if len(held) > 1 else 0)
        one = low[at : at + 1], high[at : at + 1]
        for value in [*known, *([None] if optional else [])]:
            place = raw.parsed([value])[0]
            represented = value in held or (anything and optional)
            assert after.covers(*one, place).tolist() == [represented]
            count = size + (anything and optional)
            share = after.shares(*one, int(place[0]), int(place[0]))[0]
            assert share == pytest.approx(float(Fraction(int(represented), count)))
    different = len(set(texts))
    assert len(set(zip(low.tolist(), high.tolist(), strict=True))) == different  # what reads the same is the same
    again, *ends = raw.resolved(texts)  # what was published reads back as it was
    assert again.texts(*ends) == texts
    assert again.numerators(*ends).tolist() == after.numerators(low, high).tolist()


@examples(100)
@given(columns())
def test_costs_are_the_penalties(column: tuple[list[str | None], list[int], bool]) -> None:
    values, group_of, optional = column
    raw = CollectionAttribute.of("x", {value for value in values if value is not None}, optional=optional)
    places, _ = raw.parsed(values)
    points, codes = np.unique(places, return_inverse=True)
    after, low, high = raw.merged(places, np.array(group_of))
    scale = raw.cost_scale(points, Fraction(1))
    assert isinstance(scale, Values)
    assert scale.codes == len(points)
    assert scale.costs_of(codes, np.array(group_of)) == after.numerators(low, high).tolist()


def test_what_cannot_be_read() -> None:
    raw = CollectionAttribute.of("city", ["Lyon", "Paris", "Rome"])
    with pytest.raises(DataError, match=r"Column 'city': 'Parsi' is neither a value .* its 3 values, .* 'Paris'"):
        raw.resolved(["(Lyon,Parsi)"])
    with pytest.raises(DataError, match="represents several values"):
        raw.parse("(Lyon,Paris)")


def released(cities: list[str], ages: list[int]) -> shoal.Release:
    table = pa.table({"city": cities, "age": ages, "items": [["a"]] * len(cities)})
    problem = shoal.Problem(shoal.read(table, sets="items"), Hierarchy.flat(["a"]), shoal.KKm(k=2, m=1))
    return shoal.anonymize(problem, algorithm=Rfirst())


def test_categories_without_a_hierarchy_are_published_as_collections() -> None:
    release = released(["Lyon", "Paris", "Rome", "Turin", "Bonn", "Kiel"], [1, 1, 5, 5, 9, 9])
    assert release.published.relational is not None
    pairs = ["(Lyon,Paris)", "(Rome,Turin)", "(Bonn,Kiel)"]
    assert release.published.relational.columns()[0] == [pair for pair in pairs for _ in range(2)]
    assert release.losses["relational_ncp:city"] == pytest.approx(1 / 3)


def test_values_that_look_like_collections_have_none() -> None:
    """Or a reader could not tell the value from the collection."""
    release = released(["a", "b", "(a,b)", "c"], [1, 1, 5, 5])
    assert release.published.relational is not None
    assert release.published.relational.columns()[0] == ["*"] * 4
