"""Every figure, against counting by looking at every record for every known set.

Covers: risk/assessment.py, risk/crowds.py, risk/facts.py, risk/posteriors.py, risk/sets.py, risk/targets.py,
risk/worst.py.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal import risk
from shoal.data.persons import Persons
from shoal.data.sensitive import Sensitive
from shoal.data.transactions import Transactions
from shoal.engines import Engine
from shoal.errors import OptionError
from shoal.metrics import crowds as metrics_crowds
from shoal.metrics.risk import Risk
from shoal.models.km import Km
from shoal.published import Grouping, Published
from shoal.risk import crowds, facts, posteriors, worst
from shoal.risk.assessment import Assessment, Choice
from shoal.risk.figure import Figure
from tests.budget import examples
from tests.risk.slow import Slow, quantile

CHOICES: tuple[Choice, ...] = ("worst", "random")
THRESHOLDS = (0.2, 0.5)


def view_of(
    rows: list[list[str]],
    classes: list[int] | None = None,
    people: list[int] | None = None,
    values: list[list[str]] | None = None,
) -> Published:
    """Return published rows. A class is named by its number."""
    sets = Transactions.from_sets(rows)
    hidden = None
    if values is not None:
        theirs = Transactions.from_sets(values)
        hidden = Sensitive(theirs, theirs, frozenset(theirs.labels), frozenset())
    view = Published.plain(sets.of_persons(None if people is None else Persons(np.array(people), "shopper")), hidden)
    if classes is None:
        return view
    names = tuple(map(str, range(max(classes, default=-1) + 1)))
    return replace(view, classes=Grouping(np.array(classes, dtype=np.int64), 1, names))


@st.composite
def views(draw: st.DrawFn, *, most: int = 9) -> Published:
    """Return small data, with or without classes, persons and sensitive values."""
    rows = draw(st.lists(st.lists(st.sampled_from("abcdef"), max_size=5, unique=True), min_size=1, max_size=most))
    number = len(rows)

    def each(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.none() | st.lists(values, min_size=number, max_size=number))

    classes = each(st.integers(0, 2))
    hidden = each(st.lists(st.sampled_from("xy"), max_size=2, unique=True))
    return view_of(rows, classes, each(st.integers(0, 4)), hidden)


def approximately(figure: Figure, value: Fraction | float) -> bool:
    return figure.exact and figure.value == pytest.approx(float(value), abs=1e-12)


def check_exact(result: Assessment, view: Published, population: Published | None = None) -> None:
    """Compare every figure with that of the slow way."""
    slow, outside = Slow.of(view), None if population is None else Slow.of(population)
    for one in result.scenarios:
        sizes = list(slow.risks(one.known_items, one.choice, one.columns))
        total = sum(weight for _, weight in sizes)
        assert total == result.records
        mean = sum(weight / size for size, weight in sizes) / total
        assert approximately(one.smallest, min(size for size, _ in sizes))
        assert approximately(one.prosecutor_max, Fraction(1, min(size for size, _ in sizes)))
        assert approximately(one.prosecutor_mean, mean)
        for share, crowd in one.quantiles:
            assert approximately(crowd, quantile(sizes, Fraction(share).limit_denominator(100)))
        for band in one.histogram:
            inside = [weight for size, weight in sizes if band.least <= size <= (band.most or size)]
            assert approximately(band.share, sum(inside, Fraction(0)) / total)
        for limit, above in one.above:
            over = [weight for size, weight in sizes if Fraction(1, size) > Fraction(limit).limit_denominator(100)]
            assert approximately(above, sum(over, Fraction(0)) / total)
        if outside is None:
            assert one.journalist_max is None
            assert one.marketer == one.prosecutor_mean
        else:
            there = list(slow.risks(one.known_items, one.choice, one.columns, outside))
            assert one.journalist_max is not None
            assert one.journalist_mean == one.marketer
            assert approximately(one.journalist_max, Fraction(1, min(size for size, _ in there)))
            assert approximately(one.marketer, sum(weight / size for size, weight in there) / total)
    for inference in result.inferences:
        everybody = slow.crowd(frozenset())
        assert approximately(inference.prior, Fraction(slow.crowd(frozenset(), None, inference.value), everybody))
        for posterior in inference.posteriors:
            shares = list(slow.shares(inference.value, posterior.known_items, posterior.columns))
            weights = sum(weight for _, weight in shares)
            assert weights == inference.records
            assert approximately(posterior.largest, max(share for share, _ in shares))
            assert approximately(posterior.mean, sum(share * weight for share, weight in shares) / weights)


@examples(700)
@given(views(), st.integers(1, 3) | st.just("all"))
def test_every_figure_is_that_of_looking_at_every_record(view: Published, m: Any) -> None:
    result = risk.assess(view, m=m, thresholds=THRESHOLDS)
    check_exact(result, view)
    assert result.records == len(view)
    numbers = {one.known_items for one in result.scenarios if not one.columns}
    assert numbers == ({1, 2, 3, "all"} if m == "all" else {*range(1, m + 3), "all"}) or not view.rows.longest


@examples(200)
@given(views(), st.integers(1, 2))
def test_searching_set_by_set_finds_what_the_kernels_count(view: Published, m: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crowds, "WORK", 0)
        patch.setattr(worst, "BLOCK", 3)
        patch.setattr(posteriors, "AT_ONCE", 3)
        check_exact(risk.assess(view, m=m, thresholds=THRESHOLDS), view)


@examples(300)
@given(views(), st.data())
def test_the_journalist_counts_in_the_population(view: Published, data: st.DataObject) -> None:
    times = data.draw(st.integers(1, 3))
    rows, classes = [sorted(row) for row in view.rows.sets()], view.classes
    more = data.draw(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=3, unique=True), max_size=4))
    persons = view.rows.persons
    others = view_of(
        rows * times + more,
        None if classes is None else classes.of.tolist() * times + [0] * len(more),
        None if persons is None else persons.of.tolist() * times + [9] * len(more),
    )
    check_exact(risk.assess(view, m=1, population=others), view, others)


def test_intervals_hold_the_exact_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, held, wide = np.random.default_rng(7), list[bool](), 0
    for seed in range(30):
        view = random_view(rng, int(rng.integers(2, 30)))
        exact = risk.assess(view, m=1, thresholds=THRESHOLDS)
        with monkeypatch.context() as patch:
            sample_everything(patch, draws=300)
            estimated = risk.assess(view, m=1, thresholds=THRESHOLDS, seed=seed)
        for (_, true), (_, found) in zip(figures(exact), figures(estimated), strict=True):
            held.append(found.low - 1e-9 <= true.value <= found.high + 1e-9)
            wide += found.high - found.low > 0.5
        assert any(one.draws for one in estimated.scenarios)
    assert len(held) > 3_000
    assert 0.95 <= np.mean(held) < 1  # figures of one sample are wrong together, so this is about many samples
    assert wide < len(held) / 2


def random_view(rng: np.random.Generator, records: int) -> Published:
    """Return data with classes, persons and sensitive values."""
    rows = [rng.choice(list("abcdefgh"), rng.integers(1, 6), replace=False).tolist() for _ in range(records)]
    values = [["x"] * int(rng.random() < 0.4) for _ in range(records)]
    return view_of(rows, rng.integers(0, 3, records).tolist(), rng.integers(0, records, records).tolist(), values)


def sample_everything(patch: pytest.MonkeyPatch, draws: int) -> None:
    """Let no figure be counted that can be estimated."""
    patch.setattr(crowds, "MOST", 0)
    for name, value in {"WORK": 0, "DRAWS": draws, "WORST_DRAWS": draws, "FEWEST_DRAWS": 1}.items():
        patch.setattr(crowds, name, value)
    for name, value in {"EVERY_SET": 0, "DRAWS": draws}.items():
        patch.setattr(posteriors, name, value)


def figures(result: Assessment) -> Iterator[tuple[str, Figure]]:
    """Yield all figures, with their names."""
    for one in result.scenarios:
        where = f"{one.known_items} {one.choice} {one.columns}"
        for name in ("smallest", "prosecutor_max", "prosecutor_mean", "marketer"):
            yield f"{where} {name}", getattr(one, name)
        yield from ((f"{where} above {limit}", share) for limit, share in one.above)
        yield from ((f"{where} {band.least}", band.share) for band in one.histogram)
        yield from ((f"{where} quantile {share}", crowd) for share, crowd in one.quantiles)
    for inference in result.inferences:
        for posterior in inference.posteriors:
            yield f"{inference.value} {posterior.known_items} largest", posterior.largest
            yield f"{inference.value} {posterior.known_items} mean", posterior.mean


@examples(100)
@given(views(), st.integers(1, 3))
def test_the_worst_choice_agrees_with_the_charts(view: Published, m: int) -> None:
    chart = Risk.of(view.rows, 2, m)
    result = risk.assess(view, m=m)
    for number in range(1, m + 1) if view.rows.longest else ():
        one = result.scenario(number, "worst")
        assert one.prosecutor_max.value == chart.prosecutor[number - 1]
        assert one.prosecutor_mean.value == pytest.approx(chart.average[number - 1])


@examples(100)
@given(views(), st.integers(2, 4), st.integers(1, 2))
def test_crowds_of_a_release_are_no_smaller_than_its_k(view: Published, k: int, m: int) -> None:
    view = replace(view, sensitive=None)
    smallest = [
        one.smallest.value
        for one in risk.assess(view, m=m).scenarios
        if one.known_items in (m, *range(m)) and not one.columns
    ]
    assert (min(smallest, default=k) >= k) == Km(k=k, m=m).verify(view).holds or view.rows.count_persons() < k


@examples(100)
@given(views(), st.data())
def test_known_labels_tell_at_least_as_much_as_the_items_below_them(view: Published, data: st.DataObject) -> None:
    """Items of a published record are below no more labels of it, which leave no smaller crowd than the worst ones."""
    above = data.draw(st.fixed_dictionaries({item: st.sampled_from([item, "A", "B"]) for item in "abcdef"}))
    rows = [sorted(row) for row in view.rows.sets()]
    labels = [sorted({above[item] for item in row}) for row in rows]
    published, slow = view_of(labels), Slow.of(view_of(labels))
    result = risk.assess(published, m=1)
    for number in (1, 2, 3):
        crowds = [
            slow.crowd(frozenset(above[item] for item in known))
            for row in range(len(rows))
            for known in Slow.of(view).known(row, number)
        ]
        assert not published.rows.longest or min(crowds) >= result.scenario(number, "worst").smallest.value


@pytest.mark.parametrize("sampled", [False, True])
def test_workers_parts_and_memory_change_nothing(sampled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    view = random_view(np.random.default_rng(3), 400)
    if sampled:
        sample_everything(monkeypatch, draws=200)
    wanted = risk.assess(view, m=2, thresholds=THRESHOLDS, seed=5).as_dict()
    for workers, part in ((1, 7), (3, 50)):
        monkeypatch.setattr(facts, "PART", part)
        monkeypatch.setattr(facts, "BLOCK", 10 * part)
        engine = Engine(workers=workers, memory=1 << 16, part_rows=64)
        assert json.dumps(risk.assess(view, m=2, thresholds=THRESHOLDS, seed=5, engine=engine).as_dict()) == json.dumps(
            wanted
        )
    other = risk.assess(view, m=2, thresholds=THRESHOLDS, seed=6).as_dict()
    assert (other != wanted) == sampled


def test_a_table_of_supports_counts_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    view = replace(random_view(np.random.default_rng(4), 60), classes=None, sensitive=None)
    view = view.of_persons(None)
    wanted = risk.assess(view, m=2)
    monkeypatch.setattr(metrics_crowds, "LARGE", 0)
    assert metrics_crowds.counts_by_table(view.rows, 2, Engine())
    assert risk.assess(view, m=2) == wanted


def test_rows_with_too_many_sets_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    view = view_of([list("abcdef"), list("abcdef"), list("ab"), list("cd"), list("ef"), ["a"]])
    exact = risk.assess(view, m=1)
    monkeypatch.setattr(crowds, "WORK", 0)
    monkeypatch.setattr(worst, "MOST_SETS", 6)
    result = risk.assess(view, m=1)
    two, three = result.scenario(2, "worst"), result.scenario(3, "worst")
    assert two.draws == three.draws == 0
    assert not two.prosecutor_mean.exact
    for one in (two, three):
        true = exact.scenario(one.known_items, "worst")
        for name in ("smallest", "prosecutor_max", "prosecutor_mean"):
            assert getattr(one, name).low <= getattr(true, name).value <= getattr(one, name).high


def test_records_without_items_hide_among_everybody() -> None:
    result = risk.assess(view_of([[], ["a"], ["a"]]), m=1)
    assert result.scenario("all", "worst").quantiles[-1][1].value == 2
    assert result.scenario("all", "worst").prosecutor_mean.value == pytest.approx((1 / 3 + 1 / 2 + 1 / 2) / 3)
    nothing = risk.assess(view_of([[], [], []]), m=1)
    assert [(one.known_items, one.smallest.value) for one in nothing.scenarios] == [(0, 3), (0, 3)]
    columns = risk.assess(view_of([[], [], []], [0, 0, 1]), m=1)
    assert [(one.known_items, one.columns, one.smallest.value) for one in columns.scenarios] == [(0, True, 1)] * 2


def test_no_records() -> None:
    result = risk.assess(Published.plain(Transactions.nothing(0)), m=1, thresholds=(0.1,))
    assert result.records == 0
    assert {one.prosecutor_max.value for one in result.scenarios} == {0}


def test_the_dict_is_plain_and_names_no_items() -> None:
    view = random_view(np.random.default_rng(5), 30)
    text = json.dumps(risk.assess(view, m=1, thresholds=(0.2,)).as_dict(), allow_nan=False)
    assert set(re.findall(r'"([a-h])"', text)) == set()
    assert set(re.findall(r'"value": "(\w+)"', text)) == {"x"}


def test_scenarios_are_looked_up() -> None:
    result = risk.assess(view_of([["a"], ["a", "b"]]), m=1)
    assert result.scenario(1, "random").choice == "random"
    with pytest.raises(OptionError, match=r"no scenario with known_items=7.*choose known_items from 1, 2, 3, all"):
        result.scenario(7, "worst")
    with pytest.raises(OptionError, match="leave columns= out"):
        result.scenario(1, "worst", columns=True)


@pytest.mark.parametrize(("options", "message"), [({"m": 0}, "m must be"), ({"m": 1, "thresholds": [2]}, "threshold")])
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        risk.assess(view_of([["a"]]), **options)
