"""Attributes: what is written can be read; what is published covers what it must, no more, at the cost it says.

Covers: data/categories.py, data/ordered.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data import Hierarchy
from shoal.data.attributes import MISSING, Attribute, IntervalAttribute, is_missing
from shoal.data.categories import CategoricalAttribute
from shoal.data.ordered import OrderedAttribute, Unit, axis_position
from shoal.errors import DataError

GONE = int(MISSING)
ORIGIN = Hierarchy.from_tree(
    {"All": {"Africa": {"North": ["Algeria", "Egypt"], "Nigeria": []}, "Asia": ["Iran"], "Europe": ["France", "Spain"]}}
)
UNITS: tuple[Unit, ...] = ("number", "date", "time")


def arrays(*pairs: tuple[int, int]) -> tuple[Any, Any]:
    low, high = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return low, high


def widened(attribute: IntervalAttribute, low: int, high: int) -> tuple[int, int]:
    ends = attribute.generalize(*arrays((low, high)))
    return int(ends[0][0]), int(ends[1][0])


@st.composite
def lines(draw: st.DrawFn, levels: bool = True) -> OrderedAttribute:
    begins, length = draw(st.integers(-60, 60)), draw(st.integers(0, 60))
    places = st.sets(st.integers(begins, begins + length), max_size=8)
    starts = sorted({begins, *draw(places)}) if levels else []
    made = []
    while starts:
        made.append(np.array(starts, dtype=np.int64))
        starts = [begins, *[at for at in starts if at > begins and draw(st.booleans())]]
        if len(starts) == len(made[-1]) or len(made) == 3:
            break
    decimals = draw(st.integers(0, 3))
    unit: Unit = draw(st.sampled_from(UNITS))
    return OrderedAttribute("x", begins, begins + length, decimals if unit == "number" else 0, unit, tuple(made))


@st.composite
def spans(draw: st.DrawFn, attribute: Attribute) -> tuple[int, int]:
    """An interval inside the domain; at times with missing values."""
    places = st.integers(attribute.first, attribute.last)
    low, high = sorted((draw(places), draw(places)))
    kind = draw(st.sampled_from(["known", "known", "mixed", "missing"]))
    return (GONE, GONE) if kind == "missing" else (low, GONE if kind == "mixed" else high)


def publishable(line: OrderedAttribute) -> set[tuple[int, int]]:
    """Every interval that may be published without missing values, by hand."""
    whole = range(line.begins, line.ends + 1)
    if not line.levels:
        return {(low, high) for low in whole for high in whole if low <= high}
    found = {(at, at) for at in whole} | {(line.begins, line.ends)}
    for level in line.levels:
        stops = [*level.tolist()[1:], line.ends + 1]
        found |= {(start, stop - 1) for start, stop in zip(level.tolist(), stops, strict=True)}
    return found


@given(st.data())
def test_line_text_and_back(data: st.DataObject) -> None:
    line = data.draw(lines())
    low, high = widened(line, *data.draw(spans(line)))
    text = line.text(low, high)
    if low == GONE:
        assert text is None
    else:
        assert text is not None
        assert line.parse(text) == line.parse(f"  {text} ") == (low, high)
    back = line.parsed([text])
    assert (back[0].tolist(), back[1].tolist()) == ([low], [high])


@given(st.data())
def test_line_widens_to_the_smallest_that_can_be_published(data: st.DataObject) -> None:
    line = data.draw(lines())
    low, high = data.draw(spans(line))
    found = widened(line, low, high)
    if high == GONE:
        assert found == ((GONE, GONE) if low == GONE else (line.begins, GONE))
        return
    around = [one for one in publishable(line) if one[0] <= low and high <= one[1]]
    assert found in around
    assert found[1] - found[0] == min(one[1] - one[0] for one in around)
    assert widened(line, *found) == found


@given(st.data())
def test_line_penalties_and_counts(data: st.DataObject) -> None:
    line = data.draw(lines())
    low, high = widened(line, *data.draw(spans(line)))
    penalty = float(line.penalties(*arrays((low, high)))[0])
    count = int(line.counts(*arrays((low, high)))[0])
    if low == high:
        assert (penalty, count) == (0, 1)
    elif high == GONE:
        assert (penalty, count) == (1, line.ends - line.begins + 2)
    else:
        assert penalty == pytest.approx((high - low) / (line.ends - line.begins))
        assert count == len(range(low, high + 1))


def test_a_range_of_a_published_file_may_be_wider_than_the_domain() -> None:
    line = OrderedAttribute("x", 10, 20)
    assert line.penalties(*arrays((0, 100), (5, 10))).tolist() == [1.0, 0.5]


@pytest.mark.parametrize(
    ("line", "low", "high", "text"),
    [
        (OrderedAttribute("x", -20, 30, 1), -15, -15, "-1.5"),
        (OrderedAttribute("x", -20, 30, 1), -15, 20, "[-1.5:2.0]"),
        (OrderedAttribute("x", -2000, -1, 3), -2000, -5, "[-2.000:-0.005]"),
        (OrderedAttribute("x", 0, 10**15, 0), 10**15, 10**15, "1000000000000000"),
        (OrderedAttribute("x", 0, 20000, unit="date"), 0, 59, "[1970-01-01:1970-03-01]"),
        (OrderedAttribute("x", -800000, 0, unit="date"), -719162, 0, "[0001-01-01:1970-01-01]"),
        (OrderedAttribute("x", -5, 90000, unit="time"), -1, 86399, "[1969-12-31T23:59:59:1970-01-01T23:59:59]"),
        (OrderedAttribute("x", 0, 5), 0, GONE, "*"),
        (OrderedAttribute("x", 0, 5), GONE, GONE, None),
    ],
)
def test_line_forms(line: OrderedAttribute, low: int, high: int, text: str | None) -> None:
    assert line.text(low, high) == text
    assert [end.tolist() for end in line.parsed([text])] == [[low], [high]]


@given(st.integers(-(10**9), 10**9), st.integers(0, 9))
def test_numbers_keep_every_digit(at: int, decimals: int) -> None:
    line = OrderedAttribute("x", at, at, decimals)
    text = line.text(at, at)
    assert text is not None
    assert axis_position(text, "number", decimals) == at
    assert axis_position(f"{text}0" if "." in text else text, "number", decimals) == at


@given(st.datetimes())
def test_times_are_whole_seconds_rounded_down(when: Any) -> None:
    at = axis_position(when.isoformat(), "time")
    assert OrderedAttribute("x", at, at, unit="time").text(at, at) == when.replace(microsecond=0).isoformat()
    assert (
        axis_position(when.date().isoformat(), "time") == axis_position(when.date().isoformat(), "date") * 86_400 <= at
    )


def test_times_of_a_zone_are_compared_in_one() -> None:
    assert axis_position("2020-01-01T12:00:00+02:00", "time") == axis_position("2020-01-01T10:00:00", "time")


@pytest.mark.parametrize(
    ("unit", "text", "wanted"),
    [
        ("number", "ten", "a number"),
        ("number", "1.55", "a number"),
        ("number", "inf", "a number"),
        ("number", "[3:1]", "a number"),
        ("number", "[1:2:3]", "a number"),
        ("number", "[1;2]", "a number"),
        ("number", "[]", "a number"),
        ("number", "9" * 50, "a number"),
        ("date", "2021-02-29", "a date such as 2020-12-31"),
        ("date", "[2020-01-02:2020-01-01]", "a date such as 2020-12-31"),
        ("time", "25:00", "a time such as 2020-12-31T23:59:59"),
    ],
)
def test_line_errors_name_column_value_and_remedy(unit: Unit, text: str, wanted: str) -> None:
    with pytest.raises(DataError, match=r"Column 'age': '.+' is neither .* nor a range such as \[") as error:
        OrderedAttribute("age", 0, 5, 1 if unit == "number" else 0, unit).parse(text)
    assert wanted in str(error.value)
    assert text[:40] in str(error.value)


def tree_span(group: str) -> tuple[int, int]:
    first, stop = ORIGIN.span[ORIGIN.code_of[group]].tolist()
    return first, stop - 1


@given(st.data(), st.booleans())
def test_tree_widens_to_the_lowest_common_group(data: st.DataObject, optional: bool) -> None:
    tree = CategoricalAttribute("origin", ORIGIN, optional)
    low, high = data.draw(spans(tree))
    found = widened(tree, low, high)
    text = tree.text(*found)
    if low == GONE:
        assert (found, text) == ((GONE, GONE), None)
        return
    if high == GONE:
        assert (found, text) == ((0, GONE), "All")
    else:
        groups = [label for label in ORIGIN.labels if tree_span(label)[0] <= low and high <= tree_span(label)[1]]
        sizes = {label: len(ORIGIN.items_of(label)) for label in groups}
        assert text == next(label for label in ORIGIN.labels if sizes.get(label) == min(sizes.values()))
    assert text is not None
    back = tree.parse(text)
    if optional:
        assert back == found
    assert widened(tree, *back) == back


@given(st.data(), st.booleans())
def test_tree_penalties_and_counts(data: st.DataObject, optional: bool) -> None:
    tree = CategoricalAttribute("origin", ORIGIN, optional)
    low, high = widened(tree, *data.draw(spans(tree)))
    text, leaves = tree.text(low, high), len(ORIGIN.items)
    below = len(ORIGIN.items_of(text)) if text is not None else 1
    assert tree.penalties(*arrays((low, high))).tolist() == [0 if below == 1 else below / leaves]
    assert tree.counts(*arrays((low, high))).tolist() == [below + (high == GONE and low < high)]


def test_the_lowest_of_groups_with_the_same_items_is_published() -> None:
    tree = CategoricalAttribute("x", Hierarchy.from_tree({"All": {"A": {"B": ["a", "b"]}, "C": ["c"]}}))
    assert tree.texts(*tree.generalize(*arrays((0, 1), (2, 2), (1, 2)))) == ["B", "c", "All"]
    assert tree.parse("A") == tree.parse("B") == (0, 1)


def test_tree_errors_name_column_value_and_a_neighbour() -> None:
    with pytest.raises(DataError, match=r"Column 'origin': 'Itan' is neither .* hierarchy \(did you mean 'Iran'\?\)"):
        CategoricalAttribute("origin", ORIGIN).parse("Itan")
    with pytest.raises(DataError, match=r"a{40}…"):
        CategoricalAttribute("origin", ORIGIN).parse("a" * 100)


@pytest.mark.parametrize("attribute", [OrderedAttribute("x", 0, 9), CategoricalAttribute("x", ORIGIN, True)])
def test_missing_values(attribute: IntervalAttribute) -> None:
    low, high = attribute.parsed([None, "", " ", "?", "-9"], ["?", "-9"])
    assert low.tolist() == high.tolist() == [GONE] * 5
    everything = attribute.generalize(*arrays((GONE, GONE), (2, GONE)))
    assert attribute.texts(*everything) == [None, attribute.text(attribute.first, GONE)]
    assert attribute.penalties(*everything).tolist() == [0, 1]
    assert attribute.texts(*arrays()) == []
    assert [len(end) for end in attribute.parsed([])] == [0, 0]


def test_what_is_missing() -> None:
    assert [is_missing(text, {"NA"}) for text in (None, "\t", "NA", "0", "na")] == [True, True, True, False, False]
