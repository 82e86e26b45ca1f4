"""Levels of ranges: where they begin and end, that they nest, and what is refused."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.data.ordered import Unit, axis_position
from shoal.errors import OptionError
from shoal.hierarchies import intervals

ZERO = date(1970, 1, 1)


def made(
    spec: str, points: list[int], counts: list[int] | None = None, decimals: int = 0, unit: Unit = "number"
) -> tuple[int, int, list[list[int]]]:
    weights = np.array(counts or [1] * len(points), dtype=np.int64)
    begins, ends, levels = intervals.levels(spec, np.array(points, dtype=np.int64), weights, decimals, unit, "x")
    return begins, ends, [level.tolist() for level in levels]


def days(*texts: str) -> list[int]:
    return [axis_position(text, "date") for text in texts]


def dated(spec: str, *texts: str) -> tuple[str, str, list[list[str]]]:
    """By the calendar, in dates."""

    def say(at: int) -> str:
        return (ZERO + timedelta(days=at)).isoformat()

    begins, ends, levels = made(spec, days(*texts), unit="date")
    return say(begins), say(ends), [[say(at) for at in level] for level in levels]


def test_what_is_a_spec() -> None:
    assert all(map(intervals.is_spec, ("width:5", "quantiles:8", "breaks:1/2", "calendar:day")))
    assert not any(map(intervals.is_spec, ("width", "widths:5", "C:\\ages.csv", "ages.csv", "")))


def test_widths() -> None:
    assert made("width:5", [17, 34]) == (15, 34, [[15, 20, 25, 30]])
    assert made("width:5, 10", [17, 34]) == (10, 39, [[10, 15, 20, 25, 30, 35], [10, 20, 30]])
    assert made("width:10", [-11, -1, 9]) == (-20, 9, [[-20, -10, 0]])
    assert made("width:10", [20]) == (20, 29, [[20]])
    assert made("width:0.5", [12, 19], decimals=1) == (10, 19, [[10, 15]])
    assert made("width:1", [120, 190], decimals=2) == (100, 199, [[100]])


def test_quantiles() -> None:
    assert made("quantiles:4", [1, 2, 3, 4, 5, 6, 7, 8]) == (1, 8, [[1, 3, 5, 7], [1, 5]])
    assert made("quantiles:2", [1, 2, 3], [8, 1, 1])[2] == [[1, 2]]
    assert made("quantiles:3", [1, 2, 3])[2] == [[1, 2, 3]]
    assert made("quantiles:6", list(range(12)))[2] == [[0, 2, 4, 6, 8, 10], [0, 4, 8]]
    assert made("quantiles:8", [7]) == (7, 7, [[7], [7], [7]])
    assert made("quantiles:2", days("2020-01-01", "2021-01-01"), unit="date")[2] == [days("2020-01-01", "2021-01-01")]


def test_breaks() -> None:
    assert made("breaks:18,65", [17, 34]) == (17, 65, [[17, 18, 65]])
    assert made("breaks:18,30,65/30", [0, 80]) == (0, 80, [[0, 18, 30, 65], [0, 30]])
    assert made("breaks:0,18/0", [5, 40]) == (0, 40, [[0, 18], [0]])
    assert made("breaks:1.5", [12, 19], decimals=1) == (12, 19, [[12, 15]])
    assert made("breaks:-5,0", [-9, 9]) == (-9, 9, [[-9, -5, 0]])
    assert dated("breaks:2020-03-01", "2020-02-29", "2020-03-05")[2] == [["2020-02-29", "2020-03-01"]]


def test_calendar() -> None:
    assert dated("calendar:month,year", "2020-02-29", "2020-03-01") == (
        "2020-01-01",
        "2020-12-31",
        [[f"2020-{month:02}-01" for month in range(1, 13)], ["2020-01-01"]],
    )
    assert dated("calendar:quarter", "2019-12-31", "2020-04-01")[2] == [["2019-10-01", "2020-01-01", "2020-04-01"]]
    assert dated("calendar:year,decade", "1999-05-05", "2000-01-01") == (
        "1990-01-01",
        "2009-12-31",
        [[f"{year}-01-01" for year in range(1990, 2010)], ["1990-01-01", "2000-01-01"]],
    )
    assert dated("calendar:week", "2020-03-01", "2020-03-02") == (
        "2020-02-24",
        "2020-03-08",
        [["2020-02-24", "2020-03-02"]],
    )
    assert dated("calendar:day,week", "2020-02-29", "2020-02-29")[2][0] == [
        "2020-02-24",
        "2020-02-25",
        "2020-02-26",
        "2020-02-27",
        "2020-02-28",
        "2020-02-29",
        "2020-03-01",
    ]
    begins, ends, levels = made("calendar:day", [-1, 86_400], unit="time")
    assert (begins, ends, levels) == (-86_400, 2 * 86_400 - 1, [[-86_400, 0, 86_400]])


def test_leap_days_belong_to_their_month() -> None:
    for year, last in ((2019, 28), (2020, 29), (1900, 28), (2000, 29)):
        assert dated("calendar:month", f"{year}-02-01")[1] == f"{year}-02-{last}"


@pytest.mark.parametrize(
    ("spec", "unit", "message"),
    [
        ("width:", "number", "'' is not a width"),
        ("width:wide", "number", "'wide' is not a width"),
        ("width:inf", "number", "'inf' is not a width"),
        ("width:2.5", "number", "2.5 is finer than the values"),
        ("width:0", "number", "each width must be a multiple"),
        ("width:-5", "number", "each width must be a multiple"),
        ("width:5,12", "number", "each width must be a multiple"),
        ("width:10,5", "number", "each width must be a multiple"),
        ("width:5,5", "number", "each width must be a multiple"),
        ("width:7", "date", "dates need calendar, quantiles or breaks"),
        ("quantiles:1", "number", "wanted at least 2 quantiles"),
        ("quantiles:many", "number", "wanted at least 2 quantiles"),
        ("breaks:30,18", "number", "breaks must rise"),
        ("breaks:18,18", "number", "breaks must rise"),
        ("breaks:a", "number", "does not describe ranges (a)"),
        ("breaks:", "number", "does not describe ranges"),
        ("calendar:month", "number", "calendar is for dates"),
        ("calendar:year,month", "date", "in this order"),
        ("calendar:minute", "date", "wanted some of day, week, month"),
    ],
)
def test_errors_name_the_column_the_spec_and_the_remedy(spec: str, unit: Unit, message: str) -> None:
    with pytest.raises(OptionError) as error:
        made(spec, [10, 20], unit=unit)
    said = str(error.value)
    assert said.startswith(f"Column 'x': '{spec}' does not describe ranges (")
    assert message in said
    assert f"write {intervals.KINDS[spec.split(':')[0]]}" in said


def test_levels_must_nest() -> None:
    for spec, unit in (("breaks:18,30/20", "number"), ("calendar:week,month", "date")):
        with pytest.raises(OptionError, match="ranges of one level are split by the next"):
            made(spec, [10, 80], unit=unit)  # type: ignore[arg-type]


def test_too_many_ranges() -> None:
    with pytest.raises(OptionError, match="more than a million ranges"):
        made("width:1", [0, 10**9])
    with pytest.raises(OptionError, match="more than a million ranges"):
        made("quantiles:99999999999999999999", [0, 1])


@pytest.mark.parametrize("width", ["1e300", "1e999999999", "-1e300", str(2**60)])
def test_too_wide_ranges(width: str) -> None:
    with pytest.raises(OptionError, match=r"is too wide|is not a width"):
        made(f"width:{width}", [0, 9])


@st.composite
def specs(draw: st.DrawFn) -> tuple[str, Unit]:
    kind = draw(st.sampled_from(["width", "quantiles", "breaks", "calendar"]))
    if kind == "width":
        first, more = draw(st.integers(1, 9)), draw(st.lists(st.integers(2, 4), max_size=2))
        return "width:" + ",".join(str(first * int(np.prod(more[:n]))) for n in range(len(more) + 1)), "number"
    if kind == "quantiles":
        return f"quantiles:{draw(st.integers(2, 17))}", draw(st.sampled_from(["number", "date", "time"]))
    if kind == "breaks":
        fine = sorted(draw(st.sets(st.integers(-300, 300), min_size=1, max_size=6)))
        coarse = [at for at in fine if draw(st.booleans())]
        return "breaks:" + "/".join(",".join(map(str, one)) for one in (fine, coarse) if one), "number"
    periods = [one for one in ("day", "month", "quarter", "year", "decade") if draw(st.booleans())]
    return f"calendar:{','.join(periods or ['week'])}", draw(st.sampled_from(["date", "time"]))


@given(specs(), st.dictionaries(st.integers(-500, 500), st.integers(1, 5), min_size=1, max_size=12))
def test_levels_nest_and_hold_every_value(spec: tuple[str, Unit], values: dict[int, int]) -> None:
    text, unit = spec
    points = sorted(values)
    begins, ends, levels = made(text, points, [values[point] for point in points], unit=unit)
    assert begins <= points[0] <= points[-1] <= ends
    for level in levels:
        assert level[0] == begins
        assert level == sorted(set(level))
        assert level[-1] <= ends
    for finer, coarser in itertools.pairwise(levels):
        assert set(coarser) <= set(finer)


@given(st.dictionaries(st.integers(0, 99), st.integers(1, 9), min_size=1, max_size=30), st.integers(2, 12))
def test_no_quantile_but_the_last_is_larger_than_its_share_and_one_value(values: dict[int, int], wanted: int) -> None:
    points, total = sorted(values), sum(values.values())
    for level, ranges in zip(
        made(f"quantiles:{wanted}", points, [values[at] for at in points])[2], (wanted, wanted // 2), strict=False
    ):
        for start, stop in zip(level, [*level[1:], 100], strict=True):
            held = [values[at] for at in points if start <= at < stop]
            assert sum(held) < total / ranges + max(values.values())
